"""Questions about a whole set (how many, list all, the sum of a column), from the catalogue."""

from rag.whole_set.answering import WholeSet

__all__ = ["WholeSet"]
