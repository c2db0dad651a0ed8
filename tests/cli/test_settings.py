"""Settings: from the environment and `.env`, and a sentence for each that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from lootkeep.kernel.errors import StartupError
from lootkeep.settings import Settings, load, variable
from lootkeep.settings.files import secret_names
from tests.world import KEY

# For each setting a value that cannot be, and what is said about it.
_POSTGRES = "must be postgresql://USER:PASSWORD@HOST/NAME; in the password write %2F for /, %3F for ? and %23 for #"
BAD = {
    "database_connections": ("0", "input should be greater than or equal to 1"),
    "port": ("65536", "input should be less than or equal to 65535"),
    "secret_key": ("only thirty-one characters long", "must have at least 32 characters"),
    "environment": ("staging", "input should be 'development' or 'production'"),
    "max_connections": ("0", "input should be greater than or equal to 1"),
    "database_pooler": ("session", "input should be 'none' or 'transaction'"),
    "database_direct_url": ("db.internal", _POSTGRES),
    "read_database_url": ("sqlite:///copy.db", _POSTGRES),
    "read_max_lag": ("0", "input should be greater than or equal to 0.01"),
    "timezone": ("Mars/Olympus", "must be the name of a time zone such as Europe/Berlin"),
    "currency": ("GOLD", "must be an ISO 4217 currency code such as USD"),
    "rate_limit_per_minute": ("-1", "input should be greater than or equal to 0"),
    "auth_failures_per_minute": ("-1", "input should be greater than or equal to 0"),
    "command_lease_seconds": ("1", "input should be greater than or equal to 5"),
    "command_retry_delays": ("soon", "must be whole seconds separated by commas, such as 300,1800"),
    "webhook_retry_delays": ("soon", "must be whole seconds separated by commas, such as 300,1800"),
    "webhook_allow_insecure": ("perhaps", "input should be a valid boolean, unable to interpret input"),
    "webhook_allowed_networks": ("home", "input is not a valid IPv4 network"),
    "webhook_concurrency": ("0", "input should be greater than or equal to 1"),
    "events_kept_days": ("0", "input should be greater than or equal to 1"),
    "data_dir": ("", "must name a separate folder, not that of the database"),
    "lists_refresh_hours": ("-1", "input should be greater than or equal to 0"),
    "smtp_url": ("mail.example", "must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// with TLS from the start"),
    "mail_from": ("Shop", "must be an address such as Shop <shop@example.com>"),
    "public_url": ("shop.example", "must be a URL such as https://shop.example"),
    "store_url": ("shop.example", "must be a URL such as https://shop.example"),
    "store_colour": ("red", "must be a colour such as #b45309"),
    "order_emails": ("perhaps", "input should be a valid boolean, unable to interpret input"),
    "store_logo_url": ("logo.png", "must be a URL such as https://shop.example"),
    "campaign_mails_per_minute": ("0", "input should be greater than or equal to 1"),
    "campaign_tracking": ("perhaps", "input should be a valid boolean, unable to interpret input"),
    "mails_kept_days": ("0", "input should be greater than or equal to 1"),
    "log_level": ("loud", "input should be 'debug', 'info', 'warning' or 'error'"),
    "log_sample": ("2", "input should be less than or equal to 1"),
    "traces_url": ("collector", "must be a URL such as https://shop.example"),
    "oidc_issuer": ("id.example", "must be a URL such as https://id.example.com"),
    "oidc_roles": ("admins", "must be groups with their roles, such as admins=owner; support=Support"),
    "oidc_allowed_networks": ("home", "input is not a valid IPv4 network"),
    "proxy_auth_header": ("Remote_Email", "must be the name of a header such as Remote-Email"),
    "proxy_auth_networks": ("home", "input is not a valid IPv4 network"),
    "proxy_auth_groups_header": ("Remote Groups", "must be the name of a header such as Remote-Email"),
    "proxy_auth_roles": ("admins", "must be groups with their roles, such as admins=owner; support=Support"),
    "password_sign_in": ("perhaps", "input should be a valid boolean, unable to interpret input"),
    "mcp_changes": ("perhaps", "input should be a valid boolean, unable to interpret input"),
    "mcp_personal_data": ("perhaps", "input should be a valid boolean, unable to interpret input"),
    "log_format": ("xml", "input should be 'auto', 'console' or 'json'"),
}
# Any text may be right; whether it works is found out when it is used, with a sentence of its own.
ANY_TEXT = {"database_url", "redis_url", "host", "store_name", "store_postal_address", "store_mail_reason"}
ANY_TEXT |= {"oidc_client_id", "oidc_client_secret", "oidc_scopes", "oidc_group_claim"}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_value_is_rejected_with_its_variable_and_a_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, reason = BAD[name]
    monkeypatch.setenv(variable(name), value)
    with pytest.raises(StartupError) as rejection:
        load()
    sentences = str(rejection.value).splitlines()
    assert sentences[0] == f"LOOTKEEP_{name.upper()}: {reason}."
    assert {sentence.partition(":")[0] for sentence in sentences} == {variable(name)}


@pytest.mark.parametrize("name", ["database_connections", "port", "rate_limit_per_minute", "auth_failures_per_minute"])
@pytest.mark.parametrize("value", ["", "many", "1.5", "1e3", "0x10"])
def test_a_value_that_is_not_a_whole_number_is_rejected(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable(name), value)
    with pytest.raises(StartupError, match=f"^{variable(name)}: input should be a valid integer"):
        load()


@pytest.mark.parametrize("folder", [".", "../{0}", "{1}"])
def test_the_lists_are_not_in_the_folder_of_the_database(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that opens and closes its own database loses its locks, and the next one deletes its newest writes."""
    here = Path.cwd()
    monkeypatch.setenv("LOOTKEEP_DATABASE_URL", f"sqlite:///{here}/store.db")
    monkeypatch.setenv("LOOTKEEP_DATA_DIR", folder.format(here.name, here))
    with pytest.raises(StartupError, match=r"^LOOTKEEP_DATA_DIR: must name a separate folder"):
        load()
    monkeypatch.setenv("LOOTKEEP_DATA_DIR", f"{here}/lists")
    assert load().data_dir == here / "lists"


def test_every_setting_has_a_bad_value_here_or_takes_any_text() -> None:
    missing = Settings.model_fields.keys() - BAD.keys() - ANY_TEXT
    assert not missing, f"Give a value that cannot be for {', '.join(sorted(missing))} in BAD."


def test_a_refused_value_is_not_shown_since_it_may_be_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY", "too-short-canary")
    with pytest.raises(StartupError) as rejection:
        load()
    assert "canary" not in str(rejection.value)


def test_the_secret_key_is_not_shown_when_the_settings_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY", "canary" * 10)
    assert "canary" not in f"{load()!r} {load()}"


def test_a_currency_can_be_lower_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOTKEEP_CURRENCY", "eur")
    assert load().currency == "EUR"


def test_settings_are_read_from_a_file_in_the_working_directory() -> None:
    Path(".env").write_text("LOOTKEEP_PORT=8123\nSOMETHING_ELSE=1\n")
    assert load().port == 8123


def test_the_environment_overrides_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("LOOTKEEP_PORT=8123\n")
    monkeypatch.setenv("LOOTKEEP_PORT", "8124")
    assert load().port == 8124


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///lootkeep.db", Path("lootkeep.db")),
        ("sqlite:////var/lib/lootkeep/store.db", Path("/var/lib/lootkeep/store.db")),
        ("postgresql://store@db.internal/store", None),
        ("postgres://store@db.internal/store", None),
    ],
)
def test_the_url_decides_whether_the_database_is_a_file(url: str, path: Path | None) -> None:
    assert Settings(_env_file=None, database_url=url).sqlite_path == path


@pytest.mark.parametrize("url", ["", "lootkeep.db", "sqlite:", "sqlite://", "sqlite:///", "mysql://host/name"])
def test_a_url_of_an_unknown_kind_is_rejected(url: str) -> None:
    with pytest.raises(StartupError, match=r"^LOOTKEEP_DATABASE_URL must be sqlite:///FILE or postgresql://"):
        _ = Settings(_env_file=None, database_url=url).sqlite_path


# For each secret a value that is valid.
SECRETS = {
    "database_url": "sqlite:///other.db",
    "database_direct_url": "postgresql://a:b@db.example/loot",
    "read_database_url": "postgresql://a:b@db.example/loot",
    "redis_url": "redis://:word@redis.example:6379/0",
    "secret_key": KEY,
    "smtp_url": "smtp://user:word@mail.example:587",
    "oidc_client_secret": "word",
}


def test_everything_that_holds_a_password_or_a_key_can_be_in_a_file() -> None:
    holding = {name for name in Settings.model_fields if name.endswith(("_secret", "_key", "smtp_url"))}
    holding |= {name for name in Settings.model_fields if "database" in name and name.endswith("_url")} | {"redis_url"}
    assert set(secret_names(Settings)) == holding == set(SECRETS)


@pytest.mark.parametrize("around", ["{}", "{}\n", "{}\r\n", "\ufeff {} \n"])
@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_read_from_a_file(name: str, around: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("secret").write_bytes(around.format(SECRETS[name]).encode())
    monkeypatch.setenv(f"{variable(name)}_FILE", "secret")
    settings = load()
    value = getattr(settings, name)
    assert (value if isinstance(value, str) else value.get_secret_value()) == SECRETS[name]
    assert settings.unknown_names == []


def test_the_file_of_a_secret_may_be_named_in_the_env_file() -> None:
    Path("secret").write_text(KEY)
    Path(".env").write_text("LOOTKEEP_SECRET_KEY_FILE=secret\n")
    assert load().key_sources[0] == KEY


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"\n", "the file is empty"),
        (b"\xff\xfe", "the file must be text"),
        (None, "the file does not exist"),
    ],
)
def test_a_file_without_a_secret_is_rejected(
    content: bytes | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        Path("secret").write_bytes(content)
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY_FILE", "secret")
    with pytest.raises(StartupError) as error:
        load()
    assert str(error.value) == f"LOOTKEEP_SECRET_KEY_FILE: {reason}."


def test_a_secret_and_its_file_are_not_both_set(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("secret").write_text(KEY)
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY_FILE", "secret")
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY", KEY)
    with pytest.raises(StartupError) as error:
        load()
    assert str(error.value) == "LOOTKEEP_SECRET_KEY_FILE: set either this or LOOTKEEP_SECRET_KEY."


def test_an_empty_name_of_a_file_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY_FILE", "")
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY", KEY)
    assert load().key_sources[0] == KEY


def test_a_secret_that_is_not_valid_is_rejected_like_one_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("secret").write_text("short")
    monkeypatch.setenv("LOOTKEEP_SECRET_KEY_FILE", "secret")
    with pytest.raises(StartupError, match="LOOTKEEP_SECRET_KEY: must have at least 32 characters"):
        load()
