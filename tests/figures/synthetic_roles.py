"""Writes made-up runs of roles, so that its figures can be tested without training anything."""

import pathlib

import numpy as np

from synthetic_run import stream, write_rows

TARGETS = ("successor", "predecessor", "identity")
MODELS = {  # (projections, intervention) -> accuracy on each target
    ("untied", "untrained"): (0.03, 0.03, 0.03),
    ("untied", "none"): (1, 0, 0),
    ("untied", "swap_q_k"): (0, 1, 0),
    ("tied", "none"): (0.38, 0.28, 0.34),
    ("none", "none"): (0, 0, 1),
}


def masses(d_k, decay, step):
    """Own-slot masses of w_q, w_k, w_v and the product: they rise from 1/3, less far the wider without decay."""
    end = 0.97 if decay else 0.33 + 0.6 * (16 / d_k) ** 0.5
    risen = 1 - np.exp(-step / 100)
    return [("w_q", "ask", 1 / 3 + (end - 1 / 3) * risen), ("w_k", "key", 1 / 3 + (end - 1 / 3) * risen),
            ("w_v", "value", 1 / 3 + 0.6 * risen), ("w_q_w_k", "ask_key", 1 / 9 + 0.8 * risen)]


def attention(start, queries=4, keys=8):
    """Rows query, key, right_key, weight: uniform at the start, on the right key at the end."""
    right = stream("right").integers(0, keys, queries)
    for i in range(queries):
        for j in range(keys):
            yield i, j, int(right[i]), 1 / keys if start else 0.9 * (j == right[i]) + 0.1 / keys


def write_roles(folder, d_k=(16, 256), weight_decay=(0, 0.001), seed=(1, 2), steps=400, log_every=50, models=MODELS,
                maps=True):
    """Writes the five tables of roles, config.toml and meta.json; returns the folder."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    points = [(d, w, s) for d in d_k for w in weight_decay for s in seed]
    logged = sorted(set(range(0, steps + 1, log_every)) | {steps})
    slots = ["d_k", "weight_decay", "seed"]
    write_rows(folder / "roles.csv", slots + ["step", "matrix", "slot", "mass"],
               [point + (step,) + row for point in points for step in logged for row in masses(*point[:2], step)])
    write_rows(folder / "roles_runs.csv", slots + ["status", "final_loss", "final_accuracy"],
               [point + ("ok", 0.01, 1) for point in points])
    write_rows(folder / "attention_map.csv", slots + ["moment", "query", "key", "right_key", "weight"],
               [point + (moment,) + row for point in points if maps and point[2] == seed[0]
                for moment in ("start", "end") for row in attention(moment == "start")])
    pooled, single = [], []
    for (kind, intervention), values in models.items():
        for target, value in zip(TARGETS, values):
            pooled.append((kind, intervention, target, value, max(value - 0.01, 0), min(value + 0.01, 1)))
            single += [(kind, intervention, target, s, round(1000 * value), 1000, 1 / 12, 1 / 32) for s in seed]
    write_rows(folder / "ablation.csv", ["projections", "intervention", "target", "accuracy", "ci_low", "ci_high"],
               pooled)
    write_rows(folder / "ablation_seeds.csv", ["projections", "intervention", "target", "seed", "correct", "asked",
                                               "chance", "blind"], single)
    (folder / "config.toml").write_text("")
    (folder / "meta.json").write_text("{}\n")
    return folder
