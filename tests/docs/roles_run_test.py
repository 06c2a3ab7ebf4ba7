"""What README.md says of `./rootdk roles`, held against that run.

usage: roles_run_test.py RUN_DIR
"""
import pathlib
import sys
import unittest

import pandas as pd

RUN = pathlib.Path(sys.argv[1])
OWN_SLOT = {"w_q": "ask", "w_k": "key", "w_v": "value"}


class SlotMasses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        masses = pd.read_csv(RUN / "roles.csv")
        cls.start = masses[(masses.step == 0) & masses.matrix.isin(OWN_SLOT)]
        end = masses[masses.step == 1500]
        cls.own = end[end.slot == end.matrix.map(OWN_SLOT)]

    def test_a_third_on_each_slot_at_first(self):
        self.assertEqual(2 * 3 * 9 * 3, len(self.start))  # decays, widths, matrices x slots, seeds
        self.assertLess((self.start.mass - 1 / 3).abs().max(), 0.06)

    def test_with_decay_more_than_nine_tenths_on_the_own_slot(self):
        decayed = self.own.query("weight_decay == 0.001")
        self.assertEqual(3 * 3 * 3, len(decayed))
        self.assertEqual({16, 64, 256}, set(decayed.d_k))
        self.assertGreater(decayed.mass.min(), 0.9)

    def test_without_decay_the_less_the_wider_the_head_and_half_at_256(self):
        lazy = self.own.query("weight_decay == 0 and matrix == 'w_q'").groupby("d_k").mass
        self.assertTrue(lazy.min()[16] > lazy.max()[64] > lazy.min()[64] > lazy.max()[256])
        self.assertAlmostEqual(0.5, lazy.median()[256], delta=0.03)
        runs = pd.read_csv(RUN / "roles_runs.csv").query("weight_decay == 0 and d_k == 256")
        self.assertGreaterEqual(runs.final_accuracy.min(), 0.995)


class Ablation(unittest.TestCase):
    def test_one_matrix_no_matrix_and_matrices_of_their_own(self):
        rows = pd.read_csv(RUN / "ablation.csv").set_index(["projections", "intervention", "target"])
        accuracy = rows.accuracy
        self.assertLess(accuracy["tied", "none", "successor"], 0.4)
        self.assertEqual("0.00", f"{accuracy['none', 'none', 'successor']:.2f}")
        self.assertEqual("1.00", f"{accuracy['untied', 'none', 'successor']:.2f}")
        self.assertEqual("1.00", f"{accuracy['untied', 'swap_q_k', 'predecessor']:.2f}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
