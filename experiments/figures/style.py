"""What all figures share: size, type, colours, words for the sweep's values, title and caption.

Figures are 7 inches wide, the width of a text column, so that type is read at the size it was set in.
Colours are those of Okabe and Ito, which colour-blind readers tell apart; since a figure may be printed
grey, a series has its own marker and line style as well.
"""

import textwrap
from typing import NamedTuple

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .run import word

WIDTH = 7.0
INK, FAINT, PALE = "#222222", "#6e6e6e", "#ececec"
MORE_SERIES = (("#CC79A7", "D", ":"), ("#56B4E9", "v", "-"), ("#E69F00", "P", "--"), ("#000000", "X", "-."))
OPTIMIZERS = {"sgd": "SGD", "adam": "Adam", "adamw": "AdamW"}


class Scale(NamedTuple):
    series: tuple  # colour, marker, line style
    label: str  # the name of a panel or a series, with the word of the configuration
    phrase: str  # inside a sentence


# The score rules by their names, in the order of figures. A scale that has no row here is called by its word.
SCALES = {
    "none": Scale(("#D55E00", "o", "-"), "no scale (none)", "without a scale"),
    "inv_sqrt_dk": Scale(("#0072B2", "s", "--"), "1/√dₖ (inv_sqrt_dk)", "with 1/√dₖ"),
    "inv_dk": Scale(("#009E73", "^", "-."), "1/dₖ (inv_dk)", "with 1/dₖ"),
}

RC = {
    "svg.hashsalt": "rootdk",  # the ids inside an SVG depend on the figure alone
    "font.family": "DejaVu Sans",  # shipped with matplotlib: the same on every machine
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "legend.fontsize": 8.5,
    "axes.edgecolor": FAINT,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "savefig.dpi": 200,
    "hatch.linewidth": 0.6,
}


def use():
    """Makes this style the one in force, and draws to files only."""
    matplotlib.use("Agg")
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(RC)


def panels(rows, columns, height, width=WIDTH, **grid):
    """A figure and its axes as a rows x columns array."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **grid)


def finish(figure, title, subtitle, caption, handles=(), columns=3):
    """Sets the message, the setting it holds in, the legend and how to read the marks, around the panels."""
    width, height = figure.get_size_inches()
    blocks = [(title, 10.5, "bold", INK), (subtitle, 8.5, "normal", INK), (caption, 7.5, "normal", FAINT)]
    wrapped = []
    for text, size, weight, colour in blocks:
        letter = size * (0.0083 if weight == "bold" else 0.0074)  # mean width of a letter, in inches
        wrapped.append((textwrap.fill(text, int((width - 0.2) / letter)), size, weight, colour))
    top = height - 0.08
    for text, size, weight, colour in wrapped[:2]:
        figure.text(0.1 / width, top / height, text, size=size, weight=weight, color=colour, va="top")
        top -= (text.count("\n") + 1) * size * 1.28 / 72 + 0.03
    text, size, weight, colour = wrapped[2]
    figure.text(0.1 / width, 0.07 / height, text, size=size, color=colour, va="bottom")
    bottom = (text.count("\n") + 1) * size * 1.28 / 72 + 0.12
    if handles:
        figure.legend(handles=handles, loc="lower center", ncol=min(columns, len(handles)), borderaxespad=0,
                      bbox_to_anchor=(0.5, bottom / height), columnspacing=1.6, handlelength=2.8)
        bottom += -(-len(handles) // columns) * 0.175 + 0.12
    figure.get_layout_engine().set(rect=(0.008, bottom / height, 0.982, (top - bottom - 0.03) / height))


def settle(figure):
    """Lays the figure out once and rounds the result: the solver's last bits differ from process to process."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        x, y, width, height = (round(float(v), 5) for v in axes.get_position(original=True).bounds)
        axes.set_position((x, y, width, height))


def in_order(scales):
    """Scales in one order everywhere: the named ones, then numbers by size, then other rules by name."""
    def rank(scale):
        if scale in SCALES:
            return (0, list(SCALES).index(scale), scale)
        try:
            return (1, float(scale), scale)
        except ValueError:
            return (2, 0, scale)
    return sorted(set(scales), key=rank)


def series(scales):
    """Colour, marker and line style of each scale; a named scale looks the same in every figure."""
    spare = [scale for scale in in_order(scales) if scale not in SCALES]
    chosen = {scale: MORE_SERIES[i % len(MORE_SERIES)] for i, scale in enumerate(spare)}
    return {scale: SCALES[scale].series if scale in SCALES else chosen[scale] for scale in in_order(scales)}


def handle(label, **look):
    """A legend entry for a mark that is drawn in several panels."""
    return Line2D([], [], label=label, **look)


def scale_label(scale):
    """A scale as the name of a panel or a series."""
    return SCALES[scale].label if scale in SCALES else f"scale {scale}"


def with_scale(scale):
    """A scale inside a sentence."""
    return SCALES[scale].phrase if scale in SCALES else f"with scale {scale}"


def optimizer_label(optimizer):
    return OPTIMIZERS.get(optimizer, optimizer)


def describe(fixed):
    """The setting of a figure in words, such as "task lookup, n = 64 tokens"."""
    parts = [f"task {fixed['task']}", f"n = {word(fixed['n_tokens'])} tokens"]
    return ", ".join(parts)


def counted(number, noun):
    """"1 seed", "3 seeds"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def range_of(values):
    """One number, or the smallest and the largest of several."""
    values = sorted(set(values))
    return word(values[0]) if len(values) == 1 else f"{word(values[0])}–{word(values[-1])}"
