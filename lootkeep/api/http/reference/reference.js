// What the reference page does beyond being read: filter, copy, colour JSON, and send real requests.

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

// Built with nodes, never with markup: an answer of the server is text and stays text.
function element(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// ---- the server's address ------------------------------------------------------------------------------

// Without a server in the document the API lives next to this page, also behind a proxy that adds a prefix.
const beside = new URL(".", location.href).pathname.replace(/\/$/, "");
const origin = location.origin + ("beside" in document.documentElement.dataset ? beside : "");
for (const place of $$("[data-origin]")) place.textContent = origin;

// ---- JSON, coloured ------------------------------------------------------------------------------------

const JSON_TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;
// In a program a number counts only as a value of the body, not as part of an address.
const PROGRAM_TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|((?<=\s)-[A-Za-z](?=\s)|(?<=\w"?: |\w=)(?:-?[\d.]+|[Tt]rue|[Ff]alse|null|None)\b)/g;

function coloured(text, token = JSON_TOKEN) {
  const out = document.createDocumentFragment();
  let at = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon, word] = match;
    out.append(text.slice(at, match.index));
    out.append(element("span", colon ? "key" : string ? "string" : "word", string ?? word), colon ?? "");
    at = match.index + whole.length;
  }
  out.append(text.slice(at));
  return out;
}

// Only what comes near the screen: a page of 120 operations has thousands of tokens.
const onSight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    onSight.unobserve(target);
    target.replaceChildren(coloured(target.textContent, target.dataset.language === "json" ? JSON_TOKEN : PROGRAM_TOKEN));
  }
}, { rootMargin: "600px" });
for (const code of $$("code[data-language]")) onSight.observe(code);

// Indents without parsing to values: 10.50 must not become 10.5, nor a long id lose its last digits.
function indented(json) {
  let depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  return json.replace(/"(?:\\.|[^"\\])*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g, (part) => {
    if (part[0] === '"') return part;
    if (/^[{[]\s*[}\]]$/.test(part)) return part[0] + part.at(-1);
    if (part === "{" || part === "[") { depth += 1; return part + line(); }
    if (part === "}" || part === "]") { depth -= 1; return line() + part; }
    if (part === ",") return part + line();
    return part === ":" ? ": " : "";
  });
}

function isJson(text) {
  try { JSON.parse(text); return true; } catch { return false; }
}

// ---- copying -------------------------------------------------------------------------------------------

const COPIED = "Copied";

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Plain HTTP on a local network has no clipboard interface; the old way still works there.
    const area = element("textarea", "hidden", text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus({ preventScroll: true });
  }
  if (button.textContent === COPIED) return;
  const label = button.textContent;
  button.textContent = COPIED;
  setTimeout(() => { button.textContent = label; }, 1200);
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  if ("copy" in button.dataset) copy($("code", button.closest("figure, .route")).textContent, button);
  if ("copyCurl" in button.dataset) copy(asCurl(requestOf(button.form)), button);
  if ("forget" in button.dataset) keepToken("");
});

// ---- the token -----------------------------------------------------------------------------------------

const KEPT = "lootkeep.reference.token";

// Session storage: gone with the tab, not shared with other tabs, never sent by itself.
function keepToken(token, from) {
  if (token) sessionStorage.setItem(KEPT, token);
  else sessionStorage.removeItem(KEPT);
  for (const field of $$("input.token")) if (field !== from) field.value = token;
}

document.addEventListener("input", ({ target }) => {
  if (target.matches("input.token")) keepToken(target.value.trim(), target);
});
keepToken(sessionStorage.getItem(KEPT) ?? "");

// ---- trying it -----------------------------------------------------------------------------------------

const SHOWN_HEADERS = ["X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
  "Retry-After", "Idempotent-Replayed", "Location"];

function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = { Accept: "application/json" };
  for (const { name, value, dataset } of $$("[data-in]", form)) {
    if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "" && dataset.in === "query") query.append(name, value);
    else if (value !== "" && dataset.in === "header") headers[name] = value;
  }
  const body = form.elements.body?.value;
  if (body) headers["Content-Type"] = "application/json";
  const url = origin + path + (String(query) && `?${query}`);
  return { method: form.dataset.method.toUpperCase(), url, headers, body, needsToken: !!$(".token", form) };
}

function asCurl({ method, url, headers, body, needsToken }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl ${quoted(url)}`];
  if (method !== "GET") lines.push(`-X ${method}`);
  // A variable, so that no token ends up in a shell history or a chat by copying.
  if (needsToken) lines.push('-H "Authorization: Bearer $LOOTKEEP_TOKEN"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body) lines.push(`-d ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

async function send(form) {
  const { method, url, headers, body } = requestOf(form);
  const token = sessionStorage.getItem(KEPT);
  if (token && $(".token", form)) headers.Authorization = `Bearer ${token}`;
  const started = performance.now();
  // No cookies: the page must answer as the API does for any client, not as an admin's session.
  const response = await fetch(url, { method, headers, body: body || undefined, credentials: "omit", cache: "no-store" });
  const text = await response.text();
  return { response, text, milliseconds: Math.round(performance.now() - started) };
}

function reply({ response, text, milliseconds }) {
  const status = element("span", `status s${String(response.status)[0]}`, String(response.status));
  const size = new Blob([text]).size;
  const sized = size < 1024 ? `${size} B` : `${(size / 1024).toFixed(1)} kB`;
  const parts = [element("p", "outcome", status, ` ${response.statusText} · ${milliseconds} ms · ${sized}`)];
  const headers = SHOWN_HEADERS.filter((name) => response.headers.has(name));
  if (headers.length) {
    parts.push(element("dl", "", ...headers.flatMap((name) =>
      [element("dt", "", name), element("dd", "", headerInWords(name, response.headers.get(name)))])));
  }
  if (text) {
    const pre = element("pre", "", element("code", "", isJson(text) ? coloured(indented(text)) : text));
    pre.tabIndex = 0;
    parts.push(element("figure", "code", pre));
  }
  return parts;
}

function headerInWords(name, value) {
  if (name !== "X-RateLimit-Reset") return value;
  const seconds = Math.max(0, Math.round(Number(value) - Date.now() / 1000));
  return Number.isFinite(seconds) ? `${value} (in ${seconds} s)` : value;
}

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const place = $(".reply", form);
  // Not by disabling the button: who sends by keyboard would lose their place in the page.
  if (place.ariaBusy === "true") return;
  place.ariaBusy = "true";
  const failed = (error) => [element("p", "outcome", `No answer: ${error.message}`)];
  place.replaceChildren(...await send(form).then(reply).catch(failed));
  place.ariaBusy = "false";
  place.scrollIntoView({ block: "nearest" });
});

// ---- the navigation ------------------------------------------------------------------------------------

const side = $("#side");
const filter = $("#filter");
const groups = $$("details", side);
const entries = $$("details a", side).map((link) =>
  ({ link, words: `${link.textContent} ${link.title}`.toLowerCase() }));
const matches = () => entries.filter(({ link }) => !link.parentElement.hidden);
let openBefore = null;

function wholeText(entry) {
  entry.text ??= $(entry.link.hash).textContent.toLowerCase();
  return entry.text;
}

function applyFilter() {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text) => wanted.every((word) => text.includes(word));
  // By name and path; the whole text of the sections only when no name says it.
  const isNamed = entries.some(({ words }) => holds(words));
  for (const entry of entries) entry.link.parentElement.hidden = !holds(isNamed ? entry.words : wholeText(entry));
  // Filtering opens every group that has a match; clearing gives back what was open before.
  if (wanted.length) openBefore ??= groups.filter((group) => group.open);
  for (const group of groups) {
    group.hidden = !$("li:not([hidden])", group);
    if (openBefore) group.open = wanted.length > 0 || openBefore.includes(group);
  }
  if (!wanted.length) openBefore = null;
  $(".start", side).hidden = wanted.length > 0;
  $("#found").textContent = wanted.length ? `${matches().length} of ${entries.length} ${isNamed ? "by name" : "by their text"}` : "";
  $("#found").classList.toggle("hidden", !wanted.length);
}

filter.addEventListener("input", applyFilter);
filter.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { filter.value = ""; applyFilter(); filter.blur(); }
  if (event.key === "Enter") matches()[0]?.link.click();
});

side.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { showMenu(false); menu.focus(); }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const links = $$("a", side).filter((link) => link.checkVisibility());
  // From the filter, which is in front of them all.
  const at = links.indexOf(event.target);
  if (!step || (at < 0 && event.target !== filter)) return;
  event.preventDefault();
  (links[at + step] ?? filter).focus();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest?.("input, textarea, select")) return;
  event.preventDefault();
  showMenu(true);
  filter.focus();
  filter.select();
});

const menu = $(".menu");
function showMenu(isShown) {
  side.classList.toggle("shown", isShown);
  menu.setAttribute("aria-expanded", String(isShown));
}
menu.addEventListener("click", () => showMenu(!side.classList.contains("shown")));
side.addEventListener("click", ({ target }) => { if (target.closest("a")) showMenu(false); });

// Marks where the reader is, and keeps that group open; a group it opened itself it also closes again.
let openedHere = null;
function mark(link) {
  const current = $("[aria-current]", side);
  if (!link || link === current) return;
  current?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  const group = link.closest("details");
  if (!openBefore && openedHere !== group) {
    if (openedHere) openedHere.open = false;
    openedHere = group && !group.open ? group : null;
    if (openedHere) openedHere.open = true;
  }
  const { top, bottom } = link.getBoundingClientRect();
  if (top < 120 || bottom > innerHeight - 40) side.scrollTo({ top: side.scrollTop + top - innerHeight / 2 });
}

const inView = new Set();
const reading = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) inView[isIntersecting ? "add" : "delete"](target);
  const first = sections.find((section) => inView.has(section));
  if (first) mark($(`a[href="#${first.id}"]`, side));
}, { rootMargin: "-90px 0px -60% 0px" });
const sections = $$("section[id]");
for (const section of sections) reading.observe(section);

// Sections off the screen have a guessed height, so a jump over many lands next to its target: jump again
// until it holds. A third of a second at most, and not once the reader scrolls.
async function settle() {
  const target = document.getElementById(location.hash.slice(1));
  let tries = target ? 20 : 0;
  const stop = () => { tries = 0; };
  for (const moved of ["wheel", "touchstart"]) addEventListener(moved, stop, { once: true, passive: true });
  while (tries-- > 0) {
    target.scrollIntoView();
    await new Promise(requestAnimationFrame);
  }
}
addEventListener("hashchange", settle);
settle();
