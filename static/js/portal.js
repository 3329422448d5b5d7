// What is nicer with a script? Everything here; nothing needs it.

// In another language the page brings the words itself, under the same names.
const WORDS = {
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
  saving: "saving…",
  savedNow: "saved just now",
  savedSeconds: "saved %(count)s s ago",
  saved: "saved %(span)s ago",
  elsewhere: "not saved: this draft was changed elsewhere, save to see both versions",
  signedOut: "not saved: you were signed out; go on, and your text waits while you sign in",
  notSaved: "not saved; your text is kept on this page, we try again when you type",
  outage: "We could not update this part of the page. Nothing you typed is lost; reload to try again.",
  ...JSON.parse(document.documentElement.dataset.words || "{}"),
};
const said = (name, value) => WORDS[name].replace(/%\(\w+\)s/, () => value);

const span = (seconds) =>
  seconds < 3600 ? said("min", Math.floor(seconds / 60))
    : seconds < 172800 ? said("h", Math.floor(seconds / 3600)) : said("d", Math.floor(seconds / 86400));

const relative = {
  ago(seconds) {
    if (Math.abs(seconds) < 60) return WORDS.now;
    return seconds > 0 ? said("ago", span(seconds)) : said("ahead", span(-seconds));
  },
  due(seconds) {
    if (Math.abs(seconds) < 60) return WORDS.dueNow;
    return seconds > 0 ? said("overdue", span(seconds)) : said("dueIn", span(-seconds));
  },
};

function refreshMoments() {
  for (const place of document.querySelectorAll("[data-relative]")) {
    const words = relative[place.dataset.relative]((Date.now() - Date.parse(place.dataset.moment)) / 1000);
    if (place.textContent !== words) place.textContent = words;
  }
}

// Who never chose a zone reads moments in the browser's own; what names its zone itself stands as it is.
const LANGUAGE = document.documentElement.lang;
const CLOCK = new Intl.DateTimeFormat(LANGUAGE.startsWith("en") ? "en-US" : LANGUAGE, {
  weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
  hourCycle: "h23", timeZoneName: "short",
});
const ZONE = CLOCK.resolvedOptions().timeZone;

function inZone(moment) {
  const part = Object.fromEntries(CLOCK.formatToParts(moment).map(({ type, value }) => [type, value]));
  const day = `${part.weekday} ${part.day} ${part.month}`, clock = `${part.hour}:${part.minute}`;
  const year = part.year === String(new Date().getFullYear()) ? "" : ` ${part.year}`;
  return { exact: `${day}${year}, ${clock}`, full: `${day} ${part.year}, ${clock} ${part.timeZoneName}` };
}

function sayInZone(root) {
  const isBrowsers = (place) => place.closest("[data-zone]")?.dataset.zone === "browser";
  for (const time of root.querySelectorAll('time[datetime*="T"]')) {
    if (!isBrowsers(time)) continue;
    const words = inZone(new Date(time.dateTime)), exact = time.matches("[data-exact]") ? time : time.querySelector("[data-exact]");
    time.title = words.full;
    if (exact) exact.textContent = words.exact;
    for (const full of time.querySelectorAll("[data-full]")) full.textContent = `, ${words.full}`;
  }
  for (const name of root.querySelectorAll("[data-zone-name]")) if (isBrowsers(name)) name.textContent = ZONE;
  for (const field of root.querySelectorAll("[data-zone-field]")) field.value = ZONE;
}

// "/" goes to the search, unless something is being typed.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector("main [type=search][data-slash]") || document.getElementById("top-search");
  if (search) { event.preventDefault(); search.focus(); search.select(); }
});

// The person's menu closes where menus close.
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) if (menu !== except) menu.open = false;
};
document.addEventListener("click", (event) => closeMenus(event.target.closest("details[data-menu]")));
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details[data-menu][open]");
  if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
});

// Light and dark at once; the form keeps the choice.
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

// A decision opens as a dialog and folds back into the page when it closes.
document.addEventListener("click", (event) => {
  const summary = event.target.closest("details[data-dialog] > summary");
  if (!summary || !window.HTMLDialogElement) return;
  event.preventDefault();
  const body = summary.nextElementSibling;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", body.getAttribute("aria-labelledby"));
  dialog.innerHTML = '<form method="dialog"><button class="icon-button dialog-close" >✕</button></form>';
  dialog.querySelector("button").setAttribute("aria-label", WORDS.close);
  dialog.append(body);
  dialog.addEventListener("close", () => { summary.after(body); dialog.remove(); summary.focus(); });
  document.body.append(dialog);
  dialog.showModal();
  body.querySelector("textarea, input:not([type=hidden]), select")?.focus();
});

// A form is sent once. After a while, or when the page comes back from the cache, it may be sent again.
const release = () => document.querySelectorAll("[data-sent]").forEach((button) => delete button.dataset.sent);
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented || form.matches("[hx-post]")) return;
  if (form.querySelector("[data-sent]")) { event.preventDefault(); return; }
  const button = event.submitter;
  if (button) { button.dataset.sent = ""; setTimeout(release, 10000); }
});
addEventListener("pageshow", (event) => { if (event.persisted) release(); });

const NOT_SAVED = { "409": WORDS.elsewhere, "sign-in": WORDS.signedOut };

// A draft saves itself two seconds after the last key. What could not be saved is said.
function keepDraft(form) {
  const words = form.querySelector("[data-draft-words]");
  let timer = 0, savedAt = 0, busy = null;
  const tell = (text) => { if (words) words.textContent = text; };
  function save() {
    if (busy) { timer = setTimeout(save, 500); return; }
    busy = send().finally(() => { busy = null; });
  }
  async function send() {
    tell(WORDS.saving);
    try {
      const answer = await fetch(form.dataset.autosave, {
        method: "POST", body: new FormData(form), headers: { "X-Requested-With": "autosave" },
        signal: AbortSignal.timeout(10000),
      });
      if (!answer.ok || answer.redirected) throw new Error(answer.redirected ? "sign-in" : String(answer.status));
      savedAt = Date.now();
      const version = answer.headers.get("X-Draft-Version");
      const field = form.elements.namedItem("version");
      if (version && field) field.value = version;
      tell(WORDS.savedNow);
    } catch (problem) {
      savedAt = 0;
      tell(NOT_SAVED[problem.message] || WORDS.notSaved);
    }
  }
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(save, 2000); });
  // What is on its way brings the version that the next request must name.
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
    if (savedAt && !busy) tell(age < 5 ? WORDS.savedNow : age < 60 ? said("savedSeconds", age) : said("saved", span(age)));
  }, 5000);
}

// Passkeys: the sign-in library reports what the browser refused.
document.addEventListener("allauth.error", (event) => {
  const message = document.querySelector("[data-passkey-error]");
  if (message) { event.preventDefault(); message.hidden = false; }
});

// Addresses and digests can be copied where the browser allows it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1500);
});

function enhance(root) {
  if (navigator.clipboard) for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
  for (const form of root.querySelectorAll("form[data-autosave]:not([data-kept])")) { form.dataset.kept = ""; keepDraft(form); }
  for (const strip of root.querySelectorAll(".path, .tabs")) {
    const now = strip.querySelector("[aria-current]");
    if (now && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = now.offsetLeft - strip.clientWidth / 3;
  }
  sayInZone(root);
  refreshMoments();
}

// What is about to be replaced says that it waits.
function setBusy(asking, isBusy) {
  const waits = asking.closest("[hx-indicator]")?.getAttribute("hx-indicator");
  for (const place of waits ? document.querySelectorAll(waits) : []) {
    if (isBusy) place.setAttribute("aria-busy", "true"); else place.removeAttribute("aria-busy");
  }
}
document.addEventListener("htmx:beforeSend", (event) => setBusy(event.detail.elt, true));
document.addEventListener("htmx:afterRequest", (event) => setBusy(event.detail.elt, false));

enhance(document);
setInterval(refreshMoments, 30000);
// What the reader unfolded stays so when it is fetched anew, and before the focus goes back into it.
document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  for (const was of detail.target.querySelectorAll("details[id]")) {
    const fresh = detail.fragment.querySelector(`[id="${was.id}"]`);
    if (fresh) fresh.open = was.open;
  }
});
document.addEventListener("htmx:load", (event) => enhance(event.detail.elt));
document.addEventListener("htmx:responseError", () => tellOutage());
document.addEventListener("htmx:sendError", () => tellOutage());

// The fragment could not be fetched: ours, and said so.
function tellOutage() {
  if (document.getElementById("outage")) return;
  const note = document.createElement("div");
  note.id = "outage";
  note.className = "banner tone-warn";
  note.setAttribute("role", "alert");
  note.innerHTML = '<span></span><div class="banner-main"><p></p></div>';
  note.querySelector("p").textContent = WORDS.outage;
  document.getElementById("main").prepend(note);
}
