"""Operations on the referral program as a whole: its settings."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain import referrals as referrals_rules
from lootkeep.domain.referrals import SETTINGS, ReferralSettings
from lootkeep.storage import settings as settings_db


async def change_settings(deps: Deps, changes: dict[str, Any]) -> ReferralSettings:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        current = await settings_db.get_for_update(tx, SETTINGS, ReferralSettings, now)
        changed = referrals_rules.checked(msgspec.structs.replace(current, **changes))
        if changed != current:
            await settings_db.put(tx, SETTINGS, changed, now)
    return changed
