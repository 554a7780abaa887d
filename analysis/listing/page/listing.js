// One cell beside the reference of its row: what both hold, row by row.
const CONTEXT = 3;
const MOST_ROWS = 3000;  // rendered at once, beside what was opened by hand
const MORE_ROWS = 1000;  // opened by one click

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

const FIELDS = ["stall", "control", "control", "control", "control", "control"];

// Address, the six control fields, the instruction; `side` is "l" or "r".
function sideHtml(row, index, other, side) {
  const name = (field) => `${side} ${field}`;
  if (!row) return ["at", ...FIELDS, "code"].map((field) => `<td class="${name(field)}"></td>`).join("");
  const fields = row.control.map((text, i) => `<td class="${name(FIELDS[i])}` +
    `${other && other.control[i] !== text ? " differs" : ""}">${text}</td>`);
  return `<td class="${name("at")}">${address(index)}</td>${fields.join("")}` +
    `<td class="${name("code")}" title="${esc(row.text)}">${codeHtml(row)}</td>`;
}

function rowHtml(pair, left, right) {
  const a = pair.left < 0 ? null : left[pair.left], b = pair.right < 0 ? null : right[pair.right];
  const beside = b || a;
  const name = shortPlace(beside.place);
  return `<tr class="${CLASS_OF[pair.mark]} ${beside.heat}" data-left="${pair.left}" ` +
    `data-right="${pair.right}">${sideHtml(a, pair.left, b, "l")}` +
    `<td class="mark">${esc(pair.mark)}</td>${sideHtml(b, pair.right, a, "r")}` +
    `<td class="verb">${esc(beside.verb)}</td>` +
    `<td class="place" title="${esc(beside.place)}${beside.ptx ? ": " + esc(beside.ptx) : ""}">` +
    `${esc(name)}</td></tr>`;
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

// Whether each row is shown: those that differ and their neighbours, the hottest loop, and what was
// opened by hand; never much more than MOST_ROWS.
function shownRows(list, left, right) {
  const isHot = ({ left: a, right: b }) => (b >= 0 ? right[b] : left[a]).heat === "hot";
  const keep = list.map((pair) => !shown.only || isHot(pair));
  list.forEach((pair, i) => {
    if (pair.mark === "=" || shown.hidden.has(CLASS_OF[pair.mark])) return;
    for (let j = Math.max(0, i - CONTEXT); j <= Math.min(list.length - 1, i + CONTEXT); ++j)
      keep[j] = true;
  });
  let room = MOST_ROWS - list.filter(isHot).length;
  list.forEach((pair, i) => { if (keep[i] && !isHot(pair) && --room < 0) keep[i] = false; });
  for (const [begin, end] of shown.opened) keep.fill(true, begin, end);
  return keep;
}

function tableHtml(list, left, right) {
  const heads = (side) => HEAD.map((name, i) => `<th scope="col" title="${HEAD_NOTES[i]}" ` +
    `class="${side} ${["at", ...FIELDS, "code"][i]}">${name}</th>`).join("");
  const keep = shownRows(list, left, right);
  const body = [];
  for (let i = 0; i < list.length;) {
    let end = i;
    while (end < list.length && !keep[end]) ++end;
    if (end > i)
      body.push(`<tr class="gap"><td colspan="19"><button type="button" data-gap="${i},${end}">` +
        `${end - i} rows more</button></td></tr>`);
    for (i = end; i < list.length && keep[i]; ++i) body.push(rowHtml(list[i], left, right));
  }
  const [verb, place] = data.of_files ? ["loop", "source"] : ["verb", "template"];
  return `<table aria-label="Both listings"><thead><tr>${heads("l")}<th class="mark"></th>` +
    `${heads("r")}<th scope="col" class="verb">${verb}</th>` +
    `<th scope="col" class="place">${place}</th></tr></thead><tbody>${body.join("")}</tbody></table>`;
}
