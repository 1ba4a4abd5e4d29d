"""Raw values into results: numbers, qualifiers, names, units, dates, quality control."""

from pretreat.tidy.results import Tidied, from_frame, tidy, tidy_frame
from pretreat.tidy.revisions import revisions

__all__ = ["Tidied", "from_frame", "revisions", "tidy", "tidy_frame"]
