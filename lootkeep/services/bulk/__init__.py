"""Bulk acts: one act on many records, row by row, through the operation that the act has on one record."""

from lootkeep.services.bulk.acts import ACTS, Act, acts_of
from lootkeep.services.bulk.running import prepare, prepare_undo, start, stop, work

__all__ = ["ACTS", "Act", "acts_of", "prepare", "prepare_undo", "start", "stop", "work"]
