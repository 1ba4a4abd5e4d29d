"""Industrial pretreatment compliance, from laboratory spreadsheets to an exceedance report."""

__version__ = "0.1.0"
