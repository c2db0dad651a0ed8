"""The HTML of a guide, of the results of a search and of a page that does not exist; and llms.txt."""

from __future__ import annotations

from typing import Any

from lootkeep import __version__
from lootkeep.api.http.guides import contents
from lootkeep.api.http.guides.markdown import render
from lootkeep.api.http.guides.search import MAX_RESULTS, Target
from lootkeep.api.http.guides.sections import summary
from lootkeep.api.http.reference import asset_urls, environment

_ABOUT = "Pages are Markdown; the same pages for people are without `.md`. `openapi.json` describes every endpoint."


def guide(path: str) -> bytes:
    markdown = contents.markdown(path)
    order = [*contents.pages().values()]
    at = order.index(contents.pages()[path])
    around = {"before": order[at - 1] if at else None, "after": order[at + 1] if at + 1 < len(order) else None}
    values = {"page": order[at], "guide": render(markdown), "summary": summary(markdown), **around}
    return _page("guide.html", "../" * (path.count("/") + 2), values)


def search(query: str, results: list[Target]) -> bytes:
    values = {"query": query, "results": results[:MAX_RESULTS], "total": len(results)}
    return _page("search.html", "../", values)


def not_found(path: str) -> bytes:
    """`path` is that of the request, whose depth the links depend on."""
    return _page("not_found.html", "../" * (path.count("/") - 1), {})


def llms_txt() -> bytes:
    """An index for programs that read (https://llmstxt.org): each page with its first sentence."""
    start = contents.pages()[contents.START]
    lines = [f"# {start.title}", "", f"> {summary(contents.markdown(contents.START))}", "", _ABOUT]
    section = ""
    for path, page in contents.pages().items():
        if page.trail[0] != section:
            section = page.trail[0]
            lines += ["", f"## {section}", ""]
        lines.append(f"- [{page.title}](docs/guides/{path}.md): {summary(contents.markdown(path))}")
    return "\n".join([*lines, ""]).encode()


def _page(template: str, root: str, values: dict[str, Any]) -> bytes:
    """`root` leads from the page to the root of the service, so a proxy may add a prefix."""
    urls = asset_urls(root)
    shared = {"root": root, "area": "guides", "assets": urls, "script": urls["page.js"], "version": __version__}
    navigation = {"entries": contents.entries(), "page": None}
    return environment().get_template(template).render(shared | navigation | values).encode()
