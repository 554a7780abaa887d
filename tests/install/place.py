"""An installed prefix, and programs run in it as on a machine that never saw the source tree."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

# Mount points are made in a namespace of their own; the last words are the program's.
HIDE = """set -e
mount --bind "$1" "$3"
mount --bind "$1" "$2"
[ -z "$4" ] || mount -t tmpfs -o ro none "$4"
shift 4
exec "$@"
"""


def can_hide():
    words = ["unshare", "-rmn", "true"]
    return (shutil.which("unshare") is not None and
            subprocess.run(words, capture_output=True, check=False).returncode == 0)


class Place:
    """A folder with the prefix, a user's home and a current folder, all empty but the prefix."""

    def __init__(self, source, build, meson):
        self.source, self.build = Path(source), Path(build)
        self.holder = tempfile.TemporaryDirectory(prefix="phasebit-install-")
        self.root = Path(self.holder.name).resolve()
        for name in ("home/.cache", "here", "empty"):
            (self.root / name).mkdir(parents=True)
        self.hides = can_hide()
        subprocess.run([meson, "install", "-C", build, "--no-rebuild", "--quiet",
                        "--destdir", str(self.root / "dest")], check=True)
        self.prefix = next((self.root / "dest").rglob("bin")).parent
        self.home, self.here = self.root / "home", self.root / "here"
        self.share = self.prefix / "share"

    def run(self, *words, program=None, read_only="", **environment):
        """The outcome, as text. `read_only`: a folder that nothing can be written to."""
        command = [str(program or self.prefix / "bin" / "phasebit"), *map(str, words)]
        if self.hides:
            command = ["unshare", "-rmn", "sh", "-c", HIDE, "sh", str(self.root / "empty"),
                       str(self.source), str(self.build), str(read_only), *command]
        return subprocess.run(
            command, cwd=self.here, capture_output=True, text=True, check=False, timeout=120,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home), **environment})

    def bare_prefix(self, name):
        """Another prefix, with the program alone."""
        program = self.root / name / "bin" / "phasebit"
        program.parent.mkdir(parents=True)
        shutil.copy2(self.prefix / "bin" / "phasebit", program)
        return program

    def give_toolchain(self, version):
        """Lays ptxas and nvdisasm where tools/toolchain would; False where the tree lacks them."""
        inner = Path(version) / "nvidia" / "cu13" / "bin"
        programs = self.source / ".toolchains" / inner
        if not (programs / "ptxas").is_file():
            return False
        kept = self.home / ".local" / "share" / "phasebit" / "toolchains" / inner
        kept.mkdir(parents=True)
        for name in ("ptxas", "nvdisasm"):
            shutil.copy2(programs / name, kept / name)
        return True


def files_below(folder):
    found = {os.path.relpath(Path(at) / name, folder)
             for at, _, names in os.walk(folder) for name in names}
    return {name for name in found if "__pycache__" not in name}
