// Confirms an approval with the key that opened it in the review queue, or with Enter.

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, button, a, dialog");
  if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!["a", "Enter"].includes(event.key)) return;
  event.preventDefault();
  document.querySelector("#decision .form-footer button[type=submit]")?.click();
});
