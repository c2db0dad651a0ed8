"""The calls that pages show: each `curl` with the answer below it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.rules.tree import ROOT, files, name

# Where every example calls; the test puts the running service in its place.
SHOWN_ADDRESS = "http://127.0.0.1:8000"
SHOWN_TOKEN = "lk_..."

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)^ *```$", re.DOTALL | re.MULTILINE)
_SHELL = ("sh", "bash")
_CALLS = re.compile(r"^\s*curl ", re.MULTILINE)
_ONLY_VARIABLES = re.compile(r"(^\w+=.*\n)+", re.MULTILINE)
# The shell itself splits the line, with its own quoting and variables.
_CURL = "curl() { printf '%s\\0' \"$@\"; printf '\\001\\0'; }\n"
_END = "\x01"
_HEADER, _DATA, _METHOD = ("-H", "--header"), ("-d", "--data"), ("-X", "--request")
_NO_MATTER = ("-s", "-i", "-f", "-v", "-sS", "--silent", "--fail", "--include")


class PageError(Exception):
    """An error in a page, as a sentence."""


@dataclass(frozen=True)
class ExampleResponse:
    """A JSON block: what it says, and its position in the page."""

    line: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Example:
    """A block of calls, and the answer to the last of them where one is shown."""

    page: Path
    line: int
    script: str
    answer: ExampleResponse | None

    @property
    def place(self) -> str:
        return f"{name(self.page)}:{self.line}"


@dataclass(frozen=True)
class CurlRequest:
    """One call as curl would make it."""

    method: str
    path: str
    headers: dict[str, str]
    body: str | None

    def __str__(self) -> str:
        return f"{self.method} {self.path}" + (f" {self.body}" if self.body else "")


def pages() -> list[Path]:
    """Every page that shows a call."""
    every = [ROOT / "README.md", *files("*.md", under=ROOT / "docs")]
    return [page for page in every if any(_is_calling(block) for block in _FENCE.finditer(page.read_text()))]


def examples(page: Path) -> list[Example]:
    text = page.read_text()
    blocks = list(_FENCE.finditer(text))
    variables = ""
    result: list[Example] = []
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        line = text.count("\n", 0, block.start()) + 1
        if block["language"] in _SHELL and _ONLY_VARIABLES.fullmatch(block["code"]):
            variables += block["code"]
        elif _is_calling(block):
            result.append(Example(page, line, variables + block["code"], _answer(text, block, following)))
    return result


def stray_answers(page: Path) -> list[int]:
    """The lines of blocks that look like answers and follow no call."""
    text = page.read_text()
    called = {example.answer.start for example in examples(page) if example.answer}
    return [
        text.count("\n", 0, block.start()) + 1
        for block in _FENCE.finditer(text)
        if block["language"] == "json" and '"success":' in block["code"] and block.start("code") not in called
    ]


def requests(example: Example, token: str) -> list[CurlRequest]:
    """What the block would send."""
    done = subprocess.run(
        ["sh", "-euc", _CURL + example.script],
        env={"TOKEN": token},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise PageError(f"{example.place}: the shell says {done.stderr.strip()}")
    return [_request(example, arguments) for arguments in _split(done.stdout)]


def _is_calling(block: re.Match[str]) -> bool:
    return block["language"] in _SHELL and bool(_CALLS.search(block["code"]))


def _answer(text: str, call: re.Match[str], following: re.Match[str] | None) -> ExampleResponse | None:
    """The JSON that follows at once, or below a few words where it is an answer by its looks."""
    if following is None or following["language"] != "json":
        return None
    is_next = not text[call.end() : following.start()].strip()
    if not is_next and '"success":' not in following["code"]:
        return None
    line = text.count("\n", 0, following.start()) + 1
    return ExampleResponse(line, following.start("code"), following.end("code"), following["code"])


def _split(output: str) -> Iterator[list[str]]:
    arguments: list[str] = []
    for argument in output.split("\0")[:-1]:
        if argument == _END:
            yield arguments
            arguments = []
        else:
            arguments.append(argument)


def _request(example: Example, arguments: list[str]) -> CurlRequest:
    method, body, url, headers = "", None, "", {}
    remaining = iter(arguments)
    for argument in remaining:
        if argument in _HEADER:
            key, _, value = next(remaining).partition(": ")
            headers[key] = value
        elif argument in _DATA:
            body = next(remaining)
        elif argument in _METHOD:
            method = next(remaining)
        elif argument.startswith("-"):
            if argument not in _NO_MATTER:
                raise PageError(f"{example.place}: curl's option {argument} is not known to the test.")
        else:
            url = argument
    if not url.startswith(SHOWN_ADDRESS):
        raise PageError(f"{example.place}: the call goes to {url!r}; examples call {SHOWN_ADDRESS}.")
    if body is not None:
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return CurlRequest(method or ("GET" if body is None else "POST"), path, headers, body)
