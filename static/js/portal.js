// Progressive enhancement: every page works without this script.

// Pages in other languages provide translations under the same keys.
const MESSAGES = {
  min: "%(count)s min",
  h: "%(count)s h",
  d: "%(count)s d",
  now: "just now",
  ago: "%(span)s ago",
  ahead: "in %(span)s",
  dueNow: "due now",
  dueIn: "due in %(span)s",
  overdue: "overdue by %(span)s",
  close: "Close",
  saving: "Saving…",
  savedNow: "Saved just now",
  savedSeconds: "Saved %(count)s s ago",
  saved: "Saved %(span)s ago",
  elsewhere: "Not saved. Someone changed this draft. Save to see both versions.",
  signedOut: "Not saved. You are signed out. Continue to sign in. We keep your text.",
  notSaved: "Not saved. Your text stays on this page. We'll try again when you type.",
  outage: "We couldn't update this part of the page. Copy your text, reload the page, and try again.",
  unreachable: "We couldn't reach the portal. Your input stays on this page. Check your connection, and try again.",
  ...JSON.parse(document.documentElement.dataset.messages || "{}"),
};
const formatMessage = (name, value) => MESSAGES[name].replace(/%\(\w+\)s/, () => value);

const span = (seconds) =>
  seconds < 3600 ? formatMessage("min", Math.floor(seconds / 60))
    : seconds < 172800 ? formatMessage("h", Math.floor(seconds / 3600)) : formatMessage("d", Math.floor(seconds / 86400));

const relative = {
  age: span,
  ago(seconds) {
    if (Math.abs(seconds) < 60) return MESSAGES.now;
    return seconds > 0 ? formatMessage("ago", span(seconds)) : formatMessage("ahead", span(-seconds));
  },
  due(seconds) {
    if (Math.abs(seconds) < 60) return MESSAGES.dueNow;
    return seconds > 0 ? formatMessage("overdue", span(seconds)) : formatMessage("dueIn", span(-seconds));
  },
};

function refreshMoments() {
  for (const place of document.querySelectorAll("[data-relative]")) {
    const words = relative[place.dataset.relative]((Date.now() - Date.parse(place.dataset.moment)) / 1000);
    if (place.textContent !== words) place.textContent = words;
  }
}

// Show times in the browser's time zone unless the user selected a time zone.
const LANGUAGE = document.documentElement.lang;
const THIS_YEAR = { weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" };
const EXACT = { ...THIS_YEAR, year: "numeric" }, FULL = { ...EXACT, timeZoneName: "short" };
const formats = new Map(); // created when a page needs one, because the first loads all data of the language
function getFormat(options) {
  const language = LANGUAGE.startsWith("en") ? "en-US" : LANGUAGE;
  if (!formats.has(options)) formats.set(options, new Intl.DateTimeFormat(language, options));
  return formats.get(options);
}

function inZone(moment) {
  const exact = moment.getFullYear() === new Date().getFullYear() ? THIS_YEAR : EXACT;
  return { exact: getFormat(exact).format(moment), full: getFormat(FULL).format(moment) };
}

function applyBrowserZone(root) {
  const isBrowsers = (place) => place.closest("[data-zone]")?.dataset.zone === "browser";
  for (const time of root.querySelectorAll('time[datetime*="T"]')) {
    if (!isBrowsers(time)) continue;
    const words = inZone(new Date(time.dateTime)), exact = time.matches("[data-exact]") ? time : time.querySelector("[data-exact]");
    time.title = words.full;
    if (exact) exact.textContent = words.exact;
    for (const full of time.querySelectorAll("[data-full]")) full.textContent = `, ${words.full}`;
  }
  const getZone = () => getFormat(FULL).resolvedOptions().timeZone;
  for (const name of root.querySelectorAll("[data-zone-name]")) if (isBrowsers(name)) name.textContent = getZone();
  for (const field of root.querySelectorAll("[data-zone-field]")) field.value = getZone();
}

// "/" focuses the search field, unless the user is typing.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector("main [type=search][data-slash]") || document.getElementById("top-search");
  if (search) { event.preventDefault(); search.focus(); search.select(); }
});

// The command palette opens with ⌘K or Ctrl-K. The field keeps the focus: it names the active result.
const palette = document.getElementById("palette");
function openPalette() {
  palette.showModal();
  const field = palette.querySelector("input");
  field.select();
  field.dispatchEvent(new Event("palette-open"));
}
function activate(option) {
  for (const other of palette.querySelectorAll("[aria-selected=true]")) other.setAttribute("aria-selected", "false");
  const field = palette.querySelector("input");
  if (!option) { field.removeAttribute("aria-activedescendant"); return; }
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", option.id);
}
function moveSelection(event) {
  const options = [...palette.querySelectorAll("[role=option]")];
  const active = options.findIndex((option) => option.ariaSelected === "true");
  if (event.key === "ArrowDown") activate(options[(active + 1) % options.length]);
  else if (event.key === "ArrowUp") activate(options.at(active > 0 ? active - 1 : -1));
  else if (event.key === "Enter" && active >= 0) options[active].click();
  else return;
  event.preventDefault();
}
if (palette) {
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (palette.open) palette.close(); else openPalette();
  });
  palette.addEventListener("keydown", moveSelection);
  // Results of an earlier query are no answer to this one: Enter opens the search page until the new ones are there.
  palette.addEventListener("input", () => activate(null));
  palette.addEventListener("htmx:afterSwap", () => {
    activate(palette.querySelector("input").value.trim() ? palette.querySelector("[role=option]") : null);
  });
  palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
  for (const button of document.querySelectorAll("[data-palette]")) {
    button.hidden = false;
    button.addEventListener("click", openPalette);
  }
}

// Close open menus on Escape, on outside clicks, and when the focus leaves them, so that they don't cover it.
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) if (menu !== except) menu.open = false;
};
for (const name of ["click", "focusin"]) {
  document.addEventListener(name, (event) => closeMenus(event.target.closest("details[data-menu]")));
}
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details[data-menu][open]");
  if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
});

// Switch the theme immediately and store it with the form.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-theme-form] button[name=theme]");
  if (!button) return;
  event.preventDefault();
  const form = button.form;
  document.documentElement.dataset.theme = button.value;
  for (const other of form.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
  const fields = new FormData(form);
  fields.set("theme", button.value);
  fetch(form.action, { method: "POST", body: fields, redirect: "manual" }).catch(() => form.submit());
});

// Show a decision as a dialog, and move it back into the page when the dialog closes.
document.addEventListener("click", (event) => {
  const summary = event.target.closest("details[data-dialog] > summary");
  if (!summary || !window.HTMLDialogElement) return;
  event.preventDefault();
  const body = summary.nextElementSibling;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", body.getAttribute("aria-labelledby"));
  dialog.innerHTML = '<form method="dialog"><button class="icon-button dialog-close" >✕</button></form>';
  dialog.querySelector("button").setAttribute("aria-label", MESSAGES.close);
  dialog.append(body);
  dialog.addEventListener("close", () => { summary.after(body); dialog.remove(); summary.focus(); });
  document.body.append(dialog);
  dialog.showModal();
  body.querySelector("textarea, input:not([type=hidden]), select")?.focus();
});

// Prevent double submissions. Allow another one after a while, or when the page returns from the cache.
const release = () => document.querySelectorAll("[data-sent]").forEach((button) => delete button.dataset.sent);
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented || form.matches("[hx-post]")) return;
  // The button can be outside its form.
  if ([...form.elements].some(({ dataset }) => "sent" in dataset)) { event.preventDefault(); return; }
  const button = event.submitter;
  if (button) { button.dataset.sent = ""; setTimeout(release, 10000); }
});
addEventListener("pageshow", (event) => { if (event.persisted) release(); });

const NOT_SAVED = { "409": MESSAGES.elsewhere, "sign-in": MESSAGES.signedOut };

// Save a draft two seconds after the last input and show failures.
function autosaveDraft(form) {
  const words = form.querySelector("[data-draft-status]");
  let timer = 0, savedAt = 0, busy = null;
  const showStatus = (text) => { if (words) words.textContent = text; };
  function save() {
    if (!form.isConnected) return; // htmx replaced it
    if (busy) { timer = setTimeout(save, 500); return; }
    busy = send().finally(() => { busy = null; });
  }
  async function send() {
    showStatus(MESSAGES.saving);
    try {
      const response = await fetch(form.dataset.autosave, {
        method: "POST", body: new FormData(form), headers: { "X-Requested-With": "autosave" },
        signal: AbortSignal.timeout(10000),
      });
      if (!response.ok || response.redirected) throw new Error(response.redirected ? "sign-in" : String(response.status));
      savedAt = Date.now();
      const version = response.headers.get("X-Draft-Version");
      const field = form.elements.namedItem("version");
      if (version && field) field.value = version;
      showStatus(MESSAGES.savedNow);
    } catch (problem) {
      savedAt = 0;
      showStatus(NOT_SAVED[problem.message] || MESSAGES.notSaved);
    }
  }
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(save, 2000); });
  // A pending save returns the version that the next request needs.
  form.addEventListener("submit", (event) => {
    clearTimeout(timer);
    const button = event.submitter;
    if (busy) { event.preventDefault(); busy.then(() => form.requestSubmit(button)); }
  });
  form.addEventListener("htmx:confirm", (event) => {
    clearTimeout(timer);
    if (busy) { event.preventDefault(); busy.then(() => event.detail.issueRequest()); }
  });
  setInterval(() => {
    const age = Math.round((Date.now() - savedAt) / 1000);
    if (savedAt && !busy) showStatus(age < 5 ? MESSAGES.savedNow : age < 60 ? formatMessage("savedSeconds", age) : formatMessage("saved", span(age)));
  }, 5000);
}

// Show passkey errors that the sign-in library reports.
document.addEventListener("allauth.error", (event) => {
  const message = document.querySelector("[data-passkey-error]");
  if (message) { event.preventDefault(); message.hidden = false; }
});

// Copy buttons work if the browser allows clipboard access.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1500);
});

function enhance(root) {
  if (navigator.clipboard) for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
  const drafts = "form[data-autosave]:not([data-kept])"; // htmx can load the form itself
  for (const form of [root, ...root.querySelectorAll(drafts)]) {
    if (form.matches?.(drafts)) { form.dataset.kept = ""; autosaveDraft(form); }
  }
  for (const strip of root.querySelectorAll(".path, .tabs, .rail")) {
    const now = strip.querySelector("[aria-current]");
    if (now && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = now.offsetLeft - strip.clientWidth / 3;
  }
  applyBrowserZone(root);
  refreshMoments();
}

// Clear a filter when the one that it depends on changes, before the form is sent.
document.addEventListener("change", ({ target }) => {
  for (const field of target.form?.querySelectorAll(`[data-depends-on="${target.name}"]`) ?? []) field.value = "";
}, true);

// Mark content as busy while htmx replaces it.
function setBusy(asking, isBusy) {
  const waits = asking.closest("[hx-indicator]")?.getAttribute("hx-indicator");
  for (const place of waits ? document.querySelectorAll(waits) : []) place.setAttribute("aria-busy", isBusy);
}
document.addEventListener("htmx:beforeSend", (event) => setBusy(event.detail.elt, true));
document.addEventListener("htmx:afterRequest", (event) => setBusy(event.detail.elt, false));

enhance(document);
// Move the focus to the first error of a form that was refused, after the browser scrolled to the fragment of the URL.
addEventListener("load", () => setTimeout(() =>
  document.querySelector("main :is(#error-summary, .field-wrong :is(input, select, textarea):not([type=hidden]))")?.focus()));
setInterval(refreshMoments, 30000);
// Keep a part that the page already shows, and expanded details open after a swap, before the focus returns.
document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  const { digest } = detail.target.dataset;
  if (digest && detail.fragment.querySelector(`[data-digest="${digest}"]`)) detail.shouldSwap = false;
  for (const was of detail.target.querySelectorAll("details[id]")) {
    const fresh = detail.fragment.querySelector(`[id="${was.id}"]`);
    if (fresh) fresh.open = was.open;
  }
});
// Keep a part of the page in which the user is typing.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const field = document.activeElement;
  if (detail.target.matches("[data-keep-typing]") && detail.target.contains(field) && field.matches("input, textarea")) {
    detail.shouldSwap = false;
  }
});
document.addEventListener("htmx:load", (event) => enhance(event.detail.elt));
const isPoll = ({ detail }) => detail.requestConfig.elt.matches('[hx-trigger^="every"]');
// Keep what the person enters into a form while a request is on its way that replaces the form.
const entered = new Map();
document.addEventListener("input", ({ target }) => {
  if (target.id && target.form && target.type !== "file") entered.set(target.id, target);
});
document.addEventListener("htmx:beforeSend", ({ detail }) => {
  const sent = detail.elt.closest("form");
  for (const [id, { form }] of entered) if (form === sent) entered.delete(id);
});
document.addEventListener("htmx:afterSettle", () => {
  for (const [id, { form, value, checked, isConnected }] of entered) {
    const field = document.getElementById(id);
    if (isConnected || !form || field?.form?.getAttribute("action") !== form.getAttribute("action")) continue;
    Object.assign(field, { value, checked });
    field.dispatchEvent(new Event("input", { bubbles: true })); // saves the draft
  }
});
// Details that the person expanded stay open when their part of the page updates itself.
let expanded = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  expanded = isPoll(event) ? [...event.detail.target.querySelectorAll("details[id][open]")].map(({ id }) => id) : [];
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of expanded) document.getElementById(id)?.setAttribute("open", "");
});
// A hidden page needs no updates. Requests that report something continue, such as the renewal of a claim.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && isPoll(event) && event.detail.requestConfig.verb === "get") event.preventDefault();
});
for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => showFailure(isPoll(event), event.detail.xhr));
}
// Another try of the person ends the notice of a failure. A part that updates itself ends only its own, once it succeeds.
document.addEventListener("htmx:beforeSend", (event) => { if (!isPoll(event)) document.getElementById("outage")?.remove(); });
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful && isPoll(event)) document.querySelector("#outage[data-poll]")?.remove();
});

// Where the page of a refusal has its reason. Pages of other errors don't know what the person did.
const REASONS = { 403: ".empty-body p", 413: ".plain-sheet > p", 429: ".plain-sheet > p" };
function readReason(request) {
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  return REASONS[request.status] && page.querySelector(REASONS[request.status])?.textContent;
}

// Show why a part of the page could not be loaded. The notice stays in view, because the person may have scrolled.
function showFailure(byPoll, request) {
  if (document.getElementById("outage")) return;
  const note = Object.assign(document.createElement("div"), { id: "outage", className: "banner tone-warn", role: "alert" });
  if (byPoll) note.dataset.poll = "";
  note.innerHTML = '<div class="banner-main"><p></p></div><button type="button" class="icon-button">✕</button>';
  note.querySelector("p").textContent = request.status ? readReason(request) ?? MESSAGES.outage : MESSAGES.unreachable;
  const close = note.querySelector("button");
  close.setAttribute("aria-label", MESSAGES.close);
  close.addEventListener("click", () => note.remove());
  (document.querySelector("dialog[open]") ?? document.getElementById("main")).prepend(note); // a dialog covers the page
}
