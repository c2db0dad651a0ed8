"""What every layer may use: clock, ids, errors, money, paging. Standard library only."""
