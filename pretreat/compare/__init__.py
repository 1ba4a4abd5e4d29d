"""The only comparison with a limit: which values each limit in force is held against, and the verdict."""

from pretreat.compare.verdicts import COMPLIES, EXCEEDS, Layer, judge, noted, tally

__all__ = ["COMPLIES", "EXCEEDS", "Layer", "judge", "noted", "tally"]
