"""Points a second of a bundle on the GPU at hand, statistics and store included.

Usage: points.py PHASEBIT_BENCH BUNDLE [ARGUMENTS OF PHASEBIT_BENCH...]; on a GPU machine, where
nothing needs to be built (tools/gpu-bundle packs for it). Keep its lines as
results/benchmarks/points.txt.
"""

import sqlite3
import sys
import tempfile
from pathlib import Path

from measure import Run, show, stop


def main():
    if len(sys.argv) < 3:
        stop("points.py needs phasebit-bench and a bundle: it runs on the GPU machine")
    program, bundle, *more = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "points.sqlite"
        command = [program, "--bundle", bundle, "--store", str(store), *more]
        run = Run(command)
        if run.status != 0:
            stop(f"{' '.join(command)} exited with {run.status}: {run.err.strip()[-500:]}")
        rows = sqlite3.connect(store)
        device, driver = rows.execute("SELECT name, driver FROM device").fetchone()
        commit, ptxas = rows.execute("SELECT commit_name, ptxas FROM run").fetchone()
        points = rows.execute("SELECT count(*) FROM point "
                              "WHERE json_array_length(samples, '$.items') > 0").fetchone()[0]
        failed = rows.execute(
            "SELECT count(*) FROM point WHERE error_step IS NOT NULL").fetchone()[0]
    print(f"# device: {device}, driver {driver}\n# ptxas: {ptxas}\n# commit: {commit}")
    print("# command: phasebit-bench", "--bundle", Path(bundle).name, *more)
    show("points", points, "points")
    show("failed_points", failed, "points")
    show("seconds", run.seconds, "s")
    show("points_per_second", points / run.seconds, "points/s")
    show("peak_memory", run.peak_bytes / 2**20, "MiB")


if __name__ == "__main__":
    main()
