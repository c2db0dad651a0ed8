// What every page below /docs does beyond being read: copy, colour code, search, and walk by keyboard.

export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

// Built with nodes, never with markup: an answer of the server is text and stays text.
export function element(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// ---- JSON, coloured ------------------------------------------------------------------------------------

const JSON_TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;
// In a program a number counts only as a value of the body, not as part of an address.
const PROGRAM_TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|((?<=\s)-[A-Za-z](?=\s)|(?<=\w"?: |\w=)(?:-?[\d.]+|[Tt]rue|[Ff]alse|null|None)\b)/g;

export function coloured(text, token = JSON_TOKEN) {
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

// ---- copying -------------------------------------------------------------------------------------------

const COPIED = "Copied";

export async function copy(text, button) {
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
  const button = target.closest("button[data-copy]");
  if (button) copy($("code", button.closest("figure, .route")).textContent, button);
});

// ---- the search ----------------------------------------------------------------------------------------

const side = $("#side");
const navigation = $("#navigation");
const filter = $("#filter");
const results = $("#results");
const report = $("#found");
const MAX_RESULTS = 30;
let index = null;

// With the first key: most readers only read.
function load() {
  index ??= fetch(new URL("search.json", filter.form.action)).then((answer) => answer.json());
  index.catch(() => { index = null; });
  return index;
}

const query = () => filter.value.toLowerCase().trim();

// As the server ranks them for who has no JavaScript: the first row that holds counts.
function rank([, title, context, , text], whole, words) {
  const name = title.toLowerCase();
  const holds = (haystack) => words.every((word) => haystack.includes(word));
  const place = `${name} ${context.toLowerCase()}`;
  return [name === whole, name.startsWith(whole), holds(name), holds(place), holds(`${place} ${text}`), true].indexOf(true);
}

function result([url, title, context, kind]) {
  const link = element("a", "", element("span", "", `${title} `, element("small", "", context)));
  if (kind) link.append(element("b", `m ${kind}`, kind));
  link.href = new URL(url, filter.form.action);
  return element("li", "", link);
}

async function search() {
  const whole = query();
  const every = whole ? await load() : [];
  // A later key has its own answer.
  if (whole !== query()) return;
  const words = whole.split(/\s+/);
  const ranked = every.map((target) => ({ target, order: rank(target, whole, words) }));
  const matches = ranked.filter(({ order }) => order < 5).sort((one, other) => one.order - other.order);
  results.replaceChildren(...matches.slice(0, MAX_RESULTS).map(({ target }) => result(target)));
  results.hidden = !whole;
  navigation.hidden = !!whole;
  report.textContent = whole ? `${results.childElementCount} of ${matches.length}` : "";
  report.classList.toggle("hidden", !whole);
}

filter.addEventListener("input", () => search().catch(() => {
  report.textContent = "Press Enter to search";
  report.classList.remove("hidden");
}));
filter.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { filter.value = ""; search(); filter.blur(); }
});
filter.form.addEventListener("submit", async (event) => {
  event.preventDefault();
  // Without the index, the server answers with a page.
  await search().then(() => $("a", results)?.click(), () => filter.form.submit());
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
