"""The table `findings`: everything worth a person's look that is no verdict, gathered from small functions."""

from pretreat.findings.gathered import collect, of_results, of_tables

__all__ = ["collect", "of_results", "of_tables"]
