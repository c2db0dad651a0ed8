"""SQL: fraud checks, the facts about buyers, and the lists of rules."""
