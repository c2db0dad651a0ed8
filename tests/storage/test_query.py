"""Statements: compiled once per dialect, arguments in the right places, rows as records."""

from __future__ import annotations

import msgspec
import pytest
from sqlalchemy import Text, bindparam, delete, false, func, insert, literal, null, select, true, update

from lootkeep.domain.access import User
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.dialect import IsOneOf
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import tokens, users

ADA = {"email": "ada@store.test", "name": "Ada", "is_owner": True, "created_at": 5}
BOB = ADA | {"is_owner": False}
_COLUMNS = [users.c[name] for name in User.__struct_fields__]
ADD = Query(insert(users).values({name: bindparam(name) for name in ADA}).returning(*_COLUMNS), User)


class Flag(msgspec.Struct, frozen=True):
    name: str
    is_owner: bool


def test_a_statement_is_compiled_once_for_each_dialect() -> None:
    query = Query(select(users.c.id).where(users.c.email == bindparam("email")))
    assert query.sqlite is query.sqlite
    assert query.postgres is query.postgres
    assert "users.email = ?" in query.sqlite.sql
    assert "users.email = $1" in query.postgres.sql


def test_arguments_are_bound_by_name_even_when_used_twice() -> None:
    query = Query(
        update(users)
        .where(users.c.created_at < bindparam("now"), users.c.email == bindparam("address"))
        .values(created_at=bindparam("now"))
    )
    assert list(query.sqlite.arguments({"address": "a", "now": 1})) == [1, 1, "a"]


def test_literals_in_the_statement_need_no_argument() -> None:
    query = Query(select(users.c.id).where(users.c.name == "Ada", users.c.id > bindparam("after")).limit(3))
    assert list(query.sqlite.arguments({"after": 7}))[:2] == ["Ada", 7]


def test_a_missing_argument_is_an_error_and_not_null() -> None:
    query = Query(select(users.c.id).where(users.c.email == bindparam("email")))
    with pytest.raises(KeyError):
        query.sqlite.arguments({})


def test_a_record_whose_fields_are_not_the_columns_is_rejected_when_the_query_is_created() -> None:
    with pytest.raises(TypeError, match="its query returns"):
        Query(select(users.c.is_owner, users.c.name), Flag)


def test_a_returning_clause_is_checked_against_the_record_too() -> None:
    with pytest.raises(TypeError, match="its query returns"):
        Query(insert(users).values(name=bindparam("name")).returning(users.c.name), Flag)


async def test_a_row_becomes_its_record_with_real_booleans(db: Engine) -> None:
    async with db.write() as tx:
        (ada,) = await tx.all(ADD, **ADA)
    assert ada == User(1, "ada@store.test", "Ada", True, Instant(5))
    assert ada.is_owner is True


async def test_a_query_without_a_record_returns_tuples(db: Engine) -> None:
    async with db.read() as tx:
        rows = await tx.all(Query(select(literal(1), literal("two"))))
    assert rows == [(1, "two")]


async def test_a_boolean_expression_is_a_boolean_on_both_engines(db: Engine) -> None:
    query = Query(select(true().label("yes"), false().label("no"), (literal(2) > literal(1)).label("more")))
    async with db.read() as tx:
        (row,) = await tx.all(query)
    assert [type(value) for value in row] == [bool, bool, bool]
    assert row == (True, False, True)


async def test_a_boolean_missing_from_a_join_is_null_and_not_false(db: Engine) -> None:
    query = Query(
        select(users.c.name, users.c.is_owner)
        .select_from(select(literal(1).label("one")).subquery().outerjoin(users, users.c.email == bindparam("email")))
        .order_by(users.c.id)
    )
    async with db.read() as tx:
        row = await tx.one(query, email="nobody@store.test")
    assert row == (None, None)


async def test_a_boolean_inside_a_subquery_is_a_boolean(db: Engine) -> None:
    async with db.write() as tx:
        await tx.run(ADD, **ADA)
    inner = select(users.c.name, users.c.is_owner).subquery()
    async with db.read() as tx:
        flags = await tx.all(Query(select(inner.c.name, inner.c.is_owner), Flag))
    assert flags == [Flag("Ada", True)]
    assert flags[0].is_owner is True


async def test_null_round_trips(db: Engine) -> None:
    async with db.write() as tx:
        (ada,) = await tx.all(ADD, **ADA)
        values = {"name": "t", "digest": "d", "hint": "h", "scopes": "", "created_at": 1}
        statement = insert(tokens).values(**values, user_id=ada.id, rate_limit=bindparam("limit"), expires_at=null())
        row = await tx.one(Query(statement.returning(tokens.c.rate_limit, tokens.c.expires_at)), limit=None)
    assert row == (None, None)


@pytest.mark.parametrize("text", ["", "O'Brien", '"; DROP TABLE users; --', "日本語 😀", "a%b_c\\d", "line\nbreak\t"])
async def test_any_text_round_trips(db: Engine, text: str) -> None:
    async with db.write() as tx:
        (user,) = await tx.all(ADD, **(ADA | {"name": text}))
    assert user.name == text


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)])
async def test_any_64_bit_number_round_trips(db: Engine, number: int) -> None:
    async with db.write() as tx:
        (user,) = await tx.all(ADD, **(ADA | {"created_at": number}))
    assert user.created_at == number


async def test_one_returns_none_when_there_is_no_row(db: Engine) -> None:
    async with db.read() as tx:
        assert await tx.one(Query(select(users.c.id).where(users.c.id == bindparam("id")).limit(1)), id=99) is None


async def test_a_count_is_a_plain_integer_on_both_engines(db: Engine) -> None:
    async with db.read() as tx:
        row = await tx.one(Query(select(func.count()).select_from(users)))
    assert row == (0,)


# Many rows of values in one statement


def test_postgresql_takes_many_rows_as_one_array_for_each_name() -> None:
    query = Query(
        update(users)
        .where(users.c.email == bindparam("address"), users.c.is_owner == literal(True))
        .values(name=bindparam("new_name"), created_at=bindparam("now")),
        set_based=True,
    )
    rows = [{"address": "a", "new_name": "A", "now": 1}, {"address": "b", "new_name": "B", "now": 2}]
    assert query.postgres_set.sql == (
        "UPDATE users SET name=given.new_name, created_at=given.now"
        " FROM unnest($1::TEXT[], $2::BIGINT[], $3::TEXT[]) AS given(new_name, now, address)"
        " WHERE users.email = given.address AND users.is_owner = $4::BOOLEAN"
    )
    assert query.postgres_set.arguments(rows) == [["A", "B"], [1, 2], ["a", "b"], True]


def test_a_subquery_of_a_set_sees_the_same_row_of_values() -> None:
    namesake = select(tokens.c.user_id).where(tokens.c.name == bindparam("name")).scalar_subquery()
    query = Query(delete(users).where(users.c.email == bindparam("address"), users.c.id == namesake), set_based=True)
    assert query.postgres_set.sql.replace("\n", "") == (
        "DELETE FROM users USING unnest($1::TEXT[], $2::TEXT[]) AS given(address, name)"
        " WHERE users.email = given.address"
        ' AND users.id = (SELECT tokens.user_id FROM tokens WHERE tokens.name = given."name")'
    )


def test_a_set_cannot_have_an_offset_or_hidden_parameters() -> None:
    with pytest.raises(TypeError, match="must not have its own OFFSET"):
        _ = Query(select(users.c.id).offset(bindparam("skip"))).postgres_set
    hidden = IsOneOf(users.c.name, bindparam("names", type_=Text))
    with pytest.raises(TypeError, match="cannot take many rows"):
        _ = Query(select(users.c.id).where(hidden)).postgres_set


async def test_writing_many_rows_at_once_equals_writing_them_one_by_one(db: Engine) -> None:
    add = Query(insert(users).values({name: bindparam(name) for name in ADA}).inline(), set_based=True)
    rename = Query(
        update(users).where(users.c.email == bindparam("address")).values(name=bindparam("new_name")), set_based=True
    )
    remove = Query(delete(users).where(users.c.email == bindparam("address")), set_based=True)
    people = [BOB | {"email": f"{number}@store.test", "name": str(number)} for number in range(5)]
    async with db.write() as tx:
        await tx.execute_many(add, people)
        await tx.execute_many(
            rename, [{"address": f"{number}@store.test", "new_name": f"new {number}"} for number in (1, 3)]
        )
        await tx.execute_many(remove, [{"address": f"{number}@store.test"} for number in (0, 4)])
        rows = await tx.all(Query(select(users.c.name, users.c.is_owner).order_by(users.c.email)))
    assert rows == [("new 1", False), ("2", False), ("new 3", False)]


async def test_a_select_returns_rows_for_each_row_of_values(db: Engine) -> None:
    found_by_time = Query(
        select(*_COLUMNS)
        .where(users.c.created_at == bindparam("time"))
        .order_by(users.c.name.desc())
        .limit(bindparam("size"))
        .with_for_update(skip_locked=True),
        User,
    )
    async with db.write() as tx:
        for number in range(6):
            await tx.run(ADD, **(BOB | {"email": f"{number}@x.test", "name": str(number), "created_at": number % 2}))
        rows = await tx.fetch_for_each(
            found_by_time, [{"time": 0, "size": 2}, {"time": 1, "size": 1}, {"time": 9, "size": 5}]
        )
    assert sorted((user.created_at, user.name) for user in rows) == [(0, "2"), (0, "4"), (1, "5")]
    assert all(user.is_owner is False for user in rows)
