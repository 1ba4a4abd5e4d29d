"""Significant noncompliance: chronic violations and the technical review, 40 CFR 403.8(f)(2)(viii)(A) and (B)."""

from pretreat.snc.criteria import judge, one_more
from pretreat.snc.published import BY_DATE, judgments, publication

__all__ = ["BY_DATE", "judge", "judgments", "one_more", "publication"]
