"""Tests of experiments/plot.py on made-up runs: what it draws, what it refuses, and that it drops nothing.

    /usr/bin/python3 tests/figures/figures_test.py
"""

import contextlib
import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
EXPERIMENTS = HERE.parents[1] / "experiments"
sys.path[:0] = [str(HERE), str(EXPERIMENTS)]

import numpy as np  # noqa: E402

import plot  # noqa: E402
from figures import FIGURES, learning_rate_window, run, style, training_curves  # noqa: E402
from figures.log_axis import LogAxis  # noqa: E402
from synthetic_run import write_run  # noqa: E402

NAMES = ["learning_rate_window", "saturation_at_step_0", "training_curves"]  # of a run of train_retrieval


def call(folder):
    """plot.py as a user calls it."""
    return subprocess.run([sys.executable, str(EXPERIMENTS / "plot.py"), str(folder)], capture_output=True, text=True)


def main(*arguments):
    """plot.py in this process: its exit code, output and errors."""
    output, errors, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["plot.py", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = plot.main()
    except SystemExit as stop:
        code = stop.code
    finally:
        sys.argv = before
    return code, output.getvalue(), errors.getvalue()


def draw(folder, names=NAMES):
    """The figures of a run by name, drawn and laid out in this process; a warning is an error."""
    tables, drawn = run.open_run(folder), {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for row in FIGURES:
            for setting in run.settings(tables, row.needs, row.per) if row.name in names else ():
                drawn[row.name + setting.suffix] = row.draw(setting)
                drawn[row.name + setting.suffix].draw_without_rendering()
    return drawn


def draw_one(folder, name):
    return draw(folder, [name])[name]


def texts(figure):
    """All text in a figure, one item a line; lines that were broken to fit are joined."""
    items = figure.findobj(style.matplotlib.text.Text)
    return "\n".join(item.get_text().replace("\n", " ").replace("\u00a0", " ") for item in items)


def edit(path, change):
    path.write_text(change(path.read_text()))


class WithFolder(unittest.TestCase):
    def setUp(self):
        style.use()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name) / "run"


class DefaultSweep(WithFolder):
    def test_draws_every_figure_twice_with_the_same_bytes(self):
        write_run(self.folder, d_k=[16, 1024], lr=[0.3, 3], seed=[0, 1], steps=40)
        expected = [str(self.folder / "figures" / (name + end)) for name in NAMES for end in (".svg", ".png")]
        sums = []
        for _ in range(2):
            result = call(self.folder)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout.split("\n")[:-1], expected)
            sums.append([hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() for path in expected])
        self.assertEqual(*sums)
        self.assertEqual(len(list((self.folder / "figures").iterdir())), len(expected))
        for path in expected:
            self.assertNotIn(b"<dc:date>", pathlib.Path(path).read_bytes())

    def test_figures_are_noted_once_in_the_notes_of_a_run(self):
        write_run(self.folder, seed=[0], lr=[1], d_k=[16], steps=0)
        self.assertEqual(call(self.folder).returncode, 0)
        self.assertFalse((self.folder / ".files").exists())  # CSVs alone are nobody's run
        (self.folder / ".files").write_text("runs.csv\n")
        for _ in range(2):
            drawn = call(self.folder).stdout.split("\n")[:-1]
        noted = [str(self.folder / line) for line in (self.folder / ".files").read_text().splitlines()]
        self.assertGreater(len(drawn), 0)
        self.assertEqual([str(self.folder / "runs.csv"), *drawn], noted)

    def test_every_seed_and_chance_is_in_the_window(self):
        write_run(self.folder, seed=[0, 1, 2], lr=[0.3, 1], d_k=[64, 1024], steps=10)
        edit(self.folder / "runs.csv", lambda text: self.with_accuracies(text, ["0.31", "0.62", "0.97"]))
        words = texts(draw_one(self.folder, "learning_rate_window"))
        self.assertEqual(words.count("0.31–0.97"), 8)
        self.assertEqual(words.count("0.62"), 8)
        self.assertIn("chance 0.125", words)
        self.assertIn("After 10 SGD steps", words)
        self.assertIn("0 of 2 without a scale, 0 of 2 with 1/√dₖ", words)

    @staticmethod
    def with_accuracies(text, values):
        lines = text.splitlines()
        column = lines[0].split(",").index("final_accuracy")
        for i, line in enumerate(lines[1:]):
            cells = line.split(",")
            cells[column] = values[i % len(values)]
            lines[i + 1] = ",".join(cells)
        return "\n".join(lines) + "\n"

    def test_the_title_of_step_0_states_the_paradox_only_if_it_is_there(self):
        write_run(self.folder, seed=[0], lr=[1], d_k=[1024], steps=0)
        self.assertIn("smaller, yet the norm", texts(draw_one(self.folder, "saturation_at_step_0")))
        edit(self.folder / "steps.csv", lambda text: text.replace("2.1,2.1,2.1", "0.01,0.01,0.01"))
        edit(self.folder / "steps.csv", lambda text: "\n".join(
            line if line.startswith("run") or ",inv_sqrt" in line else line.rsplit(",", 3)[0] + ",0.01,0.01,0.01"
            for line in text.splitlines()) + "\n")
        self.assertIn("Before training:", texts(draw_one(self.folder, "saturation_at_step_0")))


class NothingIsDropped(WithFolder):
    def test_log_axis_places_zero_tiny_infinite_and_missing(self):
        axis = LogAxis([0, 1e-30, 1e-3, 1, np.inf, np.nan], floor=1e-10)
        zero, tiny, small, one, infinite = axis([0, 1e-30, 1e-3, 1, np.inf])
        self.assertTrue(zero < tiny < axis.low <= small < one < infinite)
        self.assertTrue(np.isnan(axis([np.nan])[0]))
        self.assertEqual(list(LogAxis([0.1, 1]).below), [])
        for odd in ([], [0, 0], [np.inf], [0.18, 0.18]):
            self.assertTrue(np.isfinite(LogAxis(odd).low))

    def test_zero_gradients_are_drawn_in_a_labelled_band(self):
        write_run(self.folder, seed=[0], lr=[3], d_k=[1024], steps=400, log_every=50)
        axes = draw_one(self.folder, "training_curves").axes[4]  # score gradient, no scale
        labels = dict(zip([t.get_text() for t in axes.get_yticklabels()], axes.get_yticks()))
        drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axes.lines])
        self.assertIn("0", labels)
        self.assertIn(labels["0"], drawn)
        self.assertGreater(labels["0"], axes.get_ylim()[0])

    def test_zero_at_step_0_is_drawn(self):
        write_run(self.folder, seed=[0], lr=[1], d_k=[64, 256], steps=0)
        edit(self.folder / "steps.csv", lambda text: "\n".join(
            line.rsplit(",", 3)[0] + ",0,0,0" if ",none," in line else line for line in text.splitlines()) + "\n")
        axes = draw_one(self.folder, "saturation_at_step_0").axes[2]
        self.assertIn("0", [t.get_text() for t in axes.get_yticklabels()])

    def test_diverged_seeds_count_and_are_marked(self):
        write_run(self.folder, lr=[1, 3], d_k=[64], steps=100, diverged=lambda c: c["lr"] == 3 and c["seed"] < 2)
        figures = draw(self.folder)
        self.assertEqual(texts(figures["learning_rate_window"]).count("2 div."), 2)
        self.assertIn("a seed diverged", texts(figures["training_curves"]))
        self.assertIn("inf, nan", texts(figures["training_curves"]))

    def test_a_solved_cell_whose_seeds_diverged_is_not_called_solved(self):
        write_run(self.folder, scale=["inv_sqrt_dk"], lr=[1, 3], d_k=[64], diverged=lambda c: c["lr"] == 3)
        edit(self.folder / "runs.csv", lambda text: DefaultSweep.with_accuracies(text, ["1"]))
        self.assertIn("1 of 2 cells ≥ 0.9", texts(draw_one(self.folder, "learning_rate_window")))

    def test_cells_that_never_ran_are_said_to_be_missing(self):
        write_run(self.folder, seed=[0], lr=[1, 3], d_k=[64, 256], steps=20)
        edit(self.folder / "runs.csv", lambda text: "\n".join(
            ",".join(line.split(",")[:13] + ["not_run", "", "", ""]) if ",256,sgd,3," in line else line
            for line in text.splitlines()) + "\n")
        for name in ("steps.csv", "probes.csv"):
            edit(self.folder / name, lambda text: "".join(
                line for line in text.splitlines(True) if ",256,sgd,3," not in line))
        figures = draw(self.folder)
        self.assertEqual(texts(figures["learning_rate_window"]).count("not run"), 2)
        self.assertEqual(len(figures), len(NAMES))

    def test_each_value_of_a_swept_setting_has_its_own_figure(self):
        write_run(self.folder, seed=[0], lr=[1], d_k=[64], steps=0, n_tokens=[16, 64], optimizer=["sgd", "adam"])
        self.assertIn("learning_rate_window_n_tokens_16_optimizer_adam", draw(self.folder, ["learning_rate_window"]))
        tables = run.open_run(self.folder)
        self.assertEqual([len(list(run.settings(tables, row.needs, row.per))) for row in FIGURES
                          if row.name in NAMES], [4, 2, 4])


class DegenerateSweeps(WithFolder):
    def test_they_are_all_drawn(self):
        one = dict(seed=[7], lr=[1], d_k=[64], scale=["none"])
        sweeps = {
            "one cell, no step": dict(one, steps=0),
            "one width and seed": dict(d_k=[256], seed=[3], steps=20),
            "one rate": dict(lr=[0.1], d_k=[16, 64], steps=20),
            "never at 90 %": dict(lr=[0.0001], d_k=[64], scale=["none"], steps=20),
            "all diverged at once": dict(one, steps=0, diverged=lambda c: True),
            "all diverged later": dict(one, lr=[1, 3], steps=100, diverged=lambda c: True),
            "words and numbers": dict(scale=["none", "0.25", "1e-3"], lr=[1], d_k=[4, 64], seed=[0], steps=10),
            "a number only": dict(one, scale=["0.5"], steps=10),
            "many of each": dict(scale=["none", "inv_dk"], lr=[0.03, 0.1, 0.3, 1, 3, 10], seed=[0],
                                 d_k=[1, 2, 64, 96, 1024], steps=0),
        }
        for name, lists in sweeps.items():
            with self.subTest(name):
                figures = draw(write_run(self.folder / name.replace(" ", "_"), **lists))
                self.assertEqual(sorted(figures), sorted(NAMES))

    def test_a_mixed_scale_column_keeps_its_words(self):
        write_run(self.folder, scale=["0.25", "none", "1e-3"], lr=[1], d_k=[64], seed=[0], steps=0)
        tables = run.open_run(self.folder)
        self.assertEqual(style.in_order(tables["runs"]["scale"]), ["none", "1e-3", "0.25"])

    def test_one_point_has_a_marker(self):
        write_run(self.folder, seed=[0], lr=[1], d_k=[64], scale=["none"], steps=0)
        for axes in draw_one(self.folder, "training_curves").axes:
            self.assertTrue(any(line.get_marker() == "o" for line in axes.lines))

    def test_best_rate_breaks_ties_by_speed_then_size(self):
        write_run(self.folder, scale=["inv_sqrt_dk"], d_k=[64], lr=[0.3, 1, 3], steps=400, log_every=10)
        self.assertEqual(training_curves.best_rate(run.open_run(self.folder)["runs"]), 3)
        edit(self.folder / "runs.csv", lambda text: text.replace(",ok,", ",diverged,"))
        runs = run.open_run(self.folder)["runs"].assign(steps_to_90=np.nan)
        self.assertEqual(training_curves.best_rate(runs), 0.3)
        self.assertFalse(learning_rate_window.Cell(runs).good)


class Refusals(WithFolder):
    def refused(self, folder, words):
        """plot.py exits 2 with one sentence that holds these words, and draws nothing."""
        code, output, errors = main(folder)
        self.assertEqual((code, output, errors.count("\n")), (2, "", 1))
        self.assertIn(words, errors)
        self.assertFalse((pathlib.Path(folder) / "figures").exists())

    def test_what_is_no_finished_run(self):
        self.refused(self.folder, "is not a directory")
        self.folder.mkdir()
        self.refused(self.folder, "is not a run directory")
        (self.folder / "config.toml").write_text("")
        self.refused(self.folder, "has not finished")
        write_run(self.folder, seed=[0], lr=[1], d_k=[64], steps=0)
        good = (self.folder / "runs.csv").read_text()
        for bad, words in ((good.splitlines()[0] + "\n", "no rows"), ("", "not a complete CSV"),
                           (good[: good.rindex("ok")] + "\n", "status is empty"),
                           (good.replace("d_k", "width"), "no column d_k"), (good.replace(",64,", ",wide,"), "wide")):
            (self.folder / "runs.csv").write_text(bad)
            self.refused(self.folder, words)
        (self.folder / "runs.csv").unlink()
        self.refused(self.folder, "has not finished")

    def test_the_command_line(self):
        missing = call(self.folder)
        self.assertEqual((missing.returncode, missing.stdout, missing.stderr.count("\n")), (2, "", 1))
        code, _, errors = main()
        self.assertEqual((code, errors.count("\n")), (2, 1))

    def test_a_run_of_another_kind_has_no_figures(self):
        self.folder.mkdir()
        (self.folder / "another.csv").write_text("n_tokens,d_k\n16,64\n")
        code, output, errors = main(self.folder)
        self.assertEqual((code, output, errors.count("\n")), (0, "", 1))


if __name__ == "__main__":
    unittest.main()
