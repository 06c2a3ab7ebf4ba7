"""README.md is true: its op compiles in the test suite, its Python runs, its commands are accepted.

usage: readme_test.py SOURCE_DIR BINARY_DIR
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
README = (SOURCE / "README.md").read_text()


def blocks(language):
    """The fenced code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def section(heading):
    """The text under a heading, up to the next of its rank."""
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)[1]


def commands():
    return [line.split("  #")[0].strip() for block in blocks("sh") for line in block.splitlines()
            if line.strip() and not line.startswith("#")]


class Readme(unittest.TestCase):
    def test_the_worked_op_is_the_one_that_the_suite_compiles_and_runs(self):
        example = (SOURCE / "tests/docs/add_an_op_test.cpp").read_text()
        self.assertEqual([example], blocks("cpp"))

    def test_the_python_lines_draw_a_picture_from_the_csv_of_a_run(self):
        (lines,) = blocks("python")
        self.assertEqual(3, len(lines.strip().splitlines()))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BINARY / "experiments/train_retrieval", "--d_k", "1024", "--lr", "1",
                            "--steps", "2", "--log_every", "1", "--seed", "1", "--quiet"],
                           cwd=folder, check=True)
            subprocess.run([sys.executable, "-c", lines], cwd=folder, check=True,
                           env={**os.environ, "MPLBACKEND": "Agg"})
            self.assertTrue((pathlib.Path(folder) / "accuracy.png").stat().st_size > 1000)

    def test_every_command_is_accepted(self):
        """Experiments as a dry run; the two main commands are run whole by .ci/run."""
        self.assertIn("./rootdk train_retrieval", commands())
        self.assertIn("./rootdk test", commands())
        for command in commands():
            with self.subTest(command), tempfile.TemporaryDirectory() as folder:
                if command == "./rootdk test":
                    continue
                if command == "./rootdk list":
                    subprocess.run([SOURCE / "rootdk", "list"], check=True,
                                   stdout=subprocess.DEVNULL)
                    continue
                words = command.split()
                if words[0] != "./rootdk":
                    self.assertIn(command, section("Run your own"))  # the next test
                    continue
                program = BINARY / "experiments" / words[1]
                words = [str(SOURCE / word) if word.startswith("configs/") else word
                         for word in words[2:]]
                subprocess.run([program, *words, "--dry-run"], cwd=folder, check=True,
                               stdout=subprocess.DEVNULL)

    def test_the_way_without_the_launcher_is_the_launchers(self):
        configure, train, draw, test = [line for line in commands() if not line.startswith("./rootdk")]
        launcher = (SOURCE / "rootdk").read_text().replace('"$preset"', "release")
        self.assertIn(configure, launcher)
        build_tests, run_tests = test.split(" && ")
        self.assertIn(build_tests.removesuffix(" --target tests"), launcher)
        self.assertIn(" --target all tests\n", launcher)
        self.assertIn(run_tests, launcher)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("configs", "experiments"):
                (pathlib.Path(folder) / name).symlink_to(SOURCE / name)
            (pathlib.Path(folder) / "build").mkdir()
            (pathlib.Path(folder) / "build/release").symlink_to(BINARY)
            subprocess.run(train.split(), cwd=folder, check=True, capture_output=True)
            self.assertEqual("python3", draw.split()[0])
            subprocess.run([sys.executable, *draw.split()[1:]], cwd=folder, check=True, capture_output=True)
            self.assertTrue((pathlib.Path(folder) / "runs/quick/figures/training_curves.png").exists())

    def test_every_column_quantity_and_statistic_of_a_run_is_defined(self):
        defined = set(re.findall("`([^` ]+)`", section("Run your own").replace("` `", "`, `")))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BINARY / "experiments/train_retrieval", "--d_k", "4", "--lr", "1", "--steps", "1",
                            "--seed", "1", "--quiet", "--out", "run"], cwd=folder, check=True)
            run = pathlib.Path(folder) / "run"
            runs, steps, probes = [list(csv.DictReader((run / name).read_text().splitlines()))
                                   for name in ("runs.csv", "steps.csv", "probes.csv")]
            keys = set(re.findall(r"^(\w+) = ", (run / "config.toml").read_text(), re.MULTILINE))
        names = set(runs[0]) - keys | set(steps[0]) - set(probes[0])
        names |= {row[c] for row in probes for c in ("quantity", "statistic")}
        self.assertGreaterEqual(len(names), 30)
        self.assertEqual(set(), names - defined)

    def test_what_it_points_to_exists(self):
        for target in re.findall(r"\]\(([^)#:]+)\)", README):
            self.assertTrue((SOURCE / target).exists(), target)
        headings = {heading.lower().replace(",", "").replace(" ", "-")
                    for heading in re.findall("^##+ (.*)$", README, re.MULTILINE)}
        self.assertEqual(set(), set(re.findall(r"\]\(#([^)]+)\)", README)) - headings)

    def test_the_layout_is_that_of_the_project(self):
        (tree,) = re.findall("^```\n(.*?)^```$", section("Layout"), re.MULTILINE | re.DOTALL)
        paths, parent = [], None
        for line in tree.splitlines():
            name = line.split()[0]
            parent = parent if line.startswith(" ") else name
            paths.append(pathlib.Path(parent) / name if line.startswith(" ") else pathlib.Path(name))
        self.assertEqual([], [str(path) for path in paths if not (SOURCE / path).exists()])
        headers = pathlib.Path("include/rootdk")
        self.assertEqual({headers / folder.name for folder in (SOURCE / headers).iterdir() if folder.is_dir()},
                         {path for path in paths if path.parent == headers and not path.suffix})

    def test_files_to_add_and_to_edit_are_where_the_project_has_them(self):
        text = section("Add an op, with its gradient and its test")
        rows = [line for line in text.splitlines() if re.match(r"\| an? ", line)]
        self.assertEqual(8, len(rows))
        for path in re.findall("`([a-z_]+/[^` ]+)`", "\n".join(rows)):
            there = SOURCE / path
            new = re.fullmatch("x(_test)?", there.stem)
            self.assertTrue(list(there.parent.glob(f"*{there.suffix}")) if new else there.exists(), path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
