// The data of the page, and what is asked of it. Codes, listings and rows are numbers; see
// analysis/listing/page.h.
const data = JSON.parse(document.getElementById("page-data").textContent);
const notes = JSON.parse(document.getElementById("opcode-notes").textContent);
const marks = new Map(data.diffs.map(([left, right, runs]) => [left + "," + right, runs]));
// Classes of change, the smallest first, and what marks them.
const CHANGES = data.changes.map(([name]) => name);
const SIGNS = Object.fromEntries(data.changes);
const CLASS_OF = { ...Object.fromEntries(data.changes.map(([name, mark]) => [mark, name])),
  "<": "only-left", ">": "only-right" };
const RUNS = new RegExp(`(\\d*)([${Object.keys(CLASS_OF).join("")}])`, "g");
const UNIT = data.of_files ? "kernel" : "variant";

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
function esc(text) {
  return String(text).replace(/[&<>"]/g, (character) => escapes[character]);
}

// What a cell holds: {code} or {problem}.
function cellOf(view, variant, column) {
  const number = view.cells[variant][column];
  return number >= 0 ? { code: number, ...data.codes[number] }
    : { code: -1, problem: data.problems[-1 - number] };
}

// The column that a row is compared with: the reference, or where that has no code the row's first
// that has some; -1 for a row without code.
function baseColumn(view, variant, reference) {
  const cells = view.cells[variant];
  return cells[reference] >= 0 ? reference : cells.findIndex((code) => code >= 0);
}

const figures = new Map();
for (const view of data.views)
  figures.set(view, new Map(view.figures.map(([row, column, one]) => [row + "," + column, one])));

// The first figure among cells of one code: {cycles, half_width, unit, device, date, target}.
function figureOf(view, variant, columns) {
  for (const column of columns) {
    const found = figures.get(view).get(variant + "," + column);
    if (found) return found;
  }
  return null;
}

// "H200" of "NVIDIA H200"
function shortDevice(name) {
  return name.replace(/^NVIDIA (GeForce )?/, "").split(" ")[0];
}

function figureInFull(figure) {
  return `${figure.cycles}${figure.half_width ? " ±" + figure.half_width : ""} ${figure.unit}, ` +
    `${figure.device}, code for ${figure.target}, ${figure.date}`;
}

// The name as rows show it; the whole is data.variants.
function nameOf(variant) {
  return data.short_names[variant] || data.variants[variant];
}

// Long names may break behind these.
function breakable(name) {
  return esc(name).replace(/(\/|::|&lt;|,|_)/g, "$1<wbr>");
}

// The diff of two codes as [mark, count]...; null when one of them is none.
function runsBetween(left, right) {
  if (left < 0 || right < 0) return null;
  const text = left === right ? listingOf(left).length + "=" : marks.get(left + "," + right);
  return [...text.matchAll(RUNS)].map(([, count, mark]) => [mark, Number(count || 1)]);
}

function changeBetween(left, right) {
  const runs = runsBetween(left, right);
  if (runs === null) return "";
  let worst = 0;
  for (const [mark] of runs) {
    const change = CHANGES.indexOf(CLASS_OF[mark]);
    worst = Math.max(worst, change < 0 ? CHANGES.length - 1 : change);
  }
  return CHANGES[worst];
}

const listings = new Map();
// Of a code: its instructions as {text, opcode, control, verb, place, heat, ptx}.
function listingOf(code) {
  const number = data.codes[code].listing;
  if (!listings.has(number))
    listings.set(number, data.listings[number].split(",").map((row) => rowOf(Number(row))));
  return listings.get(number);
}

const rows = [];
function rowOf(number) {
  if (rows[number]) return rows[number];
  const [text, control, place] = data.rows[number];
  const [verb, origin, heat, ptx] = data.places[place].split("\n");
  const [, predicate, opcode, operands] = /^(@\S+ )?(\S+) ?(.*)$/.exec(data.texts[text]);
  const row = { text: data.texts[text], predicate: predicate || "", opcode, operands,
    control: data.controls[control].split(" "), verb, place: origin, heat, ptx };
  rows[number] = row;
  return row;
}

const opcodeSets = new Map();
function opcodesOf(code) {
  const number = data.codes[code].listing;
  if (!opcodeSets.has(number))
    opcodeSets.set(number, new Set(listingOf(code).map((row) => row.opcode.toLowerCase())));
  return opcodeSets.get(number);
}

// "-IMAD.MOV.U32 x2, +MOV x3": what the hot paths of the timed loops have less and more.
function hotChanges(left, right) {
  const counts = new Map();
  for (const [opcode, count] of data.codes[left].hot) counts.set(opcode, -count);
  for (const [opcode, count] of data.codes[right].hot)
    counts.set(opcode, (counts.get(opcode) || 0) + count);
  const changed = [...counts].filter(([, count]) => count !== 0)
    .map(([opcode, count]) => [data.opcodes[opcode], count]);
  changed.sort(([a, m], [b, n]) => (m > 0) - (n > 0) || (a < b ? -1 : 1));
  return changed.map(([name, count]) => (count > 0 ? "+" : "-") + name + " x" + Math.abs(count))
    .join(", ");
}

// The longest name of the table that the opcode begins with; null when none.
function noteOf(opcode) {
  for (let name = opcode; name; name = name.slice(0, Math.max(0, name.lastIndexOf("."))))
    if (notes[name]) return { name, text: notes[name] };
  return null;
}

// "25/61 24/69": instructions and issue cycles of each timed loop's hot path.
function loopsOf(code) {
  return data.codes[code].loops.map(([, problem, hot]) => (problem ? "-" : hot[0] + "/" + hot[1]))
    .join(" ");
}

function shortProblem(text) {
  return text.split(", the target is")[0].replace(/^ptxas \d\S+ /, "");
}
