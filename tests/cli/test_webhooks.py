"""`lootkeep webhooks listen`: what it prints and answers, forwards, fails, delays and remembers."""

from __future__ import annotations

import json
import signal
import time
from typing import Any

import httpx
import pytest

from lootkeep.domain import deliveries as deliveries_rules, signing as signing_rules
from tests.cli.receivers import Listening, Request, listening, receiving
from tests.cli.terminal import SECONDS, Terminal
from tests.ids import CountingIds

ids = CountingIds()
SECRET = ids.webhook_secret()
ORDER = {"order_id": 123, "total": "19.99", "customer_name": "Zoë"}


def delivery(data: object = ORDER, *, secret: str = SECRET, event_type: str = "order.paid", age: int = 0) -> Request:
    """One delivery as the service sends it."""
    delivery_id = ids.delivery_id()
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    body = deliveries_rules.body(delivery_id, event_type, "2026-11-15T12:00:00Z", text).encode()
    return Request(body, signing_rules.headers(body, event_type, delivery_id, [secret], int(time.time()) - age))


def send(server: Listening, request: Request) -> httpx.Response:
    return httpx.post(f"{server.url}hook", content=request.body, headers=request.headers, timeout=SECONDS)


def test_a_delivery_is_verified_printed_and_answered(terminal: Terminal) -> None:
    with listening(terminal, "--secret", SECRET) as server:
        sent = delivery()
        assert send(server, sent).status_code == 200
        output = server.stop()
    lines = output.out.splitlines()
    assert lines[0].endswith(f"Z  order.paid  {sent.id}")
    assert lines[1] == "  signature ok"
    assert json.loads("\n".join(lines[2:-2])) == json.loads(sent.body)
    assert lines[-2].startswith("  answered 200 after ")
    assert (output.code, "\x1b" in output.out) == (0, False)
    assert output.err == "1 delivery, 0 with a bad signature, 0 seen before.\n"


def test_an_invalid_signature_is_explained_and_answered_with_401(terminal: Terminal) -> None:
    genuine = delivery()
    reserialised = Request(json.dumps(json.loads(genuine.body), indent=2).encode(), genuine.headers)
    bad = {
        "wrong secret": delivery(secret=ids.webhook_secret()),
        "the body was re-serialised": reserialised,
        "old timestamp": delivery(age=3600),
        "header missing": Request(genuine.body, {}),
    }
    with listening(terminal, "--secret", SECRET) as server:
        answers = {name: send(server, request) for name, request in bad.items()}
        output = server.stop()
    for name, answer in answers.items():
        assert answer.status_code == 401
        assert answer.text.startswith(f"{name}: ")
        assert f"\n  {answer.text}\n" in output.out
    assert output.err == "4 deliveries, 4 with a bad signature, 0 seen before.\n"


def test_without_a_secret_everything_is_accepted_and_the_output_says_so(terminal: Terminal) -> None:
    with listening(terminal) as server:
        assert "not verified: give --secret" in server.greeting
        assert send(server, delivery()).status_code == 200
        assert "  signature not checked: give --secret\n" in server.stop().out


def test_the_secret_may_come_from_the_environment(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", SECRET)
    with listening(terminal) as server:
        assert send(server, delivery(secret=ids.webhook_secret())).status_code == 401


def test_a_repeated_id_is_pointed_out(terminal: Terminal) -> None:
    with listening(terminal, "--secret", SECRET) as server:
        sent = delivery()
        for _ in range(3):
            send(server, sent)
        output = server.stop(signal.SIGTERM)
    assert [line for line in output.out.splitlines() if "seen before" in line] == [
        "  seen before: this is time 2 of the same id, handle it once",
        "  seen before: this is time 3 of the same id, handle it once",
    ]


def test_requests_of_strangers_cannot_control_the_terminal(terminal: Terminal) -> None:
    hostile = json.dumps({"id": "\x1b[2J", "event_type": "\u009b31m"}, ensure_ascii=False).encode()
    with listening(terminal) as server:
        for body in (b"\x1b]0;title\x07 \xff", hostile, "\u009b1m[bold]red[/]".encode(), b""):
            assert send(server, Request(body, {})).status_code == 200
        output = server.stop()
    assert not {"\x1b", "\x07", "\x9b"} & set(output.out)
    assert "[bold]red[/]" in output.out
    assert "(empty body)" in output.out


def test_a_request_is_forwarded_unchanged_and_gets_the_targets_answer(terminal: Terminal) -> None:
    with (
        receiving(lambda request: (418, b"I am a teapot")) as other,
        listening(terminal, "--secret", SECRET, "--forward", f"{other.url}?a=1") as server,
    ):
        sent = delivery()
        answer = send(server, sent)
        output = server.stop()
    (forwarded,) = other.received
    assert (answer.status_code, answer.content) == (418, b"I am a teapot")
    assert forwarded.body == sent.body
    assert sent.headers.items() <= forwarded.headers.items()
    assert forwarded.path == "/hook?a=1"
    assert "  answered 418 after " in output.out


def test_an_unreachable_forward_target_is_502_with_the_reason(terminal: Terminal) -> None:
    with receiving(lambda request: (200, b"")) as gone:
        url = gone.url
    with listening(terminal, "--forward", url) as server:
        answer = send(server, delivery())
    assert (answer.status_code, answer.text) == (502, "the forward URL cannot be reached: connection refused")


def test_errors_can_be_answered_on_purpose_although_the_target_succeeded(terminal: Terminal) -> None:
    with (
        receiving(lambda request: (200, b"done")) as other,
        listening(terminal, "--secret", SECRET, "--fail", "503", "--forward", other.url) as server,
    ):
        assert send(server, delivery()).status_code == 503
    assert len(other.received) == 1


def test_answers_can_be_delayed_on_purpose(terminal: Terminal) -> None:
    with listening(terminal, "--slow", "0.3") as server:
        started = time.monotonic()
        assert send(server, delivery()).status_code == 200
        assert time.monotonic() - started >= 0.3


def test_json_output_is_one_object_per_line(terminal: Terminal) -> None:
    with listening(terminal, "--secret", SECRET, "--json") as server:
        good, bad = delivery(), delivery(secret=ids.webhook_secret())
        for sent in (good, good, bad, Request(b"no json", {})):
            send(server, sent)
        output = server.stop()
    first, again, refused, noise = map(json.loads, output.out.splitlines())
    assert first == first | {
        "kind": "delivery",
        "id": good.id,
        "event_type": "order.paid",
        "times_seen": 0,
        "signature_ok": True,
        "fault": None,
        "body": json.loads(good.body),
        "answered": 200,
        "note": None,
    }
    assert again["times_seen"] == 1
    assert (refused["signature_ok"], refused["fault"], refused["answered"]) == (False, "wrong secret", 401)
    assert (noise["id"], noise["body"], noise["fault"]) == (None, "no json", "header missing")


def test_ids_except_forged_ones_are_remembered_across_a_restart(terminal: Terminal) -> None:
    options = ("--secret", SECRET, "--resume", "seen.jsonl", "--json")
    sent, forged = delivery(), delivery(secret=ids.webhook_secret())
    with listening(terminal, *options) as server:
        send(server, sent)
        send(server, forged)
        server.stop()
    with (terminal.folder / "seen.jsonl").open("ab") as file:
        file.write(b'{"id":"cut off by a cra')
    with listening(terminal, *options) as server:
        send(server, sent)
        send(server, forged)
        output = server.stop()
    assert [json.loads(line)["times_seen"] for line in output.out.splitlines()] == [1, 0]


def test_events_missed_while_not_listening_are_printed_from_the_feed(terminal: Terminal) -> None:
    with terminal.serving(rate_limit_per_minute="0") as store:
        options = (
            "--secret",
            SECRET,
            "--resume",
            "seen.jsonl",
            "--api",
            store.url,
            "--token",
            store.token,
            "--json",
        )
        _new_product(store.url, store.token, "Sword")
        with listening(terminal, *options) as server:
            assert "No events missed." in server.greeting
            _new_product(store.url, store.token, "Shield")
            arrived = _events(store.url, store.token)[-1]
            send(server, _as_delivery(arrived))
            server.stop()
        _new_product(store.url, store.token, "Helmet")
        with listening(terminal, *options) as server:
            assert "1 event missed." in server.greeting
            send(server, delivery())
            output = server.stop()
        with listening(terminal, *options) as server:
            assert "No events missed." in server.greeting
    missed, _ = map(json.loads, output.out.splitlines())
    assert (missed["kind"], missed["event"]["event_type"], missed["event"]["data"]["product_name"]) == (
        "missed",
        "product.created",
        "Helmet",
    )


def test_reading_the_feed_continues_when_the_rate_limit_allows(terminal: Terminal) -> None:
    event = {"id": 8, "event_type": "order.paid", "created_at": "2026-11-15T12:00:00Z", "data": ORDER}
    page = {"success": True, "data": {"events": [event], "next_cursor": 8, "has_more": False}}
    answers = [(429, b"{}"), (200, json.dumps(page).encode())]
    (terminal.folder / "seen.jsonl").write_text('{"cursor":7}\n')
    with receiving(lambda request: answers.pop(0)) as store:
        options = ("--resume", "seen.jsonl", "--api", f"{store.origin}/api/external/v1/", "--token", "lk_x")
        with listening(terminal, *options) as server:
            assert "The store's rate limit is reached; reading continues in 0 s.\n" in server.greeting
            send(server, delivery())
            output = server.stop()
    assert [request.path for request in store.received] == ["/api/external/v1/events?after=7&limit=100"] * 2
    assert "order.paid  event 8\n  missed: it happened while this listener was not running\n" in output.out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--secret", "whsec_short"], "The secret must be given as it was shown, from whsec_ to the last character."),
        (["--forward", "localhost:3000"], "--forward takes a URL that starts with http:// or https://."),
        (["--forward", "http://a@b/"], "--forward takes a URL in ASCII, with a host and without a user name."),
        (
            ["--api", "http://127.0.0.1:1"],
            "--api, --token and --resume must be used together: the file stores the position in the event feed.",
        ),
        (["--resume", "no/such/folder"], "no/such/folder cannot be used: No such file or directory."),
        (
            ["--resume", "letter.txt"],
            "letter.txt was not written by `lootkeep webhooks listen`: use another file.",
        ),
    ],
)
def test_impossible_arguments_are_reported_in_a_sentence(terminal: Terminal, options: list[str], sentence: str) -> None:
    text_file = terminal.folder / "letter.txt"
    text_file.write_text("Dear Mira,")
    assert terminal.call("webhooks", "listen", "--port", "0", *options).sentence == sentence
    assert text_file.read_text() == "Dear Mira,"


def test_a_port_in_use_is_reported_in_a_sentence(terminal: Terminal) -> None:
    with receiving(lambda request: (200, b"")) as other:
        port = other.url.split(":")[2].partition("/")[0]
        outcome = terminal.call("webhooks", "listen", "--port", port)
    assert outcome.sentence == f"Port {port} is in use. Stop what listens there, or choose another with --port."


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b'{"success":false,"message":"Unauthenticated."}', "answered 401: Unauthenticated."),
        (200, b"<html>", "answered 200: this is not a Lootkeep service."),
    ],
)
def test_an_unreadable_feed_is_reported_in_a_sentence(terminal: Terminal, status: int, body: bytes, words: str) -> None:
    with receiving(lambda request: (status, body)) as store:
        options = ("--resume", "seen.jsonl", "--api", store.origin, "--token", "lk_x")
        outcome = terminal.run("webhooks", "listen", "--port", "0", *options)
    assert outcome.code == 1
    assert outcome.err.endswith(f"Error: The event feed at {store.origin}/api/external/v1/events {words}\n")


def _new_product(url: str, token: str, name: str) -> None:
    body = {"name": name, "price": "5.00", "delivery_type": "file", "file_url": "https://files.example/1"}
    answer = httpx.post(
        f"{url}/api/store/v1/products", json=body, headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS
    )
    assert answer.status_code == 201, answer.text


def _events(url: str, token: str) -> list[dict[str, Any]]:
    answer = httpx.get(f"{url}/api/external/v1/events", headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS)
    events: list[dict[str, Any]] = answer.json()["data"]["events"]
    return events


def _as_delivery(event: dict[str, Any]) -> Request:
    delivery_id = ids.delivery_id()
    data = json.dumps(event["data"])
    body = deliveries_rules.body(delivery_id, event["event_type"], event["created_at"], data).encode()
    return Request(body, signing_rules.headers(body, event["event_type"], delivery_id, [SECRET], int(time.time())))
