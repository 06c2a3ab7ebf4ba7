"""What one self-attention layer costs over the sequence length n, counted and measured.

Message: time and memory end up growing as n^2, but the n^2 part overtakes the projections only near
n = 1.5 d_model, and up to many times that the whole layer still grows more slowly. Two panels of processor time,
forward and backward: the marks are measured, the lines are the exact counts of operations at one speed a pass
(that of the whole layer at the longest n), so that a mark above its line is work done more slowly than that.
One panel of memory, whose lines are exact and have nothing to fit. Streaming attention, which keeps no weights,
stands beside the layer that does: as much time or less, and memory that grows as n.
"""

import math

import numpy as np

from . import style
from .run import word

PARTS = {"projections": ("#0072B2", "s", "--"), "attention": ("#D55E00", "o", "-"), "layer": ("#000000", "D", "-.")}
STREAMING = ("#009E73", "^", ":")  # attention without weights in memory
LABELS = {"projections": "projections (∝ n)", "attention": "attention: scores, softmax, output (∝ n²)",
          "layer": "whole layer", "streaming": "streaming attention: the same in tiles"}
PASSES = ("forward", "backward")
KIB, MIB, GIB = 2 ** 10, 2 ** 20, 2 ** 30


def draw(setting):
    costs, slopes, crossings = (setting.tables[name] for name in ("attention_cost", "slopes", "crossover"))
    path = "materialised" if "materialised" in set(costs["path"]) else "streaming"
    of_streaming = slopes[slopes["path"] == "streaming"]
    slopes, crossings = (table[table["path"] == path] for table in (slopes, crossings))
    figure, grid = style.panels(1, 3, 4.6, sharex=True)
    for axes, name in zip(grid.flat, PASSES):
        time_panel(axes, costs[costs["pass"] == name], crossings[crossings["pass"] == name], path)
        axes.set_title(f"Time, {name}\n{growth(slopes, f'layer_{name}_seconds_median')}\n"
                       f"operations: {growth(slopes, f'layer_{name}_flops_exact', False)}")
    memory_panel(grid.flat[2], costs)
    beside = (f"streaming: {growth(of_streaming, 'layer_backward_bytes_measured', False)}" if has_both(costs) else
              f"counted: {growth(slopes, 'layer_backward_bytes_exact', False)}")
    grid.flat[2].set_title(f"Memory\n{growth(slopes, 'layer_backward_bytes_measured')}\n{beside}")
    grid.flat[0].set_ylabel("processor seconds of one pass")
    level(grid.flat[:2])
    for axes in grid.flat:
        length_axis(axes, costs["n_tokens"])
    drawn = dict(PARTS, streaming=STREAMING) if has_both(costs) else PARTS
    handles = [style.handle(LABELS[part], color=colour, marker=marker, linestyle=line)
               for part, (colour, marker, line) in drawn.items()]
    style.finish(figure, title(costs, slopes, crossings), subtitle(costs), caption(slopes), handles, 2 if has_both(costs) else 3)
    return figure


def has_both(costs):
    """Whether streaming attention stands beside the materialised path."""
    return set(costs["path"]) == {"materialised", "streaming"}


def time_panel(axes, costs, crossings, path):
    """Measured medians as marks, counts at one speed as lines, and where attention overtakes the projections."""
    axes.set_yscale("log")
    own = costs[costs["path"] == path]
    longest = own[own["part"] == "layer"].sort_values("n_tokens").iloc[-1]
    seconds = longest["seconds_median"] / longest["flops_exact"]
    for part, look in PARTS.items():
        work(axes, own[own["part"] == part], seconds, look, hollow=part == "layer")
    other = costs[(costs["path"] != path) & (costs["part"] == "attention")]
    if not other.empty:
        work(axes, other, seconds, STREAMING)
    counted, timed = crossing(crossings, "flops_exact"), crossing(crossings, "seconds_median")
    mark(axes, counted, f"n = {word(counted)} counted", ":", 0.13)
    if math.isfinite(timed):
        mark(axes, timed, f"n = {timed:.0f} measured", "-", 0.04)


def work(axes, rows, seconds, look, hollow=False):
    """One kind of work over n: its operations at `seconds` each as a line, what it took as marks."""
    colour, marker, line = look
    rows = rows.sort_values("n_tokens")
    axes.plot(rows["n_tokens"], rows["flops_exact"] * seconds, color=colour, linestyle=line, linewidth=1.1)
    axes.plot(rows["n_tokens"], rows["seconds_median"], color=colour, marker=marker, linestyle="", markersize=4,
              markerfacecolor="none" if hollow else colour)


def mark(axes, n, text, line, height):
    """A vertical line at n, with its text at the foot."""
    if not spans(axes, n):
        return
    axes.axvline(n, color=style.FAINT, linestyle=line, linewidth=0.9, zorder=0)
    axes.text(n * 1.12, height, text, transform=axes.get_xaxis_transform(), size=7, color=style.FAINT,
              bbox=dict(facecolor="white", edgecolor="none", pad=0.5))


def spans(axes, n):
    """Whether n lies between the lengths that are drawn."""
    low, high = axes.dataLim.intervalx
    return low <= n <= high


def memory_panel(axes, costs):
    """Bytes of the whole layer, with and without gradients; lines are exact, marks are what the tape says."""
    axes.set_yscale("log")
    rows = costs[costs["part"] == "layer"].sort_values("n_tokens")
    for path, mine in rows.groupby("path"):
        colour, marker, line = STREAMING if path == "streaming" else PARTS["layer"]
        for name, fill, label in zip(PASSES, ("none", colour), (None, path)):
            of_pass = mine[mine["pass"] == name]
            axes.plot(of_pass["n_tokens"], of_pass["bytes_exact"], color=colour, linestyle=line, linewidth=1.1)
            axes.plot(of_pass["n_tokens"], of_pass["bytes_measured"], color=colour, marker=marker, linestyle="",
                      markersize=4, markerfacecolor=fill, label=label)
    axes.legend(loc="upper left", fontsize=7, handletextpad=0.2, borderaxespad=0)
    low, high = rows["bytes_exact"].min(), rows["bytes_measured"].max()
    axes.set_ylim(low / 3, high * 6)
    exponents = range(math.ceil(math.log2(low / 3)), math.floor(math.log2(high * 2)) + 1)
    ticks = [2.0 ** e for e in exponents if e % max(2, len(exponents) // 6) == 0]
    axes.set_yticks(ticks, [size(t) for t in ticks])
    axes.minorticks_off()
    axes.set_ylabel("bytes of tape and weights")


def size(count):
    """Bytes as "16 KiB", "4 MiB"."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.3g} B"


def level(panels):
    """The same range of seconds in the two panels of time."""
    low = min(axes.get_ylim()[0] for axes in panels)
    high = max(axes.get_ylim()[1] for axes in panels)
    for axes in panels:
        axes.set_ylim(low, high)


def length_axis(axes, lengths):
    """Sequence length on a logarithmic axis, every second power of two as a tick."""
    axes.set_xscale("log", base=2)
    low, high = np.log2([lengths.min(), lengths.max()])
    step = max(1, math.ceil((high - low) / 5))
    ticks = [2 ** e for e in range(math.ceil(low), math.floor(high) + 1, step)] or [lengths.min()]
    axes.set_xticks(ticks, [word(float(t)) for t in ticks])
    axes.minorticks_off()
    axes.set_xlabel("sequence length n")
    axes.grid(color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)


def crossing(crossings, measure):
    return float(crossings[crossings["measure"] == measure]["n_crossover"].iloc[0])


def slope(slopes, quantity):
    """One fitted slope as a row, or None where too few lengths were long enough."""
    row = slopes[slopes["quantity"] == quantity].iloc[0]
    return row if np.isfinite(row["slope"]) else None


def growth(slopes, quantity, interval=True):
    """"n^1.99 (1.95–2.03)"."""
    row = slope(slopes, quantity)
    if row is None:
        return "too few lengths for a slope"
    return (rf"$n^{{{row['slope']:.2f}}}$" + (f" ({row['ci_low']:.2f} to {row['ci_high']:.2f})" if interval else ""))


def title(costs, slopes, crossings):
    """Where attention costs the most, how time grows beside the counts (forward), and what streaming holds."""
    forward = crossings[crossings["pass"] == "forward"]
    counted, timed = (crossing(forward, measure) for measure in ("flops_exact", "seconds_median"))
    where = f"at n = {word(counted)} by count" + (f" and n ≈ {timed:.0f} by time" if math.isfinite(timed) else "")
    start = f"Forward, attention overtakes the projections {where}"
    end = held(costs) if has_both(costs) else ""
    time, count = slope(slopes, "layer_forward_seconds_median"), slope(slopes, "layer_forward_flops_exact")
    if time is None or count is None:
        return start + end
    return (f"{start}; from n = {word(float(slopes['n_min'].iloc[0]))} on "
            f"time grows as n to the power {time['slope']:.2f}, operations to {count['slope']:.2f}{end}")


def held(costs):
    """What the two paths hold for a backward pass at the longest n."""
    rows = costs[(costs["part"] == "layer") & (costs["pass"] == "backward")]
    longest = rows[rows["n_tokens"] == rows["n_tokens"].max()].set_index("path")["bytes_measured"]
    return (f"; at n = {word(float(rows['n_tokens'].max()))} streaming holds {size(longest['streaming'])}, "
            f"not {size(longest['materialised'])}")


def subtitle(costs):
    one = costs.iloc[0]
    how = "scores in tiles" if set(costs["path"]) == {"streaming"} else "S, Z and A in memory"
    how += ", whose growth is given, or scores in tiles (streaming)" if has_both(costs) else ""
    return (f"One self-attention layer, one sequence, one head, d_model = {word(one['d_model'])}, "
            f"dₖ = {word(one['d_k'])}, dᵥ = {word(one['d_v'])}; " + how)


def caption(slopes):
    lines = ["Marks: measured; of time, the median of the repeats, on one thread. Lines: exact counts; of operations, at the speed of the whole "
             "layer at the longest n."]
    if np.isfinite(slopes["slope"]).any():
        lines.append(f"Slopes: least squares in log–log on n ≥ {word(float(slopes['n_min'].iloc[0]))} "
                     f"({word(float(slopes['points'].iloc[0]))} lengths), with 95 % intervals.")
    lines.append("Vertical lines: where attention overtakes the projections. "
                 "Bytes: filled marks hold gradients too, open ones values only.")
    return " ".join(lines)
