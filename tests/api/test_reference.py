"""The reference page shows all that the OpenAPI document says, and nothing in it can run."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest

from lootkeep import wiring
from lootkeep.api.http import reference
from lootkeep.api.http.guides import contents
from lootkeep.api.http.reference.operations import read
from lootkeep.api.http.reference.samples import LANGUAGES
from tests.api.reference_document import sample

ATTACK = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
# Also where the little Markdown makes elements of its own.
HOSTILE = f"{ATTACK} `{ATTACK}` **{ATTACK}**\n\n- {ATTACK}"


class ReferencePage(HTMLParser):
    """What a browser would make of the page: its elements, and the text in each section with an id."""

    def __init__(self, document: Any) -> None:
        super().__init__()
        self.html = reference.render(read(document)).decode()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.unlabelled: list[str] = []
        self._labels = 0
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._labels += tag == "label"
        if tag in ("input", "select", "textarea") and not self._labels:
            self.unlabelled.append(str(dict(attrs).get("id")))

    def handle_endtag(self, tag: str) -> None:
        self._labels -= tag == "label"

    def all(self, attribute: str) -> list[str]:
        return [str(attributes[attribute]) for _, attributes in self.elements if attribute in attributes]

    def section(self, anchor: str) -> str:
        """The words of one operation, without markup, in single spaces."""
        html = self.html.split(f'id="{anchor}"', 1)[1].split("</section>", 1)[0].split(">", 1)[1]
        return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)))


def test_an_operation_shows_its_method_full_path_scope_and_description() -> None:
    words = ReferencePage(sample()).section("create-tier")
    assert "Create a tier post /api/external/v1/referrals/tiers Copy The reward is fixed" in words
    assert "Needs a token with scope referrals:write" in words


def test_a_parameter_shows_default_limits_and_allowed_values_as_text() -> None:
    words = ReferencePage(sample()).section("list-tiers")
    assert "page integer Default 1" in words
    assert "per_page integer Rows on a page. 1 to 100. Default 15" in words
    assert "status string Only tiers in this state. One of active inactive" in words


def test_a_body_shows_required_fields_unions_and_limits() -> None:
    words = ReferencePage(sample()).section("create-tier")
    assert "name string required Shown to customers . 1 to 255 characters." in words
    assert "reward_value number or string required At least 0.01." in words
    assert "reward_type string required One of percentage_discount fixed_discount" in words


def test_both_notations_of_a_nullable_field_read_or_null() -> None:
    words = ReferencePage(sample()).section("create-tier")
    assert "description string or null" in words
    assert "reward_currency string or null Null for percentage tiers." in words


def test_nested_fields_are_indented_and_an_object_that_contains_itself_is_reported_once() -> None:
    html = ReferencePage(sample()).html.split('id="place-order"')[1]
    names = re.findall(r'<tr(?: class="(d\d)")?><th scope="row"><code>(\w+)', html.split("</table>")[0])
    assert names == [("", "items"), ("d1", "product_id"), ("d1", "bundle"), ("", "customer"), ("d1", "email")]
    assert "items array of objects required 1 to 50 items." in ReferencePage(sample()).section("place-order")


def test_every_empty_field_of_a_form_hints_at_a_value() -> None:
    assert "null" not in ReferencePage(wiring.document()).all("placeholder")


def test_the_curl_command_carries_the_example_whatever_quotes_it_has() -> None:
    html = ReferencePage(sample()).html.split('id="place-order"')[1].split('data-language="shell">')[1]
    command = unescape(re.sub(r"<[^>]*>", "", html.split("</code>")[0]))
    words = [word for word in shlex.split(command) if word.strip()]
    assert words[:2] == ["curl", "https://your-store.example/api/store/v1/orders"]
    assert json.loads(words[words.index("-d") + 1])["items"][0]["note"] == "it's a gift"


def test_the_curl_command_fills_the_path_with_the_example() -> None:
    assert "/api/external/v1/referrals/tiers/3' \\ -X DELETE" in ReferencePage(sample()).section("delete-tier")


def test_an_operation_has_a_tab_for_each_language_and_the_first_is_open() -> None:
    page = ReferencePage(sample())
    tabs = [attributes for tag, attributes in page.elements if attributes.get("name") == "language-create-tier"]
    assert [tab["value"] for tab in tabs] == [language.key for language in LANGUAGES]
    assert ["checked" in tab for tab in tabs] == [True, *[False] * (len(tabs) - 1)]


def test_the_samples_call_the_methods_of_the_clients_with_the_example() -> None:
    words = ReferencePage(sample()).section("create-tier")
    assert 'client.referrals.tiers.create( name="Bronze", referrals_required=5,' in words
    assert 'await client.referrals.tiers.create({ name: "Bronze", referrals_required: 5,' in words
    assert "$client->referrals->tiers->create([ 'name' => 'Bronze', 'referrals_required' => 5," in words


def test_an_operation_that_no_client_has_is_shown_with_curl_alone() -> None:
    assert ReferencePage(sample()).all("name").count("language-place-order") == 1


def test_only_extensions_carry_the_extension_badge() -> None:
    page = ReferencePage(sample())
    assert "extension" in page.section("place-order")
    assert page.html.count(">extension<") == 1


def test_a_shared_error_is_reported_once_and_linked_from_operations() -> None:
    page = ReferencePage(sample())
    assert page.html.count("NotFound, in a sentence.") == 1
    assert page.all("href").count("#error-NotFound") == 5


def test_every_link_into_the_page_has_its_target_and_no_id_is_used_twice() -> None:
    page = ReferencePage(sample())
    targets = [href.removeprefix("#") for href in page.all("href") if href.startswith("#")]
    assert set(targets) <= set(page.all("id"))
    assert len(page.all("id")) == len(set(page.all("id")))


def test_every_control_has_a_label() -> None:
    page = ReferencePage(sample())
    assert set(page.unlabelled) <= set(page.all("for"))


def test_the_introduction_supports_paragraphs_bold_code_and_bullets() -> None:
    expected = "<p>Referrals and <b>fraud</b> for <code>stores</code>.</p><ul><li>60 requests a minute</li>"
    assert expected in ReferencePage(sample()).html


@pytest.mark.parametrize("document", [{}, {"paths": {"/a": {"get": {}}}}, {"info": {}, "tags": [{"name": "x"}]}])
def test_missing_parts_are_left_out(document: dict[str, Any]) -> None:
    assert "</html>" in ReferencePage(document).html


def hostile(node: Any) -> Any:
    """The document with every text, and every name that is the author's, replaced by an attack."""
    if isinstance(node, dict):
        keep = ("$ref", "type", "in", "format")
        return {key: value if key in keep else hostile(value) for key, value in node.items()}
    if isinstance(node, list):
        return [hostile(value) for value in node]
    return HOSTILE if isinstance(node, str) else node


def test_hostile_text_anywhere_comes_out_as_text() -> None:
    document = hostile(sample())
    document["paths"][f"/{HOSTILE}/{{{HOSTILE}}}"] = document["paths"].pop("/healthz")
    document["components"]["schemas"]["CreateTier"]["properties"][HOSTILE] = {"type": HOSTILE}
    page = ReferencePage(document)
    assert [tag for tag, _ in page.elements if tag in ("script", "img")] == ["script", "script"]
    assert ATTACK not in page.html
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]


def test_the_page_needs_nothing_but_its_own_assets_and_has_no_inline_style_or_script() -> None:
    page = ReferencePage(sample())
    loaded = [href for tag, attrs in page.elements if tag == "link" for href in [str(attrs["href"])]]
    loaded += page.all("src")
    assert all(url.startswith(("data:image/", "docs/reference.", "docs/languages.")) for url in loaded)
    assert not page.all("style")
    assert "<style" not in page.html
    assert re.search(r"<script[^>]*></script>", page.html)


def test_the_page_stays_light_with_120_operations() -> None:
    document = sample()
    item = document["paths"]["/api/external/v1/referrals/tiers"]
    document["paths"] = {f"/things/{number}": item for number in range(60)}
    assert len(reference.render(read(document))) < 120 * 6_000


def test_the_page_links_to_guides() -> None:
    page = ReferencePage(sample())
    assert {f"docs/guides/{path}" for path in reference.GUIDES} <= set(page.all("href"))
    assert set(reference.GUIDES) <= contents.pages().keys()
