"""What every layer may lean on: clock, ids, errors, money, paging. Standard library only."""
