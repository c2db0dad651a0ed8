"""A campaign in Markdown: sent with the products and coupons of that moment, refused when one is missing."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY, HOUR, Instant, iso
from tests.api.campaigns import PATH, make, read, reader
from tests.builders import STORE, new_product
from tests.mailbox import MailServer
from tests.worker.campaigning import campaign_worker, work
from tests.world import World

MARKDOWN = "# Hi {{ name }}\n\n[](product:1)\n\n[](coupon:SALE20)\n\n[Look](https://shop.example/sale)"
SALE = {"code": "SALE20", "discount_type": "percentage", "discount_value": 20}


async def test_it_is_sent_as_html_and_text_with_the_price_of_that_moment_and_counted_links(
    world: World, server: MailServer
) -> None:
    await reader(world, name="Ann <b>")
    await new_product(world, name="VIP rank")
    await world.post("/coupons", SALE)
    campaign = await make(world, body_html=None, body_markdown=MARKDOWN)
    assert (campaign["body_html"], campaign["body_text"], campaign["body_markdown"]) == (None, None, MARKDOWN)
    preview = (await world.get(f"{PATH}/{campaign['id']}/preview")).json()["data"]
    assert "$20.00" in preview["html"]
    await world.put(f"{STORE}/products/1", {"price": "25.00"})
    assert (await world.post(f"{PATH}/{campaign['id']}/send", {})).status_code == 200
    await work(world, campaign_worker(world, server))
    (received,) = server.arrived
    text, html = (received.message.get_body((kind,)) for kind in ("plain", "html"))
    assert text is not None
    assert html is not None
    assert "Hi Ann &lt;b&gt;</h1>" in html.get_content()
    for piece in ("Hi Ann <b>", "VIP rank", "$25.00", "20% off, with the code", "SALE20"):
        assert piece in text.get_content()
    assert "https://shop.example/sale" not in html.get_content()
    sent = await read(world, int(campaign["id"]))
    assert "$25.00" in sent["body_html"]
    copy = (await world.post(f"{PATH}/{campaign['id']}/duplicate", {})).json()["data"]
    assert (copy["body_markdown"], copy["body_html"], copy["body_text"]) == (MARKDOWN, None, None)


async def test_a_missing_product_or_coupon_is_named_before_sending(world: World) -> None:
    await reader(world)
    campaign = await make(world, body_html=None, body_markdown=MARKDOWN)
    path = f"{PATH}/{campaign['id']}"
    for answer in (await world.post(f"{path}/send", {}), await world.get(f"{path}/preview")):
        assert (answer.status_code, answer.json()["errors"]) == (
            422,
            {
                "body_markdown": [
                    "Line 3 shows a product that does not exist or is not for sale.",
                    "Line 5 shows a coupon that does not exist or belongs to one customer.",
                ]
            },
        )
    assert (await read(world, int(campaign["id"])))["status"] == "draft"


async def test_a_coupon_must_be_valid_when_a_scheduled_campaign_is_sent(world: World) -> None:
    await reader(world)
    await new_product(world)
    ends = Instant(world.clock.now() + 2 * DAY)
    await world.post("/coupons", SALE | {"ends_at": iso(ends)})
    campaign = await make(world, body_html=None, body_markdown=MARKDOWN)
    path = f"{PATH}/{campaign['id']}/send"
    later = {"scheduled_at": iso(Instant(ends + DAY))}
    assert "expired" in (await world.post(path, later)).json()["errors"]["body_markdown"][0]
    assert (await world.post(path, {"scheduled_at": iso(Instant(ends - DAY))})).status_code == 200
    await world.put("/coupons/1", {"is_active": False})
    world.clock.advance(DAY + HOUR)
    await work(world, campaign_worker(world, None))
    failed = await read(world, int(campaign["id"]))
    error = "Line 5 shows a coupon that is switched off when the e-mail is sent."
    assert (failed["status"], failed["error"]) == ("failed", error)


async def test_what_is_written_last_counts_and_both_at_once_are_refused(world: World) -> None:
    campaign = await make(world)
    path = f"{PATH}/{campaign['id']}"
    changed = (await world.put(path, {"body_markdown": "# Hi"})).json()["data"]
    assert (changed["body_html"], changed["body_text"], changed["body_markdown"]) == (None, None, "# Hi")
    changed = (await world.put(path, {"body_html": "<p>Ho</p>"})).json()["data"]
    assert (changed["body_html"], changed["body_text"], changed["body_markdown"]) == ("<p>Ho</p>", "Ho\n", None)
    both = await world.put(path, {"body_html": "<p>Ho</p>", "body_markdown": "# Hi"})
    wrong = await world.put(path, {"body_markdown": "Dear {{ first_name }}"})
    large = await world.put(path, {"body_markdown": "é" * 30_000})
    assert [list(answer.json()["errors"]) for answer in (both, wrong, large)] == [["body_markdown"]] * 3


async def test_a_campaign_that_failed_is_sent_again_with_the_price_of_that_moment(
    world: World, server: MailServer
) -> None:
    await reader(world, email="gone@mail.example")
    await new_product(world, name="VIP rank")
    campaign = await make(world, body_html=None, body_markdown="[](product:1)")
    await world.post(f"{PATH}/{campaign['id']}/send", {})
    working = campaign_worker(world, server)
    await work(world, working)
    assert (await read(world, int(campaign["id"])))["status"] == "failed"
    await world.put(f"{STORE}/products/1", {"price": "25.00"})
    await reader(world)
    await world.post(f"{PATH}/{campaign['id']}/send", {})
    await work(world, working)
    assert "$25.00" in server.arrived[0].part("plain")
