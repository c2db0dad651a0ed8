// What the reference does beyond a page of guides: send real requests, and mark where the reader is.

import { $, $$, copy, coloured, element } from "./page.js";

// ---- the server's address ------------------------------------------------------------------------------

// Without a server in the document the API lives next to this page, also behind a proxy that adds a prefix.
const folder = new URL(".", location.href).pathname.replace(/\/$/, "");
const origin = location.origin + ("relative" in document.documentElement.dataset ? folder : "");
for (const place of $$("[data-origin]")) place.textContent = origin;

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

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button && "copyCurl" in button.dataset) copy(asCurl(requestOf(button.form)), button);
  if (button && "forget" in button.dataset) keepToken("");
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.closest(".try")) return;
  event.preventDefault();
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

// Marks where the reader is, and keeps that group open; a group it opened itself it also closes again.
let openedHere = null;
function mark(link) {
  const current = $("[aria-current]", side);
  if (!link || link === current) return;
  current?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  const group = link.closest("details");
  if (openedHere !== group) {
    if (openedHere) openedHere.open = false;
    openedHere = group && !group.open ? group : null;
    if (openedHere) openedHere.open = true;
  }
  // Results of a search are in its place.
  if (!link.checkVisibility()) return;
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
