"""The guides inside the service: every page of docs/ in its order, whole, with links that lead somewhere."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
import yaml

from lootkeep.api.http.guides import contents, markdown, sections
from tests.api.html_pages import HtmlPage
from tests.rules.tree import ROOT, files
from tests.world import World

DOCS = ROOT / "docs"
PAGES = [page.relative_to(DOCS).as_posix().removesuffix(".md") for page in files("*.md", under=DOCS)]
SECTIONS = ["Start", "Guides", "Reference", "Operate", "Why"]
ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>"


async def page_at(world: World, path: str) -> HtmlPage:
    answer = await world.http.get(path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8"), path
    return HtmlPage(answer.text)


# The order


def test_the_order_is_the_navigation_of_the_site() -> None:
    def plain(entries: list[contents.Entry]) -> list[Any]:
        return [(entry.title, plain(entry.entries) if entry.entries else entry.path) for entry in entries]

    def of_yaml(nodes: list[Any], above: str) -> list[Any]:
        pairs = [next(iter(node.items())) if isinstance(node, dict) else (above, node) for node in nodes]
        return [
            (title, of_yaml(node, title) if isinstance(node, list) else node.removesuffix(".md"))
            for title, node in pairs
        ]

    navigation = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    assert plain(contents.entries()) == of_yaml(navigation, "")
    assert [entry.title for entry in contents.entries()] == SECTIONS


def test_every_page_is_in_one_of_the_sections() -> None:
    assert sorted(contents.pages()) == sorted(PAGES)
    assert {page.trail[0] for page in contents.pages().values()} == set(SECTIONS)


def test_a_line_of_the_navigation_that_is_no_page_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"neither a page nor a group: {5}title"):
        contents.read("\nnav:\n  - Start:\n    title\n")


async def test_the_links_to_the_next_page_lead_through_all_of_them(shared_world: World) -> None:
    path, walked = "/docs/guides/index", list[str]()
    while path:
        walked.append(path.removeprefix("/docs/guides/"))
        following = re.search(r'rel="next" href="([^"]+)"', (await shared_world.http.get(path)).text)
        path = urljoin(path, following[1]) if following else ""
    assert walked == list(contents.pages())


# The pages


async def test_every_link_and_anchor_of_every_page_leads_somewhere(shared_world: World) -> None:
    pages = {f"/docs/guides/{path}": await page_at(shared_world, f"/docs/guides/{path}") for path in PAGES}
    pages |= {path: await page_at(shared_world, path) for path in ("/docs", "/docs/search?q=order")}
    targets = {urljoin(at, link) for at, page in pages.items() for link in (*page.links, *page.fetched)}
    inside = {
        target for target in targets if not urlsplit(target).netloc and not target.startswith(("data:", "mailto:"))
    }
    others = {urldefrag(target).url for target in inside} - pages.keys()
    statuses = {path: (await shared_world.http.get(path)).status_code for path in sorted(others)}
    assert {path: status for path, status in statuses.items() if status != 200} == {}
    anchors = [urldefrag(target) for target in inside if "#" in target]
    assert [anchor for anchor in anchors if anchor.fragment not in pages[anchor.url].ids] == []
    assert {urlsplit(url).netloc for page in pages.values() for url in page.fetched} == {""}


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_whole_and_allowed_by_its_policy(shared_world: World, path: str) -> None:
    page = await page_at(shared_world, f"/docs/guides/{path}")
    assert (page.unbalanced, len(page.ids)) == ([], len(set(page.ids)))
    assert (page.tags.count("h1"), "style" in page.tags, "style" in page.attributes) == (1, False, False)


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_there_as_markdown(shared_world: World, path: str) -> None:
    answer = await shared_world.http.get(f"/docs/guides/{path}.md")
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.text == (DOCS / f"{path}.md").read_text()


async def test_pictures_are_served_and_not_sent_again(shared_world: World) -> None:
    for path, kind in (("images/console-order.png", "image/png"), ("operate/plots", "image/svg+xml")):
        file = next(iter((DOCS / path).glob("*.svg")), DOCS / path)
        url = f"/docs/guides/{file.relative_to(DOCS)}"
        answer = await shared_world.http.get(url)
        assert (answer.headers["Content-Type"].partition(";")[0], answer.content) == (kind, file.read_bytes())
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        again = await shared_world.http.get(url, headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "nothing",
        "operate/nothing.md",
        "operate/",
        "operate/..%2f..%2fpyproject.toml",
        "%2e%2e/%2e%2e/README.md",
        "%00",
        "<script>alert(1)</script>",
        "x" * 3000,
    ],
)
async def test_an_address_without_a_guide_is_answered_with_a_page_that_searches(shared_world: World, path: str) -> None:
    answer = await shared_world.http.get(f"/docs/guides/{path}")
    page = HtmlPage(answer.text)
    assert (answer.status_code, page.unbalanced) == (404, [])
    assert "There is no guide at this address." in answer.text
    assert (await shared_world.http.get(urljoin(str(answer.url), page.fetched[1]))).status_code == 200
    assert "<script>alert" not in answer.text


@pytest.mark.parametrize("path", ["images/nothing.png", "images/..%2f..%2f..%2fetc/x.svg", "%00.png"])
async def test_a_picture_that_is_not_there_is_not_found(shared_world: World, path: str) -> None:
    assert (await shared_world.http.get(f"/docs/guides/{path}")).status_code == 404


# From Markdown


def test_raw_html_and_links_that_run_stay_text() -> None:
    blocks = [f"# {ATTACK}", ATTACK, "[x](javascript:alert(1))", f"| {ATTACK} |\n|---|\n| `{ATTACK}` |"]
    guide = markdown.render("\n\n".join([*blocks, f"```{ATTACK}\n{ATTACK}\n```\n"]))
    page = HtmlPage(str(guide.html))
    assert not {"script", "img"} & set(page.tags)
    assert [link for link in page.links if not link.startswith("#")] == []
    assert page.unbalanced == []


def test_links_to_pages_lose_their_ending_and_others_stay() -> None:
    links = ["a.md", "../b/c.md#d", "#e", "https://x.example/readme.md", "images/f.png"]
    html = str(markdown.render(" ".join(f"[x]({link})" for link in links)).html)
    assert HtmlPage(html).links == ["a", "../b/c#d", "#e", "https://x.example/readme.md", "images/f.png"]


def test_headings_have_the_anchors_of_the_site() -> None:
    guide = markdown.render("# One\n\n## `GET /x` and *more*\n\n## Ümlaut – dash\n\n## Same\n\n## Same\n")
    assert [heading.anchor for heading in guide.headings] == ["one", "get-x-and-more", "umlaut-dash", "same", "same_1"]


def test_the_search_knows_the_anchors_of_every_page() -> None:
    for path in PAGES:
        text = contents.markdown(path)
        headings = [heading.anchor for heading in markdown.render(text).headings]
        assert [section.anchor for section in sections.sections(text)] == headings, path


# For programs that read


async def test_llms_txt_has_every_page_with_a_sentence(shared_world: World) -> None:
    text = (await shared_world.http.get("/llms.txt")).text
    assert text.startswith("# Lootkeep\n\n> Lootkeep is a self-hosted service for stores")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    rows = re.findall(r"^- \[[^]]+\]\(docs/guides/(\S+)\.md\): (\S.*\.)$", text, re.MULTILINE)
    assert [path for path, _ in rows] == list(contents.pages())
    assert [sentence for _, sentence in rows if not 15 <= len(sentence) <= 300] == []
