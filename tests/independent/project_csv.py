#!/usr/bin/env python3
"""Writes phasebit's figures under the names of `independent`, for compare.py.

usage: project_csv.py PHASEBIT [RESULT...] > phasebit.csv

PHASEBIT is the program; RESULTs are stores or results files of one GPU (default: the published).
All figures are those without the loop.
"""

import csv
import io
import subprocess
import sys

FANIN = "fan_in/mbarrier/arrive.release.cta/{wait}.acquire.cta/{who}/warps={warps}"
HANDOFF = "hand_off/mbarrier/arrive.release.cta/{wait}.acquire.cta/{who}"
REMOTE = ("cluster_hand_off/mbarrier/remote_arrive.{arrive}.cluster/try_wait.{wait}.cluster/{who}"
          "/cluster_size={size}/peer={peer}")
BARRIER = "cluster_barrier/arrive.{arrive}/wait.acquire/every_thread/warps=1/cluster_size={size}"
WHO = {"thread": "every_thread", "warp": "one_lane"}


class Phasebit:
    def __init__(self, program, results):
        self.program, self.results = program, results

    def table(self, name, *arguments):
        words = [word for one in arguments for word in ("--argument", one)]
        made = subprocess.run([self.program, "report", *self.results, "--table", name, *words,
                               "--format", "csv"], check=True, capture_output=True, text=True)
        return list(csv.DictReader(io.StringIO(made.stdout)))

    def pivot(self, probe, rows, across, *arguments):
        return self.table("pivot", f"probe={probe}", "loop=subtracted", "rows=" + rows,
                          "across=" + across, "mover=none", "work=none", *arguments)


def figure(row, column):
    """(value, half width), or None where there is no number."""
    try:
        return float(row[column]), float(row.get(column + " half width") or 0)
    except (KeyError, ValueError):
        return None


def fan_ins(phasebit):
    for row in phasebit.table("fanin"):
        if row["loop"] != "subtracted" or row["spelling"]:
            continue
        for warps in ("1", "2", "3", "4", "6", "8", "12", "16", "24", "32"):
            if row["protocol"] == "cta_barrier":
                name = f"fan_in/cta_barrier.bar_sync_0/every_thread/warps={warps}"
            elif row["waited_on"] in ("try_wait", "test_wait") and row["arrival"] in WHO:
                name = FANIN.format(wait=row["waited_on"], who=WHO[row["arrival"]], warps=warps)
            else:
                continue
            yield name, figure(row, warps)


def hand_offs(phasebit):
    for row in phasebit.pivot("handoff", "protocol,wait,arrival", "num_stages:1"):
        if row["protocol"] == "mbarrier" and row["arrival"] in WHO:
            yield HANDOFF.format(wait=row["wait"], who=WHO[row["arrival"]]), figure(row, "1 stage")
        elif row["protocol"] == "named_barrier":
            yield ("hand_off/cta_barrier.bar_arrive_bar_sync/every_thread", figure(row, "1 stage"))


def clusters(phasebit):
    rows = "arrive_semantics,wait_semantics,arrival,second_rank"
    for row in phasebit.pivot("cluster", rows, "cluster_size:2,4", "num_stages=1",
                              "protocol=mbarrier_cluster"):
        if row["arrival"] not in WHO or row["second rank"] == "0":
            continue
        words = {"release_cluster": "release", "relaxed_cluster": "relaxed",
                 "acquire_cluster": "acquire"}
        arrive, wait = row["arrive semantics"], row["wait semantics"]
        if arrive not in words or wait not in words:
            continue
        for size in ("2", "4"):
            yield (REMOTE.format(arrive=words[arrive], wait=words[wait], who=WHO[row["arrival"]],
                                 size=size, peer=row["second rank"]),
                   figure(row, f"cluster_size={size}"))
    for row in phasebit.pivot("cluster", "semantics", "cluster_size:2,4,8", "num_stages=1",
                              "protocol=cluster_barrier", "roles=unified"):
        arrive = {"implicit": "release", "relaxed": "relaxed"}.get(row["semantics"])
        for size in ("2", "4", "8"):
            if arrive:
                yield BARRIER.format(arrive=arrive, size=size), figure(row, f"cluster_size={size}")


def main():
    phasebit = Phasebit(sys.argv[1], sys.argv[2:])
    writer = csv.writer(sys.stdout)
    writer.writerow(["name", "value", "half_width"])
    for made in (fan_ins, hand_offs, clusters):
        for name, found in made(phasebit):
            if found:
                writer.writerow([name, *found])


if __name__ == "__main__":
    main()
