"""A Vega-Lite specification with its data to an SVG that is readable on light and on dark."""
import json
import re

# Bundled with vl-convert, so that text is as wide on every machine; its metrics are Arial's.
MEASURED_FONT, SHOWN_FONT = (
    "Liberation Sans", "Liberation Sans,Arial,Helvetica,Nimbus Sans,sans-serif")
PAPER, INK, SOFT_INK, GRID = "#ffffff", "#1f2328", "#59636e", "#e3e6ea"
# Of Okabe and Ito, told apart by the colour-blind; in the dark the darker ones are lighter.
BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY = ("#0072b2", "#d55e00", "#009e73", "#aa4499",
                                                "#b87700", "#3a9bd0")
DARK = {PAPER: "#0d1117", INK: "#e6edf3", SOFT_INK: "#9da7b1", GRID: "#2b313a",
        BLUE: "#58a6e8", VERMILLION: "#ff8a3d", GREEN: "#2fc79b", PURPLE: "#d98bd0",
        ORANGE: "#e3a93c", SKY: "#7cc8f2"}

AXIS = {"labelColor": SOFT_INK, "titleColor": INK, "gridColor": GRID, "domainColor": SOFT_INK,
        "tickColor": SOFT_INK, "labelFontSize": 12, "titleFontSize": 13,
        "titleFontWeight": "normal", "titlePadding": 8}
# Room on the right for a reader's font that is wider.
THEME = {"background": PAPER, "padding": {"left": 12, "right": 40, "top": 12, "bottom": 12},
         "aria": False, "font": MEASURED_FONT, "axis": AXIS,
         "view": {"stroke": None},
         "title": {"anchor": "start", "frame": "bounds", "color": INK, "fontSize": 16,
                   "fontWeight": "bold", "subtitleColor": SOFT_INK, "subtitleFontSize": 12,
                   "offset": 14},
         "line": {"strokeWidth": 2}, "text": {"fontSize": 12, "baseline": "middle", "color": INK},
         "range": {"category": [BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY]}}
MOST_BYTES = 60_000


def filled(spec, origin, shape):
    """The specification with data, parameters, lines below the title and theme."""
    spec = json.loads(json.dumps(spec))
    spec["config"] = THEME
    spec["datasets"] = {name: rows for name, rows in shape.items()
                        if name not in ("params", "subtitle")}
    params = shape.get("params", {})
    for param in spec.get("params", []):
        if param["name"] in params:
            param["value"] = params[param["name"]]
    spec["title"]["subtitle"] = origin + shape["subtitle"]
    return spec


def tidy(svg):
    """Without what only scripts read; colours change with the reader's background."""
    svg = re.sub(r' (?:class|role|aria-[a-z]+)="[^"]*"', "", svg)
    svg = re.sub(r' (?:pointer-events|xmlns:xlink)="[^"]*"', "", svg)
    svg = re.sub(r' (?:opacity|fill-opacity)="1"', "", svg)
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d\.\d\d)\d+", r"\1", tag[0]), svg)
    svg = svg.replace(f'font-family="{MEASURED_FONT}"', "")
    svg = without_empty(svg)
    rules = "".join(f'[fill="{light}"]{{fill:{dark}}}[stroke="{light}"]{{stroke:{dark}}}'
                    for light, dark in DARK.items())
    style = (f"<style>text{{font-family:{SHOWN_FONT}}}"
             f"@media(prefers-color-scheme:dark){{{rules}}}</style>")
    return svg.replace(">", ">" + style, 1).replace("><", ">\n<") + "\n"


def without_empty(svg):
    """Drops groups and paths that draw nothing."""
    svg = re.sub(r'<path aria-hidden="true" d="M0,0h0v0h0Z"/>|<path d="M0,0h0v0h0Z"/>', "", svg)
    before = None
    while before != svg:
        before, svg = svg, re.sub(r"<g[^>]*></g>|<g[^>]*/>", "", svg)
    return svg


def draw(spec):
    """(SVG, PNG maker) of a filled specification."""
    import vl_convert
    return tidy(vl_convert.vegalite_to_svg(spec, vl_version="5.21"))


def png(svg, scale=1.5):
    import vl_convert
    return vl_convert.svg_to_png(svg, scale=scale)
