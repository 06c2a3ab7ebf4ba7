"""Tests of the figures of saturation_at_init, on made-up runs.

    /usr/bin/python3 tests/figures/saturation_figures_test.py
"""

import csv

import unittest


from figures_test import WithFolder, draw, texts

WIDTHS, SCALES = (1, 64, 1024), ("none", "inv_sqrt_dk", "0.3")


def made_up(scale, width):
    """quantity, statistic -> measured, theory: what a real run has, roughly."""
    flat = scale != "none" or width == 1
    law = "" if flat else 1 / width ** 0.5
    median = 0.3 if flat else 2 * 10 ** (-0.16 * width ** 0.5)
    yield "softmax_jacobian_norm", "mean", 0.3 if flat else 1.7 / width ** 0.5, law
    for statistic, power in (("q05", 4), ("median", 1), ("q95", 0.1)):
        yield "softmax_jacobian_norm", statistic, median ** power, "" if flat else median ** power
    yield "p_max", "median", 0.2 if flat else 0.99999, ""
    yield "effective_keys", "median", 8 if flat else 1.01, ""


def write_run(folder, scales=SCALES, widths=WIDTHS, n_tokens=(16,), zero=False):
    folder.mkdir()
    with open(folder / "statistics.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow("n_tokens,d_k,scale,quantity,statistic,measured,standard_error,theory".split(","))
        rows.writerows([n, d, s, q, statistic, 0 if zero and statistic == "q05" else value, value / 50, law]
                       for n in n_tokens for d in widths for s in scales for q, statistic, value, law in made_up(s, d))
    with open(folder / "attention_rows.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow("n_tokens,d_k,scale,query,rank,weight".split(","))
        rows.writerows([n, d, s, query, rank + 1, 0.5 ** min(rank + 1, n - 1)]
                       for n in n_tokens for d in widths for s in scales for query in range(8) for rank in range(n))
    (folder / "config.toml").write_text("")
    return folder


class SaturationFigures(WithFolder):
    def test_both_are_drawn_for_each_number_of_keys(self):
        write_run(self.folder, n_tokens=(4, 16))
        drawn = draw(self.folder, ["saturation_law", "attention_rows"])
        self.assertEqual(sorted(drawn), [f"{name}_n_tokens_{n}" for name in ("attention_rows", "saturation_law")
                                         for n in ("16", "4")])

    def test_titles_state_what_was_measured(self):
        write_run(self.folder)
        drawn = draw(self.folder, ["saturation_law", "attention_rows"])
        self.assertIn("From dₖ = 64 to 1024 without a scale, the mean softmax Jacobian shrinks 4×, the median query's "
                      "6,900×", texts(drawn["saturation_law"]))
        self.assertIn("over 99.99 % of its attention to one of 16 keys without a scale, 20 % with 1/√dₖ",
                      texts(drawn["attention_rows"]))
        self.assertIn("1.01 of 16 keys", texts(drawn["attention_rows"]))

    def test_no_claim_without_the_rows_for_it(self):
        write_run(self.folder, scales=("0.3",), widths=(64,))
        drawn = draw(self.folder, ["saturation_law", "attention_rows"])
        self.assertIn("mean and quantiles", texts(drawn["saturation_law"]))
        self.assertIn("how a query shares it", texts(drawn["attention_rows"]))

    def test_a_quantile_of_zero_has_its_band(self):
        write_run(self.folder, zero=True)
        axes = draw(self.folder, ["saturation_law"])["saturation_law"].axes[1]
        self.assertIn("0", [label.get_text() for label in axes.get_yticklabels()])

    def test_bars_add_up_and_the_first_is_the_largest(self):
        write_run(self.folder, scales=("none",), widths=(64,), n_tokens=(4,))
        (axes,) = draw(self.folder, ["attention_rows"])["attention_rows"].axes
        first = [patch for patch in axes.patches if patch.get_y() < 0]
        self.assertEqual([patch.get_width() for patch in first], [0.5, 0.25, 0.125, 0.125])


if __name__ == "__main__":
    unittest.main()
