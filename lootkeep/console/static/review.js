// A decision of fraud review takes effect after a while and can be undone until then; none of them is lost.
"use strict";

const DELAY_MILLISECONDS = 8000;
// A key that was meant for the case before does not decide the new one.
const BLIND_MILLISECONDS = 400;
const QUEUE = "/console/fraud";

// Decisions that are not sent yet, those on their way, and those that could not be sent.
let waiting = [];
let sending = [];
let unsent = [];

const caseShown = () => $(".case")?.dataset.check;
let seen = { check: caseShown(), at: performance.now() };
const isTooSoon = (at = performance.now()) => at - seen.at < BLIND_MILLISECONDS;

const toasts = Object.assign(element("aside", "", "toasts"), { ariaLabel: "What can be undone", ariaLive: "polite" });
document.body.append(toasts);

// The last decision can be undone first.
const showToast = () => {
  const decision = waiting.at(-1);
  if (toasts.firstChild?.dataset?.check === decision?.check) return;
  toasts.replaceChildren();
  if (!decision) return;
  const toast = element("div", "", "toast");
  toast.dataset.check = decision.check;
  toast.innerHTML = '<svg viewBox="0 0 22 22" aria-hidden="true"><circle cx="11" cy="11" r="9"/><circle cx="11" cy="11" r="9"/></svg>';
  const left = decision.until - performance.now();
  toast.querySelector("circle + circle").style.animationDelay = `${left - DELAY_MILLISECONDS}ms`;
  const text = element("div");
  const title = element("b");
  title.append(`${decision.done} `, element("bdi", decision.name));
  // Not said again every second.
  text.append(title, Object.assign(element("p"), { ariaHidden: "true" }));
  const undo = newButton("Undo ", undoLast);
  undo.dataset.key = "z";
  undo.append(element("kbd", "Z"));
  toast.append(text, undo);
  toasts.append(toast);
  count();
};

const count = () => {
  const decision = waiting.at(-1);
  const seconds = decision && Math.max(1, Math.ceil((decision.until - performance.now()) / 1000));
  const when = toasts.querySelector("p");
  if (when) when.textContent = `in effect in ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
};
setInterval(count, 250);

const decideLater = (form, button, url, fields) => {
  const decision = { check: form.dataset.check, name: form.dataset.name, done: button.dataset.done, url, fields };
  decision.page = location.href;
  decision.until = performance.now() + DELAY_MILLISECONDS;
  decision.timer = setTimeout(() => send(decision), DELAY_MILLISECONDS);
  waiting.push(decision);
  const next = nextCase();
  if (!next) {
    $(".case").replaceChildren(element("p", "That was the last one here.", "empty"));
    delete $(".case").dataset.check;
    arrange();
  } else if (!showAhead(next)) {
    load(next, {}, true);
  } else {
    lookAhead();
  }
  showToast();
};

const undoLast = async () => {
  const decision = waiting.pop();
  if (!decision) return;
  clearTimeout(decision.timer);
  showToast();
  await load(decision.page, {}, true);
  const note = $(".decide textarea");
  if (note && caseShown() === decision.check) note.value = decision.fields.get("notes");
};

const send = async (decision) => {
  clearTimeout(decision.timer);
  waiting = waiting.filter((other) => other !== decision);
  unsent = unsent.filter((other) => other !== decision);
  sending.push(decision);
  showToast();
  const problem = await post(decision);
  sending = sending.filter((other) => other !== decision);
  if (problem) complain(decision, problem);
  await refreshQueue();
};

// What is wrong, if anything is. The page behind it may be left meanwhile.
const post = async ({ url, fields }) => {
  try {
    const answer = await fetch(url, { method: "POST", body: fields, keepalive: true, headers: { accept: "text/html" } });
    const page = parse(await answer.text());
    if (!page.querySelector(".side")) return { text: "you are not signed in any more. Sign in and decide again." };
    const notice = page.querySelector("main > .said.bad");
    if (notice) return { whole: notice.textContent };
    return answer.ok ? null : { text: `the service answered ${answer.status}. Decide again.` };
  } catch {
    return { text: "the service cannot be reached.", isAgain: true };
  }
};

// Failures are no toasts: they stay until someone has read them.
let failures = [];

const complain = (decision, { whole, text, isAgain }) => {
  const notice = element("div", "", "notice bad failed");
  notice.setAttribute("role", "alert");
  notice.append(element("span", whole ?? `“${decision.done} ${decision.name}” was not recorded: ${text}`));
  const end = () => {
    failures = failures.filter((other) => other !== notice);
    notice.remove();
    if (isAgain) send(decision);
  };
  notice.append(newButton(isAgain ? "Send again" : "OK", end, "small"));
  if (isAgain) unsent.push(decision);
  failures.push(notice);
  $("main").prepend(notice);
};

const links = () => $$(".queue a[data-check]");

const isDecided = (check) => [...waiting, ...sending].some((decision) => decision.check === check);

// After the case that is shown, and after the last one the first.
const nextCase = () => {
  const all = links();
  const index = all.findIndex((link) => link.dataset.check === caseShown()) + 1;
  const others = [...all.slice(index), ...all.slice(0, index)];
  return others.find((link) => link.dataset.check !== caseShown() && !isDecided(link.dataset.check) && !link.querySelector(".left"))?.href;
};

// The queue without what is decided already.
const arrange = () => {
  for (const link of links()) {
    link.parentElement.hidden = isDecided(link.dataset.check);
    link.toggleAttribute("aria-current", false);
    if (link.dataset.check === caseShown()) link.setAttribute("aria-current", "true");
  }
  const link = $("a[data-ahead]");
  const next = link && nextCase();
  if (next) link.href = next;
  else link?.remove();
};

// The case stays as it is: someone may be writing a note.
const refreshQueue = async () => {
  if (location.pathname !== QUEUE) return;
  const main = $("main");
  const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  const html = answer?.ok ? await answer.text() : "";
  if (!html || !main.isConnected) return;
  if (!caseShown()) {
    swap(html, location.href, false);
    return;
  }
  const page = parse(html);
  for (const part of [".side nav", ".head", ".queue"]) {
    const [old, fresh] = [document, page].map((one) => one.querySelector(part));
    if (old && fresh) old.replaceWith(fresh);
  }
  arrange();
  lookAhead();
};

on("shown", () => {
  if (caseShown() !== seen.check) seen = { check: caseShown(), at: performance.now() };
  $("main").prepend(...failures);
  arrange();
});

// At once, not with the toggle event: the next key is a letter of the note and not the key of a decision.
on("click", (event) => {
  const note = event.target.closest("details.note-field:not([open]) > summary")?.parentElement;
  if (!note) return;
  event.preventDefault();
  note.open = true;
  note.querySelector("textarea").focus();
});

// Elsewhere in the console a decision would not be seen any more, so it takes effect first.
const leaveReview = async (url) => {
  if (!new URL(url, location.href).pathname.startsWith(QUEUE)) await Promise.all([...waiting].map(send));
};

addEventListener("pagehide", () => {
  for (const { url, fields, timer } of [...waiting, ...unsent]) {
    clearTimeout(timer);
    if (!navigator.sendBeacon(url, fields)) fetch(url, { method: "POST", body: fields, keepalive: true });
  }
  waiting = [];
  unsent = [];
  showToast();
});
