"""Tables of phasebit as rows: what the pictures are made from."""
import json
import subprocess

# What a table answers when the results do not hold what it shows.
NOT_MEASURED = ("no measured variant", "the results are of one GPU",
                "no such text was measured by several versions", "the results hold no device",
                "no axis or argument")


class LeftOut(Exception):
    """A picture that these results cannot make, and why."""


class Failed(Exception):
    """A table that could not be made at all."""


class Reports:
    """Runs `phasebit report`; each table once."""

    def __init__(self, program, results, device="", home=None):
        self.program, self.results, self.device = program, results, device
        self.home, self.made = home, {}

    def table(self, name, *arguments):
        """The rows of a table: a dict each, a figure as {"value", "half_width"}."""
        key = (name, arguments)
        if key not in self.made:
            self.made[key] = self.run(name, arguments)
        return self.made[key]

    def run(self, name, arguments):
        command = [self.program, "report", "--table", name, "--format", "json"]
        if self.device:
            command += ["--device", self.device]
        for argument in arguments:
            command += ["--argument", argument]
        environment = {"PHASEBIT_HOME": self.home} if self.home else None
        made = subprocess.run(command + ["--"] + [str(path) for path in self.results],
                              capture_output=True, text=True, env=environment)
        if made.returncode == 0:
            return json.loads(made.stdout)["rows"]
        said = made.stderr.strip()
        if any(reason in said for reason in NOT_MEASURED):
            raise LeftOut(said.removeprefix("phasebit: ").removeprefix("usage: "))
        raise Failed(f"{' '.join(command)}: {said}")

    def tables(self, lines):
        """(line, rows) of each line that was measured, from its table and arguments."""
        found, reason = [], ""
        for line, (name, *arguments) in lines.items():
            try:
                found.append((line, self.table(name, *arguments)))
            except LeftOut as why:
                reason = str(why)
        if not found:
            raise LeftOut(reason)
        return found

    def origin(self):
        """The device and the ptxas of the results, as a picture's second line says them."""
        row = self.table("counts")[0]
        return f"{row['device']}, driver {row['driver']}, ptxas {row['ptxas']}"


def value(cell):
    """The number of a cell, with or without an interval, or None."""
    if isinstance(cell, dict):
        return cell["value"]
    return cell if isinstance(cell, (int, float)) else None


def ends(cell):
    """The ends of its interval."""
    half = cell.get("half_width") or 0
    return cell["value"] - half, cell["value"] + half
