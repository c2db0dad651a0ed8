"""Webhooks from the command line, `trigger`, `events tail`, and a listener that subscribes by itself."""

from __future__ import annotations

import json
import queue
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from lootkeep.api.http.openapi import events
from lootkeep.domain.events import EVENT_TYPES, SPECIFIED_TYPES
from tests.cli.receivers import Listening, Request, listening, receiving
from tests.cli.terminal import KEY, SECONDS, Terminal
from tests.conftest import ENGINES
from tests.ports import free_port


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, terminal: Terminal) -> Terminal:
    """A store on each engine in turn."""
    terminal.settings |= {"secret_key": KEY, "log_level": "warning"}
    if request.param == "postgresql":
        terminal.settings["database_url"] = request.getfixturevalue("new_postgres_url")
    assert terminal.call("migrate").code == 0
    return terminal


def webhooks(store: Terminal, *options: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(store.call("webhooks", "list", "--json", *options).out)
    return listed


def arrivals(listener: Listening, count: int) -> Iterator[dict[str, Any]]:
    """The next deliveries that a listener prints as JSON."""
    assert listener.process.stdout
    for _ in range(count):
        yield json.loads(listener.process.stdout.readline())


def test_a_listener_receives_every_type_of_event_that_is_triggered_and_leaves_nothing_behind(store: Terminal) -> None:
    with store.serving("--dev"):
        for options in ((), ("--test",)):
            with listening(store, "--json", *options) as listener:
                (own,) = webhooks(store, *options)
                outcomes = [store.call("trigger", event_type, *options) for event_type in EVENT_TYPES]
                received = list(arrivals(listener, len(EVENT_TYPES)))
                ended = listener.stop()
            assert {outcome.code for outcome in outcomes} == {0}
            assert own["url"] == f"{listener.url}lootkeep-listen"
            assert {arrival["event_type"]: arrival["body"]["data"] for arrival in received} == {
                name: example["data"] for name, example in events.examples().items()
            }
            assert {arrival["signature_ok"] for arrival in received} == {True}
            assert (ended.code, webhooks(store, *options)) == (0, [])


def test_a_terminated_listener_removes_its_webhook_and_a_killed_one_leaves_it_to_the_next(
    store: Terminal,
) -> None:
    with listening(store) as listener:
        assert listener.stop(signal.SIGTERM).code == 0
    assert webhooks(store) == []
    port = str(free_port())
    with listening(store, "--port", port) as listener:
        listener.process.kill()
        listener.process.wait(SECONDS)
    (left,) = webhooks(store)
    with listening(store, "--port", port, "--event", "order.*") as listener:
        (own,) = webhooks(store)
        listener.stop()
    assert own["id"] != left["id"]
    assert own["events"] == [name for name in SPECIFIED_TYPES if name.startswith("order.")]
    assert webhooks(store) == []


def test_a_listener_at_the_url_of_a_webhook_uses_its_secret_and_keeps_it(store: Terminal) -> None:
    port = str(free_port())
    with listening(store, "--port", port) as listener:
        url = listener.url
        listener.stop()
    assert store.call("webhooks", "create", f"{url}hook", webhook_allow_insecure="true").code == 0
    before = webhooks(store)
    number = str(before[0]["id"])
    with listening(store, "--json", "--port", port) as listener:
        assert store.call("webhooks", "test", number, webhook_allow_insecure="true").code == 0
        (arrival,) = arrivals(listener, 1)
        listener.stop()
    assert arrival["signature_ok"]
    assert webhooks(store) == before


def test_in_production_a_listener_does_not_subscribe(terminal: Terminal) -> None:
    terminal.settings |= {"secret_key": KEY, "environment": "production"}
    assert terminal.call("migrate").code == 0
    with listening(terminal) as listener:
        assert "not verified: give --secret" in listener.greeting
        assert webhooks(terminal) == []
        listener.stop()


def test_a_delivery_is_sent_again_with_the_same_id(store: Terminal) -> None:
    arrived: queue.Queue[Request] = queue.Queue()

    def answer(request: Request) -> tuple[int, bytes]:
        arrived.put(request)
        return 200, b"thanks"

    store.settings["webhook_allow_insecure"] = "true"
    with receiving(answer) as receiver, store.serving():
        created = json.loads(store.call("webhooks", "create", receiver.url, "--event", "order.paid", "--json").out)
        assert store.call("trigger", "order.paid").out == (
            "order.paid is recorded; the service sends it to 1 webhook within a few seconds.\n"
        )
        first = arrived.get(timeout=SECONDS)
        again = store.call("webhooks", "redeliver", first.id)
        second = arrived.get(timeout=SECONDS)
    assert again.out == f"{first.id} is sent again to webhook {created['id']}.\n"
    assert (second.id, second.body) == (first.id, first.body)


def test_a_webhook_is_created_listed_and_tested(terminal: Terminal) -> None:
    terminal.call("migrate")
    statuses = [200, 503]
    terminal.settings["webhook_allow_insecure"] = "true"
    with receiving(lambda _: (statuses.pop(0), b"")) as receiver:
        created = terminal.call("webhooks", "create", receiver.url)
        listed = terminal.call("webhooks", "list").out.splitlines()
        delivered, refused = terminal.call("webhooks", "test", "1"), terminal.call("webhooks", "test", "1")
    assert created.out.startswith(
        f"Webhook 1 was created in {terminal.database} for *. Its secret is shown only now:\n\n  whsec_"
    )
    assert [line.split() for line in listed] == [["ID", "State", "URL", "Events"], ["1", "active", receiver.url, "*"]]
    assert (delivered.code, delivered.out.startswith("Delivered: answered 200 after ")) == (0, True)
    assert (refused.code, refused.out.startswith("Not delivered: answered 503; ")) == (1, True)


def test_the_command_line_permits_what_the_running_server_permits(store: Terminal) -> None:
    with receiving(lambda _: (200, b"")) as receiver:
        with store.serving("--dev"):
            created = store.call("webhooks", "create", receiver.url)
            sent = store.call("webhooks", "test", "1")
        in_production = store.call("webhooks", "create", receiver.url, environment="production")
        with store.serving():
            afterwards = store.call("webhooks", "create", receiver.url)
    assert (created.code, sent.code) == (0, 0), created.err + sent.err
    assert in_production.sentence == "The url field must be an HTTPS URL."
    assert afterwards.sentence.startswith("The url field must be an HTTPS URL (")


def test_an_invalid_setup_is_rejected_with_a_sentence(terminal: Terminal) -> None:
    terminal.call("migrate")
    url = terminal.call("webhooks", "create", "http://127.0.0.1:9/hook")
    event = terminal.call("webhooks", "create", "https://shop.example/hook", "--event", "order.payed")
    assert url.sentence.startswith("The url field must be an HTTPS URL (LOOTKEEP_WEBHOOK_ALLOW_INSECURE=true or ")
    assert event.sentence.startswith(
        "The events field contains an unknown event type (did you mean order.paid?); known types: order.created"
    )
    assert terminal.call("webhooks", "test", "7").sentence == "Webhook not found."
    assert terminal.call("webhooks", "redeliver", "wh_7").sentence == "Delivery not found."


def test_an_unknown_event_cannot_be_triggered_and_the_error_lists_the_known_ones(terminal: Terminal) -> None:
    output = terminal.call("trigger", "order.payed")
    assert output.sentence == f"There is no such event type. Known types: {', '.join(EVENT_TYPES)}."


def test_in_production_events_are_triggered_in_the_sandbox_only(terminal: Terminal) -> None:
    terminal.settings |= {"secret_key": KEY, "environment": "production"}
    terminal.call("migrate")
    output = terminal.call("trigger", "order.paid")
    assert output.sentence == (
        "In production, a sample event would reach the receivers of the store. Use --test for the sandbox."
    )
    assert json.loads(terminal.call("trigger", "order.paid", "--test", "--json").out)["receivers"] == 0
    assert terminal.call("events", "tail", "--no-follow").out == ""


def test_events_are_printed_as_they_happen(store: Terminal) -> None:
    for event_type in ("product.created", "order.created", "order.paid"):
        assert store.call("trigger", event_type).code == 0
    with store.start("events", "tail", "--last", "2") as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(2)]
        store.call("trigger", "order.refunded")
        lines.append(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=SECONDS)
    assert [line.split()[1:3] for line in lines] == [
        ["2", "order.created"],
        ["3", "order.paid"],
        ["4", "order.refunded"],
    ]
    assert (process.returncode, rest, errors) == (0, "", "")


def test_events_can_be_read_as_json(store: Terminal) -> None:
    store.call("trigger", "order.paid")
    (event,) = [json.loads(line) for line in store.call("events", "tail", "--no-follow", "--json").out.splitlines()]
    assert (event["id"], event["event_type"], event["data"]["order_id"]) == (1, "order.paid", 123)
