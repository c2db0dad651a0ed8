"""The output of `webhooks listen`: readable for people, one JSON object per line for programs."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec
from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.text import Text

from lootkeep.domain.receiving import SignatureCheck
from lootkeep.kernel.clock import Instant, iso

# More of a body than anyone reads on a screen; `--json` has all of it.
_SHOWN_LINES = 100


class Arrival(msgspec.Struct, frozen=True):
    """A request as it arrived, and the result of its verification."""

    received_at: Instant
    id: str | None
    event_type: str | None
    times_seen: int
    verdict: SignatureCheck | None
    body: bytes


class ListenerResponse(msgspec.Struct, frozen=True):
    """The response of the listener; `words` say why."""

    status: int
    body: bytes
    words: str = ""
    content_type: str = "text/plain"


class FeedEvent(msgspec.Struct, frozen=True):
    """An event as the store's feed returns it."""

    id: int
    event_type: str
    created_at: str
    data: msgspec.Raw


class Screen(Protocol):
    """Where arrivals are shown."""

    def arrived(self, arrival: Arrival) -> None: ...

    def answered(self, arrival: Arrival, answer: ListenerResponse, milliseconds: int) -> None: ...

    def missed(self, event: FeedEvent) -> None: ...


class ReadableOutput:
    """In colour on a terminal, plain when it is piped."""

    def __init__(self, out: Console) -> None:
        self._out = out

    def arrived(self, arrival: Arrival) -> None:
        self._out.print(_head(iso(arrival.received_at), arrival.event_type, arrival.id or "no id"))
        self._print_indented(_signature(arrival.verdict))
        if arrival.times_seen:
            words = f"seen before: this is time {arrival.times_seen + 1} of the same id, handle it once"
            self._print_indented(Text(words, "yellow"))
        self._print_indented(_pretty(arrival.body))

    def answered(self, arrival: Arrival, answer: ListenerResponse, milliseconds: int) -> None:
        words = f"answered {answer.status} after {milliseconds} ms" + (f", {answer.words}" if answer.words else "")
        style = "green" if 200 <= answer.status < 300 else "red"
        # Several may be in progress at a time, so the id identifies it.
        self._print_indented(Text.assemble((clean(words), style), "  ", (clean(arrival.id or "no id"), "dim")))
        self._out.print()

    def missed(self, event: FeedEvent) -> None:
        self._out.print(_head(event.created_at, event.event_type, f"event {event.id}"))
        self._print_indented(Text("missed: it happened while this listener was not running", "yellow"))
        self._print_indented(_pretty(bytes(event.data)))
        self._out.print()

    def _print_indented(self, text: Text) -> None:
        """Line by line: a block with a margin would be cut at the width of the terminal."""
        for line in text.split("\n"):
            self._out.print(Text("  ") + line)


class JsonLines:
    """Each delivery once, after its response."""

    def __init__(self, out: Console) -> None:
        self._out = out

    def arrived(self, arrival: Arrival) -> None:
        pass

    def answered(self, arrival: Arrival, answer: ListenerResponse, milliseconds: int) -> None:
        verdict = arrival.verdict
        self._print_line(
            {
                "kind": "delivery",
                "received_at": iso(arrival.received_at),
                "id": arrival.id,
                "event_type": arrival.event_type,
                "times_seen": arrival.times_seen,
                "signature_ok": verdict.is_valid if verdict else None,
                "fault": verdict.fault if verdict else None,
                "body": _json_or_text(arrival.body),
                "answered": answer.status,
                "answered_after_ms": milliseconds,
                "note": answer.words or None,
            }
        )

    def missed(self, event: FeedEvent) -> None:
        self._print_line({"kind": "missed", "event": event})

    def _print_line(self, value: Any) -> None:
        self._out.out(msgspec.json.encode(value).decode(), highlight=False)


def _head(time: str, event_type: str | None, name: str) -> Text:
    return Text.assemble(
        (time, "dim"), "  ", (clean(event_type or "no event type"), "bold cyan"), "  ", (clean(name), "dim")
    )


def _signature(verdict: SignatureCheck | None) -> Text:
    if verdict is None:
        return Text("signature not checked: give --secret", "yellow")
    return Text(clean(verdict.words), "green" if verdict.is_valid else "bold red")


def _pretty(body: bytes) -> Text:
    try:
        pretty = msgspec.json.format(body, indent=2).decode()
    except (msgspec.DecodeError, UnicodeDecodeError):
        pretty = body.decode("utf-8", "replace") or "(empty body)"
    lines = clean(pretty).splitlines()
    text = Text("\n".join(lines[:_SHOWN_LINES]))
    JSONHighlighter().highlight(text)
    if len(lines) > _SHOWN_LINES:
        text.append(f"\n… {len(lines) - _SHOWN_LINES} more lines", "dim")
    return text


def clean(text: str) -> str:
    """Input from strangers must not control the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def _json_or_text(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body.decode("utf-8", "replace")
