// Events, and the address: #variant,column or #variant,column,reference.
function columnNamed(name) {
  for (const [number, one] of data.views.entries()) {
    const column = one.columns.indexOf(name);
    if (column >= 0) return { number, column };
  }
  return null;
}

function openListing(variant, column) {
  Object.assign(shown, { open: true, variant, column, only: true, gaps: new Set() });
  panel.hidden = false;
  drawListing();
  document.body.style.overflow = "hidden";
  panel.querySelector("#rows").focus();
  const names = [data.variants[variant], view().columns[column], view().columns[reference()]];
  history.replaceState(null, "", "#" + names.map(encodeURI).join(","));
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
  const words = decodeURI(location.hash.slice(1)).split(",");
  if (words.length < 2) return closeListing();
  const variant = data.variants.indexOf(words[0]), place = columnNamed(words[1]);
  if (variant < 0 || !place) {
    document.getElementById("shown").textContent = `No cell ${words[0]}, ${words[1]} on this page.`;
    return;
  }
  state.view = place.number;
  const base = data.views[place.number].columns.indexOf(words[2]);
  if (base >= 0) state.references[place.number] = base;
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
    if (!cell) return;
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

function listenToListing() {
  panel.addEventListener("click", (event) => {
    const { step, jump: jumps, gap, class: name, close } = event.target.dataset;
    if (close !== undefined) return closeListing();
    if (step) return stepColumn(Number(step));
    if (jumps) return jump(Number(jumps));
    if (gap === undefined && !name) return;
    if (gap !== undefined) shown.gaps.add(Number(gap));
    else if (!shown.hidden.delete(name)) shown.hidden.add(name);
    drawListing();
  });
  panel.addEventListener("change", (event) => {
    if (event.target.id !== "only") return;
    shown.only = event.target.checked;
    drawListing();
  });
  panel.addEventListener("mouseover", (event) => {
    const opcode = event.target.closest(".op");
    if (opcode) showTip(opcode); else hideTip();
  });
}

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!shown.open) return;
    const act = { Escape: closeListing, ArrowLeft: () => stepColumn(-1), ArrowRight: () => stepColumn(1),
      n: () => jump(1), p: () => jump(-1) }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}

setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.getElementById("made").textContent = data.made_with;
drawTools();
listenToTools();
listenToMatrix();
listenToListing();
listenToKeys();
drawMatrix();
addEventListener("hashchange", followAddress);
if (location.hash) followAddress();
