"""Every setting of the process, with its default and one sentence."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from lootkeep.domain.analytics import zone
from lootkeep.domain.codes import currencies
from lootkeep.domain.emails import one_line
from lootkeep.engines import key_file
from lootkeep.engines.emails.message import parse_sender
from lootkeep.kernel.database_url import check_postgres, is_postgres
from lootkeep.kernel.errors import StartupError
from lootkeep.settings.agents import AgentSettings
from lootkeep.settings.files import Secret, file_variable, secret_names
from lootkeep.settings.sign_in import SignInSettings

PREFIX = "LOOTKEEP_"
_ENV_FILE = ".env"

T = TypeVar("T")
# An owner can change it in the console while the service runs.
Live = Annotated[T, "live"]
LiveText = Live[str | None]


class Settings(SignInSettings, AgentSettings):
    """Environment variables with the prefix LOOTKEEP_, or a `.env` file in the working directory."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=_ENV_FILE, extra="ignore", frozen=True)

    database_url: Secret[str] = Field(
        "sqlite:///lootkeep.db",
        description="Where the data is stored: `sqlite:///FILE` (embedded) or `postgresql://USER:PASSWORD@HOST/NAME`.",
    )
    database_connections: int = Field(10, ge=1, le=500, description="PostgreSQL connections that a process may open.")
    database_pooler: Literal["none", "transaction"] = Field(
        "none",
        description="`transaction` if `LOOTKEEP_DATABASE_URL` points to a pooler in that mode, such as PgBouncer.",
    )
    database_direct_url: Secret[str | None] = Field(
        None, description="PostgreSQL without the pooler, to listen for new work; else processes poll every 5 seconds."
    )
    read_database_url: Secret[str | None] = Field(
        None, description="A streaming replica, which answers requests that only read."
    )
    read_max_lag: float = Field(
        0.25, ge=0.01, le=10, description="Seconds that a read waits for the replica before it goes to the primary."
    )
    redis_url: Secret[str | None] = Field(
        None, description="Redis, which shares rate limits between processes; without it, each process counts alone."
    )
    host: str = Field("127.0.0.1", description="The address to listen on.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8000, description="The port to listen on.")
    max_connections: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="Client connections per process; more get a 503. By default 3/4 of the files that it may open.",
    )
    secret_key: Secret[SecretStr | None] = Field(
        None,
        description="At least 32 characters, used to encrypt secrets at rest. "
        "Created next to the embedded database if not set; required with PostgreSQL and in production.",
    )
    environment: Literal["development", "production"] = Field(
        "development", description="In `production` the service refuses to start with unsafe settings."
    )
    currency: Live[str] = Field("USD", description="The store's currency, an ISO 4217 code.")
    timezone: Live[str] = Field("UTC", description="The time zone in which the console shows times and starts days.")
    rate_limit_per_minute: Annotated[int, Field(ge=0)] = Field(
        60, description="Requests per minute for a token without its own limit; 0 disables the limit."
    )
    auth_failures_per_minute: Annotated[int, Field(ge=0)] = Field(
        60, description="Requests per minute without a valid token from one IP address; 0 disables the limit."
    )
    webhook_retry_delays: Annotated[tuple[int, ...], NoDecode] = Field(
        (300, 1800, 7200, 21600, 43200),
        description="Seconds to wait after each failed attempt of a delivery. After the last one the delivery fails.",
    )
    command_lease_seconds: Annotated[int, Field(ge=5, le=3600)] = Field(
        60, description="How long a game server has a command before it is handed out again."
    )
    command_retry_delays: Annotated[tuple[int, ...], NoDecode] = Field(
        (30, 120, 600, 3600), description="Seconds to wait after each failure of a command; after the last it fails."
    )
    webhook_allow_insecure: bool = Field(
        False, description="Permits `http` and loopback receivers, for development; rejected in production."
    )
    webhook_allowed_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        (), description="Your own private networks that webhooks may reach, separated by commas."
    )
    webhook_concurrency: int = Field(10, ge=1, le=1000, description="Concurrent requests to one webhook, per process.")
    events_kept_days: Live[int] = Field(
        30, ge=1, description="How long events, finished deliveries and settled payment events are stored."
    )
    data_dir: Path = Field(
        Path("lootkeep-data"),
        description="The folder with IP lists and e-mail domain lists; it is checked every 30 seconds.",
    )
    lists_refresh_hours: int = Field(0, ge=0, description="After how many hours public lists are downloaded; 0: never.")
    smtp_url: Live[Secret[SecretStr | None]] = Field(
        None,
        description="The mail server: `smtp://USER:PASSWORD@HOST:PORT`, or `smtps://` with TLS from the start. "
        "Without it, e-mails stay in the outbox and nothing is sent.",
    )
    mail_from: LiveText = Field(
        None, description="The sender of e-mails, such as `Shop <shop@example.com>`; required with a mail server."
    )
    public_url: LiveText = Field(
        None, description="The public URL of this service, for all links to it; `http://HOST:PORT` if not set."
    )
    store_name: LiveText = Field(None, description="The store's name; the name in `LOOTKEEP_MAIL_FROM` if not set.")
    store_url: LiveText = Field(None, description="The URL of the shop, the target of referral links in e-mails.")
    store_logo_url: str | None = Field(None, description="An image for the header of e-mails, shown 40 pixels high.")
    store_colour: LiveText = Field(None, description="The colour of the pages of buyers, such as `#b45309`.")
    order_emails: Live[bool] = Field(
        False, description="Sends *Your order* with the link to the buyer's page after each payment."
    )
    store_postal_address: LiveText = Field(None, description="For the footer of e-mails; many countries require it.")
    store_mail_reason: LiveText = Field(None, description="Why customers get campaigns, if not the usual reason.")
    campaign_mails_per_minute: Live[Annotated[int, Field(ge=1, le=60_000)]] = Field(
        300, description="How many campaign e-mails all processes together send per minute."
    )
    campaign_tracking: Live[bool] = Field(
        True, description="Counts opens and clicks of campaign e-mails; `false` removes the tracking from the e-mails."
    )
    mails_kept_days: Live[int] = Field(30, ge=1, description="How long sent, failed and unsent e-mails are stored.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The log level; `info` logs one line per request."
    )
    log_sample: Annotated[float, Field(ge=0, le=1)] = Field(
        1.0,
        description="The share of successful requests and deliveries that is logged; failures and slow ones all are.",
    )
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="The log format; `auto` is readable text on a terminal and JSON elsewhere."
    )
    traces_url: str | None = Field(None, description="Where traces are sent by OTLP/HTTP, such as `http://host:4318`.")

    @field_validator("webhook_retry_delays", "command_retry_delays", mode="before")
    @classmethod
    def _delays(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        delays = [part.strip() for part in value.split(",") if part.strip()]
        if not all(part.isdigit() and int(part) > 0 for part in delays):
            raise ValueError("must be whole seconds separated by commas, such as 300,1800")
        return tuple(int(part) for part in delays)

    @field_validator("webhook_allowed_networks", mode="before")
    @classmethod
    def _networks(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(part.strip() for part in value.split(",") if part.strip())

    @field_validator("data_dir")
    @classmethod
    def _own_folder(cls, folder: Path, info: ValidationInfo) -> Path:
        # Its files are opened and closed, by which a process loses its locks on the database.
        _, is_file, database = info.data.get("database_url", "").partition("sqlite:///")
        if folder == Path() or (is_file and folder.resolve() == Path(database).resolve().parent):
            raise ValueError("must name a separate folder, not that of the database")
        return folder

    @field_validator("database_url", "database_direct_url", "read_database_url")
    @classmethod
    def _postgres(cls, url: str | None, info: ValidationInfo) -> str | None:
        if url and (is_postgres(url) or info.field_name != "database_url"):
            check_postgres(url)
        return url or ("" if info.field_name == "database_url" else None)

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, url: str | None) -> str | None:
        if not url:
            return None
        # Imported only when needed: the import takes a tenth of the startup time.
        from redis.connection import parse_url

        try:
            parse_url(url)  # type: ignore[no-untyped-call]
        except ValueError:
            raise ValueError("must be redis://HOST:PORT/NUMBER, rediss:// with TLS, or unix://PATH") from None
        return url

    @field_validator("smtp_url")
    @classmethod
    def _smtp(cls, url: SecretStr | None) -> SecretStr | None:
        if url is None or not url.get_secret_value():
            return None
        # Imported only when needed, like Redis.
        from lootkeep.engines.emails.smtp import parse_server

        parse_server(url.get_secret_value())
        return url

    @field_validator("mail_from")
    @classmethod
    def _sender(cls, sender: str | None) -> str | None:
        if sender:
            parse_sender(sender)
        return sender or None

    @field_validator("public_url", "store_url", "store_logo_url", "traces_url")
    @classmethod
    def _public(cls, url: str | None) -> str | None:
        if url and not re.fullmatch(r"https?://[^\s/?#@\"<>]+(/[^\s?#\"<>]*)?", url):
            raise ValueError("must be a URL such as https://shop.example")
        return url.rstrip("/") if url else None

    @field_validator("store_name", "store_postal_address", "store_mail_reason")
    @classmethod
    def _one_line(cls, text: str | None) -> str | None:
        return one_line(text or "") or None

    @field_validator("store_colour")
    @classmethod
    def _colour(cls, colour: str | None) -> str | None:
        if colour and not re.fullmatch("#[0-9a-fA-F]{6}", colour):
            raise ValueError("must be a colour such as #b45309")
        return colour or None

    @field_validator("currency")
    @classmethod
    def _known_currency(cls, code: str) -> str:
        if code.upper() not in currencies():
            raise ValueError("must be an ISO 4217 currency code such as USD")
        return code.upper()

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        if zone(name) is None:
            raise ValueError("must be the name of a time zone such as Europe/Berlin")
        return name

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and len(key.get_secret_value()) < key_file.MIN_KEY_LENGTH:
            raise ValueError(f"must have at least {key_file.MIN_KEY_LENGTH} characters")
        return key

    @property
    def unknown_names(self) -> list[str]:
        """A sentence for each variable that looks like a setting but is not one."""
        names = {*os.environ, *dotenv_values(_ENV_FILE)}
        # Variables of the test suite, which point to its servers, are fine.
        own = {name for name in names if name.startswith(PREFIX) and not name.startswith(f"{PREFIX}TEST_")}
        return [_unknown(name) for name in sorted(own - _KNOWN)]

    @property
    def listen_url(self) -> str | None:
        """Where to listen for PostgreSQL notifications: behind a pooler, each transaction has another connection."""
        return self.database_url if self.database_pooler == "none" else self.database_direct_url

    @property
    def sqlite_path(self) -> Path | None:
        """The database file; None with PostgreSQL."""
        if is_postgres(self.database_url):
            return None
        scheme, _, path = self.database_url.partition(":///")
        if scheme != "sqlite" or not path:
            raise StartupError("LOOTKEEP_DATABASE_URL must be sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME.")
        return Path(path)

    @property
    def key_sources(self) -> tuple[str | None, Path | None]:
        """The configured secret key, and the file next to an embedded database that may have one."""
        key = None if self.secret_key is None else self.secret_key.get_secret_value()
        return key, key_file.of(self.sqlite_path) if self.sqlite_path else None


def variable(name: str) -> str:
    return f"{PREFIX}{name.upper()}"


def is_in_console(name: str) -> bool:
    return "live" in Settings.model_fields[name].metadata


# The variables of the client are not settings of the service.
_KNOWN = {variable(name) for name in Settings.model_fields} | {"LOOTKEEP_URL", "LOOTKEEP_TOKEN"}
_KNOWN |= {file_variable(variable(name)) for name in secret_names(Settings)}


def _unknown(name: str) -> str:
    nearest = get_close_matches(name, _KNOWN, n=1)
    return f"{name} is not a setting" + (f"; did you mean {nearest[0]}?" if nearest else ".")
