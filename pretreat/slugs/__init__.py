"""Slugs: discharges that exceed, for longer than some minutes, some multiple of the average of normal operation."""

from pretreat.slugs.find import evaluate, examine

__all__ = ["evaluate", "examine"]
