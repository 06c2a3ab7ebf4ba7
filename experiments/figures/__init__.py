"""The figures of a run: one plot a file, and this table. A new figure is one file, its import and one row; columns
that no figure has read before are named in run.COLUMNS as well.

`needs` are the CSVs the figure reads; a run without them does not get it. `per` are the sweep columns that
a figure never mixes: when a run swept one of them, it gets one figure a value, named after the value.
"""

from typing import Callable, NamedTuple, Tuple

from . import (ablation, attention_cost, attention_rows, learning_rate_window, roles, saturation_at_step_0,
               saturation_law, signal_share, training_curves)


class Row(NamedTuple):
    name: str
    draw: Callable  # Setting -> matplotlib Figure
    needs: Tuple[str, ...]
    per: Tuple[str, ...]
    allowed: Callable = lambda tables: True  # whether these tables hold what the figure shows


FIGURES = (
    Row("learning_rate_window", learning_rate_window.draw, ("runs",), ("task", "n_tokens", "optimizer")),
    Row("saturation_at_step_0", saturation_at_step_0.draw, ("steps", "probes"), ("task", "n_tokens")),
    Row("signal_share", signal_share.draw, ("steps",), ("task", "n_tokens"), signal_share.measured_in),
    Row("roles", roles.draw, ("roles", "roles_runs", "attention_map"), ()),
    Row("ablation", ablation.draw, ("ablation", "ablation_seeds"), ()),
    Row("training_curves", training_curves.draw, ("runs", "steps", "probes"), ("task", "n_tokens", "optimizer")),
    Row("attention_cost", attention_cost.draw, ("attention_cost", "slopes", "crossover"), ()),
    Row("saturation_law", saturation_law.draw, ("statistics",), ("n_tokens",)),
    Row("attention_rows", attention_rows.draw, ("statistics", "attention_rows"), ("n_tokens",)),
)
