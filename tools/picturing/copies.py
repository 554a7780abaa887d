"""The data of pictures of copies: bytes in flight, streams, copying lanes, hand-overs."""
from labels import end_labels, rounded
from reports import LeftOut, value

RING = ("probe=ring", "protocol=mbarrier_bulk", "mover=bulk", "work=none")
BYTES_IN_FLIGHT = [1 << power for power in range(10, 18)]
PLACES = {"L2": "L2", "memory": "memory", "l2": "L2", "hbm": "memory"}


def column_of(number):
    return f"{number >> 10} KiB"


def points_of(rows, name_of, columns, y):
    """A point for each figure of `columns`, a dict of titles to x; name_of(row) is the line."""
    points = []
    for row in rows:
        line = name_of(row)
        for title, x in columns.items() if line else ():
            if value(row.get(title)) is not None:
                points.append({"line": line, "x": x, y: rounded(value(row[title]))})
    return points


def shape(points, y, gap, log=False, **more):
    if not points:
        raise LeftOut("no measured variant is in this picture")
    return {"points": points, "labels": end_labels(points, "line", "x", y, gap, log=log), **more}


def copies(reports):
    """GB/s of one SM by bytes in flight, and what Little's law gives with the latency of a copy."""
    rows = [row for row in reports.table("copies", "mover=bulk")
            if value(row["tile"]) in (1024, 4096, 16384)]

    def name_of(row):
        return f"{row['from']}, tiles of {column_of(int(value(row['tile'])))}"

    points = points_of(rows, name_of, {column_of(b): b for b in BYTES_IN_FLIGHT}, "rate")
    little = [{"from": row["from"], "x": b, "rate": rounded(b / value(row["ns"]))}
              for row in rows if value(row["tile"]) == 4096 and value(row["ns"])
              for b in BYTES_IN_FLIGHT if b / value(row["ns"]) < 260]
    return shape(points, "rate", 0.095, log=True, little=little, subtitle=[
        "bulk copies of one warp; dotted: bytes in flight / latency of one copy of 4 KiB, Little's "
        "law"])


# Tensor copies lie on the line of bulk copies (claim `stream_by_tensor_copies`).
MOVERS = {"bulk": "bulk copies", "ld_global": "plain loads", "cp_async": "cp.async"}


def hits_l1(row):
    """Loads of 64 SMs and more: an SM's part of the 16 MiB in L2 fits into its L1."""
    return row["mover"] == "ld_global" and row["from"] == "l2" and value(row["SMs"]) >= 64


def streams(reports):
    """GB/s by SMs: the fastest of each mover."""
    points = [{"line": f"{MOVERS[row['mover']]} from {PLACES[row['from']]}",
               "x": int(value(row["SMs"])), "rate": rounded(value(row["GB/s"]))}
              for row in reports.table("stream", "most=1", "work=none")
              if row["mover"] in ("bulk", "ld_global") and not hits_l1(row)]
    points.sort(key=lambda point: (point["line"], point["x"]))
    return shape(points, "rate", 0.12, log=True, subtitle=["the fastest variant of each"])


def in_flight(reports):
    """GB/s of all SMs from memory by bytes in flight on one."""
    rows = [row for row in reports.table("stream", "sms=every", "resident=hbm", "work=none")
            if row["mover"] in MOVERS]
    best = {}
    for row in rows:
        key = (MOVERS[row["mover"]], int(value(row["in flight"])))
        best[key] = max(best.get(key, 0), value(row["GB/s"]))
    points = [{"line": line, "x": x, "rate": rounded(rate)}
              for (line, x), rate in sorted(best.items())]
    little = sorted({(int(value(row["in flight"])), rounded(value(row["Little"])))
                     for row in rows if row["mover"] == "bulk" and value(row["tile"]) == 4096
                     and value(row["Little"])})
    top = max(point["rate"] for point in points) * 1.25 if points else 0
    return shape(points, "rate", 230, little=[{"x": x, "rate": rate} for x, rate in little
                                              if rate < top],
                 subtitle=["the fastest variant of each; dotted: bytes in flight / latency of one "
                           "copy of 4 KiB"])


def kernels(reports):
    """Share of the fastest ring by bytes of slots in an SM: two kernels, and what only reads."""
    bulk = ("mover=bulk", "work=none")
    kinds = {
        "scale": reports.table("scale", *bulk, "elements=16777216", "schedule=static"),
        "gather": reports.table("gather", *bulk, "batch=2304", "mix=distinct", "rank=16",
                                "contents=normal", "schedule=static"),
        "reads alone": reports.table("stream", *bulk, "sms=every", "resident=hbm")}
    points = []
    for line, rows in kinds.items():
        best = {}
        for row in rows:
            slots = value(row["stages"]) * value(row["tile"]) * value(row["CTAs an SM"])
            best[slots] = max(best.get(slots, 0), value(row["GB/s"]))
        points += [{"line": line, "x": int(slots),
                    "share": rounded(100 * rate / max(best.values()))}
                   for slots, rate in sorted(best.items())]
    return shape(points, "share", 6, subtitle=["the fastest ring of bulk copies of each"])


def producers(reports):
    """Cycles per item by warps that copy, with 1, 2 and 4 that read, and with none."""
    turns = {f"producers={n}": n for n in (1, 2, 4)}
    across = "across=producers:1,2,4"
    ring = (*RING, "read=first", "payload_bytes=4096", "num_stages=8", across)
    alone = ("probe=issue", *RING[1:], "addressing=unrolled", "payload_bytes=2048",
             "num_stages=16", across)
    rows = [dict(row, line=f"{row['consumers']} consumer warp"
                 + ("s" if row["consumers"] != "1" else ""))
            for row in [*reports.table("pivot", "rows=consumers", "sharing=round_robin", *ring),
                        *reports.table("pivot", "rows=consumers", *ring)]]
    rows += [dict(row, line="copies alone")
             for how in (("sharing=round_robin",), ())
             for row in reports.table("pivot", "rows=num_stages", *how, *alone)]
    points = points_of(rows, lambda row: row["line"], turns, "cycles")
    points.sort(key=lambda point: (point["line"], point["x"]))
    return shape(points, "cycles", 7, subtitle=[
        "rings of 8 slots of 4 KiB that warps take in turn, 16 bytes a lane read; alone: 16 slots"])


HOW = {"issue=elect": "elect.sync for each slot", "issue=elect_once": "elect.sync once",
       "issue=lane": "a lane by its number"}


def issue(reports):
    """Cycles per item by how the copying lane is chosen."""
    rows = reports.table("pivot", "rows=payload_bytes,num_stages", *RING, "uniform_role=off",
                         "across=issue:elect,elect_once,lane")
    dots = []
    for row in rows:
        if any(value(row.get(title)) is None for title in HOW):
            continue
        stages = row["num stages"]
        name = f"{row['payload bytes']} bytes, {stages} stage" + ("s" if stages != "1" else "")
        dots += [{"ring": name, "how": how, "cycles": rounded(value(row[title]))}
                 for title, how in HOW.items()]
    if not dots:
        raise LeftOut("no ring was measured with each way to choose the lane")
    return {"dots": dots, "subtitle": ["bulk copies from L2, one producer warp, role by a branch "
                                       "(uniform_role=off)"]}


def together(reports):
    """Cycles an item by how many items one commit and one release hand over."""
    counts = {f"items_a_phase={n}": n for n in (1, 2, 4, 8)}
    common = ("work=none", "payload_bytes=128", "across=items_a_phase:1,2,4,8")
    stores = reports.table("pivot", "probe=ring", "rows=arrival", "protocol=mbarrier",
                           "mover=st_shared", "num_stages=2", *common)
    copied = reports.table("pivot", "rows=protocol", "num_stages=4", *RING[:3], *common)
    names = {"warp": "stores, one lane arrives for its warp",
             "thread": "stores, every thread arrives"}
    points = points_of(stores, lambda row: names.get(row["arrival"]), counts, "cycles")
    points += points_of(copied, lambda row: "bulk copies", counts, "cycles")
    for point in points:
        point["cycles"] = rounded(point["cycles"] / point["x"])
    return shape(points, "cycles", 6, subtitle=["items of 128 bytes; stores: 2 slots, copies: 4"])


PLACES_OF_CLUSTERS = {"one": "one cluster", "every": "all SMs"}


def multicast(reports):
    """Cycles per item of one tile for the cluster over those of a tile for each CTA."""
    def name_of(row):
        return f"{column_of(int(value(row['tile'])))}, {PLACES_OF_CLUSTERS[row['clusters']]}"

    points = [{"line": name_of(row), "x": int(value(row["CTAs"])),
               "ratio": rounded(value(row["4 stages"]))}
              for row in reports.table("multicast", "read=first")
              if row["split"] == "one" and value(row.get("4 stages")) is not None]
    points.sort(key=lambda point: (point["line"], point["x"]))
    return shape(points, "ratio", 0.03, subtitle=[
        "tiles from L2, 4 stages, one CTA copies for all"])


def small_rows(reports):
    """Cycles per item of rows that cp.async or bulk copies bring, by their bytes."""
    stages = ("1 stage", "4 stages")
    across = "across=num_stages:1,4"
    rows = [dict(row, mover="bulk copy", bytes=row["payload bytes"])
            for row in reports.table("pivot", "rows=payload_bytes", *RING, across)]
    wide = ("probe=ring", "protocol=cp_async_mbarrier", "mover=cp_async", "work=none", across)
    rows += [dict(row, mover="cp.async", bytes=row["payload bytes"])
             for row in reports.table("pivot", "rows=payload_bytes", *wide)]
    # A row below 512 bytes is narrower than 16 bytes a lane.
    for copy, row_bytes in ((4, 128), (8, 256)):
        rows += [dict(row, mover="cp.async", bytes=str(row_bytes))
                 for row in reports.table("pivot", "rows=copy_bytes", "cache=ca",
                                          f"copy_bytes={copy}", f"payload_bytes={row_bytes}",
                                          *wide)]
    points = [{"line": f"{row['mover']}, {title}", "x": int(row["bytes"]),
               "cycles": rounded(value(row[title]))}
              for row in rows for title in stages
              if value(row.get(title)) is not None and 128 <= int(row["bytes"]) <= 4096]
    points.sort(key=lambda point: (point["line"], point["x"]))
    return shape(points, "cycles", 22, subtitle=[
        "every word read; cp.async: .cg, 16 bytes a lane, past the L1; below 512 bytes .ca, 4 or 8 "
        "bytes, out of the L1"])
