"""Strict JSON: ambiguous or malformed bodies are rejected in the envelope, and never with a 500."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from lootkeep.kernel.clock import SECOND
from tests.api.bodies import BRONZE, send
from tests.world import World

UNPROCESSABLE = {"success": False, "error": "Unprocessable", "code": "malformed_json"}


def with_field(text: str) -> bytes:
    """A good body with one more field, written as it is."""
    return json.dumps(BRONZE).encode()[:-1] + b", " + text.encode() + b"}"


async def rejections(world: World, contents: Iterable[bytes]) -> dict[bytes, str]:
    """Why each body was refused as unprocessable; anything else that happened is reported instead."""
    messages: dict[bytes, str] = {}
    for content in contents:
        answer = await send(world, content)
        rejection = answer.json()
        message = rejection.pop("message", "")
        is_as_expected = answer.status_code == 422 and rejection == UNPROCESSABLE
        messages[content] = message if is_as_expected else answer.text
        world.clock.advance(SECOND)
    return messages


NOT_JSON = [
    b"{",
    b"}",
    b"{} {}",
    b"{}x",
    b'{"name": }',
    b'{"name": "Bronze",}',
    b"{'name': 'Bronze'}",
    b"{name: 1}",
    b'{"name": "Bronze" "referrals_required": 5}',
    b'{"name": "line\nbreak"}',
    b'{"name": "tab\there"}',
    b'{"name": "raw \x00 NUL"}',
    b'{"name": "\\x41"}',
    b'{"name": "\\u12"}',
    b'{"name": "open',
    b'{"a": 01}',
    b'{"a": +1}',
    b'{"a": .5}',
    b'{"a": 1.}',
    b'{"a": 0x10}',
    b'{"a": 1_000}',
    b'{"a": True}',
    b'{"a": undefined}',
    b'{"a": 1} // comment',
    b"/* comment */ {}",
    b" ",
    b"\x0b{}",
    "\u00a0{}".encode(),
    "{\u201cname\u201d: 1}".encode(),
    '{"a": ٣}'.encode(),
    b'{"a": 1e99999999999999999999}',
    b"name=Bronze&referrals_required=5",
    b"<tier/>",
]


async def test_a_body_that_is_not_json_is_rejected(world: World) -> None:
    assert await rejections(world, NOT_JSON) == dict.fromkeys(NOT_JSON, "The request body is not valid JSON.")


@pytest.mark.parametrize("opening", [b'{"a":', b"["])
async def test_ten_thousand_levels_are_rejected_without_harm(shared_world: World, opening: bytes) -> None:
    content = opening * 10_000
    assert (await rejections(shared_world, [content]))[content] == "The request body is not valid JSON."


async def test_a_byte_order_mark_is_rejected(world: World) -> None:
    content = b"\xef\xbb\xbf" + json.dumps(BRONZE).encode()
    assert (await rejections(world, [content]))[content] == "The request body is not valid JSON."


NOT_UTF_8 = [
    '{"a": 1}'.encode("utf-16"),
    '{"a": 1}'.encode("utf-32"),
    '{"name": "Ärger"}'.encode("latin-1"),
    b'{"name": "\xc0\xaf overlong"}',
    b'{"name": "\xed\xa0\x80 a raw surrogate"}',
    b'{"name": "\xf4\x90\x80\x80 beyond Unicode"}',
    b'{"name": "cut short \xe2\x82',
    b"\xff\xfe",
]


async def test_a_body_that_is_not_utf_8_is_rejected(world: World) -> None:
    assert await rejections(world, NOT_UTF_8) == dict.fromkeys(NOT_UTF_8, "The request body must be UTF-8.")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
async def test_utf_16_and_utf_32_without_a_byte_order_mark_are_rejected(shared_world: World, encoding: str) -> None:
    content = json.dumps(BRONZE).encode(encoding)
    assert (await rejections(shared_world, [content]))[content] == "The request body is not valid JSON."


NO_OBJECT = [b"[]", b'[{"name": "Bronze"}]', b'"Bronze"', b"5", b"1.5", b"true", b"null"]


async def test_a_body_that_is_not_an_object_is_rejected(world: World) -> None:
    assert await rejections(world, NO_OBJECT) == dict.fromkeys(NO_OBJECT, "The request body must be a JSON object.")


async def test_nan_and_infinity_are_rejected(world: World) -> None:
    values = ("NaN", "Infinity", "-Infinity", "[NaN]", '{"b": -Infinity}')
    bodies = [with_field(f'"a": {value}') for value in values]
    message = "The request body contains NaN or Infinity, which are not JSON."
    assert await rejections(world, bodies) == dict.fromkeys(bodies, message)


async def test_a_duplicate_key_is_rejected_at_any_depth(world: World) -> None:
    texts = (
        '"a": 1, "a": 1',
        '"name": "Silver"',
        '"a": {"b": 1, "b": 2}',
        '"a": [[{"b": null, "b": null}]]',
        '"a": 1, "\\u0061": 2',
        '"": 1, "": 2',
    )
    bodies = [with_field(text) for text in texts]
    assert await rejections(world, bodies) == dict.fromkeys(bodies, "The request body contains the same key twice.")


async def test_a_duplicate_key_is_found_in_any_context(world: World) -> None:
    texts = (
        '"a:b": ":", "c": {":": 1, ":": 2}',
        r'"\"": 1, "\"": 2',
        r'"a\\": 1, "a\\": "\\\""',
        r'"\u003a": 1, "c": "\u0022:\u0022", ":": 2',
        '"a": 1.5, "b": [{"c": ":::"}], "a": ":"',
    )
    bodies = [with_field(text) for text in texts]
    assert await rejections(world, bodies) == dict.fromkeys(bodies, "The request body contains the same key twice.")


async def test_strings_that_look_like_keys_are_not_keys(world: World) -> None:
    texts = r'"a": ":", "b": "\"a\": 1, \"a\": 2", "c": "\u003a \u0022:\u0022 \\", "d": "{\"x\":1}\\", "e\u003a": 1.5'
    assert (await send(world, with_field(texts))).status_code == 201


async def test_the_same_key_in_different_objects_is_fine(world: World) -> None:
    answer = await send(world, with_field('"a": [{"name": 1}, {"name": 2, "a": {"name": 3}}]'))
    assert answer.status_code == 201


TEMPLATES = ('"description": "a%sb"', '"%s": 1', '"a": [{"b": "%s"}]', '"a": {"%s": {}}', '"a": [["%s"]]')


async def test_a_lone_surrogate_is_rejected_in_keys_and_values(world: World) -> None:
    halves = ("\\ud800", "\\udfff", "\\ude00\\ud83d", "ok \\uD83D", "\\ud83d\\ud83d\\ude00")
    bodies = [with_field(template % half) for template in TEMPLATES for half in halves]
    assert await rejections(world, bodies) == dict.fromkeys(bodies, "The request body contains a lone surrogate.")


async def test_nul_is_rejected_in_keys_and_values(world: World) -> None:
    bodies = [with_field(template % "\\u0000") for template in TEMPLATES]
    assert await rejections(world, bodies) == dict.fromkeys(bodies, "The request body contains a NUL character.")


def nested(depth: int, brackets: str) -> bytes:
    """A good body that is this many levels deep; the body itself is the first level."""
    kinds = [brackets[level % len(brackets)] for level in range(depth - 1)]
    opening = "".join('{"a":' if kind == "{" else "[" for kind in kinds)
    closing = "".join("}" if kind == "{" else "]" for kind in reversed(kinds))
    return with_field(f'"a": {opening}1{closing}')


@pytest.mark.parametrize("brackets", ["{", "[", "[{"])
async def test_thirty_two_levels_are_accepted(world: World, brackets: str) -> None:
    assert (await send(world, nested(32, brackets))).status_code == 201


@pytest.mark.parametrize("brackets", ["{", "[", "[{"])
async def test_thirty_three_levels_are_rejected(shared_world: World, brackets: str) -> None:
    content = nested(33, brackets)
    assert (await rejections(shared_world, [content]))[content] == "The request body is nested deeper than 32 levels."


async def test_the_deepest_part_counts_wherever_it_is(world: World) -> None:
    content = with_field('"a": [1, {"b": 2}], "c": [[], ' + "[" * 31 + "]" * 31 + "]")
    assert (await rejections(world, [content]))[content] == "The request body is nested deeper than 32 levels."


async def test_sibling_brackets_do_not_count_as_depth(world: World) -> None:
    assert (await send(world, with_field('"a": [' + ", ".join(["[{}]"] * 500) + "]"))).status_code == 201


async def test_brackets_in_a_string_do_not_count_as_depth(world: World) -> None:
    assert (await send(world, with_field('"a": "' + "[{" * 100 + '"'))).status_code == 201


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 0])
async def test_a_64_bit_integer_arrives_unchanged(world: World, number: int) -> None:
    answer = await send(world, with_field(f'"sort_order": {number}'))
    assert (answer.status_code, answer.json()["data"]["sort_order"]) == (201, number)


async def test_an_integer_beyond_64_bits_is_rejected(world: World) -> None:
    numbers = (str(2**63), str(-(2**63) - 1), "9" * 20, "-" + "9" * 5000, "1" + "0" * 60_000)
    templates = ('"sort_order": %s', '"a": [{"b": %s}]')
    bodies = [with_field(template % number) for template in templates for number in numbers]
    message = "The request body contains an integer that does not fit into 64 bits."
    assert await rejections(world, bodies) == dict.fromkeys(bodies, message)


async def test_digits_in_a_string_or_a_decimal_do_not_count_as_an_integer(world: World) -> None:
    texts = ('"a": "99999999999999999999"', r'"a\"99999999999999999999": 1', '"a": 0.99999999999999999999')
    answers = [await send(world, with_field(text)) for text in (*texts, '"a": 99999999999999999999.5')]
    assert [answer.status_code for answer in answers] == [201] * 4


@pytest.mark.parametrize(
    "number",
    ["1e999", "-1e999", "1E+400", "1e-999", "1e9999999", "-1e999999999999999999", "10." + "0" * 40 + "1"],
)
async def test_a_number_beyond_any_float_is_judged_by_its_field(shared_world: World, number: str) -> None:
    body = {**BRONZE, "sort_order": "HERE", "reward_value": "HERE"}
    answer = await send(shared_world, json.dumps(body).replace('"HERE"', number).encode())
    assert answer.status_code == 422
    assert sorted(answer.json()["errors"]) == ["reward_value", "sort_order"]


@pytest.mark.parametrize("number", ["1e999", "1e9999999", "0.1e-99999", "123456789012345678901234567890.5"])
async def test_an_unknown_field_may_hold_any_number(world: World, number: str) -> None:
    assert (await send(world, with_field(f'"unknown": {number}'))).status_code == 201


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        ("\\u00c4rger", "Ärger"),
        ("\\ud83d\\ude00", "😀"),
        ("\\\\u0000", "\\u0000"),
        ('a\\/b\\t\\"', 'a/b\t"'),
        ("\\u007f\\ufeff", "\x7f\ufeff"),
        ("𝕊ilver ‮", "𝕊ilver ‮"),
    ],
)
async def test_every_other_string_arrives_unchanged(world: World, escaped: str, text: str) -> None:
    answer = await send(world, with_field(f'"description": "{escaped}"'))
    assert (answer.status_code, answer.json()["data"]["description"]) == (201, text)


@pytest.mark.parametrize("space", [" ", "\t", "\r\n", " \n\t\r " * 100])
async def test_white_space_around_the_object_is_fine(world: World, space: str) -> None:
    assert (await send(world, space.encode() + json.dumps(BRONZE).encode() + space.encode())).status_code == 201


async def test_rejected_input_is_never_echoed(world: World) -> None:
    marks: dict[str, Any] = dict.fromkeys(BRONZE, "<mark>")
    for content in (json.dumps(marks).encode(), b'{"<mark>', b'{"<mark>": 1, "<mark>": 2}', b'"<mark>"'):
        assert "mark" not in (await send(world, content)).text


async def test_no_rejected_body_was_stored(world: World) -> None:
    for content in (with_field('"a": NaN'), with_field('"name": "Silver"'), with_field('"a": "\\ud800"'), b"[]"):
        await send(world, content)
    assert (await world.get("/referrals/tiers")).json()["data"] == []
