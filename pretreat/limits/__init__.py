"""Which limits bind a user, at a place and over a span of time, and which of several is the most stringent."""

from pretreat.limits.selection import binding, in_force

__all__ = ["binding", "in_force"]
