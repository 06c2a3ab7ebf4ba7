"""How softmax saturates as d_k grows: the mean as a power law, the quantiles exponentially.

Message: without the scale the mean norm of the softmax Jacobian falls slowly, as a power of d_k, while the typical
query's falls as exp(-m sqrt(d_k)): two truths about the same queries. Left, the mean on logarithmic axes; right,
quantiles on a logarithmic axis against sqrt(d_k), where theory says straight lines. Marks are measured, with bars of
two standard errors; lines are theory, where there is one.
"""

import numpy as np

from . import style
from .log_axis import LogAxis, width_axis
from .run import word

QUANTITY = "softmax_jacobian_norm"
SYMBOL = r"$‖J‖_F$"
FLOOR = 1e-45
QUANTILES = {"q95": ("^", "95 % of the queries are below"), "median": ("o", "median query"),
             "q05": ("v", "5 % of the queries are below")}
REFERENCE = "inv_sqrt_dk"


def draw(setting):
    table = setting.tables["statistics"]
    table = table[table["quantity"] == QUANTITY]
    looks = style.series(table["scale"])
    figure, grid = style.panels(1, 2, 4.3)
    mean_panel(grid[0][0], table, looks)
    steep = "none" if "none" in looks else next(iter(looks))
    quantile_panel(grid[0][1], table, looks, steep)
    handles = [style.handle(style.scale_label(scale), color=colour, marker=marker, linestyle="", markerfacecolor="white")
               for scale, (colour, marker, _) in looks.items()]
    handles += [style.handle(label, color=style.INK, marker=marker, linestyle="", markerfacecolor="none")
                for marker, label in QUANTILES.values()]
    handles.append(style.handle("theory", color=style.INK, linestyle="-", linewidth=1))
    style.finish(figure, title(table), f"Before any training; {word(setting.fixed['n_tokens'])} keys per query, "
                 "queries and keys from N(0, I)", caption(steep), handles, columns=3)
    return figure


def mean_panel(axes, table, looks):
    axes.set_title("Mean over queries: a power law")
    axes.set_ylabel("mean " + SYMBOL)
    rows = table[table["statistic"] == "mean"]
    height = LogAxis(np.concatenate([rows["measured"], rows["theory"].dropna()]))
    for scale, (colour, marker, _) in looks.items():
        points(axes, height, rows[rows["scale"] == scale], np.log2, colour, marker)
    height.dress(axes)
    width_axis(axes, table["d_k"])


def quantile_panel(axes, table, looks, steep):
    axes.set_title("Quantiles: straight lines against √dₖ")
    axes.set_ylabel(SYMBOL)
    rows = table[table["statistic"].isin(QUANTILES)]
    shown = rows[rows["scale"].isin((steep, REFERENCE))]
    height = LogAxis(np.concatenate([shown["measured"], shown["theory"].dropna()]), floor=FLOOR)
    for scale in dict.fromkeys((steep, REFERENCE)):
        for statistic, (marker, _) in QUANTILES.items():
            if scale in looks and (scale == steep or statistic == "median"):
                one = rows[(rows["scale"] == scale) & (rows["statistic"] == statistic)]
                points(axes, height, one, np.sqrt, looks[scale][0], marker)
    height.dress(axes)
    root_axis(axes, table["d_k"])


def points(axes, height, rows, place, colour, marker):
    """Measured marks with bars of two standard errors, on the line of theory."""
    rows = rows.sort_values("d_k")
    at, middle = place(rows["d_k"]), rows["measured"]
    law = rows["theory"].notna()
    axes.plot(at[law], height(rows["theory"][law]), color=colour, linewidth=1, zorder=1)
    low, high = middle - 2 * rows["standard_error"], middle + 2 * rows["standard_error"]
    for x, value, a, b in zip(at, middle, low, high):
        a = a if a > 0 else value / 10  # a bar that reaches 0 has no end on this axis
        axes.plot([x, x], [height(a), height(b)], color=colour, linewidth=1.1, zorder=2)
    axes.plot(at, height(middle), color=colour, marker=marker, linestyle="", markerfacecolor="white", zorder=3)


def root_axis(axes, widths):
    """Makes x the axis of sqrt(d_k), with ticks at the measured widths that have room."""
    at = np.sqrt(sorted(set(widths)))
    span = max(at[-1] - at[0], 1)
    labels, last = [], -np.inf
    for x in at:
        room = x - last >= 0.12 * span
        labels.append(rf"$\sqrt{{{x * x:.6g}}}$" if room else "")
        last = x if room else last
    axes.set_xlim(at[0] - 0.07 * span, at[-1] + 0.07 * span)
    axes.set_xticks(at, labels)
    axes.set_xlabel("√dₖ, marked by dₖ")


def title(table):
    """By how much mean and median fall without a scale, from the first width of theory to the last; else no claim."""
    rows = table[(table["scale"] == "none") & table["theory"].notna()]
    falls = {}
    for statistic in ("mean", "median"):
        one = rows[rows["statistic"] == statistic].sort_values("d_k")
        if len(one) >= 2 and one["measured"].iloc[-1] > 0:
            falls[statistic] = one["measured"].iloc[0] / one["measured"].iloc[-1]
    if len(falls) < 2 or not falls["median"] > falls["mean"] > 1:
        return "Norm of the softmax Jacobian before training: mean and quantiles"
    first, last = word(rows["d_k"].min()), word(rows["d_k"].max())
    return (f"From dₖ = {first} to {last} without a scale, the mean softmax Jacobian shrinks {times(falls['mean'])}, "
            f"the median query's {times(falls['median'])}")


def times(ratio):
    """A ratio to two digits, as a factor."""
    return f"{float(f'{ratio:.2g}'):,.10g}×" if ratio < 1e7 else f"10^{np.log10(ratio):.0f}×"


def caption(steep):
    return ("J is the derivative of a query's weights by its scores: what of a gradient can reach them. Marks: measured, "
            "with bars of two standard errors. Lines: theory (two-level law, gap of the top two keys), where there is "
            f"one. Right: quantiles {style.with_scale(steep)}; the median with 1/√dₖ for comparison, if it was measured.")
