#!/usr/bin/python3
"""Compares a run of saturation_at_init with an independent Monte Carlo, row by row.

    ./rootdk saturation_at_init --config configs/saturation_reference.toml
    tests/standalone/saturation_reference.py RUN_DIR

The table has 400 000 queries a row, drawn from the exact law of the scores (a chi times normals), in numpy. Each mean,
median and share must agree within four combined standard errors. Then the slopes that the theory promises: the log of
the median |J|_F against sqrt(d_k), and of its mean against log d_k, over d_k = 256, 1024, 4096, without a scale.
Exit codes: 0 all agree, 1 something does not.
"""

import csv
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent / "data" / "saturation" / "monte_carlo.csv"
SCALES = {"1": ("none",), "rsqrt": ("inv_sqrt_dk",), "1/d": ("inv_dk",)}
QUANTITIES = {"JF": "softmax_jacobian_norm", "J2": "softmax_jacobian_spectral", "trJ": "softmax_jacobian_trace",
              "pmax": "p_max", "H": "entropy", "Neff": "effective_keys"}
SHARES = {"dead_0.001": ("softmax_jacobian_norm", "dead_1e-3"), "dead_1e-06": ("softmax_jacobian_norm", "dead_1e-6"),
          "f32_winner_exact1": ("float32_weight_one", "mean")}
SLOPES = {"16": -0.365498, "64": -0.282132}  # minus the median gap of n normals
WIDE = ("256", "1024", "4096")


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def read_run(folder):
    """(n, d, scale, quantity, statistic) -> (measured, standard error)"""
    return {tuple(row[c] for c in ("n_tokens", "d_k", "scale", "quantity", "statistic")):
            (float(row["measured"]), float(row["standard_error"]))
            for row in rows(pathlib.Path(folder) / "statistics.csv")}


def expectations(row, scale):
    """What one row of the table says: quantity, statistic, value, standard error."""
    for short, name in QUANTITIES.items():
        yield name, "mean", float(row[f"{short}_mean"]), float(row[f"{short}_se"])
        # At d_k = 4096 without a scale the typical p_max and effective_keys are within rounding of 1.
        if not (short in ("pmax", "Neff") and row["d"] == "4096" and scale == "none"):
            yield name, "median", float(row[f"{short}_med"]), float(row[f"{short}_medse"])
    for column, (name, statistic) in SHARES.items():
        share = float(row[column])
        yield name, statistic, share, math.sqrt(share * (1 - share) / float(row["N"]))


def compare(run):
    """One (deviation in combined standard errors, key, measured, expected) a statistic of the table."""
    for row in rows(TABLE):
        # At d_k = 1 the three scales are one, and the table has it once.
        for scale in sum(SCALES.values(), ()) if row["d"] == "1" else SCALES[row["scale"]]:
            for name, statistic, expected, error in expectations(row, scale):
                key = (row["n"], row["d"], scale, name, statistic)
                if key not in run:
                    sys.exit(f"the run has no row {','.join(key)}: it needs all of configs/saturation_reference.toml")
                measured, own_error = run[key]
                deviation = abs(measured - expected) / math.hypot(error, own_error)
                yield deviation, key, measured, expected


def slope(x, y):
    """Of the least-squares line."""
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def slopes(run):
    """For each n: the slope of the log median, what it should be, and the slope of the log mean."""
    for n, promised in SLOPES.items():
        at = {s: [math.log(run[(n, d, "none", "softmax_jacobian_norm", s)][0]) for d in WIDE] for s in ("median", "mean")}
        widths = [float(d) for d in WIDE]
        yield (n, slope([math.sqrt(d) for d in widths], at["median"]), promised,
               slope([math.log(d) for d in widths], at["mean"]))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: saturation_reference.py RUN_DIR")
    run = read_run(sys.argv[1])
    compared = sorted(compare(run), reverse=True)
    wrong = sum(deviation > 4 for deviation, *_ in compared)
    print(f"{len(compared)} statistics compared, {wrong} further than 4 combined standard errors; the worst:")
    for deviation, key, measured, expected in compared[:8]:
        print(f"  {deviation:.2f}  {','.join(key)}: measured {measured:.6g}, expected {expected:.6g}")
    for n, median, promised, mean in slopes(run):
        off = abs(median / promised - 1)
        wrong += off > 0.05 or not -0.5 < mean < -0.4
        print(f"n = {n}: log median falls by {-median:.4f} per unit of sqrt(d_k), theory {-promised:.4f} ({off:.1%} off); "
              f"mean as d_k^{mean:.3f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
