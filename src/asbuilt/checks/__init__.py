"""One claim each: plan and facts to verdict tables. Pure; no numbers here."""
