"""The facilities file: who the users are, where they discharge, what binds them, and from when until when."""

from pretreat.facilities.table import identify, normalise, renamed, users

__all__ = ["identify", "normalise", "renamed", "users"]
