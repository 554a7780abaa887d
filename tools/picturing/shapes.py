"""From tables to the data of each picture: small functions over rows, none of them draws."""
from labels import end_labels, rounded
from reports import LeftOut, ends, value


def lines_of(rows, name_of, columns):
    """Long form: a point for each figure of `columns`; name_of(row) is the line, None for none."""
    points = []
    for row in rows:
        line = name_of(row)
        for column in columns if line else ():
            if value(row.get(column)) is None:
                continue
            low, high = ends(row[column])
            points.append({"line": line, "column": column, "cycles": rounded(value(row[column])),
                           "low": rounded(low), "high": rounded(high)})
    return points


BARS = "bars: 95 % interval over the repetitions"


def fanin(reports):
    """One phase by number of warps: which threads arrive, and what a CTA barrier costs."""
    rows = reports.table("fanin", "protocol=mbarrier", "operand=parity", "layout=v0",
                         "wait=try_wait")
    rows = rows + reports.table("fanin", "protocol=cta_barrier")
    window = "subtracted" if any(row.get("loop") == "subtracted" for row in rows) else "with"
    names = {"warp": "mbarrier, one lane of each warp arrives",
             "thread": "mbarrier, every thread arrives",
             "elected": "mbarrier, one thread for all",
             "warp_no_complete": "mbarrier, .noComplete"}

    def name_of(row):
        if row.get("loop", "with") != window:
            return None
        return "CTA barrier" if row["protocol"] == "cta_barrier" else names.get(row["arrival"])

    points = lines_of(rows, name_of, [str(n) for n in range(1, 33)])
    for point in points:
        point["warps"] = int(point.pop("column"))
    placed = end_labels(points, "line", "warps", "cycles", 17)
    # Above its end, where names of lines that go on begin.
    for label in placed:
        if label["warps"] < max(point["warps"] for point in points):
            label["cycles"] += 17
    return {"points": points, "labels": placed,
            "subtitle": [("without its loop" if window == "subtracted" else "with its loop")
                         + "; " + BARS]}


STAGES = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32]


def stages(reports):
    """The period of a ring by its depth: in a loop, unrolled, looking ahead."""
    across = "across=num_stages:" + ",".join(map(str, STAGES))
    common = ("probe=ring", "mover=st_shared", "payload_bytes=512", "work=none", across)
    rows = reports.table("pivot", "rows=addressing,early_token,ahead", "protocol=mbarrier",
                         "wait=try_wait", *common)
    rows = [dict(row, name="mbarrier") for row in rows]
    rows += [dict(row, name="CTA barrier", early_token="off", ahead="0") for row in
             reports.table("pivot", "rows=addressing", "protocol=cta_barrier", *common)]

    def name_of(row):
        ahead = row.get("ahead", "0")
        if ahead not in ("0", "1") or (row.get("early_token", row.get("early token")) == "on"
                                       and ahead == "0"):
            return None
        how = "unrolled" if row["addressing"] == "unrolled" else "loop"
        return f"{row['name']}, {how}" + (", looks 1 ahead" if ahead == "1" else "")

    columns = ["1 stage"] + [f"{n} stages" for n in STAGES[1:]]
    points = lines_of(rows, name_of, columns)
    for point in points:
        point["stages"] = int(point.pop("column").split()[0])
    if not points:
        raise LeftOut("no ring by depth was measured")
    one = max((p["cycles"] for p in points if p["stages"] == 1), default=None)
    bound = [] if one is None else [{"stages": n, "cycles": rounded(one / n)} for n in STAGES[:8]]
    return {"points": points, "bound": bound,
            "bound_label": [dict(point, text="mbarrier, 1 stage / stages") for point in bound
                            if point["stages"] == 3],
            "labels": end_labels(points, "line", "stages", "cycles", 12),
            "subtitle": ["payload of 512 bytes by st.shared; " + BARS]}


MBARRIER = ("response", "protocol=mbarrier", "operand=parity", "semantics=implicit",
            "counting=off")
NO_HINT, NO_BACK_OFF = "hint_ns=none", "backoff_ns=none"
WAITS = {"try_wait": (*MBARRIER, "wait=try_wait", NO_HINT),
         "try_wait, hint 1000 ns": (*MBARRIER, "wait=try_wait", "hint_ns=1000"),
         "test_wait": (*MBARRIER, "wait=test_wait", NO_BACK_OFF),
         "test_wait, back-off 100 ns": (*MBARRIER, "wait=test_wait", "backoff_ns=100"),
         "test_wait, back-off 1000 ns": (*MBARRIER, "wait=test_wait", "backoff_ns=1000"),
         "flag, every lane looks": ("response", "protocol=flag_acquire_release", "poller=every",
                                    "counting=off", NO_BACK_OFF)}
LONGEST_DELAY = 262144


def wakeup(reports):
    """Cycles from a commit to the wake-up by how long it was held back."""
    named = [dict(row, line=line) for line, rows in reports.tables(WAITS) for row in rows]
    delays = sorted({int(column) for row in named for column in row
                     if column.isdigit() and int(column) <= LONGEST_DELAY})
    points = lines_of(named, lambda row: row["line"], [str(delay) for delay in delays])
    for point in points:
        point["delay"] = delays.index(int(point.pop("column")))
        point["low"] = max(point["low"], 1)
    return {"points": points, "subtitle": ["bands: 95 % interval over the repetitions"],
            "labels": end_labels(points, "line", "delay", "cycles", 0.075, log=True),
            "params": {"delays": [spoken(delay) for delay in delays],
                       "highest": max(3000, *(1.2 * point["high"] for point in points))}}


def spoken(number):
    """16384 -> 16 Ki"""
    return f"{number // 1024} Ki" if number >= 1024 and number % 1024 == 0 else str(number)
