"""What the three projections learn to read, over training, and what their attention looks like before and after.

Message: each matrix comes to read its own slot of a token, W_Q what a token asks for, W_K its key, W_V its value.
But a model can solve the task without ever unlearning the rest: the wider d_k, the less each matrix has to move,
and only weight decay takes away what is of no use (that regime is called lazy). What both matrices of the score
agree on, the block (ask, key) of W_Q W_K^T, is clean long before either matrix is.

Above: share of |W|^2 in its own slot, a row a weight decay, a column a matrix, a line a d_k. Below: the attention
of the first queries of one evaluation sequence, sorted by the key that each asks for, which is circled.
"""

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator

from . import style
from .run import word

COLUMNS = (  # matrix, slot, heading
    ("w_q", "ask", "$W_Q$ reads ask"),
    ("w_k", "key", "$W_K$ reads key"),
    ("w_v", "value", "$W_V$ reads value"),
    ("w_q_w_k", "ask_key", "$W_Q W_K^⊤$: ask × key"),
)
LOOKS = (("#0072B2", "-"), ("#E69F00", "--"), ("#D55E00", "-."), ("#009E73", ":"), ("#CC79A7", "-"), ("#000000", "--"))
MAP_COLOURS = "Greys"


def draw(setting):
    roles, runs, maps = (setting.tables[name] for name in ("roles", "roles_runs", "attention_map"))
    widths, decays = sorted(set(roles["d_k"])), sorted(set(roles["weight_decay"]))
    looks = {d_k: LOOKS[i % len(LOOKS)] for i, d_k in enumerate(widths)}
    figure, upper, lower = layout(len(decays), len(maps) > 0)
    for row, decay in zip(upper, decays):
        for axes, column in zip(row, COLUMNS):
            mass_panel(axes, roles[roles["weight_decay"] == decay], column, looks)
        row[0].set_ylabel(f"decay {word(decay)}\nshare of $‖W‖^2$")
    for axes, (_, _, heading) in zip(upper[0], COLUMNS):
        axes.set_title(heading)
    for axes in upper[-1]:
        axes.set_xlabel("step")
        axes.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    shown = map_shown(maps)
    draw_maps(figure, lower, maps, shown)
    handles = [style.handle(f"dₖ = {word(d_k)}", color=colour, linestyle=line) for d_k, (colour, line) in looks.items()]
    handles.append(style.handle("a random matrix", color=style.INK, linewidth=0.8, linestyle=(0, (1, 1.5))))
    if shown:
        handles.append(style.handle("the right key", marker="o", markerfacecolor="none", color="#D55E00", linestyle=""))
    style.finish(figure, title(roles, runs), subtitle(roles, runs), caption(roles, shown), handles, 5)
    return figure


def layout(rows, with_maps):
    """The panels of the masses above, and two for the maps below."""
    heights = [0.6 + 1.15 * rows, 1.95][:1 + with_maps]
    figure = style.Figure(figsize=(style.WIDTH, 1.45 + sum(heights)), layout="constrained")
    parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)
    upper = parts[0, 0].subplots(rows, len(COLUMNS), squeeze=False, sharex=True, sharey=True)
    return figure, upper, parts[1, 0].subplots(1, 2, sharey=True) if with_maps else None


def mass_panel(axes, rows, column, looks):
    """The mean over seeds of one mass, every seed as a thin line, and what a random matrix has."""
    matrix, slot, _ = column
    rows = rows[(rows["matrix"] == matrix) & (rows["slot"] == slot)]
    for d_k, (colour, line) in looks.items():
        table = rows[rows["d_k"] == d_k].pivot_table(index="step", columns="seed", values="mass")
        if table.empty:
            continue
        axes.plot(table.index, table, color=colour, linewidth=0.5, alpha=0.6)
        marker = dict(marker="o", markersize=4) if len(table) == 1 else {}
        axes.plot(table.index, table.mean(axis=1), color=colour, linestyle=line, **marker)
    axes.axhline(1 / 9 if slot == "ask_key" else 1 / 3, color=style.INK, linewidth=0.8, linestyle=(0, (1, 1.5)))
    axes.set_ylim(0, 1.03)
    axes.set_yticks([0, 0.5, 1])
    axes.grid(axis="y", color=style.PALE, linewidth=0.7)
    axes.set_axisbelow(True)


def map_shown(maps):
    """Which map: the laziest model's, of the widest d_k and the least weight decay, and the first seed."""
    if maps.empty:
        return {}
    shown = {}
    for column, choose in (("d_k", max), ("weight_decay", min), ("seed", min)):
        shown[column] = choose(maps[column])
        maps = maps[maps[column] == shown[column]]
    return shown


def draw_maps(figure, panels, maps, shown):
    """Attention before and after training, rows sorted by their right key."""
    if panels is None:
        return
    for column, value in shown.items():
        maps = maps[maps[column] == value]
    for axes, (moment, heading) in zip(panels, (("start", "before training"), ("end", "after training"))):
        rows = maps[maps["moment"] == moment]
        weights = rows.pivot_table(index="query", columns="key", values="weight")
        right = rows.groupby("query")["right_key"].first()
        order = right.sort_values(kind="stable").index
        picture = axes.imshow(weights.loc[order], cmap=colormaps[MAP_COLOURS], norm=Normalize(0, 1), aspect="auto",
                              interpolation="nearest")
        axes.plot(right[order], range(len(order)), linestyle="", marker="o", markersize=6, markerfacecolor="none",
                  markeredgecolor="#D55E00", markeredgewidth=1, clip_on=False)
        at = float(np.mean([weights.loc[query, key] for query, key in right.items()]))
        axes.set_title(f"Attention {heading}:\n{at:.2f} on the right key")
        axes.set_xlabel("key (token)")
        axes.set_yticks([])
    panels[0].set_ylabel(f"{len(order)} queries,\nsorted by right key")
    bar = figure.colorbar(picture, ax=panels, fraction=0.04, pad=0.02)
    bar.set_label("attention weight")
    bar.outline.set_visible(False)


def final(roles, matrix, slot, d_k, decay):
    """The mean over seeds of a mass at the last step."""
    rows = roles[(roles["matrix"] == matrix) & (roles["slot"] == slot) & (roles["d_k"] == d_k)
                 & (roles["weight_decay"] == decay)]
    return rows[rows["step"] == rows["step"].max()]["mass"].mean()


def title(roles, runs):
    """The own-slot masses reached with the most decay, and what W_Q keeps at the largest d_k without any."""
    widest, strongest, weakest = roles["d_k"].max(), roles["weight_decay"].max(), roles["weight_decay"].min()
    own = [final(roles, matrix, slot, d_k, strongest) for matrix, slot, _ in COLUMNS[:3] for d_k in set(roles["d_k"])]
    solved = runs[(runs["d_k"] == widest) & (runs["weight_decay"] == weakest)]["final_accuracy"].mean()
    lazy = final(roles, "w_q", "ask", widest, weakest)
    least = min(own)
    if strongest == weakest or not (least > 0.8 and solved > 0.9):
        return f"Share of each projection in its own slot of a token, over {word(roles['step'].max())} steps"
    return (f"Each projection learns its slot (at least {100 * least:.0f} % of its square, with weight decay); without "
            f"decay, at dₖ = {word(widest)}, accuracy is {solved:.2f} while the query matrix keeps {100 * (1 - lazy):.0f} % "
            "elsewhere")


def subtitle(roles, runs):
    ends = sorted({f"{accuracy:.2f}" for accuracy in runs["final_accuracy"]})
    reached = ends[0] if len(ends) == 1 else f"{ends[0]}–{ends[-1]}"
    return (f"Task lookup: a token is three slots, ask, key and value; {word(roles['step'].max())} SGD steps, "
            f"{style.counted(roles['seed'].nunique(), 'seed')}, final accuracy {reached}")


def caption(roles, shown):
    many = roles["seed"].nunique() > 1
    where = (f" Maps: the first queries of one evaluation sequence at dₖ = {word(shown['d_k'])}, weight decay "
             f"{word(shown['weight_decay'])}." if shown else "")
    return (("Lines: means over seeds; thin lines: single seeds. " if many else "")
            + "Dotted: 1/3 of a random matrix lies in each slot, 1/9 of a random product in each block." + where)
