"""The end of tools/quickstart: rings of four slots, what the gate says and what an item costs.

Usage: quickstart_table.py PHASEBIT TARGET DEVICE [RESULTS...]
"""

import json
import subprocess
import sys

# Everything that a ring's key can say is at its default; its slots carry 512 bytes.
QUERY = """select id, protocol, mover, min(cycles) as cycles, half
from figure join device on uuid = figure.device
where probe = 'ring' and work = 'none' and mover <> 'none' and named = '' and newest and declared
  and kind = 'point' and quantity = 'cycles' and reason = '' and name like '%' || '{device}' || '%'
group by id order by cycles limit 10"""


def asked(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def gate(phasebit, target, ring):
    """(verdict, registers) of one ring."""
    said = asked(phasebit, "assemble", "--gate", "--json", "-t", target, "--id", ring)
    made = said["targets"][0]
    if said["skipped"]:
        return next(iter(said["skipped"])), "-"
    verdict = "passed" if made["gate_passed"] else "no rule" if made["ungated"] else "refused"
    return verdict, made["most_registers"]


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__.strip())
        return 0
    phasebit, target, device, *results = sys.argv[1:]
    said = asked(phasebit, "sql", QUERY.format(device=device), *results, "--format", "json")
    print(f"{'protocol':22}{'mover':11}{'gate on ' + target:18}{'registers':11}cycles an item")
    for ring in said["rows"]:
        verdict, registers = gate(phasebit, target, ring["id"])
        print(f"{ring['protocol']:22}{ring['mover']:11}{verdict:18}{registers:<11}"
              f"{ring['cycles']:.0f} ±{ring['half']:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
