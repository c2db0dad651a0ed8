"""A SKU belongs to one product, under concurrency too."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from lootkeep.domain.products import PLAIN, Product
from lootkeep.kernel.errors import InvalidFields
from lootkeep.services import products as products_service
from tests.world import World


async def create(world: World, **terms: Any) -> Product:
    return await products_service.create(world.deps, msgspec.structs.replace(PLAIN, **terms))


async def test_a_sku_belongs_to_one_product(world: World) -> None:
    await create(world, sku="S-1")
    axe = await create(world, name="Axe", sku="A-1")
    with pytest.raises(InvalidFields) as at_creation:
        await create(world, sku="S-1")
    with pytest.raises(InvalidFields) as at_change:
        await products_service.change(world.deps, axe.id, {"sku": "S-1"})
    expected = {"sku": ["The sku field has already been taken."]}
    assert (at_creation.value.fields, at_change.value.fields) == (expected, expected)
    assert await products_service.change(world.deps, axe.id, {}) == axe


async def test_only_one_of_many_concurrent_products_gets_a_sku(world: World) -> None:
    answers = await asyncio.gather(*(create(world, sku=f"S-{i % 5}") for i in range(50)), return_exceptions=True)
    assert sorted(answer.sku or "" for answer in answers if isinstance(answer, Product)) == [f"S-{i}" for i in range(5)]
    assert sum(isinstance(answer, InvalidFields) for answer in answers) == 45


async def test_only_one_of_a_concurrent_creation_and_change_gets_the_sku(world: World) -> None:
    others = [await create(world, name=f"Axe {number}") for number in range(10)]
    changes = [products_service.change(world.deps, product.id, {"sku": "S-1"}) for product in others]
    answers = await asyncio.gather(*changes, *(create(world, sku="S-1") for _ in range(10)), return_exceptions=True)
    assert sum(isinstance(answer, Product) for answer in answers) == 1
    assert sum(isinstance(answer, InvalidFields) for answer in answers) == 19
