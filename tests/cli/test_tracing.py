"""Traces, as a collector receives them from real processes: one tree from a request to each attempt of a delivery."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import NamedTuple

import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.cli.terminal import KEY, SECONDS, Serving, Terminal, environment
from tests.receiver import Receiver

STORE, EXTERNAL = "/api/store/v1", "/api/external/v1"
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{CALLER}-01"
SETTINGS = {"webhook_allow_insecure": "true", "secret_key": KEY}


class Span(NamedTuple):
    name: str
    service: str
    trace_id: str
    id: str
    parent: str
    attributes: dict[str, str | int]
    is_bad: bool


async def test_one_trace_leads_from_the_request_to_the_delivery(terminal: Terminal) -> None:
    async with Receiver() as receiver, Receiver() as collector:
        with terminal.serving(traces_url=_origin(collector), **SETTINGS) as server:
            await _create_product(server, server.token, receiver, {"traceparent": TRACEPARENT, "X-Request-ID": "abc"})
            (delivery,) = await receiver.wait_for(1)
            await asyncio.to_thread(server.stop)
        spans = _spans(collector)
    request, service, attempt = (
        spans[name] for name in ("POST /api/store/v1/products", "create_product", "deliver product.created")
    )
    assert {span.trace_id for span in (request, service, attempt)} == {TRACE}
    assert [request.parent, service.parent, attempt.parent] == [CALLER, request.id, service.id]
    assert {span.service for span in spans.values()} == {"lootkeep"}
    assert request.attributes == request.attributes | {"http.response.status_code": 201, "lootkeep.request_id": "abc"}
    assert attempt.attributes == attempt.attributes | {
        "http.response.status_code": 200,
        "lootkeep.request_id": "abc",
        "lootkeep.delivery": delivery.json["id"],
        "lootkeep.attempt": 1,
    }
    # Receivers are other companies' services: they have the id of the delivery.
    assert "traceparent" not in delivery.headers


async def test_a_worker_in_a_separate_process_continues_the_trace(terminal: Terminal, new_postgres_url: str) -> None:
    terminal.settings = {"database_url": new_postgres_url, **SETTINGS}
    await asyncio.to_thread(terminal.run, "migrate")
    async with Receiver() as receiver, Receiver() as of_server, Receiver() as of_worker:
        receiver.answers = [500]
        with terminal.serving(traces_url=_origin(of_server)) as server:
            await _create_product(server, server.token, receiver, {"traceparent": TRACEPARENT})
            (delivery,) = await receiver.wait_for(1)
            await asyncio.to_thread(server.stop)
        # Not in five minutes, but now.
        await asyncio.to_thread(terminal.run, "webhooks", "redeliver", delivery.json["id"])
        with terminal.start("worker", traces_url=_origin(of_worker)) as worker:
            await receiver.wait_for(2)
            worker.terminate()
            await asyncio.to_thread(worker.communicate, timeout=SECONDS)
        served, worked = _spans(of_server), _spans(of_worker)
    first, second = served["deliver product.created"], worked["deliver product.created"]
    assert (first.trace_id, second.trace_id) == (TRACE, TRACE)
    assert first.parent == second.parent == served["create_product"].id
    assert (first.is_bad, second.is_bad) == (True, False)
    assert (first.attributes["lootkeep.attempt"], second.attributes["lootkeep.attempt"]) == (1, 2)


async def test_a_request_without_a_usable_trace_context_begins_a_trace(terminal: Terminal) -> None:
    async with Receiver() as receiver, Receiver() as collector:
        with terminal.serving(traces_url=_origin(collector), **SETTINGS) as server:
            await _create_product(server, server.token, receiver, {"traceparent": "00-nonsense"})
            await receiver.wait_for(1)
            output = await asyncio.to_thread(server.stop)
        spans = _spans(collector)
    request = spans["POST /api/store/v1/products"]
    assert request.parent == ""
    assert spans["deliver product.created"].trace_id == request.trace_id
    # The log names the trace, of the request and of the delivery.
    assert output.err.count(request.trace_id) == 2


async def test_an_unreachable_collector_stops_nothing(terminal: Terminal) -> None:
    async with Receiver() as receiver:
        with terminal.serving(traces_url="http://127.0.0.1:1", **SETTINGS) as server:
            await _create_product(server, server.token, receiver, {})
            await receiver.wait_for(1)
            output = await asyncio.to_thread(server.stop)
    assert output.code == -15
    assert "did not end in time" not in output.err


def test_without_a_url_nothing_of_opentelemetry_is_loaded() -> None:
    program = (
        "import sys; from lootkeep import wiring; from lootkeep.cli import serve, worker; wiring.app(); "
        "sys.exit([name for name in sys.modules if name.startswith('opentelemetry')] or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_url_without_the_package_is_rejected_with_what_to_install(terminal: Terminal) -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None; "
        "from lootkeep import cli; sys.argv = ['lootkeep', 'serve', '--port', '0']; cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=terminal.folder,
        env=environment({"traces_url": "http://127.0.0.1:1"}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode != 0
    assert "install `lootkeep[otel]`" in done.stderr


async def _create_product(server: Serving, token: str, receiver: Receiver, headers: dict[str, str]) -> None:
    authorization = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=server.url, headers=authorization, timeout=SECONDS) as http:
        webhook = {"url": receiver.url, "events": ["product.created"]}
        assert (await http.post(f"{EXTERNAL}/webhooks", json=webhook)).status_code == 201
        product = {"name": "VIP rank", "price": "20.00"}
        assert (await http.post(f"{STORE}/products", json=product, headers=headers)).status_code == 201


def _origin(receiver: Receiver) -> str:
    return receiver.url.removesuffix("/hook")


def _spans(collector: Receiver) -> dict[str, Span]:
    """Everything that was exported, by name; what a test looks at happens once."""
    assert {request.path for request in collector.received} == {"/v1/traces"}
    spans = {}
    for request in collector.received:
        for resource in ExportTraceServiceRequest.FromString(request.body).resource_spans:
            (service,) = (row.value.string_value for row in resource.resource.attributes if row.key == "service.name")
            for scope in resource.scope_spans:
                for span in scope.spans:
                    attributes = {row.key: row.value.string_value or row.value.int_value for row in span.attributes}
                    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
                    spans[span.name] = Span(span.name, service, *ids, attributes, span.status.code == 2)
    return spans
