"""Goods: keys in stock, what orders own, and lines that wait."""
