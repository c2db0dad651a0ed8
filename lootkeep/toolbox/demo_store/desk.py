"""The work of staff in the demo: answering tickets and issuing gift cards."""

from __future__ import annotations

from functools import partial

from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import OrderDetails
from lootkeep.domain.tickets import TicketCategory, TicketForm, TicketPriority
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services import gift_cards as gift_cards_service, tickets as tickets_service
from lootkeep.toolbox.demo_store.people import DemoCustomer
from lootkeep.toolbox.demo_store.shop import Shop

# Subject, question, reply, category, and how the SKU of what was bought begins; None: it is about no order.
_TALKS: tuple[tuple[str, str, str, TicketCategory, str | None], ...] = (
    (
        "My key says it was used already",
        "I bought {product} in {order} and the key is refused.",
        "Sorry about that! Here is a new one; the old one is switched off.",
        "delivery",
        "KEY-",
    ),
    (
        "{product} did not arrive",
        "I paid for {product} ({order}) but my balance is the same.",
        "The game server was restarting. It is on your account now.",
        "delivery",
        "CMD-",
    ),
    (
        "Paid twice?",
        "My bank shows two payments for {order}.",
        "One of them is only reserved and will be gone in three days.",
        "payment",
        "",
    ),
    (
        "Wrong edition",
        "I meant to buy the Deluxe Edition. Can I still change {order}?",
        "Yes: we give back the first order, and you can buy the other one.",
        "refund",
        "KEY-EMBER",
    ),
    (
        "Crash on start",
        "{product} closes right after the logo.",
        "Please update your graphics driver and tell us whether it helps.",
        "technical",
        "KEY-",
    ),
    (
        "Cannot log in",
        "The confirmation mail never comes.",
        "We have sent it again; please look into the spam folder, too.",
        "account",
        None,
    ),
)
_PRIORITIES: dict[TicketCategory, TicketPriority] = {"payment": "high", "delivery": "high", "technical": "low"}
# Tickets of the last days, of which some wait for an answer.
_LATEST, _LATELY = 7, 40 * HOUR
# People write soon after they have bought.
_SOON = 6 * DAY
_SECOND_ANSWER = "We have looked at it again and put it right. Please try once more."
_AMOUNTS = (10_00, 15_00, 25_00, 25_00, 50_00, 100_00)


class Desk:
    """The store's staff over the year."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    def begin(self, tickets: int, cards: int, length: int) -> None:
        shop = self._shop
        for number in range(tickets - _LATEST):
            shop.agenda.add(DAY + (length - 3 * DAY) * number // tickets + shop.between(0, DAY), self._ticket)
        for _ in range(_LATEST):
            shop.agenda.add(length - shop.between(HOUR, _LATELY), self._ticket)
        for number in range(cards):
            shop.agenda.add(DAY + (length - 2 * DAY) * number // cards + shop.between(0, DAY), self._card)

    def _agent(self) -> int:
        return self._shop.rng.choice(self._shop.catalogue.staff)

    # Tickets

    async def _ticket(self) -> None:
        shop, rng = self._shop, self._shop.rng
        if not shop.people:
            return
        talk = rng.choice(_TALKS)
        order = self._order_for(talk[4])
        subject, question, answer, category, _ = talk if order else _TALKS[-1]
        person = shop.people[-rng.randrange(1, 1 + min(50, len(shop.people)))]
        words: dict[str, str] = {}
        if order:
            person, details, item = order
            words = {"product": item.product_name, "order": details.order.number}
        ticket_form = TicketForm(
            person.id,
            subject.format(**words),
            question.format(**words),
            _PRIORITIES.get(category, "normal"),
            category,
            order[1].order.id if order else None,
        )
        _, entry = await tickets_service.open_ticket(shop.deps, ticket_form)
        if rng.random() < 0.7:
            shop.agenda.add(shop.between(MINUTE, 2 * HOUR), partial(self._assign, entry.id))
        shop.agenda.add(shop.between(4 * MINUTE, 20 * HOUR), partial(self._answer, entry.id, answer))

    def _order_for(self, sku: str | None) -> tuple[DemoCustomer, OrderDetails, OrderItem] | None:
        """A recent order of a product whose SKU begins with this, of someone whose mailbox does not exist."""
        since = self._shop.clock.now() - _SOON
        fitting = [
            (person, details, item)
            for person, details, at in self._shop.bought
            for item in details.items
            if sku is not None and at > since and (item.sku or "").startswith(sku) and person.email.endswith(".example")
        ]
        return self._shop.rng.choice(fitting) if fitting else None

    async def _assign(self, ticket_id: int) -> None:
        await tickets_service.assign(self._shop.deps, ticket_id, self._agent(), self._agent())

    async def _answer(self, ticket_id: int, words: str) -> None:
        shop, rng = self._shop, self._shop.rng
        if rng.random() < 0.2:
            await tickets_service.note(shop.deps, ticket_id, self._agent(), "Looked at the order: all is well with it.")
        await tickets_service.answer(shop.deps, ticket_id, self._agent(), words)
        if rng.random() < 0.5:
            shop.agenda.add(shop.between(10 * MINUTE, DAY), partial(self._thank, ticket_id))
        else:
            shop.agenda.add(shop.between(DAY, 5 * DAY), partial(self._close, ticket_id))

    async def _thank(self, ticket_id: int) -> None:
        shop = self._shop
        is_solved = shop.rng.random() < 0.8
        words = "That helped, thank you!" if is_solved else "It is still the same, I am afraid."
        await tickets_service.ask(shop.deps, ticket_id, words)
        if is_solved:
            shop.agenda.add(shop.between(MINUTE, 5 * HOUR), partial(self._resolve, ticket_id))
        else:
            shop.agenda.add(shop.between(HOUR, 9 * HOUR), partial(self._answer, ticket_id, _SECOND_ANSWER))

    async def _resolve(self, ticket_id: int) -> None:
        await tickets_service.set_status(self._shop.deps, ticket_id, self._agent(), "resolved")

    async def _close(self, ticket_id: int) -> None:
        await tickets_service.close(self._shop.deps, ticket_id, self._agent(), None)

    # Gift cards

    async def _card(self) -> None:
        shop, rng = self._shop, self._shop.rng
        if not shop.people:
            return
        person, now = rng.choice(shop.people), shop.clock.now()
        terms = GiftCardTerms(
            initial_balance=Hundredths(rng.choice(_AMOUNTS)),
            currency=shop.deps.currency,
            recipient_email=person.email,
            recipient_name=person.name,
            sender_name="Pixel Forge",
            message=rng.choice(("Happy birthday!", "Thank you for your patience.", "You won the weekly draw.")),
            customer_id=person.id,
            order_id=None,
            starts_at=Instant(now + 40 * DAY) if rng.random() < 0.1 else None,
            expires_at=Instant(now + rng.choice((90, 365, 730)) * DAY) if rng.random() < 0.7 else None,
            note=None,
        )
        card, code = await gift_cards_service.create(shop.deps, terms, None)
        if terms.starts_at is not None:
            return
        chance = rng.random()
        if chance < 0.35:
            shop.agenda.add(shop.between(HOUR, 30 * DAY), partial(self._tender, person, code))
        elif chance < 0.65:
            part = Hundredths(card.initial_balance // rng.choice((1, 2, 4)))
            shop.agenda.add(shop.between(HOUR, 30 * DAY), partial(self._redeem, card.id, part))
        elif chance < 0.75:
            shop.agenda.add(shop.between(DAY, 30 * DAY), partial(self._revoke, card.id))

    async def _tender(self, person: DemoCustomer, code: str) -> None:
        """The card pays for an order, or for part of it."""
        shop = self._shop
        basket = [line for line in shop.basket() if line[0].delivery_type != "gift_card"][:1]
        if not basket:
            return
        details = await shop.place(person, basket, gift_card_code=code)
        if details.order.status == "pending":
            shop.agenda.add(shop.between(MINUTE, 9 * MINUTE), partial(shop.pay, person, details.order.id))
        elif details.order.status == "paid":
            shop.deliver(details)

    async def _redeem(self, card_id: int, amount: Hundredths) -> None:
        await gift_cards_service.redeem(self._shop.deps, card_id, amount, None, f"till-{card_id}")

    async def _revoke(self, card_id: int) -> None:
        await gift_cards_service.revoke(self._shop.deps, card_id, "sent to the wrong player")
