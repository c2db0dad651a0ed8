// The page moves while it is shown: figures are replaced, new rows wait behind a button, a lost connection is said.
"use strict";

// The service is heard every 15 seconds.
const SILENCE_MILLISECONDS = 40000;
const LOOK_MILLISECONDS = 1000;
let stream = null;
let losses = 0;
let silence = 0;
let again = 0;
// Whether something may have happened that was not heard. A page that came slowly is behind already.
let isBehind = performance.now() > 2000;
let heardAt = 0;

const sign = $(".live");

const say = (isLive) => {
  if (!sign || (sign.classList.contains("on") === isLive && !sign.hidden)) return;
  const clock = { hour: "2-digit", minute: "2-digit", timeZone: sign.dataset.zone };
  sign.classList.toggle("on", isLive);
  sign.textContent = isLive ? "live" : `not live since ${new Date().toLocaleTimeString("en-GB", clock)}`;
  sign.hidden = false;
};

const leave = () => {
  clearTimeout(silence);
  clearTimeout(again);
  stream?.close();
  stream = null;
  isBehind = true;
};

// After a restart not all of them come back at once.
const lose = () => {
  leave();
  say(false);
  again = setTimeout(listen, (1000 + Math.random() * 4000) * 2 ** Math.min(losses++, 4));
};

const hear = () => {
  clearTimeout(silence);
  silence = setTimeout(lose, SILENCE_MILLISECONDS);
};

// A browser has few connections to a service: what is not seen needs none.
const listen = () => {
  if (stream || document.hidden || !sign) return;
  stream = new EventSource("/console/live");
  hear();
  stream.onopen = () => {
    losses = 0;
    say(true);
    if (isBehind) lookLater();
    isBehind = false;
  };
  stream.onerror = lose;
  stream.addEventListener("beat", hear);
  stream.onmessage = ({ data, lastEventId }) => {
    hear();
    news = lastEventId;
    heardAt = performance.now();
    const page = location.pathname.split("/")[2];
    const pages = data.split(" ");
    if (!page || pages.includes("menu") || pages.includes(page)) lookLater();
  };
};

// What this look follows: all that look at a page after the same news share its rendering.
let news = "";
let look = 0;
let lookedAt = -LOOK_MILLISECONDS;
const lookLater = () => {
  if (!look) look = setTimeout(lookNow, Math.max(0, lookedAt + LOOK_MILLISECONDS - performance.now()));
};

const lookNow = async () => {
  const main = $("main");
  const moves = $(".queue .rows, [data-news], .needs");
  const headers = news && moves ? { ...LIVE, "x-live": news } : LIVE;
  news = "";
  look = 0;
  lookedAt = performance.now();
  // The menu is on every page: a report that nothing moves is not made again for it.
  const isStill = !moves && !main.dataset.live;
  const answer = await fetch(isStill ? "/console/account" : location.href, { headers }).catch(() => null);
  const html = answer?.ok && !answer.redirected ? await answer.text() : "";
  // What was opened or answered meanwhile is newer, under the same address too.
  if (!html || !main.isConnected || main.ariaBusy) return;
  const page = parse(html);
  refresh(page, isStill ? MENU : `${MENU}, .head > div:first-child p, .views a`);
  const [queue, list] = [".queue .rows", "[data-news]"].map((part) => $(part));
  if (queue) updateQueue(queue, page);
  else if (list) update(list, page);
  else if ($(".needs")) refresh(page, "main .card");
  else if ($("main").dataset.live && !asking && isQuiet()) swap(html, location.href, false);
};

const MENU = ".side nav :is(a, summary)";

// What is in these parts; they stay themselves, so that a link keeps the focus. No list changes under the pointer.
const refresh = (page, parts) => {
  const [old, fresh] = [document, page].map((one) => [...one.querySelectorAll(parts)]);
  if (old.length !== fresh.length) return;
  old.forEach((part, index) => {
    const html = fresh[index].innerHTML;
    const write = () => {
      if (part.innerHTML !== html && !part.querySelector(":focus, :checked, [open]")) part.innerHTML = html;
    };
    part.onmouseleave = null;
    if (part.matches(":hover:has(tr, li)")) part.onmouseleave = write;
    else write();
  });
};

const linksOf = (page) => new Map([...page.querySelectorAll(".queue a[data-check]")].map((link) => [link.dataset.check, link]));

const updateQueue = (queue, page) => {
  const [shown, links] = [document, page].map(linksOf);
  sayLeft(queue, page, shown, links);
  arrange();
  lookAhead();
  showNews(queue, "check", [...links.keys()].filter((check) => !shown.has(check) && !isDecided(check)).length, refreshQueue);
};

const rowsOf = (list) => new Map([...list.querySelectorAll("tbody tr")].map((row) => [row.querySelector("a.row")?.href, row]));

// Rows stay where they are, ticked ones too, and say what is so now. New ones are counted.
const update = (list, page) => {
  refresh(page, ".stack > .card:not(.list)");
  const fresh = page.querySelector("[data-news]");
  if (!fresh) return;
  const [shown, rows] = [rowsOf(list), rowsOf(fresh)];
  for (const [href, row] of shown) [...row.cells].forEach((cell, index) => rewrite(cell, rows.get(href)?.cells[index]));
  sayLeft(list, fresh, shown, rows);
  if (list.querySelector("[rel=prev]")) return;
  const count = Math.max([...rows.keys()].filter((href) => !shown.has(href)).length, fresh.dataset.total - list.dataset.total);
  showNews(list.querySelector(".scroll, .empty"), list.dataset.news, count, showRows);
};

const rewrite = (cell, fresh) => {
  if (fresh && cell.innerHTML !== fresh.innerHTML && !cell.matches(":has(:focus, :checked)")) cell.innerHTML = fresh.innerHTML;
};

// What the filter does not match any more says so. Those at an end may be on another page.
const sayLeft = (list, fresh, shown, rows) => {
  const isThere = [...shown.keys()].map((name) => rows.has(name));
  const isBefore = (index) => !list.querySelector("[rel=prev]") || isThere.slice(0, index).includes(true);
  const isAfter = (index) => !fresh.querySelector("[rel=next]") || isThere.slice(index).includes(true);
  [...shown.values()].forEach((row, index) => {
    const badge = row.querySelector(".badge");
    if (badge && !isThere[index] && isBefore(index) && isAfter(index)) Object.assign(badge, { className: "badge left", textContent: "Changed" });
  });
};

// What is ticked stays ticked.
const showRows = async () => {
  const boxes = () => $$(".list td .tick, .bulk [name=all]");
  const ticked = boxes().filter(({ checked }) => checked).map(({ value }) => value);
  scrollTo(0, 0);
  await load(location.href, {}, false);
  for (const box of boxes()) box.checked = ticked.includes(box.value);
  countTicked();
};

// It takes no room, so nothing moves.
const showNews = (place, name, count, show) => {
  const [one, many = `${name}s`] = name.split("|");
  const text = `${count} new ${count === 1 ? one : many}`;
  const old = $(".news button");
  if (old || !count) {
    if (old && count) old.textContent = text;
    else old?.parentElement.remove();
    return;
  }
  const news = element("p", "", "news");
  news.setAttribute("role", "status");
  news.append(newButton(text, show));
  if (place.matches(".rows")) place.prepend(news);
  else place.before(news);
};

// What came while a page was on its way may be newer than the page.
on("shown", () => {
  if (performance.now() - heardAt < 2000) lookLater();
});
on("visibilitychange", () => (document.hidden ? leave() : listen()));
addEventListener("pagehide", leave);
addEventListener("pageshow", listen);
listen();
