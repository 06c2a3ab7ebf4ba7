"""What happens during training at the largest d_k: accuracy, and the gradients that the queries receive.

Message: whether a run learns, and whether its queries still receive gradients, go together; and both depend
on the learning rate. One column a scale. Every learning rate is drawn, thin and grey; the best one of that
scale is drawn in colour with its seeds and the spread over queries. "Best" is the highest median final
accuracy to two decimals, a diverged seed counting as 0; at a tie the fewest steps to 90 %, then the smaller
rate, so that among rates that all stayed at chance it is not noise that chooses.
"""

import numpy as np
from matplotlib.ticker import MaxNLocator

from . import style
from .log_axis import LogAxis
from .run import word

GRADIENTS = (
    ("softmax_jacobian_norm", "softmax Jacobian\n" + r"$‖\partial a_i/\partial z_i‖_F$"),
    ("score_grad_norm", "score gradient\n" + r"$‖\partial L_i/\partial z_i‖$"),
)
FLOOR = 1e-10  # smaller gradients share one band: they change no weight
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))


def draw(setting):
    widest = setting.tables["runs"]["d_k"].max()
    runs, steps, probes = (table[table["d_k"] == widest] for table in setting.tables.values())
    scales, rates = style.in_order(runs["scale"]), sorted(set(runs["lr"]))
    looks = style.series(setting.tables["runs"]["scale"])
    width = max(style.WIDTH, 1.3 + 1.75 * len(scales))
    figure, grid = style.panels(3, len(scales), 6.3, width, sharex=True, sharey="row")
    heights = [LogAxis(drawn(probes, name), FLOOR) for name, _ in GRADIENTS]
    chosen = {scale: best_rate(runs[runs["scale"] == scale]) for scale in scales}
    for column, scale in zip(grid.T, scales):
        mine = [table[table["scale"] == scale] for table in (runs, steps, probes)]
        column[0].set_title(f"{style.scale_label(scale)}\n{chosen_label(mine[0], chosen[scale])}")
        accuracy_panel(column[0], mine[0], mine[1], rates, chosen[scale], looks[scale][0])
        for axes, (name, _), height in zip(column[1:], GRADIENTS, heights):
            gradient_panel(axes, mine[2][mine[2]["quantity"] == name], height, rates, chosen[scale], looks[scale][0])
        column[-1].set_xlabel("step")
        column[-1].xaxis.set_major_locator(MaxNLocator(5, integer=True))
        if steps["step"].max() == steps["step"].min():
            column[-1].set_xticks([steps["step"].max()])
    grid[0, 0].set_ylabel("batch accuracy")
    for axes, (_, label) in zip(grid[1:, 0], GRADIENTS):
        axes.set_ylabel(label)
    style.finish(figure, title(runs, scales, chosen, widest, setting), subtitle(runs, setting), caption(runs),
                 legend(rates, runs), 5)
    return figure


def drawn(probes, name):
    """The values of one quantity that appear in the figure."""
    return probes[(probes["quantity"] == name) & probes["statistic"].isin(("q05", "median", "q95"))]["value"]


def best_rate(runs):
    """The learning rate to highlight, by the rule in the head of this file."""
    ranked = []
    for rate, rows in runs.groupby("lr"):
        counted = rows["final_accuracy"].where(rows["status"] == "ok", 0).fillna(0)
        to_90 = rows["steps_to_90"].fillna(np.inf) if "steps_to_90" in rows else [np.inf]
        ranked.append((-round(counted.median(), 2), np.median(to_90), rate))
    return min(ranked)[-1]


def chosen_label(runs, best):
    """The rate that is drawn in colour, whether it learned, and how many of its seeds diverged."""
    rows = runs[runs["lr"] == best]
    diverged = int((rows["status"] == "diverged").sum())
    several = runs["lr"].nunique() > 1
    label = f"{'best ' if several else ''}learning rate {word(best)}"
    if several and not rows["final_accuracy"].median() >= 0.9:
        label = f"no rate reaches 0.9; colour: {word(best)}"
    return (label
            + (f" ({diverged} of {len(rows)} diverged)" if diverged else ""))


def rate_look(rate, rates):
    """Grey, darker for a larger rate, each rate with its own line style."""
    i = rates.index(rate)
    grey = 0.72 - 0.42 * i / max(len(rates) - 1, 1)
    return dict(color=str(round(grey, 3)), linestyle=LINES[i % len(LINES)], linewidth=1.0)


def few(line):
    """A marker, for a series too short to be a line."""
    return dict(marker="o", markersize=4) if len(line) == 1 else {}


def over_seeds(rows, column):
    """The median over seeds at each step.

    A seed that stopped early has diverged. From then on its accuracy stays what it was last, and its gradients
    count as not finite, which is larger than any number: the median is always one of all seeds.
    """
    table = rows.dropna(subset=[column]).groupby(["step", "seed"])[column].first().unstack()
    if column == "accuracy":
        return table.replace(np.inf, np.nan).ffill().median(axis=1).dropna()
    return table.fillna(np.inf).median(axis=1)


def accuracy_panel(axes, runs, steps, rates, best, colour):
    """Every learning rate's median in grey, every seed of the best one, chance, and where seeds diverged."""
    for rate in rates:
        line = over_seeds(steps[steps["lr"] == rate], "accuracy")
        axes.plot(line.index, line, **rate_look(rate, rates), **few(line))
    mine = steps[steps["lr"] == best]
    if mine["seed"].nunique() > 1:
        for _, rows in mine.groupby("seed"):
            axes.plot(rows["step"], rows["accuracy"], color=colour, linewidth=0.6, alpha=0.8)
    line = over_seeds(mine, "accuracy")
    axes.plot(line.index, line, color=colour, linewidth=2, **few(line))
    mark_divergence(axes, runs, steps)
    for chance in sorted(set(runs["chance"].dropna())) if "chance" in runs else []:
        axes.axhline(chance, color=style.INK, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=1)
    axes.set_ylim(-0.03, 1.04)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.grid(axis="y", color=style.PALE, linewidth=0.7)
    axes.set_axisbelow(True)


def mark_divergence(axes, runs, steps):
    """A cross at the last logged step of each diverged seed."""
    for run in runs[runs["status"] == "diverged"].index:
        key = ["lr", "seed"]
        rows = steps[(steps[key] == runs.loc[run, key]).all(axis=1)].sort_values("step")
        known = rows[np.isfinite(rows["accuracy"])]
        if len(rows):
            height = known["accuracy"].iloc[-1] if len(known) else 0
            axes.plot(rows["step"].iloc[-1], height, color="black", marker="x", markersize=5, linestyle="", zorder=4)


def gradient_panel(axes, rows, height, rates, best, colour):
    """The median query of every learning rate in grey; for the best one also the band of 5 % to 95 % of queries."""
    for rate in rates:
        line = over_seeds(rows[(rows["lr"] == rate) & (rows["statistic"] == "median")], "value")
        axes.plot(line.index, height(line), **rate_look(rate, rates), **few(line))
    mine = rows[rows["lr"] == best]
    low, middle, high = (over_seeds(mine[mine["statistic"] == s], "value") for s in ("q05", "median", "q95"))
    steps = low.index.intersection(high.index)
    axes.fill_between(steps, height(low[steps]), height(high[steps]), color=colour, alpha=0.2, linewidth=0)
    if len(steps) == 1:
        ends = [height(low[steps])[0], height(high[steps])[0]]
        axes.plot(list(steps) * 2, ends, color=colour, marker="_", linewidth=0.8)
    axes.plot(middle.index, height(middle), color=colour, linewidth=2, **few(middle))
    height.dress(axes)
    if rows.empty:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")


def legend(rates, runs):
    """Every rate's grey line and the best one's, chance, and the cross of divergence if there is one."""
    handles = []
    if len(rates) > 1:
        handles += [style.handle(f"lr {word(rate)}", **rate_look(rate, rates)) for rate in rates]
        handles.append(style.handle("in colour: the best lr", color=style.INK, linewidth=2.4))
    if "chance" in runs:
        handles.append(style.handle("chance", color=style.INK, linewidth=0.8, linestyle=(0, (1, 1.5))))
    if (runs["status"] == "diverged").any():
        handles.append(style.handle("a seed diverged", color="black", marker="x", linestyle=""))
    return handles


def optimizer(setting):
    return style.optimizer_label(setting.fixed["optimizer"])


def title(runs, scales, chosen, widest, setting):
    """The final accuracies at the best learning rates, as measured."""
    after = f"{style.range_of(runs['steps'])} {optimizer(setting)} steps" if "steps" in runs else "training"
    ends = []
    for scale in scales:
        final = runs[(runs["scale"] == scale) & (runs["lr"] == chosen[scale])]["final_accuracy"].median()
        ends.append(f"{final:.2f}" if np.isfinite(final) else "unknown")
        ends[-1] += " " + style.with_scale(scale)
    if len(scales) > 3:
        return f"Training at dₖ = {word(widest)}: accuracy and gradients over {after}"
    at = "best learning rate" if runs["lr"].nunique() > 1 else f"learning rate {word(runs['lr'].max())}"
    return f"dₖ = {word(widest)}, {at}: after {after} evaluation accuracy is " + ", ".join(ends)


def subtitle(runs, setting):
    return (f"Training at the largest head width; {style.describe(setting.fixed)}, {optimizer(setting)}, "
            f"{style.counted(runs['seed'].nunique(), 'seed')}")


def caption(runs):
    many = runs["seed"].nunique() > 1
    return (("Colour: the scale's best learning rate (by median final accuracy; ties: fewest steps to 90 %, then the "
             "smaller rate). " if runs["lr"].nunique() > 1 else "")
            + ("Lines: medians over seeds; thin lines: its seeds. " if many else "")
            + "Gradients, each of the query's own loss: line = median query, band = 5 % to 95 % of queries; a grey "
              "band holds what the logarithmic axis cannot show, such as exact zeros. Where a model has learned, the "
              "score gradient falls because little loss is left.")
