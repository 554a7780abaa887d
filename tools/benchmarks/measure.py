"""What benchmarks share: running a command, its wall time and the memory of all its processes."""

import resource
import subprocess
import sys
import threading
import time
from pathlib import Path


def descendants(pid):
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += descendants(int(child))
    return found


def resident_bytes(pid):
    """Resident bytes of a process and all that it started, together. Shared pages count in each."""
    total = 0
    try:
        for process in descendants(pid):
            try:
                total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096
            except (OSError, IndexError):
                pass  # it has just ended
    except OSError:
        pass
    return total


def core_seconds_of_children():
    """Of all that have ended, with their own."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Run:
    """One run of a command: seconds, core_seconds and peak_bytes of all its processes together,
    status, out, err."""

    def __init__(self, arguments):
        self.peak_bytes = 0
        started, spent = time.monotonic(), core_seconds_of_children()
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        watcher = threading.Thread(target=self.watch, args=(process,), daemon=True)
        watcher.start()
        self.out, self.err = process.communicate()
        self.seconds = time.monotonic() - started
        self.core_seconds = core_seconds_of_children() - spent
        self.status = process.returncode
        watcher.join()

    def watch(self, process):
        while process.poll() is None:
            self.peak_bytes = max(self.peak_bytes, resident_bytes(process.pid))
            time.sleep(0.05)


def show(name, value, unit):
    number = f"{value:.3f}" if isinstance(value, float) else str(value)
    print(name, number, unit, flush=True)


def stop(text):
    sys.exit(f"benchmark: {text}")
