"""What softmax saturation does to gradients before any training, over d_k.

Message: without the scale the typical query's gradient dies as d_k grows, while the norm of dL/dW_Q gets
larger, because a few undecided queries carry it all. Three panels: the softmax Jacobian a query sees, the
gradient that reaches its scores, and the norm that most programs log, which tells the opposite story.
Runs that differ only in learning rate or optimizer share step 0, so each (scale, d_k, seed) counts once.
"""

import numpy as np

from . import style
from .log_axis import LogAxis, width_axis
from .run import word

PANELS = (
    ("softmax_jacobian_norm", "Softmax Jacobian\nof each query", r"$‖\partial a_i/\partial z_i‖_F$"),
    ("score_grad_norm", "Gradient of each query's\nscaled scores (own loss)", r"$‖\partial L_i/\partial z_i‖$"),
    ("grad_w_q", "Gradient of the whole\nquery matrix (mean loss)", r"$‖\partial L/\partial W_Q‖_F$"),
)
QUANTILES = ("q05", "median", "q95")


def draw(setting):
    tables = [measured(setting.tables, name) for name, _, _ in PANELS]
    every = setting.tables["steps"]
    looks = style.series(every["scale"])
    figure, grid = style.panels(1, len(PANELS), 3.75 + 0.2 * (len(looks) > 3))
    for axes, table, (name, heading, symbol) in zip(grid.flat, tables, PANELS):
        axes.set_title(heading)
        axes.set_ylabel(symbol)
        panel(axes, table, looks)
        width_axis(axes, every["d_k"])
    handles = [style.handle(style.scale_label(scale), color=colour, marker=marker, linestyle=line)
               for scale, (colour, marker, line) in looks.items()]
    style.finish(figure, title(*tables[1:]), subtitle(every, setting), caption(every), handles)
    return figure


def measured(tables, name):
    """Step 0 of one quantity as rows scale, d_k, seed, statistic, value; each distinct measurement once."""
    if name.startswith("grad_w_"):
        table = tables["steps"].assign(statistic="median", value=tables["steps"][name])
    else:
        table = tables["probes"]
        table = table[(table["quantity"] == name) & table["statistic"].isin(QUANTILES)]
    table = table[(table["step"] == 0) & table["value"].notna()]
    return table[["scale", "d_k", "seed", "statistic", "value"]].drop_duplicates()


def panel(axes, table, looks):
    """For each scale: the median over seeds as a line, the band, and every seed's own value as a small mark."""
    if table.empty:
        axes.text(0.5, 0.5, "not measured\nat step 0", transform=axes.transAxes, ha="center")
        axes.set_yticks([])
        return
    height = LogAxis(table["value"])
    for scale, (colour, marker, line) in looks.items():
        rows = table[table["scale"] == scale]
        medians = rows.groupby(["statistic", "d_k"])["value"].median()
        if "q05" in medians.index and "q95" in medians.index:
            low, high = medians["q05"], medians["q95"]
            axes.fill_between(np.log2(low.index), height(low), height(high.reindex(low.index)), color=colour,
                              alpha=0.18, linewidth=0)
            for edge in (low, high):
                axes.plot(np.log2(edge.index), height(edge), color=colour, linewidth=0.7, marker="_", markersize=4)
            if len(low) == 1:  # a band needs two points; one is a bar
                axes.plot(np.log2([low.index[0]] * 2), height([low.iloc[0], high.iloc[0]]), color=colour, linewidth=0.7)
        if "median" not in medians.index:
            continue
        seeds = rows[rows["statistic"] == "median"]
        axes.plot(np.log2(seeds["d_k"]), height(seeds["value"]), linestyle="", marker=".", markersize=3, color=colour,
                  alpha=0.7)
        middle = medians["median"]
        axes.plot(np.log2(middle.index), height(middle), color=colour, marker=marker, linestyle=line)
    height.dress(axes)


def title(score, weight):
    """Both ratios at the largest d_k where they point opposite ways, as measured; else no claim."""
    neutral = "Before training: each query's gradient, and that of the query matrix"
    widest = max(set(score["d_k"]) & set(weight["d_k"]), default=None)
    values = []
    for table in (score, weight):
        at = table[(table["d_k"] == widest) & (table["statistic"] == "median")].groupby("scale")["value"].median()
        if not {"none", "inv_sqrt_dk"} <= set(at.index) or not np.isfinite(at).all():
            return neutral
        values.append((at["none"], at["inv_sqrt_dk"]))
    (score_none, score_scaled), (weight_none, weight_scaled) = values
    if not (score_none < score_scaled and weight_none > weight_scaled > 0):
        return neutral
    typical = "is 0" if score_none == 0 else f"is {times(score_scaled / score_none)} smaller"
    return (f"Step 0, dₖ = {word(widest)}: without 1/√dₖ the typical query's score gradient {typical}, yet the "
            rf"norm of $\mathbf{{dL/dW_Q}}$ is {times(weight_none / weight_scaled)} larger")


def times(ratio):
    """A ratio to two digits, as a factor."""
    return f"{float(f'{ratio:.2g}'):,.10g}×" if ratio < 1e9 else "over a billion ×"


def subtitle(steps, setting):
    return f"Before any update; {style.describe(setting.fixed)}, {style.counted(steps['seed'].nunique(), 'seed')}"


def caption(steps):
    many = steps["seed"].nunique() > 1
    return ("Left, middle: the line is the median query, the band holds 5 % to 95 % of the queries. "
            + ("All are medians over seeds; the dots are single seeds. " if many else "")
            + "Logarithmic axes; a grey band, if any, holds what they cannot show, such as exact zeros.")
