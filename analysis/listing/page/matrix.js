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
  const name = (data.variants[variant] + " " + (data.symbols[variant] || "")).toLowerCase();
  const words = state.words.filter((word) => !name.includes(word));
  return words.every((word) => matchesOpcode(cell.code, word)) &&
    (state.changes.size === 0 || state.changes.has(change));
}

function figureHtml(figure, group) {
  const where = group.length > 1 ? figure.target + " on " : "";
  return `<span class="measured"><strong>${figure.cycles}</strong> ${esc(figure.unit)}, ` +
    `${where}${esc(shortDevice(figure.device))}</span>`;
}

// A cell as [what is said, what is shown].
function cellContent(variant, column, group) {
  const cell = cellOf(view(), variant, column);
  const base = baseColumn(view(), variant, reference());
  const change = changeBetween(view().cells[variant][base], cell.code);
  const figure = figureOf(view(), variant, group);
  const loops = loopsOf(cell.code);
  const hot = loops && change === CHANGES[CHANGES.length - 1]
    ? hotChanges(view().cells[variant][base], cell.code) : "";
  const label = `${column === base ? "reference" : change}${hot ? ", hot paths " + hot : ""}; ` +
    `${cell.kernel[0]} instructions, ${cell.registers} registers` +
    (loops ? `, ${data.of_files ? "hottest loop" : "hot paths"} ${loops}` : ", no loop") +
    (figure ? "; measured: " + figureInFull(figure) : "");
  const sign = column === base ? "ref" : SIGNS[change] || "";
  return { change, sign: column === base ? "" : change, label, html: `<b>${sign}</b>` +
    `<span class="hash">${cell.hash.slice(0, 6)}</span><br>${loops || "-"}` +
    `<small>${cell.kernel[0]} i ${cell.registers || "?"} r</small>` +
    (figure ? figureHtml(figure, group) : "") };
}

function cellHtml(variant, group, hues, index) {
  const column = columnOf(group), cell = cellOf(view(), variant, column);
  const names = groupName(group).join(" ");
  const where = `${nameOf(variant)}, ${view().columns[column]}`;
  const common = `role="gridcell" tabindex="-1" data-variant="${variant}" data-group="${index}" ` +
    `data-column="${esc(names)}"`;
  if (cell.code < 0)
    return { meant: isMeant(variant, cell, ""), html: (dim) =>
      `<td ${common} class="none${dim}" aria-label="${esc(where)}: ${esc(cell.problem)}" ` +
      `title="${esc(cell.problem)}"><span>${esc(shortProblem(cell.problem))}</span></td>` };
  if (!hues.has(cell.hash)) hues.set(cell.hash, hues.size);
  const { change, sign, label, html } = cellContent(variant, column, group);
  const title = esc(`${where}: ${label}`);
  return { meant: isMeant(variant, cell, change), html: (dim) =>
    `<td ${common} class="${sign}${dim}" style="--code: ${hue(hues.get(cell.hash))}" ` +
    `aria-label="${title}" title="${title}">${html}</td>` };
}

// A row's name; the whole name of a kernel on demand.
function nameHtml(variant) {
  const name = nameOf(variant), whole = data.variants[variant], symbol = data.symbols[variant];
  if (name === whole && (!symbol || symbol === whole)) return breakable(name);
  return `<details><summary>${breakable(name)}</summary>` +
    `<p>${breakable(whole)}</p>${symbol === whole ? "" : `<p>${breakable(symbol)}</p>`}</details>`;
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
  return `<thead><tr><th scope="col">${UNIT}</th>${heads.join("")}</tr></thead>`;
}

function drawMatrix() {
  const groups = columnGroups();
  state.groups = groups;
  const body = [];
  state.visible = [];
  data.variants.forEach((_, variant) => {
    const hues = new Map();
    const base = baseColumn(view(), variant, reference());
    if (base >= 0) hues.set(data.codes[view().cells[variant][base]].hash, 0);
    const cells = groups.map((group, index) => cellHtml(variant, group, hues, index));
    if (!cells.some((cell) => cell.meant)) return;
    state.visible.push(variant);
    const html = cells.map((cell) => cell.html(cell.meant ? "" : " dim"));
    body.push(`<tr><th scope="row">${nameHtml(variant)}</th>${html.join("")}</tr>`);
  });
  table.innerHTML = headHtml(groups) + `<tbody>${body.join("")}</tbody>`;
  document.getElementById("shown").textContent =
    `${state.visible.length} of ${data.variants.length} ${UNIT}s, ` +
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
