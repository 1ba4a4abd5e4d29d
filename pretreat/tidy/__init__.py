"""Raw values into results: numbers, qualifiers, names, units, dates, quality control."""

from pretreat.tidy.results import Tidied, from_frame, tidy, tidy_frame
from pretreat.tidy.revisions import revisions
from pretreat.tidy.sheets_alike import sheets_alike

__all__ = ["Tidied", "from_frame", "revisions", "sheets_alike", "tidy", "tidy_frame"]
