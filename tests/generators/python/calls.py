"""Calls a store with the client that openapi-python-client made, and prints what came of it."""

import json
import os
from typing import Any

from store_client import AuthenticatedClient
from store_client.api.products import get_product, list_products
from store_client.api.referrals import create_tier, list_tiers
from store_client.api.store_products import create_product
from store_client.models import (
    DeliveryType,
    Failure,
    ListProductsSort,
    ProductBody,
    ProductConfirmation,
    ProductPageResponse,
    ProductStatus,
    RewardType,
    TierBody,
    TierConfirmation,
    TierListResponse,
)

URL, TOKEN = os.environ["STORE_URL"], os.environ["STORE_TOKEN"]


def client(token: str = TOKEN) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=URL, token=token)


def bronze(name: str = "Bronze", required: int = 5) -> TierBody:
    return TierBody(
        name=name,
        referrals_required=required,
        reward_type=RewardType.PERCENTAGE_DISCOUNT,
        reward_value="10.00",
    )


def failure(answer: Any) -> dict[str, Any]:
    assert isinstance(answer, Failure), answer
    fields = sorted(answer.errors.to_dict()) if answer.errors else []
    return {"success": answer.success, "error": answer.error, "code": answer.code, "fields": fields}


def tiers() -> dict[str, Any]:
    created = create_tier.sync(client=client(), body=bronze(), idempotency_key="once")
    assert isinstance(created, TierConfirmation), created
    again = create_tier.sync(client=client(), body=bronze(), idempotency_key="once")
    assert isinstance(again, TierConfirmation), again
    listed = list_tiers.sync(client=client())
    assert isinstance(listed, TierListResponse), listed
    return {
        "message": created.message,
        "reward": created.data.formatted_reward,
        "is replayed": again.data.id == created.data.id,
        "names": [tier.name for tier in listed.data],
    }


def products() -> dict[str, Any]:
    for name, price in (("Hexgarden", "19.99"), ("Gold", "4.50"), ("Crown", "9")):
        body = ProductBody(name=name, price=price, delivery_type=DeliveryType.MANUAL)
        last = create_product.sync(client=client(), body=body)
        assert isinstance(last, ProductConfirmation), last
    response = list_products.sync_detailed(
        client=client(),
        status=ProductStatus.ACTIVE,
        min_price="5",
        sort=ListProductsSort.PRICE,
        per_page=1,
    )
    assert isinstance(response.parsed, ProductPageResponse), response
    last_product = get_product.sync(last.data.id, client=client())
    assert last_product is not None
    assert not isinstance(last_product, Failure)
    return {
        "most_expensive": [product.name for product in response.parsed.data],
        "total": response.parsed.meta.total,
        "limit": response.headers["X-RateLimit-Limit"],
        "price": last_product.data.price,
        "description": last_product.data.description,
    }


def rejections() -> dict[str, Any]:
    return {
        "no name": failure(create_tier.sync(client=client(), body=bronze("", -1))),
        "nobody's token": failure(list_tiers.sync(client=client("lk_nobody"))),
        "no such product": failure(get_product.sync(4711, client=client())),
    }


print(json.dumps({"tiers": tiers(), "products": products(), "rejections": rejections()}))
