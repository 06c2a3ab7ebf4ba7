"""Which learning rates work, at which head width, with which scale.

Message: the missing scale narrows the window of usable learning rates, and narrows it more the wider the
head; it is not that one run "stalls". One panel a scale, one cell a (d_k, learning rate), the colour is the
median over seeds of the final evaluation accuracy. The number of steps is part of the message, since with
more steps the window grows. Each cell also says how far the seeds spread and how many diverged.
"""

import math

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Normalize, to_rgb
from matplotlib.cm import ScalarMappable
from matplotlib.patches import Rectangle

from . import style
from .run import word

GOOD = 0.9  # the accuracy that counts as solved, as in steps_to_90
COLOURS = "cividis"
MOST_COLUMNS = 10  # cells side by side that keep their text readable in 7 inches


def draw(setting):
    runs = setting.tables["runs"]
    scales, widths, rates = style.in_order(runs["scale"]), sorted(set(runs["d_k"])), sorted(set(runs["lr"]))
    across = max(1, min(len(scales), 3, MOST_COLUMNS // len(rates)))
    down = math.ceil(len(scales) / across)
    height = down * (0.7 + max(0.46 * len(widths), 1.0)) + 1.35
    figure, grid = style.panels(down, across, height, max(style.WIDTH, 1.6 + 0.54 * len(rates) * across),
                                sharex=True, sharey=True)
    for axes in grid.flat[len(scales):]:
        axes.set_visible(False)
    cells = {key: Cell(rows) for key, rows in runs.groupby(["scale", "d_k", "lr"])}
    for i, (axes, scale) in enumerate(zip(grid.flat, scales)):
        mine = {key[1:]: cell for key, cell in cells.items() if key[0] == scale}
        axes.set_title(f"{style.scale_label(scale)}{': ' if across == 1 else chr(10)}"
                       f"{sum(cell.good for cell in mine.values())} of {style.counted(len(mine), 'cell')} ≥ {GOOD}")
        panel(axes, mine, widths, rates)
        axes.xaxis.set_tick_params(labelbottom=i + across >= len(scales))
        axes.set_xlabel(f"learning rate ({optimizer(setting)})" if i + across >= len(scales) else "")
        axes.set_ylabel("head width dₖ" if i % across == 0 else "")
    colour_bar(figure, grid, runs)
    style.finish(figure, title(runs, cells, scales, rates, setting), subtitle(runs, setting), caption(runs))
    return figure


class Cell:
    """The seeds of one (scale, d_k, learning rate)."""

    def __init__(self, rows):
        values = rows["final_accuracy"].to_numpy()
        self.values = values[np.isfinite(values)]
        self.seeds = len(rows)
        self.diverged = int((rows["status"] == "diverged").sum())
        self.missing = self.seeds - len(self.values)

    @property
    def median(self):
        return float(np.median(self.values)) if len(self.values) else math.nan

    @property
    def good(self):
        """Whether this cell counts as solved; it does not if half of its seeds diverged or have no accuracy."""
        return self.median >= GOOD and 2 * max(self.diverged, self.missing) < self.seeds

    def text(self):
        """The median, and under it the smallest and largest seed and what went wrong."""
        if not len(self.values):
            return "", "diverged" if self.diverged else "not run"
        notes = [f"{self.values.min():.2f}–{self.values.max():.2f}"] if len(self.values) > 1 else []
        notes += [f"{self.diverged} div."] if self.diverged else []
        notes += [f"{self.missing} missing"] if self.missing else []
        return f"{self.median:.2f}", "\n".join(notes)


def panel(axes, cells, widths, rates):
    """One scale: coloured cells with their text, and a line around those that reach GOOD."""
    norm, colours = Normalize(0, 1), colormaps[COLOURS]
    for row, d_k in enumerate(widths):
        for column, rate in enumerate(rates):
            cell = cells.get((d_k, rate))
            known = cell is not None and len(cell.values) > 0
            face = colours(norm(cell.median)) if known else "white"
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=face, edgecolor="white" if known else
                                     style.FAINT, linewidth=0.8, hatch=None if known else "////"))
            write_cell(axes, column, row, cell.text() if cell else ("", "not in\nthe sweep"), face)
    good = {(c, r) for r, d_k in enumerate(widths) for c, rate in enumerate(rates)
            if (d_k, rate) in cells and cells[d_k, rate].good}
    outline(axes, good)
    axes.set_xlim(-0.5, len(rates) - 0.5)
    axes.set_ylim(-0.5, len(widths) - 0.5)
    axes.set_xticks(range(len(rates)), [word(rate) for rate in rates])
    axes.set_yticks(range(len(widths)), [word(d_k) for d_k in widths])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def write_cell(axes, x, y, texts, face):
    """The two lines of a cell, in black or white, whichever reads better on its colour."""
    red, green, blue = to_rgb(face)
    ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
    head, notes = texts
    shift = 0.04 if notes and head else 0
    lines = notes.count("\n") + 1
    if head:
        axes.text(x, y + shift, head, ha="center", va="bottom" if notes else "center", size=8.5, weight="bold",
                  color=ink)
    box = None if head else dict(facecolor="white", edgecolor="none", pad=1)
    axes.text(x, y, notes, ha="center", va="top" if head else "center", size=6.3 if lines < 3 else 5.5, color=ink,
              linespacing=0.95, bbox=box)


def outline(axes, cells):
    """A line around a set of cells: drawn where a cell's neighbour is not in the set."""
    for x, y in sorted(cells):
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if (x + dx, y + dy) not in cells:
                xs = [x + dx / 2 - dy / 2, x + dx / 2 + dy / 2]
                ys = [y + dy / 2 - dx / 2, y + dy / 2 + dx / 2]
                axes.plot(xs, ys, color="black", linewidth=2, solid_capstyle="projecting", clip_on=False, zorder=3)


def colour_bar(figure, grid, runs):
    """The colour of an accuracy, with chance marked on it."""
    bar = figure.colorbar(ScalarMappable(Normalize(0, 1), COLOURS), ax=grid, fraction=0.05, pad=0.02, aspect=22)
    chances = sorted(set(runs["chance"].dropna())) if "chance" in runs else []
    plain = [t for t in (0, 0.25, 0.5, 0.75, 1) if all(abs(t - c) > 0.06 for c in chances)]
    bar.set_ticks(plain + chances, labels=[f"{t:g}" for t in plain] + [f"chance {c:.3g}" for c in chances])
    for chance in chances:
        bar.ax.axhline(chance, color="white", linewidth=2)
    bar.set_label("final evaluation accuracy")
    bar.outline.set_visible(False)


def optimizer(setting):
    return style.optimizer_label(setting.fixed["optimizer"])


def after(runs, setting):
    """"After 400 SGD steps"."""
    if "steps" not in runs:
        return f"After {optimizer(setting)} training"
    return f"After {style.range_of(runs['steps'])} {optimizer(setting)} steps"


def title(runs, cells, scales, rates, setting):
    """How many learning rates work at the largest d_k, counted; without a count if there is little to compare."""
    widest = runs["d_k"].max()
    if not (1 < len(scales) <= 3) or len(rates) == 1 or any((s, widest, r) not in cells for s in scales for r in rates):
        return f"{after(runs, setting)}: final accuracy over head width and learning rate"
    solved = {scale: sum(cells[scale, widest, rate].good for rate in rates) for scale in scales}
    counts = [f"{solved[scale]}\u00a0of\u00a0{len(rates)} {style.with_scale(scale)}" for scale in scales]
    return (f"{after(runs, setting)} at dₖ = {word(widest)}, learning rates that reach {GOOD} accuracy: "
            + ", ".join(counts))


def subtitle(runs, setting):
    seeds = runs["seed"].nunique()
    return (f"Accuracy on the evaluation stream, {style.describe(setting.fixed)}; "
            + (f"median over {seeds} seeds" if seeds > 1 else "one seed"))


def caption(runs):
    lines = [f"Black outline: median ≥ {GOOD}."]
    if runs["seed"].nunique() > 1:
        lines.append("Small print: lowest–highest seed.")
    if (runs["status"] == "diverged").any():
        lines.append("div.: seeds whose loss stopped being finite; they count with their last evaluated accuracy; "
                     "a cell where half of the seeds diverged is not outlined.")
    if runs["final_accuracy"].isna().any():
        lines.append("Hatched, missing: no accuracy on record.")
    return " ".join(lines)
