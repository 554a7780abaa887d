"""The data of pictures of roles: work that varies, where warps sit, warpgroups that multiply."""
from copies import shape
from labels import rounded
from reports import value

ORGANISATIONS = ((2, 1, "shared", "two share, a group in flight"),
                 (2, 0, "shared", "two share"),
                 (2, 0, "in turn", "two in turn"),
                 (2, 0, "ping_pong", "two in turn, ping-pong"),
                 (1, 1, "shared", "one, a group in flight"),
                 (1, 0, "shared", "one"))


def roles(reports):
    """Multiply-adds a cycle by other work after each item, with one warpgroup and with two."""
    rows = reports.table("roles", "tile_n=256")
    points = [{"line": name, "x": int(value(row["epilogue"])), "rate": rounded(value(row[turns]))}
              for warpgroups, in_flight, turns, name in ORGANISATIONS for row in rows
              if (value(row["warpgroups"]), value(row["in flight"])) == (warpgroups, in_flight)
              and value(row[turns]) is not None]
    most = max((point["x"] for point in points), default=0)
    whole = {point["line"] for point in points if point["x"] == most}
    return shape([point for point in points if point["line"] in whole], "rate", 85, subtitle=[
        "products of 256 columns, 64 rows a warpgroup, bulk copies from L2; a block: eight "
        "dependent FMAs"])


DEPTHS = (2, 3, 4, 6, 8, 12, 16, 24, 32)


def jitter(reports):
    """The period of a ring by its depth over that of 32 stages, by how an item's time varies."""
    rows = reports.table("jitter", "protocol=mbarrier", "mover=st_shared")
    names = {("both", "none"): "both roles, no variation", ("both", "uniform"): "both, uniform",
             ("both", "bimodal"): "both, bimodal", ("both", "heavy_tail"): "both, heavy tail",
             ("consumer", "heavy_tail"): "one role, heavy tail"}
    points = []
    for row in rows:
        name = names.get((row["delayed"], row["jitter"]))
        deepest = value(row.get("32"))
        if not name or not deepest or (row["jitter"] != "none" and row["spread"] != "14"):
            continue
        points += [{"line": name, "x": depth, "ratio": rounded(value(row[str(depth)]) / deepest)}
                   for depth in DEPTHS if value(row.get(str(depth))) is not None]
    return shape(points, "ratio", 0.022, subtitle=[
        "mbarrier ring of 512 bytes; items of 16 blocks of FMAs on average, spread of 14"])


def sub_partitions(reports):
    """How many percent more a ring takes with both warps on one sub-partition, by its depth."""
    common = ("probe=ring", "work=none", "across=sub_partitions:together,apart")
    ours = ("protocol=mbarrier", "mover=st_shared", "arrival=thread")
    ahead = (*ours, "rows=num_stages", "early_token=on", "ahead=1")
    lines = {"mbarrier, loop": (*ours, "rows=num_stages"),
             "mbarrier, unrolled": (*ours, "rows=num_stages", "addressing=unrolled"),
             "looks 1 ahead, loop": ahead,
             "looks 1 ahead, unrolled": (*ahead, "addressing=unrolled"),
             "named barriers, unrolled": ("protocol=named_barrier", "mover=st_shared",
                                          "rows=num_stages", "addressing=unrolled")}
    points = []
    for line, rows in reports.tables({line: ("pivot", *common, *of) for line, of in lines.items()}):
        for row in rows:
            one, two = (value(row.get(f"sub_partitions={place}"))
                        for place in ("together", "apart"))
            if one and two:
                points.append({"line": line, "x": int(row["num stages"]),
                               "percent": rounded(100 * (one / two - 1))})
    points.sort(key=lambda point: (point["line"], point["x"]))
    return shape(points, "percent", 1.3, subtitle=[
        "one producer warp and one consumer warp, without work, 512 bytes an item"])


SHAPES = (("128 x 64 x 64", 1), ("128 x 64 x 64", 0), ("64 x 128 x 64", 1), ("64 x 128 x 64", 0),
          ("64 x 64 x 64", 1), ("64 x 64 x 32", 1), ("128 x 64 x 32", 1))


def shapes(reports):
    """Multiply-adds a cycle by number of stages, for shapes of products."""
    rows = reports.table("shapes", "mover=bulk", "arrival=warp")
    points = [{"line": product + ("" if flying else ", none in flight"), "x": stages,
               "rate": rounded(value(row[f"{stages} stages"]))}
              for product, flying in SHAPES for row in rows
              if (row["product"], value(row["in flight"])) == (product, flying)
              for stages in range(3, 10) if value(row.get(f"{stages} stages")) is not None]
    return shape(points, "rate", 90, subtitle=[
        "bulk copies from L2, one arrival a warp, a group of products in flight but where said"])
