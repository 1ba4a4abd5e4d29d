"""Averages over named periods: days, 4 monitoring days, weeks, calendar months, 30 days, 12 months."""
