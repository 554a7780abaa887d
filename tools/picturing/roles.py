"""The data of pictures of roles: warpgroups that multiply and do other work."""
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
    return shape(points, "rate", 85, subtitle=[
        "products of 256 columns, 64 rows a warpgroup, bulk copies from L2; a block: eight "
        "dependent FMAs"])
