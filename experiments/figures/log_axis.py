"""A logarithmic axis that drops nothing.

Saturated softmax gives gradients that are exactly 0, and diverged runs give inf and nan. A plain log axis
loses both without a word. Here each has a grey band of its own outside the axis, and so has what lies
below a floor, lest a value of 1e-40 squeeze the rest; a band appears only where the data need it. The axis
is linear in log10 of the value.
"""

import numpy as np

from .style import PALE


BAND = "#dddddd"


def power(exponent):
    """A power of ten as a tick label."""
    exponent = round(exponent)
    return f"$10^{{{exponent}}}$" if abs(exponent) > 2 else f"{10.0 ** exponent:g}"


class LogAxis:
    """Maps values to heights, for all values that share an axis, and dresses the axes that show them."""

    def __init__(self, values, floor=1e-20):
        every = np.asarray(values, dtype=float)
        every = every[~np.isnan(every)]
        positive = every[np.isfinite(every) & (every >= floor)]
        low, high = np.log10([positive.min(), positive.max()]) if positive.size else (-1.0, 0.0)
        self.floor = floor
        tiny = bool(((every > 0) & (every < floor)).any())
        pad = max(0.05 * (high - low), 0.12)
        self.low, self.high = np.log10(floor) if tiny else low - pad, high + pad
        self.band = 0.1 * (self.high - self.low)
        below = (("tiny", tiny, f"<{power(np.log10(floor))}"), ("zero", (every == 0).any(), "0"))
        above = (("infinite", np.isinf(every).any(), "inf, nan"),)
        self.below = {name: label for name, present, label in below if present}
        self.above = {name: label for name, present, label in above if present}
        self.middle = {name: self.low - (i + 0.5) * self.band for i, name in enumerate(self.below)}
        self.middle.update({name: self.high + (i + 0.5) * self.band for i, name in enumerate(self.above)})

    def __call__(self, values):
        """Heights of values, those outside the axis in the middle of their band; NaN (a gap) for missing."""
        values = np.asarray(values, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            heights = np.log10(values)
        for name, where in (("tiny", values < self.floor), ("zero", values == 0), ("infinite", np.isinf(values))):
            heights = np.where(where, self.middle.get(name, np.nan), heights)
        return heights

    def ticks(self, most=6):
        """Heights and labels of the ticks, clear of the bands': decades on a long axis, 1-2-5 on a short one."""
        bottom, top = self.low + 0.7 * self.band * bool(self.below), self.high - 0.7 * self.band * bool(self.above)
        first, last = int(np.ceil(self.low)), int(np.floor(self.high))
        if last - first >= 2:
            every = -(-(last - first) // most)
            heights = [h for h in range(first, last + 1) if h % every == 0 and bottom <= h <= top]
            return heights, [power(h) for h in heights]
        steps = (1, 2, 5) if self.high - self.low > 0.5 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
        marks = [m * 10.0 ** k for k in range(first - 1, last + 1) for m in steps]
        marks = [m for m in marks if bottom <= np.log10(m) <= top]
        return [np.log10(m) for m in marks], [f"{m:g}" for m in marks]

    def dress(self, axes):
        """Sets limits and ticks, and shades the bands outside the axis, with a white line between two."""
        heights, labels = self.ticks()
        for height in heights:
            axes.axhline(height, color=PALE, linewidth=0.7, zorder=0)
        for name, label in {**self.below, **self.above}.items():
            middle = self.middle[name]
            axes.axhspan(middle - self.band / 2, middle + self.band / 2, facecolor=BAND, edgecolor="white", zorder=0)
            heights, labels = heights + [middle], labels + [label]
        axes.set_yticks(heights, labels)
        axes.set_ylim(self.low - len(self.below) * self.band, self.high + len(self.above) * self.band)


def width_axis(axes, widths):
    """Makes x the axis of d_k, evenly spaced by doublings; draw at np.log2(d_k)."""
    at = np.log2(sorted(set(widths)))
    margin = max(0.07 * (at[-1] - at[0]), 0.5 if len(at) == 1 else 0.1)
    axes.set_xlim(at[0] - margin, at[-1] + margin)
    labels, last = [], -np.inf
    for x in at:  # leave out the label, not the tick, where two would touch
        room = x - last >= 0.24 * (at[-1] - at[0])
        labels.append(f"{2.0 ** x:.6g}" if room else "")
        last = x if room else last
    axes.set_xticks(at, labels)
    axes.set_xlabel("head width dₖ")
