"""Reads a run directory: its CSVs as tables, cut into the settings that one figure may show."""

import pathlib
from typing import Dict, NamedTuple

import numpy as np
import pandas as pd

SWEEP = ("task", "scale", "n_tokens", "d_k", "optimizer", "lr", "seed")
WORDS = {"task", "scale", "optimizer", "quantity", "statistic", "status", "matrix", "slot", "moment", "projections",
         "intervention", "target", "path", "pass", "part", "measure"}
SLOTS = ("d_k", "weight_decay", "seed")  # the sweep of roles
COLUMNS = {
    "runs": SWEEP + ("status", "final_accuracy"),
    "steps": SWEEP + ("step", "accuracy", "grad_w_q"),
    "probes": SWEEP + ("step", "quantity", "statistic", "value"),
    "roles": SLOTS + ("step", "matrix", "slot", "mass"),
    "roles_runs": SLOTS + ("final_accuracy",),
    "attention_map": SLOTS + ("moment", "query", "key", "right_key", "weight"),
    "ablation": ("projections", "intervention", "target", "accuracy", "ci_low", "ci_high"),
    "ablation_seeds": ("projections", "intervention", "target", "seed", "correct", "asked", "chance", "blind"),
    "attention_cost": ("n_tokens", "d_model", "d_k", "d_v", "path", "pass", "part", "flops_exact", "bytes_exact",
                       "bytes_measured", "seconds_median"),
    "slopes": ("path", "quantity", "slope", "ci_low", "ci_high", "n_min", "points"),
    "crossover": ("path", "pass", "measure", "n_crossover"),
    "statistics": ("n_tokens", "d_k", "scale", "quantity", "statistic", "measured", "standard_error", "theory"),
    "attention_rows": ("n_tokens", "d_k", "scale", "query", "rank", "weight"),
}
MEASURED = {  # may be empty: there was nothing to measure
    "final_accuracy", "accuracy", "grad_w_q", "value", "bytes_measured", "slope", "ci_low", "ci_high", "n_crossover",
    "measured", "standard_error", "theory"}
MAY_BE_EMPTY = {"attention_map"}  # asked for no query
OPTIONAL = {"runs": ("steps", "chance", "steps_to_90"), "steps": ("signal_share",)}


class NotARun(Exception):
    """The directory cannot be drawn; the message is the one sentence that says why."""


class Setting(NamedTuple):
    """What one figure shows: the rows that share the columns it never mixes."""

    fixed: Dict[str, object]  # the value of each of those columns
    suffix: str  # told apart by these values in the file name; empty if the run has one setting
    tables: Dict[str, pd.DataFrame]


def numbers(texts):
    """Numbers from CSV text: empty is NaN (nothing was measured); nan, inf and -inf are inf (not finite)."""
    values = texts.where(texts != "", "nan").to_numpy().astype(float)
    return np.where((texts != "").to_numpy() & ~np.isfinite(values), np.inf, values)


def read_table(path):
    """One CSV with the columns the figures use; `scale` stays text, since it mixes words and numbers."""
    name = path.stem
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError):
        raise NotARun(f"{path} is not a complete CSV")
    for column in COLUMNS[name]:
        if column not in table:
            raise NotARun(f"{path} has no column {column}")
    if table.empty and name not in MAY_BE_EMPTY:
        raise NotARun(f"{path} has a header but no rows")
    for column in COLUMNS[name]:
        empty = table[column] == ""
        if column not in MEASURED and empty.any():
            raise NotARun(f"{path}, line {int(empty.to_numpy().argmax()) + 2}: {column} is empty")
    for column in COLUMNS[name] + OPTIONAL.get(name, ()):
        if column in table and column not in WORDS:
            try:
                table[column] = numbers(table[column])
            except ValueError as error:
                raise NotARun(f"{path}, column {column}: {error}")
    return table


def open_run(folder):
    """The tables of a finished run, by name; empty if its CSVs are of another kind of experiment."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise NotARun(f"{folder} is not a directory")
    found = sorted(path.stem for path in folder.glob("*.csv"))
    if not found and not (folder / "config.toml").exists():
        raise NotARun(f"{folder} is not a run directory: it holds neither config.toml nor a CSV")
    if not found or ("runs" not in found and ({"steps", "probes"} & set(found))):
        raise NotARun(f"{folder} holds a run that has not finished: there is no runs.csv yet")
    return {name: read_table(folder / f"{name}.csv") for name in COLUMNS if name in found}


def settings(tables, needs, per):
    """The settings of one figure, in the order of the sweep."""
    chosen = {name: tables[name] for name in needs}
    if not per:
        yield Setting({}, "", chosen)
        return
    combinations = pd.concat([table[list(per)] for table in chosen.values()]).drop_duplicates()
    varying = [column for column in per if combinations[column].nunique() > 1]
    for values in combinations.itertuples(index=False):
        fixed = dict(zip(per, values))
        parts = {name: table[np.logical_and.reduce([table[c] == v for c, v in fixed.items()])]
                 for name, table in chosen.items()}
        suffix = "".join(f"_{column}_{word(fixed[column])}" for column in varying)
        yield Setting(fixed, suffix, parts)


def word(value):
    """A value as the configuration spells it."""
    return value if isinstance(value, str) else f"{value:.10g}"
