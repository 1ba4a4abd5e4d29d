"""The facilities file: who the users are, where they discharge, what binds them, and from when until when."""

from pretreat.facilities.headings import passed_over, spelled
from pretreat.facilities.table import identify, normalise, renamed, users

__all__ = ["identify", "normalise", "passed_over", "renamed", "spelled", "users"]
