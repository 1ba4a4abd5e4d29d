"""The schedule: what each rule with a date asks of whom, and whether it was done in time."""

from pretreat.schedule.verdicts import judge, strangers

__all__ = ["judge", "strangers"]
