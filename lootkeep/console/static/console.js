// Without this script every page and form works; with it they swap in place, keys work and figures refresh.
"use strict";

const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable]";
// What unfolds over the page. A letter typed there looks for something in it, as in a select.
const UNFOLDED = "details:is(.chip, .select)[open]";
const TICKED = ".list .tick:checked, .bulk :checked";
const SLOW_MILLISECONDS = 300;
const DOUBLE_MILLISECONDS = 500;
// Of what a page asks for by itself.
const LIVE = { accept: "text/html", "x-live": "yes" };
let asking = null;

const $ = (selector) => document.querySelector(selector);
const $$ = (selector) => [...document.querySelectorAll(selector)];
const on = (name, act, isFirst) => document.addEventListener(name, act, isFirst);
// Now, and with every page that is shown from now on.
const always = (act) => {
  on("shown", act);
  act();
};
const parse = (html) => new DOMParser().parseFromString(html, "text/html");
const element = (tag, textContent = "", className = "") => Object.assign(document.createElement(tag), { textContent, className });
const newButton = (text, onclick, className) => Object.assign(element("button", text, className), { type: "button", onclick });

// The address of what is shown, without the place in it.
const here = () => location.href.split("#")[0];
let shown = here();
let openedAt = -Infinity;

const sources = (page) => [...page.scripts].map((script) => script.getAttribute("src"));

const swap = (html, url, isNew, isSent) => {
  const next = parse(html);
  const main = next.querySelector("main");
  const side = next.querySelector(".side nav");
  // Another page has a script of its own, or comes from a newer release. What a form answers may be shown only once.
  const needsOthers = !isSent && sources(next).some((source) => !sources(document).includes(source));
  if (!main || !$(".side") || !side || needsOthers) {
    location.assign(url);
    return;
  }
  const old = $("main");
  const hasFocus = document.activeElement === old;
  const isSame = !isNew && here() === shown;
  // What a form has said stays until another page is opened.
  const said = isSame ? old.querySelectorAll(":scope > .said") : [];
  if (!main.querySelector(":scope > .said")) main.prepend(...said);
  if (isNew) remember(isSent);
  old.replaceWith(main);
  if (hasFocus) main.focus({ preventScroll: true });
  if (isSame) refresh(next, MENU);
  else {
    const groups = $$(".side nav details[open] summary");
    for (const open of groups) for (const group of side.querySelectorAll("details")) group.open ||= group.textContent.startsWith(open.firstChild.data);
    $(".side nav").replaceWith(side);
    $(".you").replaceWith(next.querySelector(".you"));
  }
  // The settings may have changed what it says.
  refresh(next, ".side .brand");
  Object.assign($(".side .live")?.dataset ?? {}, next.querySelector(".side .live")?.dataset);
  document.title = next.title;
  if (isNew) {
    enter(url);
    openedAt = performance.now();
    scrollTo(0, 0);
    $("#menu").checked = false;
    const field = main.querySelector("[autofocus]");
    (field ?? main).focus({ preventScroll: !field });
  }
  shown = here();
  refreshLater();
  document.dispatchEvent(new Event("shown"));
};

const load = async (url, options, isNew) => {
  asking?.abort();
  const mine = (asking = new AbortController());
  await leaveReview(url);
  if (mine.signal.aborted) return;
  const slow = setTimeout(() => $("main").setAttribute("aria-busy", "true"), SLOW_MILLISECONDS);
  try {
    const answer = await fetch(url, { headers: { accept: "text/html" }, ...options, signal: mine.signal });
    if (!(answer.headers.get("content-type") || "").startsWith("text/html")) {
      location.assign(url);
      return;
    }
    const html = await answer.text();
    // Someone is at work on the page meanwhile.
    if (options.headers === LIVE && !isQuiet()) refreshLater();
    else swap(html, answer.url, isNew, options.method === "POST");
    lookAhead();
  } catch (error) {
    if (error.name !== "AbortError" && isNew) location.assign(url);
  } finally {
    clearTimeout(slow);
    for (const busy of asking === mine ? $$("[aria-busy]") : []) {
      busy.removeAttribute("aria-busy");
      busy.disabled = false;
    }
    if (asking === mine) asking = null;
  }
};

// The next case of a queue is fetched while the one before it is looked at.
let ahead = { url: "", html: null };

const lookAhead = () => {
  const link = $("a[data-ahead]");
  if (!link || ahead.url === link.href) return;
  const next = { url: link.href, html: null };
  ahead = next;
  fetch(link.href, { headers: { accept: "text/html" } })
    .then((answer) => (answer.ok && answer.url === next.url ? answer.text() : null))
    .then((html) => (next.html = html))
    .catch(() => {});
};

const showAhead = (url) => {
  if (ahead.url !== url || !ahead.html) return false;
  const { html } = ahead;
  ahead = { url: "", html: null };
  swap(html, url, true);
  return true;
};

const isOurs = (url) => url.origin === location.origin && url.pathname.startsWith("/console");

// The second click of a double one was meant for the page before, however long the page has kept it waiting.
on("click", (event) => {
  if (event.detail < 2 || event.timeStamp - openedAt > DOUBLE_MILLISECONDS) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

const fold = (target) => {
  for (const open of $$(UNFOLDED)) if (!open.contains(target)) open.open = false;
};

on("click", (event) => {
  fold(event.target);
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const url = new URL(link.href);
  if (!isOurs(url) || link.hasAttribute("download") || link.target || url.hash) return;
  event.preventDefault();
  if (showAhead(url.href)) lookAhead();
  else load(url.href, {}, true);
});

// What unfolds at the right edge of the page unfolds to the left.
on("toggle", ({ target }) => {
  const pop = target.matches("details.chip[open]") && target.querySelector(".pop");
  if (pop) pop.classList.toggle("right", target.getBoundingClientRect().left + pop.offsetWidth > innerWidth - 16);
}, true);

on("submit", (event) => {
  const form = event.target;
  // Not form.action and form.method, which are the fields of that name in a form that has them.
  const attribute = (name) => event.submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
  const url = new URL(attribute("action"), location.href);
  if (!isOurs(url) || !$(".side")) return;
  // The browser saves a file by itself.
  if (event.submitter?.hasAttribute("data-file")) return;
  // An e-mail is shown in a frame.
  if (event.submitter?.hasAttribute("formtarget")) return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  if (form.dataset.check && event.submitter?.dataset.done) {
    decideLater(form, event.submitter, url.href, fields);
    return;
  }
  if (attribute("method") === "post") {
    // What is sent is at work: it is pressed once.
    for (const field of form.elements) if (field.matches("button")) Object.assign(field, { ariaBusy: "true", disabled: true });
    load(url.href, { method: "POST", body: form.getAttribute("enctype") ? new FormData(form) : fields }, true);
  } else {
    for (const [name, value] of [...fields]) if (!value) fields.delete(name);
    url.search = fields;
    load(url.href, {}, true);
  }
});

on("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape") {
    document.activeElement.blur();
    for (const box of $$(TICKED)) box.checked = false;
    countTicked();
    fold(null);
    return;
  }
  if (document.activeElement.matches(TYPING) || document.activeElement.closest(UNFOLDED)) return;
  const target = $(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!target?.checkVisibility()) return;
  event.preventDefault();
  if (target.closest(".case") && target.matches("button") && isTooSoon(event.timeStamp)) return;
  if (target.closest(".fold")) $("#menu").checked = true;
  if (target.matches(TYPING)) target.focus();
  else target.click();
});

const countTicked = () => {
  const text = $(".ticked");
  const isAll = $(".bulk [name=all]:checked");
  if (text) text.textContent = `${isAll ? "All" : $$(".list td .tick:checked").length} of ${text.dataset.of} selected`;
};
on("change", ({ target }) => target.matches(".tick, .bulk input") && countTicked());

// A box in the head of a list ticks all rows of the page.
always(() => {
  const head = $("main .list thead th");
  const boxes = $$(".list td .tick");
  if (!head || !boxes.length) return;
  const all = Object.assign(element("input", "", "tick"), { type: "checkbox", ariaLabel: "All rows of this page" });
  all.onchange = () => boxes.forEach((box) => (box.checked = all.checked));
  head.prepend(all);
});

on("mouseover", (event) => {
  const point = event.target.closest(".point");
  $(".tip")?.remove();
  if (!point) return;
  const chart = point.closest(".chart");
  const box = point.closest("svg").getBoundingClientRect();
  const frame = chart.getBoundingClientRect();
  const [label, text] = point.textContent.split(": ");
  const tip = element("div", label, "tip");
  tip.append(element("b", text));
  chart.append(tip);
  const left = box.left - frame.left + (box.width * point.querySelector("line").x1.baseVal.value) / 1000 - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${Math.max(0, (box.height * point.dataset.y) / 200 - 40)}px`;
});

// Nobody is at work on the page: it may be replaced. The rows next to a progress stay where they are.
const isQuiet = () => {
  const main = $("main");
  const isFree = document.activeElement === main || !main.contains(document.activeElement);
  return !document.hidden && isFree && getSelection().isCollapsed && !$(`[aria-busy], main details[open], main:not(:has(progress)) :is(table, .needs):hover, ${TICKED}`);
};

let timer = 0;
const refreshLater = () => {
  clearTimeout(timer);
  const seconds = Number($("main").dataset.live);
  if (!seconds) return;
  timer = setTimeout(() => {
    if (!asking && isQuiet()) load(location.href, { headers: LIVE }, false);
    else refreshLater();
  }, seconds * 1000);
};
refreshLater();
lookAhead();

// What was changed in a form of settings is marked, and listed next to its button.
const markChanges = () => {
  const form = $("form[data-tracked]:has(.save-bar)");
  if (!form) return;
  const list = [];
  for (const box of form.querySelectorAll("[data-stored]")) {
    const field = box.querySelector("input, select, textarea");
    const value = field.type === "checkbox" ? (field.checked ? "yes" : "no") : field.value.trim();
    const { stored, label } = box.dataset;
    const read = (text) => [...(field.options ?? [])].find((option) => option.value === text)?.text || text || "–";
    box.classList.toggle("changed", value !== stored);
    if (value !== stored) list.push(field.type === "password" ? `${label} → a new one` : `${label} ${read(stored)} → ${read(value)}`);
  }
  const text = form.querySelector("[data-changes]");
  const count = element("b", list.length === 1 ? "1 change " : `${list.length} changes `);
  text.replaceChildren(...(list.length ? [count, `${list.join(" · ")}. In effect at once, without a restart.`] : ["No changes yet."]));
  form.querySelector("[data-discard]").hidden = !list.length;
  form.querySelector(".save-bar .main").disabled = !list.length;
};
on("input", markChanges);
on("reset", () => setTimeout(markChanges));
always(markChanges);

// The preview of an e-mail follows the typing. Each is a new frame: a frame that goes on would fill the history.
let previewTimer = 0;
const preview = () => {
  const button = $("button[data-preview]");
  const before = $$("iframe.mail");
  if (!button || !before.length) return;
  const frame = before[0].cloneNode();
  frame.removeAttribute("src");
  frame.name = `preview${performance.now()}`;
  frame.classList.add("next");
  before.at(-1).after(frame);
  button.formTarget = frame.name;
  button.form.requestSubmit(button);
  frame.addEventListener("load", () => {
    for (const old of before) old.remove();
    frame.classList.remove("next");
  });
};
const previewLater = (event) => {
  if (!event.target.form?.querySelector("button[data-preview]")) return;
  clearTimeout(previewTimer);
  previewTimer = setTimeout(preview, 400);
};
on("input", previewLater);
always(preview);

// The buttons and menus of an editor write a block on lines of its own.
const insert = (control, block) => {
  const text = control.form.querySelector("textarea");
  const start = text.value.slice(0, text.selectionStart).trimEnd();
  const rest = text.value.slice(text.selectionEnd).trimStart();
  text.value = [start, block, rest].filter(Boolean).join("\n\n");
  text.focus();
  text.selectionStart = text.selectionEnd = (start ? start.length + 2 : 0) + block.length;
  text.dispatchEvent(new Event("input", { bubbles: true }));
};
on("click", ({ target }) => {
  if (target.matches("button[data-insert]")) insert(target, target.dataset.insert);
});
on("change", ({ target }) => {
  if (!target.matches("select[data-insert]") || !target.value) return;
  insert(target, target.value);
  target.value = "";
});

// What people take elsewhere has a button that copies it, where the browser lets pages do that.
always(() => {
  for (const source of navigator.clipboard ? $$("[data-copy]:not(:has(+ .copy))") : []) {
    const copy = async ({ target }) => {
      await navigator.clipboard.writeText(source.dataset.copy || source.textContent);
      target.textContent = "Copied";
      setTimeout(() => (target.textContent = "Copy"), 2000);
    };
    source.after(newButton("Copy", copy, "small copy"));
  }
});

// The page that is open is in sight, however many are above it.
for (const link of $$(".side nav [aria-current]")) $(".side").scrollTop = link.offsetTop + 130 - $(".side").clientHeight;
