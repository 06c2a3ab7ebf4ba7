#!/usr/bin/python3
"""Draws the figures that a run's CSVs allow.

    experiments/plot.py RUN_DIR

writes RUN_DIR/figures/*.svg and *.png and prints each path. The same CSVs give the same bytes. Exit codes: 0 drawn
(or nothing to draw for this kind of run), 1 it failed while drawing, 2 RUN_DIR is missing, unfinished or no run.
"""

import argparse
import os
import pathlib
import sys

sys.dont_write_bytecode = True
try:
    import matplotlib  # noqa: F401 (looked for here, to say what is missing)
    import pandas  # noqa: F401
except ImportError as error:
    sys.exit(f"plot.py: {error}; on Debian, install python3-matplotlib and python3-pandas and call /usr/bin/python3")

from figures import FIGURES, run, style


class OneSentence(argparse.ArgumentParser):
    """Says what is wrong with a command line in one sentence, without the usage text."""

    def error(self, message):
        self.exit(2, f"plot.py: {message} (see plot.py --help)\n")


def arguments():
    parser = OneSentence(prog="plot.py", description="Draws the figures that a run's CSVs allow.",
                         epilog="figures: " + ", ".join(row.name for row in FIGURES))
    parser.add_argument("run_dir", metavar="RUN_DIR", help="a finished run, such as runs/train_retrieval")
    return parser.parse_args()


def note(path):
    """Notes a figure among the files of its run, before it is written, so that --overwrite removes it."""
    notes = path.parent.parent / ".files"  # missing: the folder holds CSVs, but not of a run
    name = f"figures/{path.name}"
    if notes.exists() and name not in notes.read_text().splitlines():
        with open(notes, "a") as file:
            file.write(name + "\n")


def save(figure, base):
    """Writes one figure twice, whole or not at all, without a date or a version in it."""
    style.settle(figure)
    for suffix, metadata in ((".svg", {"Date": None, "Creator": None}), (".png", {"Software": None})):
        path = base.parent / (base.name + suffix)
        unfinished = base.parent / (path.name + ".tmp")
        note(path)
        figure.savefig(unfinished, format=suffix[1:], metadata=metadata)
        os.replace(unfinished, path)
        print(path, flush=True)


def draw_all(folder):
    """Draws every figure whose CSVs are there; returns how many."""
    tables = run.open_run(folder)
    drawn = 0
    for row in FIGURES:
        if not all(name in tables for name in row.needs) or not row.allowed(tables):
            continue
        for setting in run.settings(tables, row.needs, row.per):
            target = pathlib.Path(folder) / "figures"
            target.mkdir(exist_ok=True)
            save(row.draw(setting), target / (row.name + setting.suffix))
            drawn += 1
    return drawn


def main():
    folder = arguments().run_dir
    style.use()
    try:
        if draw_all(folder) == 0:
            print(f"plot.py: no figure is made from the CSVs of {folder}", file=sys.stderr)
    except run.NotARun as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
