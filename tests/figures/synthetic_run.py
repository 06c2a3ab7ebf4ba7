"""Writes made-up run directories, so that the figures can be tested without training anything.

The numbers are invented but have the shape of real ones. Step 0 is a small Monte Carlo of the softmax
itself (n Gaussian logits of standard deviation s * sqrt(d_k)); what comes after it follows simple curves:
a scaled run learns at a speed proportional to its rate, an unscaled one barely starts at large d_k and
freezes, with gradients that are exactly 0, when its rate is high.
"""

import csv
import math
import pathlib
import zlib

import numpy as np

SWEEP = ["run", "task", "scale", "n_tokens", "d_k", "optimizer", "lr", "seed"]
DEFAULTS = dict(task=["lookup"], scale=["none", "inv_sqrt_dk"], n_tokens=[64], d_k=[16, 64, 256, 1024],
                optimizer=["sgd"], lr=[0.3, 1, 3], seed=[0, 1, 2])
CHANCE = 0.125


def factor(scale, d_k):
    """The number that multiplies the raw scores."""
    words = {"none": 1.0, "inv_sqrt_dk": d_k ** -0.5, "inv_dk": 1.0 / d_k}
    return words[scale] if scale in words else float(scale)


def stream(*key):
    """A generator that is a pure function of its key."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def first_step(scale, n_tokens, d_k, seed, queries=512):
    """Per-query quantities before any training, from logits that are independent normals."""
    rng = stream("first", n_tokens, d_k, seed)
    spread = factor(scale, d_k) * np.sqrt(rng.chisquare(d_k, (queries, 1)))
    z = spread * rng.standard_normal((queries, n_tokens))
    a = 0.3 * rng.standard_normal((queries, n_tokens))
    z -= z.max(axis=1, keepdims=True)
    p = np.exp(z)
    p /= p.sum(axis=1, keepdims=True)
    jacobian = np.sqrt(np.maximum((p ** 2).sum(1) - 2 * (p ** 3).sum(1) + (p ** 2).sum(1) ** 2, 0))
    others = np.exp(np.sort(z, axis=1)[:, :-1]).sum(1)  # 1 - p_max without cancellation
    jacobian = np.where(others < 1e-6, 2 * others, jacobian)
    score = np.linalg.norm(p * (a - (p * a).sum(1, keepdims=True)), axis=1)
    score = np.where(others < 1e-6, 2 * others * np.abs(a[:, 0]), score)
    return {"softmax_jacobian_norm": jacobian, "score_grad_norm": score, "p_max": p.max(1)}


def speed(scale, d_k, lr):
    """Steps a cell takes to half its accuracy; infinite where it never learns."""
    width = factor(scale, d_k) * math.sqrt(d_k)
    if lr * max(width, 1) > 5:
        return math.inf
    return 60 / lr * max(width, 1) ** 0.6


def curve(cell, step):
    """Accuracy of one cell at one step."""
    half = speed(cell["scale"], cell["d_k"], cell["lr"]) * (0.9 + 0.1 * cell["seed"])
    noise = 0.01 * stream("noise", tuple(cell.items()), step).standard_normal()
    learned = 0 if math.isinf(half) else 1 / (1 + math.exp(-6 * (step / half - 1)))
    return float(np.clip(CHANCE + (1 - CHANCE) * learned + noise * (1.2 - learned), 0, 1))


def statistics(values):
    """The statistics of probes.csv for one quantity over queries."""
    squares = (values ** 2).sum()
    return {"mean": values.mean(), "rms": math.sqrt((values ** 2).mean()), "median": np.median(values),
            "q05": np.quantile(values, 0.05), "q95": np.quantile(values, 0.95),
            "dead_1e-3": (values < 1e-3).mean(), "dead_1e-6": (values < 1e-6).mean(),
            "exact_zero": (values == 0).mean(),
            "live_share": squares ** 2 / (len(values) * (values ** 4).sum()) if squares else ""}


def number(value):
    """A number as the C++ side prints it: shortest form, integers as integers, nothing for missing."""
    if isinstance(value, (str, int)):
        return value
    value = float(value)
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def cells(lists):
    """The product of the lists, in the order of a sweep."""
    names = [name for name in SWEEP if name != "run"]
    grid = [{}]
    for name in names:
        grid = [dict(cell, **{name: value}) for cell in grid for value in lists[name]]
    return grid


def write_rows(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([[number(v) for v in row] for row in rows])


def cell_rows(run, cell, steps, log_every, diverges, start):
    """The rows that one cell leaves in the three tables."""
    key = [run] + list(cell.values())
    frozen = math.isinf(speed(cell["scale"], cell["d_k"], cell["lr"]))
    step_rows, probe_rows, to_90 = [], [], ""
    logged = sorted(set(range(0, steps + 1, log_every)) | {steps})
    if diverges:
        logged = logged[: max(1, len(logged) // 3)]
    for step in logged:
        accuracy = curve(cell, step)
        broken = diverges and step == logged[-1]
        to_90 = step if to_90 == "" and accuracy >= 0.9 else to_90
        shrink = 1 - 0.7 * (accuracy - CHANCE)
        norms = [(2.1 if cell["scale"] == "none" else 0.12) * shrink * (1 + 0.1 * cell["seed"])] * 3
        norms = ["nan"] * 3 if broken else norms
        loss, hit = "nan" if broken else 2.1 * shrink, 0.016 + 0.9 * (accuracy - CHANCE)
        step_rows.append(key + [step, loss, accuracy, hit] + norms)
        for quantity, values in start.items():
            dead = frozen and step > 0 and quantity != "p_max"
            now = values ** (1 + 0.05 * step) if dead else values * shrink
            now = np.where(now < 1e-45, 0, now)
            for statistic, value in statistics(now).items():
                probe_rows.append(key + [step, quantity, statistic, "nan" if broken else value])
    run_row = key + [32, 8, 8, steps, CHANCE, "diverged" if diverges else "ok", "" if diverges else 2.1 * shrink,
                     curve(cell, logged[-1]), to_90]
    return run_row, step_rows, probe_rows


def write_run(folder, steps=400, log_every=10, diverged=lambda cell: False, **lists):
    """Writes runs.csv, steps.csv, probes.csv, config.toml and meta.json; returns the folder."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lists = {**DEFAULTS, **lists}
    runs, step_rows, probe_rows, starts = [], [], [], {}
    for run, cell in enumerate(cells(lists)):
        at = (cell["scale"], cell["n_tokens"], cell["d_k"], cell["seed"])
        starts[at] = starts.get(at) or first_step(*at)
        one, more_steps, more_probes = cell_rows(run, cell, steps, log_every, diverged(cell), starts[at])
        runs.append(one)
        step_rows += more_steps
        probe_rows += more_probes
    write_rows(folder / "runs.csv", SWEEP + ["slot_dim", "n_classes", "batch_size", "steps", "chance", "status",
                                             "final_loss", "final_accuracy", "steps_to_90"], runs)
    write_rows(folder / "steps.csv", SWEEP + ["step", "loss", "accuracy", "hit", "grad_w_q", "grad_w_k", "grad_w_v"],
               step_rows)
    write_rows(folder / "probes.csv", SWEEP + ["step", "quantity", "statistic", "value"], probe_rows)
    (folder / "config.toml").write_text(f"steps = {steps}\n")
    (folder / "meta.json").write_text("{}\n")
    return folder


if __name__ == "__main__":
    import sys
    write_run(sys.argv[1])
