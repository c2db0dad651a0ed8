// Going back leads to where someone was: the list at the same place, the half-written form with its text.
"use strict";

const KEPT = "main :is(input:not([type=hidden], [type=password], [type=file], .tick), textarea, select)[name]:not(.bulk *, .pop *), main [name=version]:not(.notice *)";
const BOXES = "[type=checkbox], [type=radio]";

// What was kept of each entry of the history, by its key.
const entries = new Map();
let key = history.state?.key ?? Math.random();

const isTyped = (field) => {
  if (field.type === "hidden") return false;
  if (field.matches(BOXES)) return field.checked !== field.defaultChecked;
  if (!field.options) return field.value !== field.defaultValue;
  const first = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
  return field.value !== first?.value;
};

// What was sent is not there again: nobody sends it twice.
const remember = (isSent) => {
  const fields = isSent ? [] : $$(KEPT);
  const typed = fields.some(isTyped) && fields.map((field) => [field.name, field.matches(BOXES) ? field.checked : field.value]);
  entries.set(key, { key, y: scrollY, typed });
};

// With the version that the text was written for: a change of someone else meanwhile is noticed.
const restore = (entry) => {
  if (!entry) return;
  const fields = entry.typed ? $$(KEPT) : [];
  fields.forEach((field, index) => {
    const [name, value] = entry.typed[index] ?? [];
    if (field.name !== name) return;
    if (field.matches(BOXES)) field.checked = value;
    else field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  scrollTo(0, entry.y);
};

// What a form answers on its own page takes the place of that page: going back leads to the page before.
const enter = (url) => {
  key = Math.random();
  history[url === here() ? "replaceState" : "pushState"]({ key }, "", url);
};

// A link to a place in the page comes here too, and nothing that was entered may be lost by it.
addEventListener("popstate", async () => {
  const isHere = here() === shown;
  if (!isHere) remember();
  key = history.state?.key ?? Math.random();
  if (isHere) return;
  const mine = key;
  await load(location.href, {}, false);
  if (key === mine && here() === shown) restore(entries.get(key));
});

// The page itself is left, or loaded again.
addEventListener("pagehide", () => {
  remember();
  history.replaceState(entries.get(key), "");
});
history.scrollRestoration = "manual";
restore(history.state);
history.replaceState({ key }, "");
