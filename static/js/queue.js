// Keyboard shortcuts and selection of the review queue. The page works without this script.

const form = document.getElementById("queue-form");
const keys = document.getElementById("queue-keys");
const EMPTY_ID = "00000000-0000-0000-0000-000000000000";
const rows = () => [...document.querySelectorAll("#results tr[data-item]")];
const boxOf = (row) => row.querySelector("input[name=row]"); // null for decisions without bulk actions
const boxes = () => rows().map(boxOf).filter(Boolean);
const currentRow = () => document.activeElement?.closest("tr[data-item]");
const selectAll = form.querySelector("[data-select-all]"); // auditors have none
const pressAction = (name) => form.querySelector(`button[name=action][value=${name}]`)?.click();

function move(step) {
  const all = rows(), index = all.indexOf(currentRow());
  all[index < 0 ? 0 : Math.min(Math.max(index + step, 0), all.length - 1)]?.querySelector("td.main a").focus();
}

// An action without a selection applies to the current item.
let single = null; // its place in the list and its ID
function act(name) {
  const row = currentRow(), box = row && boxOf(row);
  if (box && !boxes().some((other) => other.checked)) { box.click(); single = [rows().indexOf(row), row.dataset.item]; }
  const reason = form.elements.reason;
  if (name === "snooze" && reason?.value === "") reason.focus();
  else pressAction(name);
}
// The first button of the form would assign the item.
form.elements.reason?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && single) { event.preventDefault(); act("snooze"); }
});

// The next page continues at that item, or at the one in its place. Items that the person selected stay selected.
const SINGLE = "queue-single";
form.addEventListener("submit", () => { if (single) sessionStorage.setItem(SINGLE, JSON.stringify(single)); });
const [place, item] = JSON.parse(sessionStorage.getItem(SINGLE)) ?? [];
sessionStorage.removeItem(SINGLE);
if (item && !document.querySelector(".messages .tone-bad, #queue-form .field-wrong")) {
  for (const box of boxes()) box.checked = false;
  const all = rows();
  (all.find((row) => row.dataset.item === item) ?? all[Math.min(place, all.length - 1)])?.querySelector("td.main a").focus();
}

const SHORTCUTS = {
  j: () => move(1),
  k: () => move(-1),
  x: () => currentRow() && boxOf(currentRow())?.click(),
  X: () => selectAll?.click(),
  c: () => act("claim"),
  e: () => act("snooze"),
  r: () => act("remind"),
  a: () => {
    const row = currentRow() || rows()[0];
    if (row?.dataset.kind === "review") location.assign(form.dataset.approve.replace(EMPTY_ID, row.dataset.item));
    else row?.querySelector("td.main a").click();
  },
  "?": () => keys.showModal(),
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !SHORTCUTS[event.key]) return;
  event.preventDefault();
  SHORTCUTS[event.key]();
});

// Shift selects all items between the last selected one and this one.
let lastBox = null;
document.addEventListener("click", (event) => {
  if (!event.target.matches("#results input[name=row]")) return;
  const all = boxes(), from = all.indexOf(lastBox), to = all.indexOf(event.target);
  if (event.shiftKey && from >= 0) {
    for (const box of all.slice(Math.min(from, to), Math.max(from, to) + 1)) box.checked = event.target.checked;
  }
  lastBox = event.target;
});

// Show how many items are selected, and select all or none.
function showSelection() {
  if (!selectAll) return;
  const all = boxes(), count = all.filter((box) => box.checked).length;
  form.querySelector("[data-selection-count]").textContent = count;
  selectAll.checked = count > 0 && count === all.length;
  selectAll.indeterminate = count > 0 && count < all.length;
}
selectAll?.addEventListener("change", () => {
  for (const box of boxes()) box.checked = selectAll.checked;
  showSelection();
});
document.addEventListener("change", (event) => {
  if (event.target.matches("#results input[name=row]")) { single = null; showSelection(); }
});
addEventListener("pageshow", showSelection);

// Keep the selection and the current item when htmx replaces the list.
let selected = [], current;
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.target.id !== "results") return;
  selected = boxes().filter((box) => box.checked).map((box) => box.value);
  current = currentRow()?.dataset.item;
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "results") return;
  for (const row of rows()) {
    if (selected.includes(boxOf(row)?.value)) boxOf(row).checked = true;
    if (row.dataset.item === current && !row.contains(document.activeElement)) row.querySelector("td.main a").focus();
  }
  showSelection();
});
