"""Traces for an OpenTelemetry collector, sent by OTLP over HTTP from a separate thread."""

from __future__ import annotations

from typing import Literal

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from lootkeep import __version__
from lootkeep.engines.tracing import Attributes

# A collector that does not respond must not delay the end of the process for longer.
_TIMEOUT_SECONDS = 3
_KINDS = {"server": SpanKind.SERVER, "internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}
_SAMPLED = 1
_W3C = TraceContextTextMapPropagator()


class OtlpTracer:
    """OpenTelemetry's own variables set the sampling and the service name."""

    def __init__(self, url: str) -> None:
        own = Resource({SERVICE_NAME: "lootkeep", "service.version": __version__})
        exporter = OTLPSpanExporter(f"{url}/v1/traces", timeout=_TIMEOUT_SECONDS)
        self._provider = TracerProvider(resource=own.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("lootkeep", __version__)

    def start(self, kind: Literal["server", "internal", "client"], parent: str | None) -> OtlpSpan:
        context = _W3C.extract({"traceparent": parent} if parent else {})
        return OtlpSpan(self._tracer.start_span(kind, context, _KINDS[kind]))

    def close(self) -> None:
        self._provider.shutdown()


class OtlpSpan:
    def __init__(self, span: Span) -> None:
        self._span = span
        context = span.get_span_context()
        self.traceparent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags & _SAMPLED:02x}"

    def end(self, name: str, attributes: Attributes, *, is_good: bool) -> None:
        self._span.update_name(name)
        self._span.set_attributes({key: value for key, value in attributes.items() if value is not None})
        if not is_good:
            self._span.set_status(StatusCode.ERROR)
        self._span.end()
