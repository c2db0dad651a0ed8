"""What can be undone: the table of acts, each with the act that reverses it and the form that does so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lootkeep.console import forms
from lootkeep.console.page import Done, Undo, Visit, url
from lootkeep.domain.tickets import STEPS

# From what the log holds before and after the act, and from the form that was sent, to the form of the reverse act;
# None if there is no way back.
Reverse = Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, str]], Mapping[str, Any] | None]


def _before(**names: str) -> Reverse:
    """What the record had before, by the field of the form."""
    return lambda before, _after, _form: {field: before[name] for field, name in names.items()}


def _earlier_status(before: Mapping[str, Any], after: Mapping[str, Any], _form: object) -> Mapping[str, Any] | None:
    return {"status": before["status"]} if before["status"] in STEPS[after["status"]] else None


def _block_again(before: Mapping[str, Any], _after: object, _form: object) -> Mapping[str, Any] | None:
    """Nobody is blocked without a reason."""
    return {"status_reason": before["status_reason"]} if before["status_reason"] else None


def _same(_before: object, _after: object, form: Mapping[str, str]) -> Mapping[str, Any]:
    """The form itself: what it added is removed, and the other way round."""
    return {name: value for name, value in form.items() if name != "token"}


# An act that mails, pays, delivers or deletes is not here. The forms that edit a record are their own reverse.
PAIRS: Mapping[str, tuple[str, Reverse]] = {
    "/tickets/{id}/close": ("/tickets/{id}/status", lambda *_: {"status": "open"}),
    "/tickets/{id}/status": ("/tickets/{id}/status", _earlier_status),
    "/tickets/{id}/priority": ("/tickets/{id}/priority", _before(priority="priority")),
    "/tickets/{id}/assign": ("/tickets/{id}/assign", _before(user_id="assigned_to_id")),
    "/customers/{id}/block": ("/customers/{id}/unblock", _before(status_reason="status_reason")),
    "/customers/{id}/unblock": ("/customers/{id}/block", _block_again),
    "/alerts/{id}/mute": ("/alerts/{id}/unmute", lambda *_: {}),
    "/referrals/tiers/{id}/toggle": ("/referrals/tiers/{id}/toggle", lambda *_: {}),
    "/fraud/lists/{list}/add": ("/fraud/lists/{list}/remove", _same),
    "/fraud/lists/{list}/remove": ("/fraud/lists/{list}/add", _same),
    "/fraud/named-lists/{id}/add": ("/fraud/named-lists/{id}/remove", _same),
}


def offer(visit: Visit, done: Done) -> Done:
    """With the way back from what was done; it is refused if the record has changed again by then."""
    return replace(done, undo=_way_back(visit, done))


def _way_back(visit: Visit, done: Done) -> Undo | None:
    version = {"version": str(done.version)} if done.version is not None else {}
    if done.reverse is not None:
        return Undo(visit.request.url.path, {**done.reverse, **version})
    if visit.page.path not in PAIRS or done.before == done.after:
        return None
    path, reverse = PAIRS[visit.page.path]
    fields = reverse(done.before or {}, done.after or {}, visit.form)
    if fields is None:
        return None
    written = {name: "" if value is None else str(value) for name, value in fields.items()}
    return Undo(url(path.format(**visit.request.path_params)), {**written, **version})


def form_of_before(visit: Visit, fields: forms.Fields, before: object) -> dict[str, str] | None:
    """What the same form must hold to put back what it has changed.

    None if that is nothing, or cannot be put back as it was: a secret, an hour of which only the day was shown, an
    e-mail address that someone does not see.
    """
    declared, kept = forms.flat(fields), visit.form.get("kept", "").split("\n")
    old, changed = forms.written(visit, declared, before), {}
    for item in declared:
        text = visit.form.get(item.name, "no" if item.kind.type == "checkbox" else "").strip()
        if text == old[item.name] or (not text and item.name in kept):
            continue
        is_hidden = item.name in kept or (item.kind is forms.EMAIL and visit.user.permissions.masks_emails)
        if is_hidden or not _is_exact(visit, item, old[item.name], before):
            return None
        changed[item.name] = old[item.name]
    rest = [item.name for item in declared if item.name not in changed]
    return {**changed, "kept": "\n".join(rest)} if changed else None


def _is_exact(visit: Visit, item: forms.Field, text: str, before: object) -> bool:
    try:
        return bool(item.read(text, visit.options.timezone) == getattr(before, item.name, None))
    except ValueError:
        return False
