// Keeps the focus when htmx replaces the element that has it. The pages work without this script.

const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary";
const DISTINCT = ["name", "value", "href", "formaction"];

// Return the selector of the element that replaces this one.
function buildSelector(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  if (element.matches("summary") && element.parentElement.id) return `#${CSS.escape(element.parentElement.id)} > summary`;
  const form = element.closest("form")?.getAttribute("action"), names = DISTINCT.filter((name) => element.hasAttribute(name));
  const attributes = names.map((name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`).join("");
  return `${form ? `form[action="${CSS.escape(form)}"] ` : ""}${element.localName}${attributes}`;
}

let selector = "";
let position = 0; // among the elements of the selector, such as summaries without an ID
let preventScroll = false;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const element = document.activeElement;
  selector = element !== document.body && detail.target.contains(element) ? buildSelector(element) : "";
  position = selector ? [...document.querySelectorAll(selector)].indexOf(element) : 0;
  // The person may read another part of the page while it updates itself.
  preventScroll = detail.requestConfig.elt.matches('[hx-trigger^="every"]');
});

// Move the focus to the errors of a form, or to the requirement that was opened. Otherwise it stays where it was, or
// goes to the first control of what replaced it.
document.addEventListener("htmx:afterSettle", ({ target }) => {
  const next = target.id === "workspace"
    && (target.querySelector("#error-summary") || target.querySelector("#opened .requirement-title a"));
  if (next) next.focus();
  else if (selector && document.activeElement === document.body) {
    (document.querySelectorAll(selector)[position] || target.querySelector(FOCUSABLE))?.focus({ preventScroll });
  }
});
