#!/usr/bin/env python3
"""Runs that are killed, interrupted, out of disk, damaged or disputed end with the same bytes.

usage: tests/kill_and_resume.py [--kills 30] [--seed N] [--binaries build/release]

A small sweep of train_retrieval is run once undisturbed; then it is disturbed in every way below, resumed,
and each of its files is compared with the undisturbed one, byte for byte. The moments of the kills are
random; the seed is printed, and the same seed draws the same moments again.
"""
import argparse
import contextlib
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent
CELLS = 48  # 2 scales x 3 d_k x 2 lr x 4 seeds
SWEEP = ("--threads 2 --d_k 4,16,33 --lr 0.5,1 --seed 1,2,3,4 --n_tokens 16 --slot_dim 8 --n_classes 4 "
         "--steps 150 --log_every 10 --evaluate_every 75 --evaluation_sequences 16 --save_weights true").split()


def start(out, *more, limit=None):
    """The sweep as a process that runs on its own."""
    return subprocess.Popen([BINARY, *SWEEP, "--out", out, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, preexec_fn=limit)


def end_of(process):
    """Exit code and what it said, beside the progress of a run that takes long."""
    _, errors = process.communicate(timeout=300)
    said = [line for line in errors.splitlines(keepends=True) if " steps/s" not in line]
    return process.returncode, "".join(said)


def files_of(folder):
    """Every file of a run with its bytes, but for its lock and its clock."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.name not in (".lock", ".files", "meta.json")}


def parts_of(folder):
    return sorted(path for path in (folder / "parts").glob("cell_*") if path.suffix != ".tmp")


def wait_for_parts(process, folder, parts):
    while len(parts_of(folder)) < parts and process.poll() is None:
        time.sleep(0.0005)


def killed_run(folder, parts, *more):
    """A run that was killed when it had finished so many cells."""
    process = start(folder, *more)
    wait_for_parts(process, folder, parts)
    process.kill()
    process.communicate()


@contextlib.contextmanager
def small_disk(size):
    """A file system of its own. Raises unittest.SkipTest where nothing may be mounted."""
    with tempfile.TemporaryDirectory() as place:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place], capture_output=True)
        if mounted.returncode != 0:
            raise unittest.SkipTest("mounting a small disk takes root")
        try:
            yield pathlib.Path(place)
        finally:
            subprocess.run(["umount", place], check=True)


def remount(disk, options):
    subprocess.run(["mount", "-o", f"remount,{options}", disk], check=True)


class KillAndResume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        whole = pathlib.Path(cls.folder.name) / "whole"
        began = time.monotonic()
        process = start(whole)
        wait_for_parts(process, whole, CELLS)
        parts_done = time.monotonic()
        code, errors = end_of(process)
        cls.seconds, cls.joining = time.monotonic() - began, time.monotonic() - parts_done
        assert code == 0, errors
        cls.whole = files_of(whole)
        assert len(cls.whole) == 4 + 6 * CELLS, len(cls.whole)  # config.toml, 3 tables, weights

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.out = pathlib.Path(self.folder.name) / self.id().split(".")[-1]

    def resume(self, out, says=""):
        code, errors = end_of(start(out, "--resume"))
        self.assertEqual(0, code, errors)
        self.assertIn(says, errors)
        found = files_of(out)
        self.assertEqual(sorted(self.whole), sorted(found))
        for name, content in self.whole.items():
            self.assertTrue(content == found[name], f"{name} differs")

    def test_killed_at_random_moments(self):
        """One moment in each of as many equal stretches of the run; every third resume is killed, too."""
        moments, ended = [], 0
        for kill in range(KILLS):
            out = self.out.with_name(f"kill_{kill}")
            for attempt in range(2 if kill % 3 == 0 else 1):
                moment = (kill + RANDOM.random()) / KILLS * self.seconds / (1 + attempt)
                process = start(out, "--resume")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(moment)
                    ended += 1
                process.kill()
                process.communicate()
            moments.append(len(parts_of(out)))
            self.resume(out)
        print(f"  killed {KILLS} times; {min(moments)} to {max(moments)} of {CELLS} cells were done,"
              f" {ended} runs had ended before")

    def test_killed_while_the_tables_are_joined(self):
        seen = set()
        for kill in range(max(3, KILLS // 3)):
            out = self.out.with_name(f"join_{kill}")
            process = start(out)
            wait_for_parts(process, out, CELLS)
            time.sleep(RANDOM.random() * self.joining)
            process.kill()
            process.communicate()
            seen.add(sum((out / name).exists() for name in ("runs.csv", "steps.csv", "probes.csv", "meta.json")))
            self.resume(out)
        print(f"  files of the end that were there when killed: {sorted(seen)} of 4")

    def test_killed_while_overwriting(self):
        """While the files of the run before are removed, as soon as its meta.json is gone."""
        left = []
        for _ in range(max(3, KILLS // 3)):
            self.assertEqual(0, end_of(start(self.out, "--overwrite"))[0])
            process = start(self.out, "--overwrite")
            while (self.out / "meta.json").exists() and process.poll() is None:
                pass
            process.kill()
            process.communicate()
            left.append(len(files_of(self.out)))
            self.resume(self.out)
        print(f"  files that were left when killed: {sorted(left)} of {len(self.whole)}")

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            out = self.out.with_name(number.name)
            code = 0
            while code == 0:  # on a busy machine the run may end before the signal comes
                shutil.rmtree(out, ignore_errors=True)
                process = start(out)
                wait_for_parts(process, out, 5)
                process.send_signal(number)
                code, errors = end_of(process)
            self.assertEqual(1, code)
            sentence = re.fullmatch(r"train_retrieval: stopped with (\d+) of 48 cells finished; --resume goes on from "
                                    r"there\n", errors)
            self.assertTrue(sentence, errors)
            self.assertEqual(int(sentence[1]), len(parts_of(out)))
            self.assertFalse(list(out.rglob("*.tmp")))
            self.resume(out)

    def test_full_disk(self):
        with small_disk("256k") as disk:
            code, errors = end_of(start(disk / "run"))
            self.assertEqual(1, code)
            self.assertRegex(errors, r"^train_retrieval: cannot write .*: No space left on device\n$")
            self.assertFalse(list(disk.rglob("*.tmp")))
            code, _ = end_of(start(disk / "run", "--resume"))
            self.assertEqual(1, code)
            remount(disk, "size=64m")
            self.resume(disk / "run")

    def test_no_file_may_grow(self):
        """As a full disk, but it strikes when the tables are joined."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
        code, errors = end_of(start(self.out, limit=limit))
        self.assertEqual(1, code)
        self.assertRegex(errors, r"^train_retrieval: cannot write .*\.csv\.tmp: File too large\n$")
        self.assertEqual(CELLS, len(parts_of(self.out)))
        self.resume(self.out)

    def test_read_only_folder(self):
        with small_disk("64m") as disk:
            killed_run(disk / "run", 5)
            before = files_of(disk / "run")
            remount(disk, "ro")
            for out in (disk / "run", disk / "another"):
                code, errors = end_of(start(out, "--resume"))
                self.assertEqual(2, code)
                self.assertRegex(errors, r"^train_retrieval: the output folder .* cannot be (written|made): "
                                         r"Read-only file system\n$")
            self.assertEqual(before, files_of(disk / "run"))
            remount(disk, "rw")
            self.resume(disk / "run")

    def test_missing_and_damaged_parts(self):
        killed_run(self.out, 9)
        gone, cut, emptied, longer, changed, folder, other, without = parts_of(self.out)[:8]
        gone.unlink()
        cut.write_bytes(cut.read_bytes()[:-30])
        emptied.write_bytes(b"")
        longer.write_bytes(longer.read_bytes() + b"1\n")
        content = bytearray(changed.read_bytes())
        content[len(content) // 2] ^= 1
        changed.write_bytes(content)
        folder.unlink()
        folder.mkdir()
        other.write_bytes(without.read_bytes())  # the part of another cell
        (self.out / f"weights/run_{int(without.name[5:]):04}_w_k.npy").unlink()
        self.resume(self.out, says=f"the results of cell {int(cut.name[5:])} are damaged; computing it again\n")

    def test_a_finished_run_lost_a_file(self):
        self.assertEqual(0, end_of(start(self.out))[0])
        for name in ("probes.csv", "weights/run_0004_w_k.npy"):
            kept = (self.out / name).read_bytes()
            (self.out / name).unlink()
            code, errors = end_of(start(self.out, "--resume"))
            self.assertEqual(2, code)
            self.assertEqual(f"train_retrieval: the finished run in {self.out} has lost its {name}; only --overwrite"
                             " computes it again\n", errors)
            (self.out / name).write_bytes(kept)
        self.resume(self.out, says="nothing to do")

    def test_two_processes_on_one_folder(self):
        first = start(self.out)
        wait_for_parts(first, self.out, 1)
        for how in ("--resume", "--overwrite"):
            code, errors = end_of(start(self.out, how))
            self.assertEqual(2, code)
            self.assertEqual(f"train_retrieval: the output folder {self.out} is in use by another process; wait for it"
                             " or choose another --out\n", errors)
        self.assertEqual(0, end_of(first)[0])
        self.resume(self.out)

    def test_another_configuration(self):
        killed_run(self.out, 5)
        before = files_of(self.out)
        code, errors = end_of(start(self.out, "--resume", "--weight_decay", "0.1"))
        self.assertEqual(2, code)
        self.assertRegex(errors, r"^train_retrieval: .*/config\.toml:\d+: the run to resume has weight_decay = 0, this "
                                 r"configuration 0\.1 \(--weight_decay\); choose another --out or --overwrite it\n$")
        self.assertEqual(before, files_of(self.out))
        self.resume(self.out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--binaries", default=SOURCE / "build/release", type=pathlib.Path)
    chosen = parser.parse_args()
    KILLS, RANDOM = chosen.kills, random.Random(chosen.seed)
    BINARY = chosen.binaries.resolve() / "experiments/train_retrieval"
    print(f"{KILLS} kills, --seed {chosen.seed}")
    unittest.main(argv=sys.argv[:1], verbosity=2)
