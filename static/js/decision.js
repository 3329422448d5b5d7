// Confirms a decision with the key that opened its page, or with Enter.

const KEYS = { approve: "a", approve_first: "a", request_changes: "r" };
const transition = location.pathname.split("/").at(-2);

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, button, a, dialog");
  if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (![KEYS[transition], "Enter"].includes(event.key)) return;
  event.preventDefault();
  document.querySelector("#decision .form-footer button[type=submit]")?.click();
});
