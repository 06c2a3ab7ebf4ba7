"""Tests of the figures of roles, and of that of the signal share, on made-up runs.

    /usr/bin/python3 tests/figures/roles_figures_test.py
"""

import unittest

import figures_test as base
from synthetic_roles import MODELS, write_roles
from synthetic_run import write_run


def with_shares(folder, share):
    """Adds the column signal_share to steps.csv: share(scale) at step 0, nothing later."""
    path = folder / "steps.csv"
    lines = path.read_text().splitlines()
    columns = lines[0].split(",")
    lines[0] += ",signal_share"
    for i, line in enumerate(lines[1:], 1):
        cells = line.split(",")
        first = cells[columns.index("step")] == "0"
        lines[i] += f",{share(cells[columns.index('scale')])}" if first else ","
    path.write_text("\n".join(lines) + "\n")


class Roles(base.WithFolder):
    def test_draws_both_figures_with_what_was_measured(self):
        figures = base.draw(write_roles(self.folder), ["roles", "ablation"])
        roles, ablation = (base.texts(figures[name]) for name in ("roles", "ablation"))
        self.assertIn("Each projection learns its slot (at least 92 % of its square", roles)
        self.assertIn("at dₖ = 256, accuracy is 1.00 while the query matrix keeps 52 % elsewhere", roles)
        self.assertIn("0.91 on the right key", roles)
        self.assertIn("accuracy 1.00 with projections, 0.38 with one for queries and keys, 0.00 without any", ablation)
        self.assertIn("they find the predecessor: 1.00", ablation)
        self.assertIn("2/3", ablation)
        self.assertIn("1/12", ablation)

    def test_every_mass_and_seed_is_drawn(self):
        axes = base.draw_one(write_roles(self.folder), "roles").axes
        for panel in axes[:8]:  # 2 decays x 4 matrices: for 2 widths a mean and 2 seeds, and the dotted line
            self.assertEqual(len(panel.lines), 2 * 3 + 1)

    def test_the_titles_claim_nothing_that_is_not_there(self):
        words = base.texts(base.draw_one(write_roles(self.folder, steps=0, d_k=[16]), "roles"))
        self.assertIn("Share of each projection in its own slot", words)
        self.assertNotIn("learns its slot", words)
        few = {key: MODELS[key] for key in [("tied", "none")]}
        words = base.texts(base.draw_one(write_roles(self.folder, models=few), "ablation"))
        self.assertNotIn("without any", words)
        self.assertNotIn("predecessor:", words)

    def test_degenerate_runs_are_drawn(self):
        unknown = {**MODELS, ("untied", "something_new"): (0.1, 0.2, 0.3)}
        for lists in (dict(seed=[7], steps=0, weight_decay=[0]), dict(maps=False, models=unknown)):
            with self.subTest(lists):
                figures = base.draw(write_roles(self.folder, **lists), ["roles", "ablation"])
                self.assertEqual(sorted(figures), ["ablation", "roles"])


class SignalShare(base.WithFolder):
    def test_it_is_drawn_only_where_it_was_measured(self):
        write_run(self.folder, steps=10, lr=[1])
        tables = base.run.open_run(self.folder)
        row = next(row for row in base.FIGURES if row.name == "signal_share")
        self.assertFalse(row.allowed(tables))
        with_shares(self.folder, lambda scale: 0.002 if scale == "none" else 0.1)
        self.assertTrue(row.allowed(base.run.open_run(self.folder)))

    def test_the_title_states_larger_and_noise_only_if_it_is_so(self):
        write_run(self.folder, steps=0, lr=[1], d_k=[16, 1024])
        with_shares(self.folder, lambda scale: 0.002 if scale == "none" else 0.1)
        words = base.texts(base.draw_one(self.folder, "signal_share"))
        self.assertIn("mostly noise: 0.2 % of its mean square is signal, against 10 % with it", words)
        write_run(self.folder, steps=0, lr=[1], d_k=[16, 1024])
        with_shares(self.folder, lambda scale: 0.1 if scale == "none" else 0.002)
        self.assertNotIn("mostly noise", base.texts(base.draw_one(self.folder, "signal_share")))

    def test_estimates_below_zero_are_drawn_in_a_band(self):
        write_run(self.folder, steps=0, lr=[1], d_k=[64])
        with_shares(self.folder, lambda scale: -0.001 if scale == "none" else 0.1)
        figure = base.draw_one(self.folder, "signal_share")
        labels = [text.get_text() for text in figure.axes[1].get_yticklabels()]
        self.assertTrue(any(label.startswith("<") for label in labels), labels)


if __name__ == "__main__":
    unittest.main()
