// Keyboard shortcuts of the review page. The page works without this script.

const keys = document.getElementById("review-keys");
const requirements = () => [...document.querySelectorAll("article[id^=requirement-]")];
const currentRequirement = () => document.activeElement?.closest("article[id^=requirement-]");
const click = (selector, parent = document) => parent?.querySelector(selector)?.click();

function move(step) {
  const all = requirements(), index = all.indexOf(currentRequirement());
  all[index < 0 ? 0 : Math.min(Math.max(index + step, 0), all.length - 1)]?.querySelector("h3 a").focus();
}

// An action that isn't available gets the focus, so that its reason is shown.
function act(...names) {
  const controls = names.map((name) => document.querySelector(`#actions [data-action=${name}] :is(a, button)`));
  const control = controls.find(Boolean);
  if (control?.matches("a")) control.click();
  else control?.focus();
}

const SHORTCUTS = {
  j: () => move(1),
  k: () => move(-1),
  f: () => click("a[href*='/findings/?requirement=']", currentRequirement() ?? requirements()[0]),
  c: () => click("#claim form[action$='/claim/'] button"),
  a: () => act("approve", "approve_first"),
  r: () => act("request_changes"),
  h: () => act("put_on_hold", "resume"),
  u: () => click(".crumbs a"),
  "?": () => keys.showModal(),
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
  if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !SHORTCUTS[event.key]) return;
  event.preventDefault();
  SHORTCUTS[event.key]();
});
