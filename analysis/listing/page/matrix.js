// The matrix: rows are variants, columns targets or versions of ptxas.
const state = { view: 0, references: data.views.map((view) => view.reference), words: [],
  changes: new Set(), every: false, at: { variant: 0, group: 0 } };
const table = document.getElementById("matrix");

function view() { return data.views[state.view]; }
function reference() { return state.references[state.view]; }

// Neighbouring columns that hold the same in every row.
function columnGroups() {
  const { columns, cells } = view();
  const same = (row, a, b) => {
    const [x, y] = [row[a], row[b]];
    if (x >= 0 && y >= 0)
      return x === y || (data.codes[x].hash === data.codes[y].hash &&
                         data.codes[x].listing === data.codes[y].listing);
    return x < 0 && y < 0 &&
      shortProblem(data.problems[-1 - x]) === shortProblem(data.problems[-1 - y]);
  };
  const groups = [];
  columns.forEach((name, column) => {
    const last = groups[groups.length - 1];
    if (!state.every && last && cells.every((row) => same(row, last[0], column))) last.push(column);
    else groups.push([column]);
  });
  return groups;
}

// "sm_100 a f": the names of a group, suffixes behind their number.
function groupName(group) {
  const names = group.map((column) => view().columns[column]);
  const lines = [];
  for (const name of names) {
    const [, base, suffix] = /^(.*?\d)([af]?)$/.exec(name) || [null, name, ""];
    const last = lines[lines.length - 1];
    if (last && last.base === base && suffix) last.suffixes.push(suffix);
    else lines.push({ base: suffix ? base : name, suffixes: suffix ? [suffix] : [], own: !suffix });
  }
  return lines.map((line) => line.own ? [line.base, ...line.suffixes].join(" ")
    : line.base + line.suffixes.join(" "));
}

function columnOf(group) {
  return group.includes(reference()) ? reference() : group[0];
}

function matchesOpcode(code, word) {
  if (code < 0) return false;
  for (const opcode of opcodesOf(code)) if (opcode.includes(word)) return true;
  return false;
}

// Whether a cell is meant by the words that no variant's name holds, and by the chosen changes.
function isMeant(variant, cell, change) {
  const name = data.variants[variant].toLowerCase();
  const words = state.words.filter((word) => !name.includes(word));
  return words.every((word) => matchesOpcode(cell.code, word)) &&
    (state.changes.size === 0 || state.changes.has(change));
}

function cellHtml(variant, column, hues, index) {
  const cell = cellOf(view(), variant, column);
  const where = `${data.variants[variant]}, ${view().columns[column]}`;
  const common = `role="gridcell" tabindex="-1" data-variant="${variant}" data-group="${index}"`;
  if (cell.code < 0)
    return { meant: isMeant(variant, cell, ""), html: (dim) =>
      `<td ${common} class="none${dim}" aria-label="${esc(where)}: ${esc(cell.problem)}" ` +
      `title="${esc(cell.problem)}"><span>${esc(shortProblem(cell.problem))}</span></td>` };
  const base = view().cells[variant][reference()];
  const change = changeBetween(base, cell.code);
  if (!hues.has(cell.hash)) hues.set(cell.hash, hues.size);
  const what = column === reference() ? "reference" : change || "the reference has no code";
  const hot = base >= 0 && change === "instructions" ? hotChanges(base, cell.code) : "";
  const label = `${where}: ${what}${hot ? ", hot paths " + hot : ""}; ${cell.kernel[0]} instructions, ` +
    `${cell.registers} registers, hot paths ${loopsOf(cell.code)}`;
  const sign = column === reference() ? "ref" : SIGNS[change] || "";
  return { meant: isMeant(variant, cell, change), html: (dim) =>
    `<td ${common} class="${column === reference() ? "" : change}${dim}" ` +
    `style="--code: ${hue(hues.get(cell.hash))}" aria-label="${esc(label)}" title="${esc(label)}">` +
    `<b>${sign}</b><span class="hash">${cell.hash.slice(0, 6)}</span><br>${loopsOf(cell.code)}` +
    `<small>${cell.kernel[0]} i ${cell.registers || "?"} r</small></td>` };
}

// Far apart for neighbouring numbers; the first is grey.
function hue(number) {
  if (number === 0) return "#8a929c";
  return `hsl(${(number * 137 + 150) % 360} 60% 50%)`;
}

function headHtml(groups) {
  const heads = groups.map((group) => {
    const [first, ...rest] = groupName(group);
    const chosen = group.includes(reference());
    return `<th scope="col" class="${chosen ? "reference" : ""}"><button type="button" ` +
      `data-column="${group[0]}" title="compare with ${esc(view().columns[group[0]])}">` +
      `${esc(first)}${rest.map((name) => `<br>${esc(name)}`).join("")}` +
      ` <small>${chosen ? "reference" : ""}&nbsp;</small></button></th>`;
  });
  return `<thead><tr><th scope="col">variant</th>${heads.join("")}</tr></thead>`;
}

function drawMatrix() {
  const groups = columnGroups();
  state.groups = groups;
  const body = [];
  state.visible = [];
  data.variants.forEach((name, variant) => {
    const hues = new Map();
    const base = view().cells[variant][reference()];
    if (base >= 0) hues.set(data.codes[base].hash, 0);
    const cells = groups.map((group, index) => cellHtml(variant, columnOf(group), hues, index));
    if (!cells.some((cell) => cell.meant)) return;
    state.visible.push(variant);
    const html = cells.map((cell) => cell.html(cell.meant ? "" : " dim"));
    body.push(`<tr><th scope="row">${esc(name).replaceAll("/", "/<wbr>")}</th>${html.join("")}</tr>`);
  });
  table.innerHTML = headHtml(groups) + `<tbody>${body.join("")}</tbody>`;
  document.getElementById("shown").textContent =
    `${state.visible.length} of ${data.variants.length} variants, ` +
    `${view().columns.length} columns in ${groups.length} groups of the same code`;
  const first = cellElement() || table.querySelector("td");
  if (first) first.tabIndex = 0;
}

function cellElement() {
  const { variant, group } = state.at;
  return table.querySelector(`td[data-variant="${variant}"][data-group="${group}"]`);
}

// Makes a cell the one that Tab leads to, and goes there.
function goTo(variant, group) {
  const before = table.querySelector('td[tabindex="0"]');
  if (before) before.tabIndex = -1;
  state.at = { variant, group };
  const cell = cellElement();
  if (!cell) return;
  cell.tabIndex = 0;
  cell.focus();
}

function moveInMatrix(key) {
  const row = Math.max(0, state.visible.indexOf(state.at.variant)), { group } = state.at;
  const last = state.groups.length - 1, end = state.visible.length - 1;
  const next = { ArrowUp: [row - 1, group], ArrowDown: [row + 1, group],
    ArrowLeft: [row, group - 1], ArrowRight: [row, group + 1], Home: [row, 0], End: [row, last],
    PageUp: [row - 10, group], PageDown: [row + 10, group] }[key];
  if (!next || end < 0) return false;
  goTo(state.visible[Math.min(end, Math.max(0, next[0]))], Math.min(last, Math.max(0, next[1])));
  return true;
}
