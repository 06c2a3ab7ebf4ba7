"""How much of dL/dW_Q is signal before any training, over d_k.

Message: without the scale the gradient is larger and mostly noise. Left its norm, right the share of its mean
square that is the same in every batch, |E g|^2 / E|g|^2: 1 if all batches agree, 0 if they only disagree. Runs
that differ only in learning rate or optimizer share step 0, so each (scale, d_k, seed) counts once.
"""

import numpy as np

from . import style
from .log_axis import LogAxis, width_axis
from .run import word

PANELS = (
    ("grad_w_q", "How large it is", r"norm $‖\partial L/\partial W_Q‖_F$"),
    ("signal_share", "How much of it is signal", r"signal share $‖\mathrm{E}\,g‖^2\,/\,\mathrm{E}‖g‖^2$"),
)
LEAST = 1e-4  # what lies below, estimates at or under 0 among it, has a band of its own


def measured_in(tables):
    """Whether a run measured the share at step 0."""
    steps = tables["steps"]
    return "signal_share" in steps and steps.loc[steps["step"] == 0, "signal_share"].notna().any()


def draw(setting):
    steps = setting.tables["steps"]
    steps = steps[(steps["step"] == 0) & steps["signal_share"].notna()]
    steps = steps.drop_duplicates(["scale", "d_k", "seed"])
    looks = style.series(steps["scale"])
    figure, grid = style.panels(1, len(PANELS), 3.7)
    for axes, (name, heading, symbol) in zip(grid.flat, PANELS):
        axes.set_title(heading)
        axes.set_ylabel(symbol)
        panel(axes, steps, name, looks)
        width_axis(axes, steps["d_k"])
    handles = [style.handle(style.scale_label(scale), color=colour, marker=marker, linestyle=line)
               for scale, (colour, marker, line) in looks.items()]
    style.finish(figure, title(steps), subtitle(steps, setting), caption(steps), handles)
    return figure


def panel(axes, steps, name, looks):
    """For each scale the mean over seeds with its standard error, and every seed as a dot."""
    values = steps[name].clip(lower=LEAST / 2) if name == "signal_share" else steps[name]
    height = LogAxis(values, LEAST if name == "signal_share" else 1e-20)
    for scale, (colour, marker, line) in looks.items():
        rows = steps[steps["scale"] == scale]
        axes.plot(np.log2(rows["d_k"]), height(values[rows.index]), linestyle="", marker=".", markersize=4, color=colour,
                  alpha=0.6)
        groups = rows.groupby("d_k")[name]
        mean, error = groups.mean(), groups.sem().fillna(0)
        low = (mean - error).clip(lower=LEAST if name == "signal_share" else mean / 10)
        axes.vlines(np.log2(mean.index), height(low.to_numpy()), height((mean + error).to_numpy()), color=colour,
                    linewidth=1.2)
        axes.plot(np.log2(mean.index), height(mean.clip(lower=LEAST / 2)), color=colour, marker=marker, linestyle=line)
    height.dress(axes)


def title(steps):
    """Both ratios at the largest d_k where they point opposite ways, as measured; else no claim."""
    widest = steps["d_k"].max()
    at = steps[steps["d_k"] == widest].groupby("scale")[["grad_w_q", "signal_share"]].mean()
    neutral = r"Before training: the norm of $\mathbf{dL/dW_Q}$, and how much of it is signal"
    if not {"none", "inv_sqrt_dk"} <= set(at.index):
        return neutral
    norm = at.loc["none", "grad_w_q"] / at.loc["inv_sqrt_dk", "grad_w_q"]
    share, scaled = (100 * at.loc[scale, "signal_share"] for scale in ("none", "inv_sqrt_dk"))
    if not (norm > 1 and share < scaled):
        return neutral
    return (rf"Step 0, dₖ = {word(widest)}: without 1/√dₖ $\mathbf{{dL/dW_Q}}$ is {norm:.2g}× larger, and mostly noise: "
            f"{percent(share)} of its mean square is signal, against {percent(scaled)} with it")


def percent(value):
    return f"{value:.2g} %" if value > 0 else "0 %"


def subtitle(steps, setting):
    return (f"Before any update; {style.describe(setting.fixed)}, {style.counted(steps['seed'].nunique(), 'seed')}")


def caption(steps):
    many = steps["seed"].nunique() > 1
    return (("Lines: means over seeds, bars: their standard errors, dots: single seeds. " if many else "")
            + "Signal share: the part of the gradient's mean square that is the same in every batch, estimated "
              "without bias from independent batches. Logarithmic axes; a grey band, if any, holds what they cannot "
              "show.")
