"""Which tests `make quick` runs: those that need no server and no browser, and take no seconds."""

from __future__ import annotations

import pytest

# What `make quick` leaves out: whatever needs a server, a browser or Node, starts processes, takes seconds, or belongs
# to `make check`. Folders, files, and single tests of files that are quick otherwise.
NOT_QUICK = (
    "api/fraud/test_long_lists.py",
    "api/fraud/test_replay.py",
    "api/server/",
    "api/test_access.py",
    "api/test_echoes.py",
    "api/test_full_disk.py",
    "api/test_guides.py",
    "api/test_hostile_parameters.py",
    "api/test_inbox.py::test_a_thousand_signed_events_with_hostile_values_are_received_and_tried",
    "api/test_large_bodies.py",
    "api/test_openapi_validity.py",
    "api/test_payment_orders_of_events.py",
    "api/test_paypal_inbox.py",
    "api/test_reference.py",
    "api/test_referral_list.py::test_deep_pages_equal_those_counted_from_the_top",
    "api/test_sandbox.py",
    "cli/",
    "clients/php/",
    "clients/python/test_documentation.py",
    "clients/python/test_example.py",
    "clients/test_samples.py",
    "clients/typescript/",
    "connect/test_connector.py",
    "connect/test_discord.py",
    "connect/test_rcon_server.py",
    "console/test_attempts.py",
    "console/test_exports.py",
    "console/test_forms_act_once.py",
    "console/test_full_pages.py",
    "console/test_guests.py",
    "console/test_hostile_names.py",
    "console/test_hostile_values.py",
    "console/test_kept_forms.py",
    "console/test_openid.py",
    "console/test_page_table.py",
    "console/test_passkeys.py",
    "console/test_proxies_that_name_people.py",
    "console/test_roles.py",
    "console/test_second_factor.py",
    "console/test_signing_in.py",
    "console/test_tour.py",
    "console/test_undo.py",
    "docs/",
    "domain/test_campaign_emails.py",
    "domain/test_deliveries.py",
    "domain/test_identity.py",
    "engines/test_intelligence_fetching.py",
    "engines/test_outbound.py",
    "engines/test_outbound_deadline.py",
    "engines/test_ratelimit.py",
    "engines/test_ssrf.py",
    "faults/",
    "generators/",
    "machines/",
    "mcp/",
    "operate/",
    "races/",
    "replica/",
    "rules/",
    "services/test_analytics.py",
    "services/test_gift_card_machine.py",
    "services/test_key_rotation.py",
    "services/test_state_machine.py",
    "services/test_ticket_state_machine.py",
    "storage/test_campaign_plans.py",
    "storage/test_fraud_plans.py",
    "storage/test_generated_store.py",
    "storage/test_list_plans.py",
    "storage/test_lists.py",
    "storage/test_migrations.py",
    "storage/test_plans.py",
    "storage/test_queue_plans.py",
    "storage/test_sqlite.py",
    "storage/test_statements.py",
    "storage/test_ticket_plans.py",
    "views/test_campaign_markdown.py",
    "worker/test_mishaps.py",
)
SERVER_FIXTURES = {"postgres_admin_url", "postgres_url", "redis_url"}


def is_left_out(path: str) -> bool:
    """By the path of a file below tests/."""
    return path.startswith(NOT_QUICK) or path.endswith("_in_a_browser.py")


def is_quick(item: pytest.Function) -> bool:
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if is_left_out(item.nodeid.removeprefix("tests/")):
        return False
    return "postgresql" not in parameters and not SERVER_FIXTURES & set(item.fixturenames)
