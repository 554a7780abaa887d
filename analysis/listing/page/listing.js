// One cell beside the reference of its row.
const panel = document.getElementById("listing");
const shown = { open: false, variant: 0, column: 0, hidden: new Set(), only: true, gaps: new Set() };
const CONTEXT = 3;
const CLASS_OF = { "=": "identical", s: "schedule", r: "renamed", o: "operands", x: "instructions",
  "<": "only-left", ">": "only-right" };

// [{mark, left, right}] with numbers of instructions, -1 for none.
function alignedRows(left, right) {
  const runs = runsBetween(left, right) || [[">", listingOf(right).length]];
  const list = [];
  let a = 0, b = 0;
  for (const [mark, count] of runs)
    for (let i = 0; i < count; ++i)
      list.push({ mark, left: mark === ">" ? -1 : a++, right: mark === "<" ? -1 : b++ });
  return list;
}

function address(index) {
  return (16 * index).toString(16).padStart(4, "0");
}

function codeHtml(row) {
  const note = noteOf(row.opcode);
  const opcode = note ? `<span class="op" data-opcode="${esc(row.opcode)}">${esc(row.opcode)}</span>`
    : esc(row.opcode);
  return `${esc(row.predicate)}${opcode}${row.operands ? " " + esc(row.operands) : ""}`;
}

// Address, the six control fields, the instruction.
function sideHtml(row, index, other) {
  if (!row) return "<td></td>".repeat(8);
  const fields = row.control.map((field, i) =>
    `<td class="control${other && other.control[i] !== field ? " differs" : ""}">${field}</td>`);
  return `<td class="at">${address(index)}</td>${fields.join("")}` +
    `<td class="code" title="${esc(row.text)}">${codeHtml(row)}</td>`;
}

function rowHtml(pair, left, right) {
  const a = pair.left < 0 ? null : left[pair.left], b = pair.right < 0 ? null : right[pair.right];
  const beside = b || a;
  const name = shortPlace(beside.place);
  return `<tr class="${CLASS_OF[pair.mark]} ${beside.heat}">${sideHtml(a, pair.left, b)}` +
    `<td class="mark">${esc(pair.mark)}</td>${sideHtml(b, pair.right, a)}` +
    `<td class="verb">${esc(beside.verb)}</td>` +
    `<td class="place" title="${esc(beside.place)}: ${esc(beside.ptx)}">${esc(name)}</td></tr>`;
}

// "mbarrier/wait.ptx:12": the last folder, the file and the line.
function shortPlace(place) {
  return place.split("/").slice(-2).join("/");
}

const HEAD = ["addr", "st", "y", "wr", "rd", "waits", "reuse", "instruction"];
const HEAD_NOTES = ["address", "stall cycles until the next instruction may issue",
  "Y: another warp may be preferred", "write scoreboard: released when the result is there",
  "read scoreboard: released when the operands were read", "scoreboards waited for",
  "operands kept in the operand cache", ""];

function tableHtml(list, left, right) {
  const heads = HEAD.map((name, i) => `<th scope="col" title="${HEAD_NOTES[i]}">${name}</th>`).join("");
  const keep = new Array(list.length).fill(!shown.only);
  list.forEach((pair, i) => {
    if (pair.mark === "=" || shown.hidden.has(CLASS_OF[pair.mark])) return;
    for (let j = Math.max(0, i - CONTEXT); j <= Math.min(list.length - 1, i + CONTEXT); ++j)
      keep[j] = true;
  });
  const body = [];
  for (let i = 0; i < list.length;) {
    let end = i;
    while (end < list.length && !keep[end]) ++end;
    if (end > i && !shown.gaps.has(i)) {
      body.push(`<tr class="gap"><td colspan="19"><button type="button" data-gap="${i}">` +
        `${end - i} rows more</button></td></tr>`);
      i = end;
      continue;
    }
    for (end = Math.max(end, i + 1); i < end; ++i) body.push(rowHtml(list[i], left, right));
  }
  return `<table aria-label="Both listings"><thead><tr>${heads}<th></th>${heads}` +
    `<th scope="col">verb</th><th scope="col">template</th></tr></thead>` +
    `<tbody>${body.join("")}</tbody></table>`;
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
    lines.push(line(`${role || "loop"}, hot`, other && other[2], hot));
    if (cold[0] || (other && other[3][0])) lines.push(line(`${role || "loop"}, cold`, other && other[3], cold));
  });
  const hot = a ? hotChanges(left, right) : "";
  return `<table aria-label="Figures"><thead><tr><th></th><th scope="col">instructions</th>` +
    `<th scope="col">issue cycles</th><th scope="col">fences</th><th scope="col">sleeps</th>` +
    `<th scope="col">waits</th></tr></thead><tbody>${lines.join("")}</tbody></table>` +
    `<p>${hot ? "hot paths: " + esc(hot) : ""}</p>`;
}

function chipsHtml(list) {
  const counts = {};
  for (const { mark } of list) counts[CLASS_OF[mark]] = (counts[CLASS_OF[mark]] || 0) + 1;
  const names = { "only-left": "only left", "only-right": "only right", instructions: "other opcode" };
  return Object.values(CLASS_OF).filter((name) => counts[name]).map((name) =>
    `<button type="button" class="chip ${name}" data-class="${name}" ` +
    `aria-pressed="${!shown.hidden.has(name)}">${counts[name]} ${names[name] || name}</button>`).join("");
}

function glossaryHtml(codes) {
  const found = new Map();
  for (const code of codes) if (code >= 0) for (const row of listingOf(code)) {
    const note = noteOf(row.opcode);
    if (note) found.set(note.name, note.text);
  }
  const items = [...found].sort().map(([name, text]) => `<dt>${esc(name)}</dt><dd>${esc(text)}</dd>`);
  return `<details><summary>what these opcodes do</summary><dl>${items.join("")}</dl></details>`;
}

function drawListing() {
  const cell = cellOf(view(), shown.variant, shown.column);
  const base = view().cells[shown.variant][reference()];
  const names = [view().columns[reference()], view().columns[shown.column]];
  const of = (code) => code < 0 ? "no code" : `${data.codes[code].hash} ${data.codes[code].registers} registers`;
  const list = cell.code < 0 ? [] : alignedRows(base, cell.code);
  if (list.every(({ mark }) => mark === "=")) shown.only = false;
  const change = base < 0 ? "nothing to compare with" : changeBetween(base, cell.code) || "nothing";
  panel.innerHTML = `<header><h2 id="listing-title">${esc(data.variants[shown.variant])}</h2>` +
    `<div class="bar"><span class="sides"><strong>${esc(names[0])}</strong> ${of(base)} ` +
    `→ <strong>${esc(names[1])}</strong> ${of(cell.code)}: <b id="verdict">${change}</b></span>` +
    `<button type="button" data-step="-1">← column</button><button type="button" data-step="1">column →</button>` +
    `<button type="button" class="close" data-close>close (Esc)</button></div>` +
    (cell.code < 0 ? `<p>${esc(cell.problem)}</p>` :
      `<div id="facts">${factsHtml(base, cell.code)}</div><div class="bar">${chipsHtml(list)}` +
      `<label><input type="checkbox" id="only" ${shown.only ? "checked" : ""}> differences only</label>` +
      `<button type="button" data-jump="-1">previous (p)</button><button type="button" data-jump="1">next (n)</button>` +
      `${glossaryHtml([base, cell.code])}</div>`) +
    `</header><div id="rows" tabindex="0" aria-label="Listing">` +
    (cell.code < 0 ? "" : tableHtml(list, base < 0 ? [] : listingOf(base), listingOf(cell.code))) + "</div>";
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
