#!/usr/bin/env python3
"""./rootdk hands the user's words to a binary and draws where that binary wrote.

usage: launcher_test.py SOURCE_DIR BINARY_DIR

The launcher runs in a project of its own: the real binary, a build that does nothing, and in place of
plot.py a script that says which folder it was given and whether a run is there.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SMALL = "--n_tokens 4 --slot_dim 4 --d_k 4 --lr 1 --seed 1 --steps 2 --evaluation_sequences 8 --quiet".split()
PLOT = "import pathlib, sys; folder = pathlib.Path(sys.argv[1]); print(folder, (folder / 'runs.csv').is_file())"
STUBS = {"cmake": "#!/bin/sh\n", "dpkg-query": "#!/bin/sh\nprintf 'install ok installed'\n"}


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for below in ("experiments", "configs", "build/release", "bin", "work"):
            (self.root / below).mkdir(parents=True)
        (self.root / "rootdk").write_bytes((SOURCE / "rootdk").read_bytes())
        (self.root / "rootdk").chmod(0o755)
        for name in ("train_retrieval", "claims"):
            (self.root / "experiments" / f"{name}.cpp").touch()
        (self.root / "experiments/plot.py").write_text(PLOT)
        (self.root / "build/release/experiments").symlink_to(BINARY / "experiments")
        for name, text in STUBS.items():
            (self.root / "bin" / name).write_text(text)
            (self.root / "bin" / name).chmod(0o755)

    def launch(self, *words):
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        ended = subprocess.run([self.root / "rootdk", *words], cwd=self.root / "work", text=True,
                               capture_output=True, env={**os.environ, "PATH": path})
        return ended.returncode, ended.stdout, ended.stderr

    def expect_drawn(self, folder, *words):
        code, output, errors = self.launch("train_retrieval", *SMALL, *words)
        self.assertEqual((0, f"{folder} True\n"), (code, output), errors)

    def expect_refused(self, sentence, *words):
        code, output, errors = self.launch(*words)
        self.assertEqual((2, "", sentence), (code, output, errors.strip()))
        self.assertEqual([], list((self.root / "work").iterdir()))

    def test_figures_are_drawn_where_the_run_is_whatever_the_config_is_called(self):
        for name, stem in [("my.conf", "my"), ("my.v2.toml", "my.v2"), ("plain", "plain"), (".hidden", ".hidden")]:
            (self.root / "work" / name).write_text("seed = 1\n")
            self.expect_drawn(f"runs/{stem}", "--config", name)
            self.expect_drawn(f"runs/{stem}", f"--config={name}")  # a second time it resumes
        for words in [("--out", "a b"), ("--out=c",)]:
            self.expect_drawn(words[-1].removeprefix("--out="), *words)
        self.expect_drawn("runs/train_retrieval")

    def test_the_config_of_the_experiment_is_the_default_one(self):
        (self.root / "configs/train_retrieval.toml").write_text("batch_size = 3\n")
        self.expect_drawn("runs/train_retrieval")
        self.assertIn("batch_size = 3\n", (self.root / "work/runs/train_retrieval/config.toml").read_text())

    def test_a_complaint_is_of_what_the_user_wrote(self):
        (self.root / "configs/train_retrieval.toml").touch()
        for flag in ("--config", "--out", "--d_k"):
            self.expect_refused(f"train_retrieval: {flag} needs a value", "train_retrieval", flag)
            self.expect_refused(f"train_retrieval: {flag} needs a value", "train_retrieval", *SMALL[:4], flag)
        self.expect_refused("train_retrieval: --out: the name of the folder is empty", "train_retrieval", "--out", "")
        self.expect_refused("train_retrieval: --config: the name of the file is empty", "train_retrieval", "--config", "")
        self.expect_refused("train_retrieval: unexpected argument x; a value follows its flag, and a list is one "
                            "word, as in --d_k 16,64", "train_retrieval", "x")

    def test_a_command_is_a_word_not_a_pattern(self):
        for word in ("train_retrieva.", ".*", "train_retrieval\nclaims", "CLAIMS", "common/matrix", "-x"):
            self.expect_refused(f"rootdk: unknown command '{word}': one of test, install, list, claims, "
                                "train_retrieval", word)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
