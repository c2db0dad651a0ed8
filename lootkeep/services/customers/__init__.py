"""Customers: how they register, and what changes later."""

from lootkeep.services.customers.change import change
from lootkeep.services.customers.sign_up import sign_up, sign_up_all, sign_up_in

__all__ = ["change", "sign_up", "sign_up_all", "sign_up_in"]
