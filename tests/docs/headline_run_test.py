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

    def test_without_the_scale_no_wide_head_gets_to_0_2_at_any_rate(self):
        wide = self.accuracy("none", "d_k >= 256")
        self.assertEqual(2 * 3 * 3, len(wide))  # widths, rates, seeds
        self.assertLess(wide.max(), 0.2)


class AtStepZero(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        probes = read("probes.csv").query("step == 0 and d_k == 1024 and lr == 1")
        cls.probes = probes.groupby(["scale", "quantity", "statistic"]).value.median()
        steps = read("steps.csv").query("step == 0 and d_k == 1024 and lr == 1")
        cls.grad_w_q = steps.groupby("scale").grad_w_q.median()

    def test_the_typical_jacobian(self):
        typical = self.probes[:, "softmax_jacobian_norm", "median"]
        self.assertEqual("0.001", f"{typical['none']:.3f}")
        self.assertEqual("0.18", f"{typical['inv_sqrt_dk']:.2f}")

    def test_the_share_of_dead_queries(self):
        dead = self.probes[:, "score_grad_norm", "dead_1e-3"]
        self.assertEqual("0.54", f"{dead['none']:.2f}")
        self.assertEqual(0, dead["inv_sqrt_dk"])

    def test_few_queries_carry_the_gradient(self):
        live = self.probes[:, "score_grad_norm", "live_share"]
        self.assertEqual("0.06", f"{live['none']:.2f}")
        self.assertEqual("0.67", f"{live['inv_sqrt_dk']:.2f}")

    def test_the_typical_query_gets_thirteen_times_less(self):
        typical = self.probes[:, "query_grad_norm", "median"]
        self.assertEqual("13", f"{typical['inv_sqrt_dk'] / typical['none']:.0f}")

    def test_the_norm_of_the_gradient_of_w_q_is_twenty_times_larger(self):
        ratio = self.grad_w_q["none"] / self.grad_w_q["inv_sqrt_dk"]
        self.assertAlmostEqual(20, ratio, delta=1)
        self.assertEqual("2.0", f"{self.grad_w_q['none']:.1f}")
        self.assertEqual("0.10", f"{self.grad_w_q['inv_sqrt_dk']:.2f}")


class AfterwardsAtWideHeads(unittest.TestCase):
    """Every seed: a run without the scale is chaotic, and its digits differ between processors."""

    @classmethod
    def setUpClass(cls):
        cls.steps = read("steps.csv").query("scale == 'none' and d_k == 1024")

    def spread(self, condition):
        return self.steps.query(condition).logit_std

    def test_without_the_scale_large_rates_drive_the_scores_apart(self):
        self.assertAlmostEqual(32, self.spread("step == 0").median(), delta=1)
        self.assertGreater(self.spread("step == 400 and lr == 1").min(), 100)
        self.assertGreater(self.spread("step == 400 and lr == 3").min(), 1000)

    def test_at_0_3_they_stay_together(self):
        self.assertLess(self.spread("lr == 0.3").max(), 60)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
