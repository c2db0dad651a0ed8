"""The settings of signing in to the console elsewhere: an OpenID Connect provider."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network
from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from lootkeep.settings.files import FileSettings, Secret

_ROLES = "must be groups with their roles, such as admins=owner; support=Support"


class SignInSettings(FileSettings):
    """Part of the one table of settings."""

    oidc_issuer: str | None = Field(
        None, description="The OpenID Connect provider of the console, such as `https://id.example.com`."
    )
    oidc_client_id: str | None = Field(None, description="The client id that the provider gave to this service.")
    oidc_client_secret: Secret[SecretStr | None] = Field(None, description="The client secret that belongs to it.")
    oidc_scopes: str = Field("openid email profile", description="What is asked of the provider; some need `groups`.")
    oidc_group_claim: str = Field("groups", description="The claim with the groups of who signs in.")
    oidc_roles: Annotated[dict[str, str], NoDecode] = Field(
        {}, description="The role of each group, the most important first: `admins=owner; support=Support`."
    )
    oidc_allowed_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        (), description="Your own private networks that the provider may be in, separated by commas."
    )
    password_sign_in: bool = Field(True, description="`false` lets people sign in at the provider only.")

    @field_validator("oidc_issuer")
    @classmethod
    def _issuer(cls, url: str | None) -> str | None:
        if url and not re.fullmatch(r"https?://[^\s/?#@\"<>]+(/[^\s?#\"<>]*)?", url):
            raise ValueError("must be a URL such as https://id.example.com")
        return url.rstrip("/") if url else None

    @field_validator("oidc_roles", mode="before")
    @classmethod
    def _roles(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [part.rpartition("=") for part in value.split(";") if part.strip()]
        if not all(group.strip() and role.strip() for group, _, role in pairs):
            raise ValueError(_ROLES)
        return {group.strip(): role.strip() for group, _, role in pairs}

    @field_validator("oidc_allowed_networks", mode="before")
    @classmethod
    def _own_networks(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value
