"""Attention before any training, as a beginner can read it: a bar a query, shared among its keys.

Message: without the scale a query gives nearly all its attention to one key as d_k grows; with 1/sqrt(d_k) it shares
it among several, whatever d_k is. Columns are widths, rows of panels are scales; every panel shows the same few
queries, and each bar of length 1 is cut into the weights of its keys, the largest first.
"""

import numpy as np

from . import style
from .run import word

QUERIES, WIDTHS = 6, 6


def draw(setting):
    rows, statistics = setting.tables["attention_rows"], setting.tables["statistics"]
    n = word(setting.fixed["n_tokens"])
    looks, widths = style.series(rows["scale"]), chosen(sorted(set(rows["d_k"])))
    figure, grid = style.panels(len(looks), len(widths), 1.35 + 1.3 * len(looks), sharex=True, sharey=True)
    for line, (scale, (colour, _, _)) in zip(grid, looks.items()):
        for axes, width in zip(line, widths):
            here = rows[(rows["scale"] == scale) & (rows["d_k"] == width)]
            bars(axes, here, colour)
            keys = value(statistics, scale, width, "effective_keys")
            axes.set_title(f"{keys:.3g} of {n} keys", fontsize=7.5, pad=2, color=style.INK)
        line[0].set_ylabel(style.scale_label(scale).replace(" (", "\n("))
    for axes, width in zip(grid[-1], widths):
        axes.set_xlabel(f"dₖ = {word(width)}")
    style.finish(figure, title(statistics, widths[-1], n), f"Before any training; {n} keys per query, queries and keys "
                 "from N(0, I); a column shows the same queries", CAPTION)
    return figure


CAPTION = ("Each bar is one query: its attention, 1 in all, cut into the weights of its keys from the largest (darkest) "
           "to the smallest. A bar of one colour looks at one key. Above each panel: the effective number of keys, "
           "1/Σp², of the median query of all that were measured.")


def chosen(widths):
    """At most WIDTHS of them, evenly spread, with the first and the last."""
    at = np.unique(np.linspace(0, len(widths) - 1, min(WIDTHS, len(widths))).round().astype(int))
    return [widths[i] for i in at]


def bars(axes, rows, colour):
    for query in sorted(set(rows["query"]))[:QUERIES]:
        weights = rows[rows["query"] == query].sort_values("rank")["weight"].to_numpy()
        edges = np.concatenate([[0], np.cumsum(weights)])
        for rank, weight in enumerate(weights):
            axes.barh(query, weight, left=edges[rank], height=0.8, color=colour, alpha=max(0.2, 0.8 ** rank),
                      edgecolor="white", linewidth=0.4 if weight > 0.01 else 0)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 1], ["0", "1"])
    axes.set_yticks([])
    axes.invert_yaxis()
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=7)


def value(statistics, scale, width, quantity):
    """The measured median, NaN where there is none."""
    found = statistics[(statistics["scale"] == scale) & (statistics["d_k"] == width) & (statistics["statistic"] == "median")
                       & (statistics["quantity"] == quantity)]["measured"]
    return found.iloc[0] if len(found) else np.nan


def title(statistics, width, n):
    """The typical largest weight at the largest width, as measured, if both scales are there and it saturates."""
    bare, scaled = (value(statistics, scale, width, "p_max") for scale in ("none", "inv_sqrt_dk"))
    if not bare > scaled:
        return "Attention before training: how a query shares it among its keys"
    return (f"At dₖ = {word(width)} the typical query gives {share(bare)} of its attention to one of {n} keys "
            f"without a scale, {share(scaled)} with 1/√dₖ")


def share(p):
    """A percentage that does not round to 100 below it."""
    if p > 0.9999:
        return "over 99.99 %"
    return f"{100 * p:.2f} %" if p > 0.99 else f"{100 * p:.0f} %"
