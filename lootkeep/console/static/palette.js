// Search and actions from anywhere, by / or Ctrl-K. Without this script / goes to the search field.
"use strict";

const TYPED_MILLISECONDS = 80;
const palette = Object.assign(element("dialog", "", "palette"), { ariaLabel: "Search or do" });
palette.innerHTML = '<form role="search"><input role="combobox" aria-expanded="true" aria-controls="choices" aria-autocomplete="list" aria-label="Search or do" placeholder="A name, a number, a code, a page" autocomplete="off" spellcheck="false"><kbd>Esc</kbd></form><div id="choices" role="listbox" aria-label="Results"></div><p class="muted small" aria-hidden="true"><span><kbd>↑</kbd> <kbd>↓</kbd> choose</span> <span><kbd>↵</kbd> open</span> <span><kbd>Ctrl</kbd> <kbd>↵</kbd> new tab</span> <span>all results <kbd>Shift</kbd> <kbd>↵</kbd></span></p>';
document.body.append(palette);
const typed = palette.querySelector("input");
const choices = palette.querySelector("#choices");
let looking = null;
let typing = 0;
// The results that are on their way, and whether those of what is typed now are not asked for yet.
let finding = null;
let isLate = false;

const options = () => [...choices.querySelectorAll("[role=option]")];
const chosen = () => choices.querySelector("[aria-selected=true]");

const choose = (option) => {
  chosen()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  typed.setAttribute("aria-activedescendant", option?.id ?? "");
};

const findChoices = async () => {
  looking?.abort();
  const mine = (looking = new AbortController());
  // The old results stay until there are new ones.
  const slow = setTimeout(() => choices.setAttribute("aria-busy", "true"), SLOW_MILLISECONDS);
  try {
    const url = `/console/palette?${new URLSearchParams({ q: typed.value })}`;
    const answer = await fetch(url, { signal: mine.signal, headers: { "x-part": "main" } });
    const list = parse(await answer.text()).querySelector(".choices");
    if (!list) throw new Error("not the palette");
    choices.replaceChildren(...list.childNodes);
    for (const part of choices.querySelectorAll("h2, li, p")) part.setAttribute("role", "presentation");
    for (const list of choices.querySelectorAll("ul")) {
      list.setAttribute("role", "group");
      list.setAttribute("aria-label", list.previousElementSibling.textContent);
    }
    choices.querySelectorAll("a").forEach((link, index) => {
      link.id = `choice-${index}`;
      link.setAttribute("role", "option");
      link.tabIndex = -1;
    });
    choose(options()[0]);
  } catch (error) {
    // Nothing that was typed on the page is lost by an error page of the browser.
    if (error instanceof TypeError) choices.replaceChildren(element("p", "The service cannot be reached. Type again in a moment.", "empty"));
    else if (error.name !== "AbortError") location.assign(`/console/search?${new URLSearchParams({ q: typed.value })}`);
  } finally {
    clearTimeout(slow);
    if (looking === mine) choices.removeAttribute("aria-busy");
  }
};

const find = () => {
  clearTimeout(typing);
  isLate = false;
  finding = findChoices();
};

// Enter is meant for what is typed, not for what was suggested before.
const settled = async () => {
  let last;
  do {
    if (isLate) find();
    last = finding;
    await last;
  } while (isLate || last !== finding);
};

const openPalette = () => {
  if (palette.open) return;
  typed.value = "";
  choices.replaceChildren();
  palette.showModal();
  find();
};

typed.addEventListener("input", () => {
  clearTimeout(typing);
  isLate = true;
  typing = setTimeout(find, TYPED_MILLISECONDS);
});

const followed = (url, isApart) => {
  if (isApart) open(url, "_blank", "noopener");
  else {
    palette.close();
    load(url, {}, true);
  }
};

palette.addEventListener("submit", (event) => {
  event.preventDefault();
  event.stopPropagation();
});

palette.addEventListener("keydown", async (event) => {
  // Nothing of the page behind it is meant.
  event.stopPropagation();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    const all = options();
    choose(all[(all.indexOf(chosen()) + step + all.length) % all.length]);
  } else if (event.key === "Enter") {
    event.preventDefault();
    if (!event.shiftKey) await settled();
    if (!palette.open) return;
    const all = new URL(`/console/search?${new URLSearchParams({ q: typed.value })}`, location.href).href;
    followed(event.shiftKey ? all : chosen()?.href ?? all, event.ctrlKey || event.metaKey);
  }
});

palette.addEventListener("click", (event) => {
  if (event.target === palette || event.target.closest("a")) palette.close();
});

addEventListener("keydown", (event) => {
  const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !document.activeElement.matches(TYPING);
  if (!isCommand && !isSlash) return;
  event.preventDefault();
  event.stopPropagation();
  openPalette();
}, true);
