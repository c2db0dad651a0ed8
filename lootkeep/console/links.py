"""Links to pages that the role of who asks may not open: their text stays, and a button or a way on is left out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lootkeep.console.page import PREFIX, Page, Visit, row_path

_LINK = re.compile(rf'<a\b([^>]*) href="{PREFIX}([^"?#]*)[^"]*"([^>]*)>(.*?)</a>', re.DOTALL)
_WAY_ON = re.compile(r'class="(?:[^"]* )?(?:button|small)\b')


class Links:
    def __init__(self, pages: Mapping[str, Page]) -> None:
        self._pages = pages
        self._scopes = {page.scope for page in pages.values() if page.scope}

    def may_open(self, visit: Visit, path: str) -> bool:
        scope = self._pages[path].scope
        return scope is None or visit.user.may(scope)

    def only_open(self, visit: Visit, html: str) -> str:
        """The page without links that would be answered by 403."""

        def link_or_text(link: re.Match[str]) -> str:
            before, path, after, text = link.groups()
            path = row_path(path)
            if path not in self._pages or self.may_open(visit, path):
                return link[0]
            return "" if _WAY_ON.search(before + after) else text.removesuffix(" →")

        is_open = visit.person is None or all(map(visit.user.may, self._scopes))
        return html if is_open else _LINK.sub(link_or_text, html)
