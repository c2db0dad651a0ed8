"""Reads an OpenAPI document into what the page shows: groups, operations, responses and shared errors."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from lootkeep.api.http.reference.samples import samples
from lootkeep.api.http.reference.samples.calls import Call
from lootkeep.api.http.reference.schemas import SchemaNode, Schemas
from lootkeep.api.http.reference.shown import ApiDoc, BodyDoc, Event, GroupDoc, OperationDoc, ParameterDoc, ResponseDoc

METHODS = ("get", "post", "put", "delete")
# The order in which a caller needs them.
LOCATIONS = ("path", "query", "header")
# Anchors of the page itself, which no operation may take.
RESERVED = (
    *("main", "events", "introduction", "authentication", "errors"),
    *("filter", "side", "found", "token", "results", "navigation"),
)
_KNOWN_STATUSES = {str(status.value) for status in HTTPStatus}


def read(document: SchemaNode) -> ApiDoc:
    info = document.get("info", {})
    reader = _Reader(document)
    server = urlsplit(reader.server)
    return ApiDoc(
        title=str(info.get("title", "API")),
        version=str(info.get("version", "")),
        description=str(info.get("description", "")),
        origin=f"{server.scheme}://{server.netloc}" if server.netloc else "",
        prefix=reader.prefix,
        is_relative=not reader.server,
        authentication=reader.authentication(),
        groups=reader.groups(),
        events=reader.events(),
        events_description=reader.events_description(),
        errors=reader.errors(),
    )


class _Reader:
    def __init__(self, document: SchemaNode) -> None:
        self._document = document
        self._components: SchemaNode = document.get("components", {})
        self._schemas = Schemas(document)
        self._anchors = {*RESERVED, *map(_shared_anchor, self._components.get("responses", {}))}
        servers = document.get("servers") or [{}]
        self.server = str(servers[0].get("url", ""))
        self.prefix = urlsplit(self.server).path.rstrip("/")

    def authentication(self) -> str:
        schemes = self._components.get("securitySchemes", {}).values()
        return "\n\n".join(str(scheme["description"]) for scheme in schemes if scheme.get("description"))

    def errors(self) -> list[ResponseDoc]:
        """The errors that operations refer to, described once."""
        used = {
            response["$ref"]: status
            for _, _, operation in self._each()
            for status, response in operation.get("responses", {}).items()
            if "$ref" in response and not _is_success(str(status))
        }
        answers = [self._answer(str(status), {"$ref": ref}) for ref, status in used.items()]
        return sorted(answers, key=lambda answer: answer.status)

    def groups(self) -> list[GroupDoc]:
        """In the order of the document's tags; operations with an undeclared tag come last."""
        tags = self._document.get("tags", ())
        described = {str(tag["name"]): str(tag.get("description", "")) for tag in tags}
        members: dict[str, list[OperationDoc]] = {name: [] for name in described}
        for path, method, operation in self._each():
            tag = str(next(iter(operation.get("tags", ())), "Other"))
            members.setdefault(tag, []).append(self._operation(path, method, operation))
        return [
            GroupDoc(self._anchor(f"group-{name}"), name, described.get(name, ""), operations)
            for name, operations in members.items()
            if operations
        ]

    def events(self) -> list[Event]:
        """The document's `webhooks`, each by name."""
        events = []
        for name, item in self._document.get("webhooks", {}).items():
            node = item.get("post", {})
            if body := self._body(node.get("requestBody")):
                headers = [self._parameter(parameter) for parameter in node.get("parameters", ())]
                anchor = self._anchor(f"event-{name}")
                events.append(Event(anchor, str(name), str(node.get("description", "")), headers, body))
        return events

    def events_description(self) -> str:
        """The tag that the events have."""
        tags = {tag for item in self._document.get("webhooks", {}).values() for tag in item["post"].get("tags", ())}
        descriptions = [
            str(tag.get("description", "")) for tag in self._document.get("tags", ()) if tag["name"] in tags
        ]
        return "\n\n".join(descriptions)

    def _each(self) -> Iterator[tuple[str, str, SchemaNode]]:
        for path, item in self._document.get("paths", {}).items():
            for method in METHODS:
                if method in item:
                    yield path, method, item[method]

    def _operation(self, path: str, method: str, node: SchemaNode) -> OperationDoc:
        parameters = [self._parameter(parameter) for parameter in node.get("parameters", ())]
        responses = [self._answer(str(status), response) for status, response in node.get("responses", {}).items()]
        security = node.get("security", self._document.get("security", []))
        body = self._body(node.get("requestBody"))
        full_path = self.prefix + path
        call = Call(
            method,
            full_path,
            client_method=str(node.get("x-client-method", "")),
            is_paged=any(field.name == "meta" and not field.depth for answer in responses for field in answer.fields),
            needed=[parameter for parameter in parameters if parameter.field.is_required],
            body=body,
            needs_token=any(security),
        )
        return OperationDoc(
            anchor=self._anchor(str(node.get("operationId") or f"{method}-{path}")),
            method=method,
            path=full_path,
            summary=str(node.get("summary") or f"{method.upper()} {path}"),
            description=str(node.get("description", "")),
            is_extension=bool(node.get("x-extension")),
            needs_token=any(security),
            scopes=[str(scope) for choice in security for scopes in choice.values() for scope in scopes],
            parameters=_by_location(parameters),
            body=body,
            answers=[answer for answer in responses if _is_success(answer.status)],
            failures=[answer for answer in responses if not _is_success(answer.status)],
            samples=samples(call),
        )

    def _anchor(self, text: str) -> str:
        anchor = base = _slug(text) or "operation"
        number = 2
        while anchor in self._anchors:
            anchor, number = f"{base}-{number}", number + 1
        self._anchors.add(anchor)
        return anchor

    def _parameter(self, node: SchemaNode) -> ParameterDoc:
        node = self._schemas.resolve(node)
        schema: SchemaNode = node.get("schema", {})
        described = {**schema, "description": node.get("description") or schema.get("description", "")}
        is_required = bool(node.get("required"))
        # A URL cannot carry null: "or null" there only means that the parameter is optional.
        field = self._schemas.field(str(node.get("name", "")), described, is_required=is_required)
        example = _text(node["example"] if "example" in node else self._schemas.sample(schema))
        return ParameterDoc(
            location=str(node.get("in", "query")),
            field=dataclasses.replace(field, type=field.type.removesuffix(" or null")),
            example=example,
            prefill=example if is_required else "",
        )

    def _body(self, node: SchemaNode | None) -> BodyDoc | None:
        if node is None:
            return None
        node = self._schemas.resolve(node)
        schema, example = self._content(node)
        return BodyDoc(
            is_required=bool(node.get("required")),
            description=str(node.get("description", "")),
            fields=list(self._schemas.fields(schema)),
            example=example,
        )

    def _answer(self, status: str, node: SchemaNode) -> ResponseDoc:
        answer = self._schemas.resolve(node)
        schema, example = self._content(answer)
        return ResponseDoc(
            status=status,
            name=_error_name(example) or _status_name(status),
            description=str(answer.get("description", "")),
            headers=[str(name) for name in answer.get("headers", {})],
            fields=list(self._schemas.fields(schema)),
            example=example,
            shared=_shared_anchor(node["$ref"]) if "$ref" in node else "",
        )

    def _content(self, node: SchemaNode) -> tuple[SchemaNode, str]:
        """The schema and the example, as text, of the first media type: ours have one."""
        media = next(iter(node.get("content", {}).values()), None)
        return (media["schema"], _pretty(media["example"])) if media else ({}, "")


def _is_success(status: str) -> bool:
    return status.startswith(("1", "2", "3"))


def _error_name(example: str) -> str:
    """The name of the error in our envelope, which differs from HTTP's name of the status."""
    try:
        body = json.loads(example)
    except ValueError:
        return ""
    return str(body.get("error", "")) if isinstance(body, dict) else ""


def _status_name(status: str) -> str:
    return HTTPStatus(int(status)).phrase if status in _KNOWN_STATUSES else ""


def _by_location(parameters: list[ParameterDoc]) -> list[tuple[str, list[ParameterDoc]]]:
    groups = [
        (location, [parameter for parameter in parameters if parameter.location == location]) for location in LOCATIONS
    ]
    return [(location, members) for location, members in groups if members]


def _shared_anchor(ref: str) -> str:
    return _slug("error-" + ref.rsplit("/", 1)[-1])


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


def _pretty(example: Any) -> str:
    return example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
