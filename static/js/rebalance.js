// Assigns a review that is dragged to another reviewer. Without this script, each review links to a form.

const form = document.getElementById("move-form");
let review = null;
const findTarget = (event) => {
  const card = event.target.closest("[data-reviewer]");
  return review && card && !card.contains(review) ? card : null;
};
const mark = (card) => {
  for (const each of document.querySelectorAll("[data-reviewer]")) each.classList.toggle("drop-target", each === card);
};

for (const each of document.querySelectorAll("[data-review]")) each.draggable = true;

document.addEventListener("dragstart", (event) => {
  review = event.target.closest("[data-review]");
  if (review) event.dataTransfer.effectAllowed = "move";
});

document.addEventListener("dragover", (event) => {
  const card = findTarget(event);
  if (card) event.preventDefault(); // allows to drop here
  mark(card);
});

document.addEventListener("dragend", () => {
  review = null;
  mark(null);
});

document.addEventListener("drop", (event) => {
  const card = findTarget(event);
  if (!card) return;
  event.preventDefault();
  form.elements.assignment.value = `${review.dataset.review}:${card.dataset.reviewer}:${review.dataset.previous}`;
  form.requestSubmit();
});
