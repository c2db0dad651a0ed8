// Without this script every page and form works; with it they swap in place, keys work and figures refresh.
"use strict";

const TYPING = "input, textarea, select, [contenteditable]";
const SLOW_MILLISECONDS = 300;
let asking = null;

// The address of what is shown, without the place in it.
const here = () => location.href.split("#")[0];
let shown = here();

const swap = (html, url, isNew) => {
  const next = new DOMParser().parseFromString(html, "text/html");
  const main = next.querySelector("main");
  const side = next.querySelector(".side nav");
  if (!main || !document.querySelector(".side") || !side) {
    location.assign(url);
    return;
  }
  document.querySelector("main").replaceWith(main);
  document.querySelector(".side nav").replaceWith(side);
  document.title = next.title;
  if (isNew) {
    history.pushState(null, "", url);
    scrollTo(0, 0);
    document.querySelector("#menu").checked = false;
    main.focus({ preventScroll: true });
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
  const slow = setTimeout(() => document.querySelector("main").setAttribute("aria-busy", "true"), SLOW_MILLISECONDS);
  try {
    const answer = await fetch(url, { ...options, signal: mine.signal, headers: { accept: "text/html" } });
    if (!(answer.headers.get("content-type") || "").startsWith("text/html")) {
      location.assign(url);
      return;
    }
    swap(await answer.text(), answer.url, isNew);
    lookAhead();
  } catch (error) {
    if (error.name !== "AbortError" && isNew) location.assign(url);
  } finally {
    clearTimeout(slow);
    for (const busy of asking === mine ? document.querySelectorAll("[aria-busy]") : []) {
      busy.removeAttribute("aria-busy");
      busy.disabled = false;
    }
  }
};

// The next case of a queue is fetched while the one before it is looked at.
let ahead = { url: "", html: null };

const lookAhead = () => {
  const link = document.querySelector("a[data-ahead]");
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

document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.chip[open], details.select[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const url = new URL(link.href);
  if (!isOurs(url) || link.hasAttribute("download") || link.target || url.hash) return;
  event.preventDefault();
  if (showAhead(url.href)) lookAhead();
  else load(url.href, {}, true);
});

// What unfolds at the right edge of the page unfolds to the left.
document.addEventListener("toggle", ({ target }) => {
  const pop = target.matches("details.chip[open]") && target.querySelector(".pop");
  if (pop) pop.classList.toggle("right", target.getBoundingClientRect().left + pop.offsetWidth > innerWidth - 16);
}, true);

document.addEventListener("submit", (event) => {
  const form = event.target;
  // Not form.action and form.method, which are the fields of that name in a form that has them.
  const attribute = (name) => event.submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
  const url = new URL(attribute("action"), location.href);
  if (!isOurs(url) || !document.querySelector(".side")) return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  if (form.dataset.check && event.submitter?.dataset.done) {
    decideLater(form, event.submitter, url.href, fields);
    return;
  }
  if (attribute("method") === "post") {
    // What is sent is at work: it is pressed once.
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-busy", "true");
      button.disabled = true;
    }
    load(url.href, { method: "POST", body: fields }, true);
  } else {
    for (const [name, value] of [...fields]) if (!value) fields.delete(name);
    url.search = fields;
    load(url.href, {}, true);
  }
});

// A link to a place in the page comes here too, and nothing that was entered may be lost by it.
addEventListener("popstate", () => {
  if (here() !== shown) load(location.href, {}, false);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape") {
    document.activeElement.blur();
    for (const open of document.querySelectorAll("details.chip[open], details.select[open]")) open.open = false;
    return;
  }
  if (document.activeElement.matches(TYPING)) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!target) return;
  event.preventDefault();
  if (target.closest(".case") && target.matches("button") && isTooSoon()) return;
  if (target.matches(TYPING)) target.focus();
  else target.click();
});

document.addEventListener("mouseover", (event) => {
  const point = event.target.closest(".point");
  document.querySelector(".tip")?.remove();
  if (!point) return;
  const chart = point.closest(".chart");
  const box = point.closest("svg").getBoundingClientRect();
  const frame = chart.getBoundingClientRect();
  const tip = document.createElement("div");
  const text = document.createElement("b");
  tip.className = "tip";
  text.textContent = point.dataset.text;
  tip.append(point.dataset.label, text);
  chart.append(tip);
  const left = box.left - frame.left + (box.width * point.dataset.x) / 1000 - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${Math.max(0, (box.height * point.dataset.y) / 200 - 40)}px`;
});

let timer = 0;
const refreshLater = () => {
  clearTimeout(timer);
  const seconds = Number(document.querySelector("main").dataset.live);
  if (!seconds) return;
  timer = setTimeout(() => {
    const isQuiet = !document.hidden && !document.querySelector("[aria-busy]") && !document.activeElement.matches(TYPING) && !document.querySelector("main details[open]");
    if (isQuiet) load(location.href, {}, false);
    else refreshLater();
  }, seconds * 1000);
};
refreshLater();
lookAhead();
