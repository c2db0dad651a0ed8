"""Bodies around their JSON: an empty one, its content type, and its size."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator

import httpx
import pytest

from lootkeep.api.http.routes import MAX_BODY, MAX_LARGE_BODY
from tests.api.bodies import BRONZE, send
from tests.world import World


async def test_an_empty_body_is_an_empty_object(shared_world: World) -> None:
    answer = await send(shared_world, b"")
    assert answer.status_code == 422
    assert sorted(answer.json()["errors"]) == ["name", "referrals_required", "reward_type", "reward_value"]


async def test_an_empty_body_needs_no_content_type(shared_world: World) -> None:
    answer = await shared_world.post("/referrals/tiers", content=b"", headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.json()["error"]) == (422, "Validation Error")


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", " application/json ;charset=UTF-8"],
)
async def test_json_is_accepted_by_its_name(world: World, content_type: str) -> None:
    answer = await send(world, json.dumps(BRONZE).encode(), Content_Type=content_type)
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonx",
        "json",
    ],
)
async def test_another_content_type_is_rejected(shared_world: World, content_type: str) -> None:
    answer = await send(shared_world, json.dumps(BRONZE).encode(), Content_Type=content_type)
    assert_unsupported(answer)


async def test_a_body_without_a_content_type_is_rejected(world: World) -> None:
    answer = await world.post("/referrals/tiers", content=json.dumps(BRONZE).encode())
    assert_unsupported(answer)


@pytest.mark.parametrize("coding", ["gzip", "br", "identity, gzip"])
async def test_a_compressed_body_is_rejected(shared_world: World, coding: str) -> None:
    answer = await send(shared_world, gzip.compress(json.dumps(BRONZE).encode()), Content_Encoding=coding)
    assert_unsupported(answer, "The request body must not be compressed.")
    plain = await send(shared_world, json.dumps(BRONZE).encode(), Content_Encoding="Identity")
    assert plain.status_code == 201


def assert_unsupported(
    answer: httpx.Response, message: str = "The request body must be sent as application/json."
) -> None:
    assert answer.status_code == 415
    assert answer.json() == {
        "success": False,
        "error": "Unsupported Media Type",
        "code": "unsupported_media_type",
        "message": message,
    }


def of_size(size: int) -> bytes:
    body = json.dumps(BRONZE).encode()
    return body + b" " * (size - len(body))


async def in_chunks(content: bytes, size: int = 64 * 1024) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def test_a_body_of_the_largest_size_is_accepted(world: World) -> None:
    assert (await send(world, of_size(MAX_BODY))).status_code == 201


async def test_a_chunked_body_of_the_largest_size_is_accepted(world: World) -> None:
    assert (await send(world, in_chunks(of_size(MAX_BODY)))).status_code == 201


async def test_a_larger_body_is_rejected_by_its_announced_length(world: World) -> None:
    assert_too_large(await send(world, of_size(MAX_BODY + 1)))


async def test_a_larger_body_is_rejected_before_any_of_it_is_read(world: World) -> None:
    read = []

    async def unread() -> AsyncIterator[bytes]:
        read.append("a chunk")
        yield b"{}"

    assert_too_large(await send(world, unread(), Content_Length=str(MAX_BODY + 1)))
    assert read == []


async def test_a_larger_chunked_body_is_rejected_as_soon_as_it_is_too_large(world: World) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 64 * 1024
            yield b" " * (64 * 1024)

    assert_too_large(await send(world, endless()))
    assert read <= MAX_BODY + 2 * 64 * 1024


async def test_a_body_longer_than_its_announced_length_is_rejected_too(world: World) -> None:
    assert_too_large(await send(world, in_chunks(of_size(MAX_BODY + 1)), Content_Length="10"))


def assert_too_large(answer: httpx.Response) -> None:
    assert answer.status_code == 413
    assert answer.json() == {
        "success": False,
        "error": "Payload Too Large",
        "code": "payload_too_large",
        "message": "The request body must not be larger than 64 KiB.",
    }


CAMPAIGN = {"name": "Winter sale", "subject": "20% off"}


async def create_campaign(world: World, size: int, **fields: str) -> httpx.Response:
    body = json.dumps(CAMPAIGN | fields).encode()
    content = body + b" " * (size - len(body))
    return await world.post("/email-campaigns", content=content, headers={"Content-Type": "application/json"})


async def test_a_row_with_long_texts_accepts_a_mebibyte(world: World) -> None:
    answer = await create_campaign(world, MAX_LARGE_BODY, body_html="x" * 500_000, body_text="x" * 500_000)
    assert answer.status_code == 201


async def test_a_row_with_long_texts_refuses_more_than_a_mebibyte(shared_world: World) -> None:
    answer = await create_campaign(shared_world, MAX_LARGE_BODY + 1)
    assert answer.status_code == 413
    assert answer.json()["message"] == "The request body must not be larger than 1 MiB."


async def test_a_large_body_is_checked_like_a_small_one(shared_world: World) -> None:
    answer = await create_campaign(shared_world, MAX_LARGE_BODY, subject="")
    assert (answer.status_code, answer.json()["errors"]) == (422, {"subject": ["The subject field must not be empty."]})


@pytest.mark.parametrize("digits", [5000, 19, 100])
async def test_a_content_length_of_many_digits_is_too_large(world: World, digits: int) -> None:
    assert_too_large(await send(world, in_chunks(b"{}"), Content_Length="9" * digits))


async def test_leading_zeros_in_a_content_length_do_not_matter(world: World) -> None:
    body = json.dumps(BRONZE).encode()
    answer = await send(world, in_chunks(body), Content_Length="0" * 5000 + str(len(body)))
    assert answer.status_code == 201
