"""What README.md says of the default run, held against that run.

usage: headline_run_test.py RUN_DIR
"""
import pathlib
import sys
import unittest

import pandas as pd

RUN = pathlib.Path(sys.argv[1])


def read(name):
    return pd.read_csv(RUN / name)


class AfterFourHundredSteps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = read("runs.csv")

    def accuracy(self, scale, condition):
        return self.runs[self.runs.scale == scale].query(condition).final_accuracy

    def test_the_sweep_is_whole(self):
        self.assertEqual(72, len(self.runs))
        self.assertEqual({"ok"}, set(self.runs.status))
        self.assertEqual({400}, set(self.runs.steps))

    def test_with_the_scale_lr_1_works_at_every_d_k_and_seed(self):
        self.assertGreaterEqual(self.accuracy("inv_sqrt_dk", "lr == 1").min(), 0.98)

    def test_with_the_scale_lr_3_works_in_the_median_from_d_k_64_on(self):
        wide = self.runs.query("scale == 'inv_sqrt_dk' and lr == 3 and d_k >= 64")
        self.assertGreaterEqual(wide.groupby("d_k").final_accuracy.median().min(), 0.98)

    def test_without_the_scale_wide_heads_are_at_chance(self):
        self.assertLess(self.accuracy("none", "d_k >= 256").max(), 0.2)


class AtStepZero(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        probes = read("probes.csv").query("step == 0 and d_k == 1024 and lr == 1")
        cls.probes = probes.groupby(["scale", "quantity", "statistic"]).value.median()
        steps = read("steps.csv").query("step == 0 and d_k == 1024 and lr == 1")
        cls.grad_w_q = steps.groupby("scale").grad_w_q.median()

    def test_the_typical_jacobian(self):
        typical = self.probes[:, "softmax_jacobian_norm", "median"]
        self.assertAlmostEqual(0.001, typical["none"], delta=0.0005)
        self.assertAlmostEqual(0.17, typical["inv_sqrt_dk"], delta=0.01)

    def test_the_share_of_dead_queries(self):
        dead = self.probes[:, "score_grad_norm", "dead_1e-3"]
        self.assertAlmostEqual(0.53, dead["none"], delta=0.02)
        self.assertEqual(0, dead["inv_sqrt_dk"])

    def test_few_queries_carry_the_gradient(self):
        live = self.probes[:, "score_grad_norm", "live_share"]
        self.assertLess(live["none"], 0.08)
        self.assertGreater(live["inv_sqrt_dk"], 0.6)

    def test_the_norm_of_the_gradient_of_w_q_is_twenty_times_larger(self):
        ratio = self.grad_w_q["none"] / self.grad_w_q["inv_sqrt_dk"]
        self.assertAlmostEqual(20, ratio, delta=2)
        self.assertAlmostEqual(2.0, self.grad_w_q["none"], delta=0.1)
        self.assertAlmostEqual(0.10, self.grad_w_q["inv_sqrt_dk"], delta=0.01)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
