"""The data of pictures that set figures next to each other: versions, predictions, GPUs."""
from labels import rounded
from reports import LeftOut, value


def short_id(variant):
    """A variant's name without the parts that most have: for a label, not to be read back."""
    for part in ("/none", "/num_stages=1"):
        variant = variant.replace(part, "")
    return variant.replace("/", " ", 2).replace("/", ", ")


def runs_of(cells):
    """(first, after the last, value) of neighbours that round to the same percent."""
    runs = []
    for index, cell in enumerate(cells):
        if runs and runs[-1][2] == cell and runs[-1][1] == index:
            runs[-1][1] = index + 1
        else:
            runs.append([index, index + 1, cell])
    return runs


LEAST_PERCENT = 5


def above_best(figures):
    """Whole percents above the lowest; 0 for less than is worth a colour, None for no figure."""
    best = min(figure for figure in figures if figure is not None)
    percents = [None if figure is None else round(100 * (figure / best - 1)) for figure in figures]
    return [0 if percent is not None and percent < LEAST_PERCENT else percent
            for percent in percents]


def ptxas(reports):
    """By how many percent each version of ptxas is above the fastest of the same text."""
    rows = reports.table("history")
    versions = [column for column in rows[0] if column != "variant"]
    kept, quiet = [], 0
    for row in rows:
        percents = above_best([value(row[version]) for version in versions])
        worst = max(percent for percent in percents if percent is not None)
        if worst >= LEAST_PERCENT:
            kept.append((worst, short_id(row["variant"]), percents))
        else:
            quiet += 1
    if not kept:
        raise LeftOut("no text moved by a version of ptxas")
    kept.sort(key=lambda one: (-one[0], one[1]))
    cells = [{"row": name, "from": first, "to": behind, "percent": percent,
              "text": f"+{percent}" if percent else ""}
             for _, name, percents in kept for first, behind, percent in runs_of(percents)
             if percent is not None]
    return {"cells": cells, "params": {"versions": [short_version(v) for v in versions],
                                       "rows": [name for _, name, _ in kept]},
            "subtitle": [f"grey: within {LEAST_PERCENT} % of the fastest, as are {quiet} other "
                         "texts throughout; blank: that version gives no figure"]}


def short_version(version):
    return ".".join(version.split(".")[:2])


KINDS = {"meeting: its verb": "fan-in of one warp, from its verb",
         "hand-off: its verbs": "hand-off, from its verbs",
         "hand-off: two meetings": "hand-off, from two fan-ins",
         "hand-off with its loop: the wake-up": "hand-off with its loop, from two wake-ups",
         "ring of 1: its hand-off": "ring of 1 stage, from its hand-off",
         "ring: its own ends": "ring, from 1 and from most stages",
         "ring: its verbs": "ring, from its verbs"}


def closure(reports):
    """Measured over predicted: a dot for equal ratios of a kind, as large as they are many."""
    counts, farthest = {}, {}
    for row in reports.table("closure"):
        kind, ratio = KINDS[row["kind"]], value(row["measured"]) / value(row["predicted"])
        is_open = row["open"] == "open"
        dot = (kind, round(ratio, 2), is_open)
        counts[dot] = counts.get(dot, 0) + 1
        if is_open and abs(value(row["percent"])) > abs(farthest.get(kind, (0,))[0]):
            farthest[kind] = (value(row["percent"]), ratio, row["variant"])
    dots = [{"kind": kind, "ratio": ratio, "count": count,
             "state": "open" if is_open else "closed"}
            for (kind, ratio, is_open), count in sorted(counts.items())]
    shown = [kind for kind in KINDS.values() if any(dot["kind"] == kind for dot in dots)]
    shares = []
    for kind in shown:
        closed = sum(d["count"] for d in dots if d["kind"] == kind and d["state"] == "closed")
        total = sum(d["count"] for d in dots if d["kind"] == kind)
        shares.append({"kind": kind, "text": f"{closed} of {total} within 10 %"})
    return {"dots": dots, "shares": shares,
            "params": span([dot["ratio"] for dot in dots], 0.5, 2),
            "subtitle": ["dot: variants of one ratio, larger for more; orange: more than 10 % "
                         "unexplained, the farthest named"],
            "names": [{"kind": kind, "ratio": rounded(ratio),
                       "text": short_id(variant).split(" ", 1)[-1]}
                      for kind, (_, ratio, variant) in sorted(farthest.items())]}


def devices(reports):
    """The cycles of one GPU over those of another, by class."""
    rows = reports.table("devices")
    ranges = []
    for row in rows:
        agree, figures = row_number(row["agree"]), row_number(row["figures"])
        ranges.append({"class": f"{row['class']}, {row['scope']}", "scope": row["scope"],
                       "low": rounded(value(row["lowest"])), "high": rounded(value(row["highest"])),
                       "median": rounded(value(row["median"])),
                       "text": f"{agree} of {figures} agree"})
    names = sorted({row["GPU"] for row in rows})
    if len(names) > 1:
        raise LeftOut(f"the picture shows two GPUs, the results are of more: {', '.join(names)}")
    ranges.sort(key=lambda one: (one["scope"], one["class"]))
    ratios = [one[end] for one in ranges for end in ("low", "high")]
    return {"ranges": ranges, "subtitle": ["agree: within 1 cycle or 1 %"],
            "params": {"there": model(names[0]), "here": model(rows[0]["beside"]),
                       **span(ratios, 0.8, 1.25)}}


def span(ratios, lowest, highest):
    """The ends of an axis of ratios: at least these, with room for what is at an end."""
    room = 1.05
    return {"lowest": rounded(min(lowest, min(ratios) / room)),
            "highest": rounded(max(highest, max(ratios) * room))}


def model(name):
    """NVIDIA H100 80GB HBM3 -> H100"""
    return name.removeprefix("NVIDIA ").split(" ")[0]


def row_number(cell):
    """A count: a number in one form, its text in another."""
    return int(value(cell)) if isinstance(cell, dict) else int(cell)


# Of the table `origins`: what a bar's colour says.
ORIGIN_WORDS = {"template": "templates", "tuned": "forks by hand", "llvm": "LLVM",
                "nvcc": "nvcc, other libraries"}


def origin_label(row):
    """What ring a bar is of, without what all of them have."""
    at = [word for word in row["at"].split(", ")[1:]
          if not word.startswith(("tuned=", "joining=", "issue="))]
    tuned = [word.removeprefix("tuned=") for word in row["at"].split(", ")
             if word.startswith("tuned=")]
    shown = {"addressing=unrolled": "unrolled", "uniform_role=on": "uniform role",
             "uniform_role=off": "role by branch",
             "arrival=thread": "by threads", "early_token=on": "early token"}
    words = tuned + [shown.get(word, word.replace("=", " ")) for word in at]
    unified = ["one warp"] if row["roles"] == "unified" else []
    filled = ["memcpy_async"] if row["mover"] == "memcpy_async" else []
    return ", ".join([row["protocol"], *unified, *filled, *words])


def origins(reports):
    """Cycles an item of one ring by every origin, the fastest of each."""
    rows = reports.table("origins", "ours=mbarrier")
    bars = [{"row": origin_label(row), "origin": ORIGIN_WORDS[row["origin"]],
             "cycles": value(row["cycles"]), "text": f"{value(row['cycles']):.0f}"}
            for row in rows]
    names = [f"{bar['origin']}|{bar['row']}" for bar in bars]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two bars would have one name: {', '.join(twice)}")
    for bar, name in zip(bars, names):
        bar["name"] = name
    return {"bars": bars, "params": {"names": names},
            "subtitle": ["four slots of 512 bytes, one item a phase, one warp a role; each ring at "
                         "its fastest", "medians over repetitions that move what must not matter"]}
