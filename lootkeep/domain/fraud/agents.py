"""Which user agents are programs and not people."""

from __future__ import annotations

import re
from functools import lru_cache

# Programs that name themselves. Not here: okhttp, CFNetwork, Dart, Unity and Electron, in which shops build real apps.
_CALLERS = (
    "curl/",
    "wget/",
    "httpie/",
    "postman",
    "insomnia/",
    "python",
    "aiohttp/",
    "httpx/",
    "scrapy",
    "go-http-client",
    "java/",
    "java-http-client/",
    "apache-httpclient",
    "libwww-perl",
    "lwp::",
    "ruby",
    "faraday",
    "php/",
    "guzzlehttp",
    "node-fetch",
    "undici",
    "deno/",
    "bun/",
    "axios/",
    "got (",
    "reqwest/",
    "powershell",
)
_DRIVEN_BROWSERS = ("headless", "phantomjs", "selenium", "webdriver", "puppeteer", "playwright")
_CRAWLERS = ("crawler", "spider", "scraper")

_KNOWN = re.compile("|".join(map(re.escape, (*_CALLERS, *_DRIVEN_BROWSERS, *_CRAWLERS))))
# Googlebot and similar; Cubot makes phones. Node sends only its name.
_BOT = re.compile(r"(?<!cu)bot\b|^node$")


# Most buyers share a few browsers.
@lru_cache(maxsize=4096)
def is_bot(user_agent: str) -> bool:
    text = user_agent.lower()
    return bool(_KNOWN.search(text) or _BOT.search(text))
