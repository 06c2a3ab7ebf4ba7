"""Tests of the figure of attention_cost, on made-up runs whose times follow a law that is known.

    /usr/bin/python3 tests/figures/attention_cost_test.py
"""

import itertools
import pathlib
import sys
import tempfile
import unittest
import warnings

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))

import numpy as np  # noqa: E402

from figures import FIGURES, attention_cost, run, style  # noqa: E402

M, D = 128, 64
COSTS = ("n_tokens,d_model,d_k,d_v,path,pass,part,flops_exact,bytes_exact,bytes_measured,seconds_fastest,"
         "seconds_median")


def write_run(folder, lengths=(32, 128, 512, 1024, 2048), slow=1.0, slope="2.25", timed="99.6",
              paths=("materialised",)):
    """A run in which attention takes `slow` times as long an operation as the projections."""
    rows = []
    for n, path in itertools.product(lengths, paths):
        for name, copies in (("forward", 1), ("backward", 2)):
            flops = {"projections": copies * 6 * n * M * D, "attention": copies * 4 * n * n * D}
            seconds = {"projections": flops["projections"] * 1e-10, "attention": flops["attention"] * slow * 1e-10}
            for table in (flops, seconds):
                table["layer"] = sum(table.values())
            for part in ("layer", "projections", "attention"):
                held = copies * 4 * (3 * n * (n if path == "materialised" else 1) + n * M)
                rows.append(f"{n},{M},{D},{D},{path},{name},{part},{flops[part]},{held},"
                            f"{held + 1024 if part == 'layer' else ''},{seconds[part]},{seconds[part]}")
    (folder / "attention_cost.csv").write_text("\n".join([COSTS, *rows]) + "\n")
    quantities = [f"layer_{name}_{what}" for name in ("forward", "backward")
                  for what in ("flops_exact", "seconds_median", "bytes_exact", "bytes_measured")]
    fit = f"{slope},1.5,2.5" if slope else ",,"
    (folder / "slopes.csv").write_text("path,quantity,slope,ci_low,ci_high,n_min,points\n" + "".join(
        f"{path},{quantity},{fit},512,3\n" for path in paths for quantity in quantities))
    (folder / "crossover.csv").write_text("path,pass,measure,n_crossover\n" + "".join(
        f"{path},{name},flops_exact,192\n{path},{name},seconds_median,{timed}\n"
        for path in paths for name in ("forward", "backward")))
    return folder


def draw(folder):
    """The figure and its text; a warning is an error."""
    (row,) = [row for row in FIGURES if row.draw is attention_cost.draw]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (setting,) = run.settings(run.open_run(folder), row.needs, row.per)
        figure = row.draw(setting)
        figure.draw_without_rendering()
    items = figure.findobj(style.matplotlib.text.Text)
    return figure, "\n".join(item.get_text().replace("\n", " ") for item in items)


class AttentionCost(unittest.TestCase):
    def setUp(self):
        style.use()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_the_title_is_computed(self):
        _, words = draw(write_run(self.folder))
        self.assertIn("at n = 192 by count and n ≈ 100 by time; from n = 512 on", words)
        self.assertIn("as n to the power 2.25, operations to 2.25", words)
        self.assertIn("(1.50 to 2.50)", words)

    def test_without_slopes_or_a_measured_crossing_it_claims_neither(self):
        _, words = draw(write_run(self.folder, slope="", timed=""))
        self.assertNotIn("power", words)
        self.assertNotIn("by time", words)
        self.assertNotIn("nan", words)
        self.assertIn("too few lengths", words)
        self.assertNotIn("least squares", words)

    def test_marks_are_the_measurements_and_lines_the_counts(self):
        figure, _ = draw(write_run(self.folder, slow=3.0))
        lines = {(line.get_color(), line.get_marker()): np.asarray(line.get_ydata(), float)
                 for line in figure.axes[0].lines if len(line.get_xdata()) == 5}
        projections, attention = (attention_cost.PARTS[part] for part in ("projections", "attention"))
        flops = np.array([6.0 * n * M * D for n in (32, 128, 512, 1024, 2048)])
        np.testing.assert_allclose(lines[projections[:2]], flops * 1e-10)
        counted = lines[projections[0], "None"]
        np.testing.assert_allclose(counted / counted[0], flops / flops[0])
        self.assertGreater(counted[0], flops[0] * 1e-10)  # at the speed of the layer, which is slower
        np.testing.assert_array_less(lines[attention[0], "None"], lines[attention[:2]])

    def test_streaming_stands_beside_the_weights_in_memory(self):
        figure, words = draw(write_run(self.folder, paths=("streaming", "materialised")))
        self.assertIn("at n = 2048 streaming holds 2.05 MiB, not 98 MiB", words)
        for axes in figure.axes:
            (marks,) = [line for line in axes.lines if line.get_marker() == attention_cost.STREAMING[1]
                        and line.get_markerfacecolor() != "none"]
            self.assertEqual(len(marks.get_xdata()), 5)
        _, words = draw(write_run(self.folder))
        self.assertNotIn("streaming", words)

    def test_a_run_of_streaming_alone_is_drawn(self):
        _, words = draw(write_run(self.folder, paths=("streaming",)))
        self.assertIn("scores in tiles", words)
        self.assertNotIn("in memory", words)

    def test_degenerate_runs_are_drawn(self):
        both = ("materialised", "streaming")
        for lengths, paths in itertools.product(((2,), (2, 3), tuple(2 ** e for e in range(1, 18))), (both, both[1:])):
            with self.subTest((lengths, paths)):
                figure, _ = draw(write_run(self.folder, lengths=lengths, slope="", timed="", paths=paths))
                self.assertEqual(len(figure.axes), 3)


if __name__ == "__main__":
    unittest.main()
