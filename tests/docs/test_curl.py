"""Every call that a page shows is made, and answers what the page shows.

`python -m tests.docs.test_curl docs/api/referrals.md` writes the answers of a page again; look at them before you keep
them. A page whose calls need something in the store has a line in tests/docs/before.py.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import in_process
from tests.docs import curls
from tests.docs.answers import as_shown, differences, written
from tests.docs.before import BEFORE, DISPOSABLE, PageEnvironment, small_store
from tests.docs.curls import SHOWN_TOKEN, CurlRequest, Example, PageError
from tests.receiver import Receiver
from tests.rules.tree import ROOT, name

PAGES = curls.pages()
# Many calls in a second from one token, a receiver on this machine, and a mail server that never answers.
SETTINGS = {
    "rate_limit_per_minute": 0,
    "webhook_allow_insecure": True,
    "smtp_url": "smtp://127.0.0.1:1",
    "mail_from": "shop@store.example",
}
# What the worker does shows up a moment later.
PATIENCE_SECONDS = 300

each_page = pytest.mark.parametrize("page", PAGES, ids=name)


def test_there_are_pages_with_calls() -> None:
    assert ROOT / "docs/quickstart.md" in PAGES


@each_page
async def test_every_call_answers_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    async with staged(page, tmp_path) as (stage, token):
        sentences = [sentence for example in curls.examples(page) for sentence in await _faults(stage, token, example)]
    command = f"python -m tests.docs.test_curl {name(page)}"
    assert not sentences, "\n".join(["", *sentences, f"`{command}` writes the answers again."])


@each_page
def test_every_answer_follows_a_call(page: Path) -> None:
    lines = [f"{name(page)}:{line}" for line in curls.stray_answers(page)]
    assert not lines, f"{', '.join(lines)} show answers without a call of their own just above."


@asynccontextmanager
async def staged(page: Path, folder: Path) -> AsyncIterator[tuple[PageEnvironment, str]]:
    """A new store for the page, with what its calls need."""
    _write_lists(folder / "lootkeep-data")
    async with Receiver() as receiver, in_process.service(folder, **SETTINGS) as (http, token):
        stage = PageEnvironment(http, receiver)
        http.headers["Authorization"] = f"Bearer {token}"
        await BEFORE.get(name(page), small_store)(stage)
        # From here on a call has only the headers that the page gives it.
        http.headers.pop("Authorization")
        yield stage, token


def _write_lists(folder: Path) -> None:
    folder.mkdir()
    (folder / "disposable.txt").write_text(f"{DISPOSABLE}\n")


async def answered(stage: PageEnvironment, request: CurlRequest, token: str) -> httpx.Response:
    request = stage.known.applied(request)
    headers = {key: value.replace(SHOWN_TOKEN, token) for key, value in request.headers.items()}
    return await stage.http.request(request.method, request.path, headers=headers, content=request.body)


async def last_answer(stage: PageEnvironment, token: str, example: Example) -> tuple[CurlRequest, httpx.Response]:
    """Makes the calls of a block; the answer that is shown is that to the last."""
    requests = curls.requests(example, token)
    responses = [await answered(stage, request, token) for request in requests]
    return requests[-1], responses[-1]


async def _faults(stage: PageEnvironment, token: str, example: Example) -> list[str]:
    try:
        request, response = await last_answer(stage, token, example)
        shown = _shown(example)
    except PageError as mistake:
        return [str(mistake)]
    if response.is_success is not _is_meant_to_succeed(shown):
        return [_sentence(example, request, [f"the service answered {response.status_code} {response.text}"])]
    if shown is None:
        return []
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_SECONDS
    while mismatches := differences(_in_store(stage, shown), response.json()):
        if request.method != "GET" or loop.time() > deadline:
            break
        # The worker is in this process.
        await asyncio.sleep(0)
        response = await answered(stage, request, token)
    stage.known.learn(request, shown, response.json())
    return [_sentence(example, request, mismatches)] if mismatches else []


def _shown(example: Example) -> Any:
    if example.answer is None:
        return None
    try:
        return json.loads(example.answer.text)
    except ValueError as error:
        raise PageError(f"{example.place}: the answer below is no JSON ({error}).") from None


def _in_store(stage: PageEnvironment, shown: Any) -> Any:
    """The answer with the texts that are by chance as this store has them."""
    return json.loads(stage.known.text(json.dumps(shown, ensure_ascii=False)))


def _is_meant_to_succeed(shown: Any) -> bool:
    return not isinstance(shown, dict) or shown.get("success") is not False


def _sentence(example: Example, request: CurlRequest, mismatches: list[str]) -> str:
    return "\n    ".join([f"{example.place}: {request}", *mismatches])


def write(page: Path) -> None:
    """Puts what the service answers into the page."""
    text = page.read_text()
    for start, end, new in reversed(asyncio.run(_new_answers(page))):
        text = text[:start] + new + text[end:]
    page.write_text(text)


async def _new_answers(page: Path) -> list[tuple[int, int, str]]:
    """The position of each response, and what should be there."""
    replaced: list[tuple[int, int, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        async with staged(page, Path(folder)) as (stage, token):
            for example in curls.examples(page):
                request, response = await last_answer(stage, token, example)
                shown = _shown(example)
                if response.is_success is not _is_meant_to_succeed(shown):
                    raise SystemExit(_sentence(example, request, [response.text]))
                if example.answer:
                    given = _as_on_page(stage, response.json())
                    stage.known.learn(request, shown, response.json())
                    new = written(as_shown(given, shown)) + "\n"
                    replaced.append((example.answer.start, example.answer.end, new))
    return replaced


def _as_on_page(stage: PageEnvironment, given: Any) -> Any:
    text = json.dumps(given, ensure_ascii=False)
    for shown, live in stage.known.texts.items():
        text = text.replace(live, shown)
    return json.loads(text)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        write(Path(argument).resolve())
