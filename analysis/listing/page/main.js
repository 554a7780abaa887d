// Events, and the address: #variant,column or #variant,column,reference. A part is encoded, so that
// the commas of C++ names are none of ours; an address typed with them is understood too.
function addressOf(parts) {
  return "#" + parts.map((part) => encodeURI(part).replace(/[,#]/g, encodeURIComponent)).join(",");
}

// The longest of the names that the text is, or goes on behind with a comma; [number, rest].
function leading(names, text) {
  let found = [-1, ""];
  names.forEach((name, number) => {
    if (!name || (text !== name && !text.startsWith(name + ","))) return;
    if (found[0] < 0 || name.length > names[found[0]].length)
      found = [number, text.slice(name.length + 1)];
  });
  return found;
}

function columnNamed(text) {
  for (const [number, one] of data.views.entries()) {
    const [column, rest] = leading(one.columns, text);
    if (column >= 0) return { number, column, rest };
  }
  return null;
}

// The cell that a row opens with: the first that is not what the reference has, else the first with
// code.
function firstColumn(variant) {
  const cells = view().cells[variant], base = baseColumn(view(), variant, reference());
  const other = cells.findIndex((code) => code >= 0 && code !== cells[base]);
  return other >= 0 ? other : Math.max(0, base);
}

function openListing(variant, column) {
  Object.assign(shown, { open: true, variant, column, only: true, opened: [] });
  panel.hidden = false;
  drawListing();
  document.body.style.overflow = "hidden";
  panel.querySelector("#rows").focus({ preventScroll: true });
  panel.scrollTop = 0;
  showHottest();
  const names = [data.variants[variant], view().columns[column], view().columns[reference()]];
  history.replaceState(null, "", addressOf(names));
}

function closeListing() {
  if (!shown.open) return;
  shown.open = false;
  panel.hidden = true;
  panel.textContent = "";
  hideTip();
  document.body.style.overflow = "";
  history.replaceState(null, "", location.pathname + location.search);
  const group = state.groups.findIndex((columns) => columns.includes(shown.column));
  if (state.visible.includes(shown.variant)) goTo(shown.variant, group);
}

function stepColumn(step) {
  const cells = view().cells[shown.variant];
  for (let column = shown.column + step; column >= 0 && column < cells.length; column += step)
    if (cells[column] >= 0 && cells[column] !== cells[shown.column])
      return openListing(shown.variant, column);
}

function followAddress() {
  const hash = location.hash.slice(1);
  const text = /%(?![0-9a-f]{2})/i.test(hash) ? hash : decodeURIComponent(hash);
  if (!text) return closeListing();
  let [variant, rest] = leading(data.variants, text);
  if (variant < 0) [variant, rest] = leading(data.symbols, text);
  const place = variant < 0 ? null : rest ? columnNamed(rest) : { column: firstColumn(variant) };
  if (!place) {
    document.getElementById("shown").textContent =
      `No cell ${text.split(",").join(", ")} on this page.`;
    return;
  }
  if (place.number !== undefined) state.view = place.number;
  const base = place.rest ? view().columns.indexOf(place.rest) : -1;
  if (base >= 0) state.references[state.view] = base;
  drawTools();
  drawMatrix();
  openListing(variant, place.column);
}

function drawTools() {
  const views = document.getElementById("view"), references = document.getElementById("reference");
  const option = (name, number, chosen) =>
    `<option value="${number}"${number === chosen ? " selected" : ""}>${esc(name)}</option>`;
  views.innerHTML = data.views.map((one, i) => option(one.name, i, state.view)).join("");
  document.getElementById("view-label").hidden = data.views.length < 2;
  references.innerHTML = view().columns.map((name, i) => option(name, i, reference())).join("");
}

function setReference(column) {
  state.references[state.view] = column;
  drawTools();
  drawMatrix();
}

function showTip(target) {
  const note = noteOf(target.dataset.opcode), tip = document.getElementById("tip");
  tip.innerHTML = `<b>${esc(note.name)}</b>${esc(note.text)}`;
  tip.hidden = false;
  const at = target.getBoundingClientRect(), size = tip.getBoundingClientRect();
  tip.style.left = Math.min(at.left, innerWidth - size.width - 8) + "px";
  tip.style.top = (at.bottom + size.height + 12 > innerHeight ? at.top - size.height - 6
    : at.bottom + 6) + "px";
}

function hideTip() {
  document.getElementById("tip").hidden = true;
}

function listenToTools() {
  const on = (id, event, act) => document.getElementById(id).addEventListener(event, act);
  on("view", "change", (event) => {
    Object.assign(state, { view: Number(event.target.value), at: { variant: 0, group: 0 } });
    drawTools();
    drawMatrix();
  });
  on("reference", "change", (event) => setReference(Number(event.target.value)));
  on("filter", "input", (event) => {
    state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    drawMatrix();
  });
  on("tools", "submit", (event) => event.preventDefault());
  on("every", "change", (event) => { state.every = event.target.checked; drawMatrix(); });
  on("theme", "click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  on("changes", "click", (event) => {
    const name = event.target.dataset.change;
    if (!name) return;
    if (!state.changes.delete(name)) state.changes.add(name);
    event.target.setAttribute("aria-pressed", state.changes.has(name));
    drawMatrix();
  });
  document.getElementById("changes").insertAdjacentHTML("beforeend", CHANGES.map((name) =>
    `<button type="button" class="${name}" data-change="${name}" aria-pressed="false">${name}</button>`).join(""));
}

function listenToMatrix() {
  table.addEventListener("click", (event) => {
    const head = event.target.closest("button[data-column]"), cell = event.target.closest("td");
    if (head) return setReference(Number(head.dataset.column));
    if (!cell || event.target.closest("summary")) return;
    state.at = { variant: Number(cell.dataset.variant), group: Number(cell.dataset.group) };
    openListing(state.at.variant, columnOf(state.groups[state.at.group]));
  });
  table.addEventListener("keydown", (event) => {
    if (!event.target.closest("td")) return;
    if (event.key === "Enter" || event.key === " ") event.target.click();
    else if (!moveInMatrix(event.key)) return;
    event.preventDefault();
  });
}

function toggle(set, name) {
  if (!set.delete(name)) set.add(name);
}

function actInListing({ step, jump: jumps, gap, class: name, close, fold, goto: target }) {
  if (close !== undefined) return closeListing();
  if (step) return stepColumn(Number(step));
  if (jumps) return jump(Number(jumps));
  if (target) return goToInstruction(Number(target));
  if (gap) {
    const [begin, end] = gap.split(",").map(Number);
    shown.opened.push([begin, Math.min(end, begin + MORE_ROWS)]);
  } else if (name) toggle(shown.hidden, name);
  else if (fold) toggle(shown.folded, fold);
  else return undefined;
  return drawListing();
}

function listenToListing() {
  panel.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) actInListing(button.dataset);
  });
  panel.addEventListener("change", (event) => {
    if (event.target.id !== "only") return;
    shown.only = event.target.checked;
    drawListing();
  });
  panel.addEventListener("toggle", (event) => {
    const { name } = event.target.dataset;
    if (event.target.open) shown.details.add(name); else shown.details.delete(name);
  }, true);
  for (const kind of ["mouseover", "click"])
    panel.addEventListener(kind, (event) => {
      const opcode = event.target.closest(".op");
      if (opcode) showTip(opcode); else hideTip();
    });
}

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!shown.open) return;
    const act = { Escape: closeListing, ArrowLeft: () => stepColumn(-1), ArrowRight: () => stepColumn(1),
      n: () => jump(1), p: () => jump(-1), h: showHottest }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}

function drawFrame() {
  document.body.classList.toggle("of-files", data.of_files);
  document.getElementById("made").textContent = data.made_with;
  document.getElementById("filter").placeholder = `${UNIT} or opcode`;
  document.getElementById("marks").innerHTML =
    data.changes.map(([name, mark]) => `<b>${esc(mark)}</b> ${esc(name)}`).join(", ");
  const out = document.getElementById("left-out");
  out.hidden = !data.left_out.length;
  out.innerHTML = `<summary>${esc(data.left_out_why)}</summary><ul>` +
    data.left_out.map((name) => `<li>${breakable(name)}</li>`).join("") + "</ul>";
}

setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
drawFrame();
drawTools();
listenToTools();
listenToMatrix();
listenToListing();
listenToKeys();
drawMatrix();
addEventListener("hashchange", followAddress);
if (location.hash) followAddress();
else if (data.of_files && data.variants.length === 1) openListing(0, firstColumn(0));
