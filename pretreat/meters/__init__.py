"""Timed readings: which series have them, how long each holds, what a day of them averages."""

from pretreat.meters.timed import DAY, daily, holds, logged, readings, seconds, timed_series

__all__ = ["DAY", "daily", "holds", "logged", "readings", "seconds", "timed_series"]
