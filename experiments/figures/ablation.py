"""What is lost without the projections, and what exchanging trained ones does.

Message: to follow a relation that has a direction, queries and keys need matrices of their own. A score that is
symmetric answers at most 2/3 of the queries, whatever it has learned; without projections a token finds itself.
Exchanging trained W_Q and W_K reverses the relation. A row a model, a mark a target, with its 95 % interval.
"""

from . import style

TARGETS = {  # colour, marker, offset in its row
    "successor": ("#0072B2", "o", 0.22),
    "predecessor": ("#D55E00", "s", 0.0),
    "identity": ("#009E73", "^", -0.22),
}
ROWS = {  # (projections, intervention) -> label
    ("untied", "untrained"): "untied, untrained",
    ("untied", "untrained_swap_q_k"): "… $W_Q$ ↔ $W_K$",
    ("untied", "none"): "untied, trained",
    ("untied", "swap_q_k"): "… $W_Q$ ↔ $W_K$",
    ("untied", "rotate_q_k"): "… $W_Q R$, $W_K R$",
    ("untied", "swap_k_v"): "… $W_K$ ↔ $W_V$",
    ("tied", "untrained"): "tied, untrained",
    ("tied", "none"): "tied ($W_Q = W_K$), trained",
    ("none", "none"): "none ($Q = K = V = X$)",
}
BOUND = 2 / 3


def draw(setting):
    ablation, seeds = (setting.tables[name] for name in ("ablation", "ablation_seeds"))
    found = set(zip(ablation["projections"], ablation["intervention"]))
    rows = [key for key in ROWS if key in found] + sorted(found - set(ROWS))
    figure, grid = style.panels(1, 1, 1.9 + 0.36 * max(len(rows), 4))
    axes = grid[0, 0]
    for place, key in enumerate(rows):
        row(axes, -place, mine(ablation, key), mine(seeds, key))
        axes.axhspan(-place - 0.5, -place + 0.5, color=style.PALE if place % 2 else "white", zorder=0, linewidth=0)
    bounds(axes, seeds, len(rows))
    axes.set_yticks([-place for place in range(len(rows))], [ROWS.get(key, ", ".join(key)) for key in rows])
    axes.set_ylim(-len(rows) + 0.5, 0.5)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("accuracy on the evaluation stream")
    axes.tick_params(axis="y", length=0)
    style.finish(figure, title(ablation), subtitle(seeds), caption(seeds), legend(), 5)
    return figure


def mine(table, key):
    return table[(table["projections"] == key[0]) & (table["intervention"] == key[1])]


def row(axes, height, pooled, seeds):
    """The accuracies of one model, a mark a target; single seeds as small ones."""
    for target, (colour, marker, offset) in TARGETS.items():
        y = height + offset
        single = seeds[seeds["target"] == target]
        axes.plot(single["correct"] / single["asked"], [y] * len(single), linestyle="", marker="|", markersize=7,
                  color=colour)
        for _, one in pooled[pooled["target"] == target].iterrows():
            axes.plot([one["ci_low"], one["ci_high"]], [y, y], color=colour, linewidth=2.2, solid_capstyle="butt")
            axes.plot(one["accuracy"], y, marker=marker, color=colour, linestyle="")


def bounds(axes, seeds, rows):
    """The most that a symmetric score can reach, and chance."""
    axes.axvline(BOUND, color=style.INK, linewidth=1, linestyle="--")
    axes.text(BOUND - 0.012, -0.55 * (rows - 1), "2/3: no symmetric score\nis right more often", size=8, ha="right",
              va="center")
    blind, chance = seeds["blind"].max(), seeds["chance"].max()
    for level in (blind, chance):
        axes.axvline(level, color=style.INK, linewidth=0.8, linestyle=(0, (1, 1.5)))
    axes.text(chance + 0.01, -0.3 * (rows - 1), f"chance: 1/{1 / blind:.3g} of all values,\n"
              f"1/{1 / chance:.3g} of those in the context", size=8, va="center")


def legend():
    handles = [style.handle(target, color=colour, marker=marker, linestyle="")
               for target, (colour, marker, _) in TARGETS.items()]
    return handles + [style.handle("a seed", color=style.INK, marker="|", linestyle="")]


def value(ablation, key, target):
    """An accuracy as text, and nothing if it was not measured."""
    rows = mine(ablation, key)
    rows = rows[rows["target"] == target]
    return f"{rows['accuracy'].iloc[0]:.2f}" if len(rows) else None


def title(ablation):
    """The successor accuracies of the three kinds, and the predecessor's after the exchange, as measured."""
    kinds = [f"{value(ablation, (kind, 'none'), 'successor')} {phrase}"
             for kind, phrase in (("untied", "with projections"), ("tied", "with one for queries and keys"),
                              ("none", "without any"))
             if value(ablation, (kind, "none"), "successor")]
    swapped = value(ablation, ("untied", "swap_q_k"), "predecessor")
    text = "Finding the successor: accuracy " + ", ".join(kinds)
    return text + (f"; exchanged, they find the predecessor: {swapped}" if swapped else "")


def subtitle(seeds):
    return ("Task successor: symbols in cycles of three, which of them a query finds; "
            f"{style.counted(seeds['seed'].nunique(), 'seed')}")


def caption(seeds):
    asked = seeds.groupby(["projections", "intervention", "target"])["asked"].sum().max()
    return (f"Marks: right answers to {asked:,.0f} queries, the seeds pooled; bars: 95 % intervals of Clopper and Pearson "
            "for further queries to these models, mostly narrower than the mark. "
            "… : the model above it, changed as said, not trained further; R is a random rotation.")
