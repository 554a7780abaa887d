// The dialog around a listing: names, figures, loops, source lines, and what of the rows is shown.
const panel = document.getElementById("listing");
const small = matchMedia("(max-width: 700px)");
// What can be folded: the reference's side, control fields but the stall, what stands behind.
const FOLDS = { reference: "left", control: "control", place: "place" };
const shown = { open: false, variant: 0, column: 0, hidden: new Set(), only: true, opened: [],
  folded: new Set(small.matches ? ["control", "place"] : []), details: new Set() };

// The codes of the dialog: of the row's reference, and of the cell.
function codes() {
  const cells = view().cells[shown.variant];
  const base = baseColumn(view(), shown.variant, reference());
  return { base, left: base < 0 ? -1 : cells[base], right: cells[shown.column] };
}

function details(name, summary, content) {
  return `<details data-name="${name}" ${shown.details.has(name) ? "open" : ""}>` +
    `<summary>${summary}</summary><div class="wide">${content}</div></details>`;
}

// Figures of the kernel and of each loop, left and right.
function factsHtml(left, right) {
  const line = (name, a, b) => `<tr><td>${esc(name)}</td>` + [0, 1, 2, 3, 4].map((i) =>
    a && b && a[i] !== b[i] ? `<td class="changed">${a[i]} → ${b[i]}</td>`
      : `<td>${(b || a)[i]}</td>`).join("") + "</tr>";
  const [a, b] = [left < 0 ? null : data.codes[left], data.codes[right]];
  const lines = [line("kernel", a && a.kernel, b.kernel)];
  b.loops.forEach(([role, problem, hot, cold]) => {
    const other = a && a.loops.find((loop) => loop[0] === role && !loop[1]);
    if (problem) return;
    const name = data.of_files ? role : `${role || "loop"}, hot`;
    lines.push(line(name, other && other[2], hot));
    if (cold[0] || (other && other[3][0]))
      lines.push(line(`${role || "loop"}, cold`, other && other[3], cold));
  });
  const hot = a && a.loops.length && b.loops.length ? hotChanges(left, right) : "";
  return `<div class="wide"><table aria-label="Figures"><thead><tr><th></th>` +
    ["instructions", "issue cycles", "fences", "sleeps", "waits"]
      .map((name) => `<th scope="col">${name}</th>`).join("") +
    `</tr></thead><tbody>${lines.join("")}</tbody></table></div>` +
    (hot ? `<p>${data.of_files ? "hottest loop" : "hot paths"}: ${esc(hot)}</p>` : "");
}

// The loops of a file's kernel; those that only wait behind the others.
function loopsHtml(code) {
  const { all_loops: loops, hottest, loops_problem: problem } = data.codes[code];
  if (!loops) return "";
  const order = loops.map((_, i) => i).sort((a, b) => loops[a].waits - loops[b].waits || a - b);
  const lines = order.map((i) => {
    const { begin, end, depth, waits, own, inside, lines: source } = loops[i];
    return `<tr class="${i === hottest ? "hottest" : ""}"><td><button type="button" data-goto="${begin}">` +
      `${address(begin)}-${address(end - 1)}</button></td><td>${depth}</td><td>${own[0]}</td>` +
      `<td>${own[1]}</td><td>${own[4]}</td><td>${inside}</td>` +
      `<td>${i === hottest ? "hottest" : waits ? "only waits" : ""}</td><td class="text">${esc(source)}</td></tr>`;
  });
  const waiting = loops.filter((loop) => loop.waits).length;
  const summary = `${loops.length} loop${loops.length === 1 ? "" : "s"}` +
    (waiting ? `, ${waiting} only wait` : "");
  return details("loops", summary, (problem ? `<p>there may be others: ${esc(problem)}</p>` : "") +
    (lines.length ? `<table><thead><tr><th>addresses</th><th>depth</th><th>instructions</th>` +
      `<th>issue cycles</th><th>waits</th><th>inside</th><th></th><th class="text">source lines</th></tr></thead>` +
      `<tbody>${lines.join("")}</tbody></table>` : ""));
}

const MOST_LINES = 60;
// The source lines of a file's kernel, by issue cycles.
function linesHtml(code) {
  if (!data.of_files) return "";
  const lines = new Map();
  listingOf(code).forEach((row, i) => {
    if (!row.place) return;
    if (!lines.has(row.place)) lines.set(row.place, { first: i, instructions: 0, issue: 0, hot: 0 });
    const line = lines.get(row.place);
    line.instructions += 1;
    line.issue += Number(row.control[0]);
    if (row.heat === "hot") line.hot += Number(row.control[0]);
  });
  const order = [...lines].sort(([, a], [, b]) => b.hot - a.hot || b.issue - a.issue);
  if (!order.length) return details("lines", "no line information", "<p>nvcc -lineinfo writes it.</p>");
  const rows = order.slice(0, MOST_LINES).map(([place, line]) =>
    `<tr><td><button type="button" data-goto="${line.first}">${esc(shortPlace(place))}</button></td>` +
    `<td>${line.instructions}</td><td>${line.issue}</td><td>${line.hot}</td></tr>`);
  const rest = order.length - rows.length;
  return details("lines", `${order.length} source lines`,
    `<table><thead><tr><th>line</th><th>instructions</th><th>issue cycles</th><th>in the hottest loop</th></tr></thead>` +
    `<tbody>${rows.join("")}</tbody></table>${rest > 0 ? `<p>and ${rest} lines with fewer</p>` : ""}`);
}

function chipsHtml(list) {
  const counts = {};
  for (const { mark } of list) counts[CLASS_OF[mark]] = (counts[CLASS_OF[mark]] || 0) + 1;
  const names = { "only-left": "only left", "only-right": "only right", instructions: "other opcode" };
  return Object.values(CLASS_OF).filter((name) => counts[name]).map((name) =>
    `<button type="button" class="chip ${name}" data-class="${name}" ` +
    `aria-pressed="${!shown.hidden.has(name)}">${counts[name]} ${names[name] || name}</button>`).join("");
}

function foldsHtml(isSingle) {
  const names = { reference: "reference", control: "control fields",
    place: data.of_files ? "source" : "verb, template" };
  const buttons = Object.keys(FOLDS).filter((name) => name !== "reference" || !isSingle).map((name) =>
    `<button type="button" data-fold="${name}" aria-pressed="${!shown.folded.has(name)}">${names[name]}</button>`);
  return `<span class="folds" role="group" aria-label="columns">columns ${buttons.join("")}</span>`;
}

function glossaryHtml(all) {
  const found = new Map();
  for (const code of all) if (code >= 0) for (const row of listingOf(code)) {
    const note = noteOf(row.opcode);
    if (note) found.set(note.name, note.text);
  }
  const items = [...found].sort().map(([name, text]) => `<dt>${esc(name)}</dt><dd>${esc(text)}</dd>`);
  return details("glossary", "what these opcodes do", `<dl>${items.join("")}</dl>`);
}

function sidesHtml({ base, left, right }, change) {
  const of = (code) => code < 0 ? "no code"
    : `${data.codes[code].hash} ${data.codes[code].registers || "?"} registers`;
  const name = (column) => `<strong>${esc(view().columns[column])}</strong>`;
  const figure = figureOf(view(), shown.variant, [shown.column]);
  return `<p class="sides">${base < 0 || base === shown.column ? "" : `${name(base)} ${of(left)} → `}` +
    `${name(shown.column)} ${of(right)}: <b id="verdict">${change}</b></p>` +
    (figure ? `<p class="sides" id="measured">measured: ${esc(figureInFull(figure))}</p>` : "");
}

function aboutHtml(both, list, isSingle) {
  const { left, right } = both;
  const change = left < 0 ? "nothing to compare with" : changeBetween(left, right) || "nothing";
  if (right < 0) {
    const { problem } = cellOf(view(), shown.variant, shown.column);
    return `<p>${esc(problem)}</p>`;
  }
  const whole = data.variants[shown.variant], symbol = data.symbols[shown.variant];
  return sidesHtml(both, left === right ? "the reference" : change) +
    (nameOf(shown.variant) === whole ? "" : details("name", "the whole name",
      `<p>${breakable(whole)}</p><p>${breakable(symbol || "")}</p>`)) +
    `<div id="facts">${factsHtml(left === right ? -1 : left, right)}</div>` +
    `<div class="bar">${loopsHtml(right)}${linesHtml(right)}${glossaryHtml([left, right])}</div>` +
    `<div class="bar">${isSingle ? "" : chipsHtml(list) +
      `<label><input type="checkbox" id="only" ${shown.only ? "checked" : ""}> differences only</label>` +
      `<button type="button" data-jump="-1">previous (p)</button>` +
      `<button type="button" data-jump="1">next (n)</button>`}` +
    (data.codes[right].opens_at === undefined ? ""
      : `<button type="button" data-goto="${data.codes[right].opens_at}">hottest loop (h)</button>`) +
    `${foldsHtml(isSingle)}</div>`;
}

function drawListing() {
  const both = codes(), { left, right } = both;
  const isSingle = left === right || left < 0;
  const list = right < 0 ? [] : alignedRows(left, right);
  if (list.every(({ mark }) => mark === "=")) shown.only = false;
  const before = panel.querySelector("#rows"), top = before ? before.scrollTop : 0;
  const steps = view().cells[shown.variant].length < 2 ? "" :
    `<button type="button" data-step="-1" aria-label="previous column">←</button>` +
    `<button type="button" data-step="1" aria-label="next column">→</button>`;
  panel.className = ["left", "control", "place"].filter((name) => name === "left"
    ? isSingle || shown.folded.has("reference") : shown.folded.has(name))
    .map((name) => `fold-${name}`).join(" ");
  panel.innerHTML = `<header><h2 id="listing-title">${breakable(nameOf(shown.variant))}</h2>` +
    `<span class="steps">${steps}<button type="button" class="close" data-close>close</button></span></header>` +
    `<div id="about">${aboutHtml(both, list, isSingle)}</div>` +
    `<div id="rows" tabindex="0" aria-label="Listing">` +
    (right < 0 ? "" : tableHtml(list, left < 0 ? [] : listingOf(left), listingOf(right))) + "</div>";
  panel.querySelector("#rows").scrollTop = top;
}

// To an instruction of the cell's code, whose row is opened where it is not shown.
function goToInstruction(index) {
  const find = () => panel.querySelector(`#rows tr[data-right="${index}"]`);
  if (!find()) {
    const { left, right } = codes();
    const at = alignedRows(left, right).findIndex((pair) => pair.right === index);
    if (at < 0) return;
    shown.opened.push([Math.max(0, at - CONTEXT), at + 100]);
    drawListing();
  }
  const row = find();
  if (row) row.scrollIntoView({ block: "start" });
}

// The listing begins at the hottest loop.
function showHottest() {
  const { right } = codes();
  if (right >= 0 && data.codes[right].opens_at !== undefined)
    goToInstruction(data.codes[right].opens_at);
}

// To the next or previous row that differs.
function jump(step) {
  const differing = [...panel.querySelectorAll("#rows tbody tr:not(.identical):not(.gap)")]
    .filter((row) => !shown.hidden.has(row.classList[0]));
  if (!differing.length) return;
  const current = panel.querySelector("tr.current");
  const at = current ? differing.indexOf(current) : step > 0 ? -1 : 0;
  if (current) current.classList.remove("current");
  const next = differing[(at + step + differing.length) % differing.length];
  next.classList.add("current");
  next.scrollIntoView({ block: "center" });
}
