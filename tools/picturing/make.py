"""Makes the pictures of docs/pictures from results; called by tools/pictures.

A picture NAME is a Vega-Lite specification, docs/pictures/NAME.vl.json, whose data sets a function
of this folder makes from tables of `phasebit report`, and the SVG next to it.
"""
import argparse
import json
import sys
from pathlib import Path

import comparisons
import copies
import roles
import shapes
from drawing import MOST_BYTES, draw, filled, png
from reports import Failed, LeftOut, Reports

SKIPPED = 77  # meson: the test was skipped
PICTURES = {"fanin": shapes.fanin, "stages": shapes.stages, "wakeup": shapes.wakeup,
            "ptxas": comparisons.ptxas, "closure": comparisons.closure,
            "devices": comparisons.devices, "origins": comparisons.origins,
            "copies": copies.copies,
            "streams": copies.streams, "in_flight": copies.in_flight, "kernels": copies.kernels,
            "producers": copies.producers, "issue": copies.issue, "together": copies.together,
            "multicast": copies.multicast, "small_rows": copies.small_rows,
            "roles": roles.roles, "jitter": roles.jitter,
            "sub_partitions": roles.sub_partitions, "shapes": roles.shapes}
# Results of these are elsewhere, or of other GPUs too.
OF_HISTORY, OF_ALL_DEVICES, OF_ORIGINS = ("ptxas",), ("devices",), ("origins",)


def arguments_of(words):
    parser = argparse.ArgumentParser(prog="tools/pictures", description=__doc__)
    parser.add_argument("pictures", nargs="*", choices=[*PICTURES, []], metavar="NAME",
                        help=f"default: all of {', '.join(PICTURES)}")
    parser.add_argument("--root", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true",
                        help="compare with the SVGs that are there instead of writing them")
    parser.add_argument("--results", type=Path, nargs="+", help="stores or files of results "
                        "instead of results/*/*.csv.zst")
    parser.add_argument("--history", type=Path, nargs="+", help="those measured by every ptxas, "
                        "instead of results/*/history/ptxas.csv.zst")
    parser.add_argument("--device", default="H200",
                        help="GPU of pictures that show one (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="folder instead of docs/pictures")
    parser.add_argument("--png", type=Path, help="folder for a PNG of each as well")
    parser.add_argument("--filled", type=Path,
                        help="folder for the specifications with their data, for Vega's editor")
    return parser.parse_args(words)


def reports_of(name, options):
    """What a picture is made from; those of the same results share their tables."""
    if name in OF_HISTORY:
        given, pattern = options.history, "*/history/ptxas.csv.zst"
    elif name in OF_ORIGINS:
        given, pattern = None, "*/llvm/origins.csv.zst"
    else:
        given, pattern = options.results, "*/*.csv.zst"
    found = given or sorted((options.root / "results").glob(pattern))
    device = options.device
    key = (tuple(found), device)
    if key not in options.kept:
        options.kept[key] = Reports(options.program, found, device, str(options.root))
    return options.kept[key]


def made(name, reports, options):
    """The SVG of a picture. LeftOut or Failed where it cannot be made."""
    spec = json.loads((options.root / "docs" / "pictures" / f"{name}.vl.json").read_text())
    shape = PICTURES[name](reports)
    origin = [] if name in OF_ALL_DEVICES else [reports.origin()]
    spec = filled(spec, origin, shape)
    if options.filled:
        options.filled.mkdir(parents=True, exist_ok=True)
        (options.filled / f"{name}.vl.json").write_text(json.dumps(spec, indent=1) + "\n")
    svg = draw(spec)
    if len(svg.encode()) > MOST_BYTES:
        raise Failed(f"{len(svg.encode())} bytes, at most {MOST_BYTES}")
    if options.png:
        options.png.mkdir(parents=True, exist_ok=True)
        (options.png / f"{name}.png").write_bytes(png(svg))
    return svg


def compared(path, svg):
    """What is wrong with the committed picture, or None."""
    if not path.exists():
        return f"{path}: is missing; tools/pictures makes it"
    old, new = path.read_text().splitlines(), svg.splitlines()
    if old == new:
        return None
    line = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    return (f"{path}:{line + 1}: differs from the results: "
            f"{(old + [''])[line][:80]!r} would be {(new + [''])[line][:80]!r}; "
            "tools/pictures makes it")


def one(name, options, folder):
    """Makes or compares one picture; True when all is well with it."""
    path = folder / f"{name}.svg"
    try:
        svg = made(name, reports_of(name, options), options)
    except LeftOut as reason:
        print(f"{path.name}: left out: {reason}")
        if options.check and path.exists():
            print(f"{path}: is there, and the results cannot make it")
            return False
        return True
    except Failed as reason:
        print(f"{path.name}: {reason}")
        return False
    if options.check:
        wrong = compared(path, svg)
        print(wrong or f"{path.name}: as the results have it")
        return wrong is None
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(svg)
    print(f"{path.name}: {len(svg.encode())} bytes")
    return True


def main():
    options = arguments_of(sys.argv[1:])
    options.kept = {}
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        print("skipped: vl-convert-python is not installed")
        return SKIPPED
    folder = options.out or options.root / "docs" / "pictures"
    return 0 if all([one(name, options, folder) for name in options.pictures or PICTURES]) else 1


if __name__ == "__main__":
    sys.exit(main())
