// One language for all samples: who picks a tab sees it everywhere, also the next time.

const PICKED = "lootkeep.reference.language";

function show(language) {
  for (const tab of document.querySelectorAll(".samples input")) if (tab.value === language) tab.checked = true;
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches(".samples input")) return;
  const { top } = target.getBoundingClientRect();
  show(target.value);
  localStorage.setItem(PICKED, target.value);
  // What is above has another height now; the reader stays at this tab.
  scrollBy(0, target.getBoundingClientRect().top - top);
});

show(localStorage.getItem(PICKED));
