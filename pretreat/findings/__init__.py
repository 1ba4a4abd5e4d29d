"""The table `findings`: everything worth a person's look that is no verdict, gathered from small functions."""

from pretreat.findings.gathered import collect

__all__ = ["collect"]
