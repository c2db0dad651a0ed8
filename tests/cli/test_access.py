"""`lootkeep token` and `lootkeep user`: who may call, made and listed from the command line."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lootkeep.domain.access import SCOPES
from tests.cli.terminal import Terminal

CREATE = ("token", "create", "--name", "till")


@pytest.fixture
def terminal(terminal: Terminal) -> Terminal:
    """In the folder of a store."""
    terminal.call("migrate")
    return terminal


def make(terminal: Terminal, *options: str) -> str:
    outcome = terminal.call(*CREATE, *(options or ("--all-scopes",)), "--quiet")
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out.strip()


def tokens(terminal: Terminal) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(terminal.call("token", "list", "--json").out)
    return listed


def test_a_token_is_created_listed_and_revoked_by_the_real_commands(terminal: Terminal) -> None:
    created = terminal.run(*CREATE, "--scope", "referrals:read")
    listed = terminal.run("token", "list")
    revoked = terminal.run("token", "revoke", "1")
    secret = created.out.splitlines()[2].strip()
    assert created.out == (f"Token 1 was created in {terminal.database}. It is shown only now:\n\n  {secret}\n\n")
    assert listed.out.splitlines()[1].split() == [
        "1",
        "till",
        f"{secret[:7]}…",
        "owner@localhost",
        "valid",
        "never",
        "referrals:read",
    ]
    assert revoked == (0, f"Token 1 is revoked in {terminal.database}.\n", "")


def test_quiet_prints_the_token_and_nothing_else(terminal: Terminal) -> None:
    outcome = terminal.call(*CREATE, "--all-scopes", "--quiet")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == f"{outcome.out.strip()}\n"
    assert outcome.out.startswith("lk_")
    assert len(outcome.out.strip()) == 46


def test_two_tokens_are_never_the_same(terminal: Terminal) -> None:
    assert make(terminal) != make(terminal)


def test_a_token_carries_the_scopes_it_was_given(terminal: Terminal) -> None:
    make(terminal, "--scope", "orders:write", "--scope", "orders:read", "--scope", "orders:read")
    assert tokens(terminal)[0]["scopes"] == ["orders:read", "orders:write"]


def test_a_token_may_carry_every_scope(terminal: Terminal) -> None:
    make(terminal, "--all-scopes")
    assert tokens(terminal)[0]["scopes"] == sorted(SCOPES)
    assert terminal.call("token", "list").out.splitlines()[1].endswith("all   ")


@pytest.mark.parametrize("options", [[], ["--all-scopes", "--scope", "orders:read"]], ids=["neither", "both"])
def test_either_scopes_or_all_scopes_must_be_given(terminal: Terminal, options: list[str]) -> None:
    outcome = terminal.call(*CREATE, *options)
    assert outcome.sentence == f"Give --scope at least once, or --all-scopes. The scopes are: {', '.join(SCOPES)}."


def test_an_unknown_scope_is_named(terminal: Terminal) -> None:
    outcome = terminal.call(*CREATE, "--scope", "orders:read", "--scope", "orders:eat")
    assert outcome.sentence == "There is no such scope (did you mean orders:read?)."
    assert tokens(terminal) == []


def test_an_unknown_user_is_named(terminal: Terminal) -> None:
    outcome = terminal.call(*CREATE, "--all-scopes", "--user", "nobody@store.test")
    assert outcome.sentence == "User not found."


def test_a_token_belongs_to_the_user_it_was_created_for(terminal: Terminal) -> None:
    terminal.call("user", "add", "Ada@Store.test", "--name", "Ada")
    make(terminal, "--all-scopes", "--user", "ADA@store.test")
    assert tokens(terminal)[0]["user"] == "ada@store.test"


def test_a_token_without_a_user_belongs_to_the_owner(terminal: Terminal) -> None:
    make(terminal)
    assert tokens(terminal)[0]["user"] == "owner@localhost"


def test_json_has_every_field_of_a_token_except_the_secret(terminal: Terminal) -> None:
    secret = make(terminal, "--scope", "orders:read", "--rate-limit", "5")
    outcome = terminal.call("token", "list", "--json")
    (token,) = json.loads(outcome.out)
    assert secret not in outcome.out
    assert token == {
        "id": 1,
        "name": "till",
        "hint": secret[:7],
        "user": "owner@localhost",
        "state": "valid",
        "scopes": ["orders:read"],
        "rate_limit": 5,
        "created_at": token["created_at"],
        "expires_at": None,
        "last_used_at": None,
    }


def test_a_token_expires_after_the_days_it_was_given(terminal: Terminal) -> None:
    make(terminal, "--all-scopes", "--expires", "30")
    (token,) = tokens(terminal)
    lives = datetime.fromisoformat(token["expires_at"]) - datetime.fromisoformat(token["created_at"])
    assert lives == timedelta(days=30)
    assert abs(datetime.fromisoformat(token["created_at"]) - datetime.now(UTC)) < timedelta(minutes=5)


def test_a_limit_of_zero_means_unlimited_and_differs_from_no_own_limit(terminal: Terminal) -> None:
    make(terminal, "--all-scopes", "--rate-limit", "0")
    make(terminal)
    assert [token["rate_limit"] for token in tokens(terminal)] == [0, None]


def test_a_revoked_token_stays_in_the_list_as_revoked(terminal: Terminal) -> None:
    make(terminal)
    terminal.call("token", "revoke", "1")
    assert tokens(terminal)[0]["state"] == "revoked"


def test_revoking_twice_is_not_an_error(terminal: Terminal) -> None:
    make(terminal)
    terminal.call("token", "revoke", "1")
    outcome = terminal.call("token", "revoke", "1")
    assert (outcome.code, outcome.out) == (0, f"Token 1 was already revoked in {terminal.database}.\n")


def test_a_token_that_does_not_exist_cannot_be_revoked(terminal: Terminal) -> None:
    assert terminal.call("token", "revoke", "7").sentence == "Token 7 not found."


def test_a_user_is_added_and_listed(terminal: Terminal) -> None:
    added = terminal.call("user", "add", "ada@store.test", "--name", "Ada Lovelace")
    listed = terminal.call("user", "list")
    assert (added.code, added.err) == (0, "")
    assert added.out.endswith(f" added in {terminal.database}: ada@store.test\n")
    assert [line.split() for line in listed.out.splitlines()] == [
        ["ID", "E-mail", "Name", "Role"],
        ["1", "owner@localhost", "Owner", "Owner"],
        [added.out.split()[1], "ada@store.test", "Ada", "Lovelace", "none"],
    ]
    terminal.call("user", "link", "ada@store.test", "--role", "read-only")
    assert [user["role"] for user in _users(terminal)] == ["Owner", "Read-only"]


def test_users_are_numbered_consecutively(terminal: Terminal) -> None:
    for name in ("ada", "grace"):
        terminal.call("user", "add", f"{name}@store.test", "--name", name)
    assert [user["id"] for user in _users(terminal)] == [1, 2, 3]


def test_json_has_every_field_of_a_user(terminal: Terminal) -> None:
    (owner,) = _users(terminal)
    assert owner == {
        "id": 1,
        "email": "owner@localhost",
        "name": "Owner",
        "is_owner": True,
        "created_at": owner["created_at"],
        "role": "Owner",
    }


@pytest.mark.parametrize("email", ["", "ada", "@store.test", "ada@", "ada @store.test", "a@b\n.test"])
def test_an_invalid_email_is_rejected(terminal: Terminal, email: str) -> None:
    outcome = terminal.call("user", "add", email, "--name", "Ada")
    assert outcome.sentence == "The email field must be a valid e-mail address."


def test_a_user_needs_a_name(terminal: Terminal) -> None:
    outcome = terminal.call("user", "add", "ada@store.test", "--name", "  ")
    assert outcome.sentence == "The name field must not be blank."


def test_an_email_is_unique_in_any_notation(terminal: Terminal) -> None:
    terminal.call("user", "add", "ada@store.test", "--name", "Ada")
    outcome = terminal.call("user", "add", " ADA@store.test", "--name", "Another")
    assert outcome.sentence == "There is already a user with this e-mail address."


@pytest.mark.parametrize("name", ["[bold]Ada[/]", "Ada [red", ":key: Ada", "日本語 😀", "O'Brien \\ Sons"])
def test_a_name_is_listed_as_it_was_entered(terminal: Terminal, name: str) -> None:
    terminal.call("user", "add", "ada@store.test", "--name", name)
    assert f"  {name}  " in terminal.call("user", "list").out


def test_a_link_is_printed_for_a_user_that_exists(terminal: Terminal) -> None:
    terminal.call("user", "add", "ada@store.test", "--name", "Ada")
    link = json.loads(terminal.call("user", "link", "ada@store.test", "--role", "read-only", "--json").out)["link"]
    assert link.startswith("http://127.0.0.1:8000/console/setup?token=")
    public = terminal.call("user", "link", public_url="https://shop.example").out
    assert "  https://shop.example/console/setup?token=" in public
    assert terminal.call("user", "link", "nobody@store.test").sentence == "User not found."


def test_a_second_factor_is_reset_for_a_user_who_exists(terminal: Terminal) -> None:
    terminal.call("user", "add", "ada@store.test", "--name", "Ada")
    assert terminal.call("user", "reset", "ada@store.test").out == "They have no second factor.\n"
    assert json.loads(terminal.call("user", "reset", "ada@store.test", "--json").out) == {"was_on": False}
    assert terminal.call("user", "reset", "nobody@store.test").sentence == "User not found."


def _users(terminal: Terminal) -> list[dict[str, Any]]:
    users: list[dict[str, Any]] = json.loads(terminal.call("user", "list", "--json").out)
    return users


def test_a_user_gets_another_name_and_email(terminal: Terminal) -> None:
    terminal.call("user", "add", "ada@store.test", "--name", "Ada")
    renamed = terminal.call("user", "rename", "ADA@store.test", "--name", "Ada Kim", "--email", "Kim@store.test")
    assert (renamed.code, renamed.out) == (0, "User 2 is now Ada Kim, kim@store.test.\n")
    again = json.loads(terminal.call("user", "rename", "kim@store.test", "--name", "Kim", "--json").out)
    assert (again["name"], again["email"]) == ("Kim", "kim@store.test")
    assert terminal.call("user", "rename", "ada@store.test", "--name", "A").sentence == "User not found."
    assert terminal.call("user", "rename", "kim@store.test").sentence == "Say what changes: --name, --email, or both."
    taken = terminal.call("user", "rename", "kim@store.test", "--email", "owner@localhost")
    assert taken.sentence == "There is already a user with this e-mail address."


def test_a_removed_user_is_not_listed_has_no_tokens_and_can_be_added_again(terminal: Terminal) -> None:
    terminal.call("user", "add", "ada@store.test", "--name", "Ada")
    make(terminal, "--all-scopes", "--user", "ada@store.test")
    removed = terminal.call("user", "remove", "ada@store.test")
    assert (removed.code, removed.out) == (0, f"User 2 is removed from {terminal.database}: ada@store.test\n")
    assert [user["id"] for user in json.loads(terminal.call("user", "list", "--json").out)] == [1]
    assert [(token["user"], token["state"]) for token in tokens(terminal)] == [("removed-2@removed.invalid", "revoked")]
    assert terminal.call("user", "remove", "ada@store.test").sentence == "User not found."
    assert terminal.call("user", "add", "ada@store.test", "--name", "Ada").code == 0


def test_the_last_owner_cannot_be_removed(terminal: Terminal) -> None:
    outcome = terminal.call("user", "remove", "owner@localhost")
    assert outcome.sentence == (
        "No other owner has a password. First make someone an owner, or let an owner choose one by a one-time link."
    )


@pytest.mark.parametrize("words", [("token", "list"), ("user", "list"), (*CREATE, "--all-scopes"), ("mail", "list")])
def test_a_command_in_the_wrong_folder_creates_no_store(
    terminal: Terminal, tmp_path: Path, words: tuple[str, ...]
) -> None:
    terminal.folder = tmp_path / "elsewhere"
    terminal.folder.mkdir()
    refused = terminal.call(*words).sentence
    assert refused.startswith(
        f"There is no store at {terminal.folder}/lootkeep.db. Run this in the folder of the store"
    )
    assert list(terminal.folder.iterdir()) == []
