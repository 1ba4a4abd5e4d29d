"""Qualifiers: how laboratories say that a value is below, above, estimated or not detected."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

ND_WORDS: Final = (
    r"n\.?\s?d\.?|nondet|non[- ]?detect(?:ed|able)?|not det(?:ected|ectable|\.)?|none det(?:ected|\.)?|undetected"
    r"|bdl|bql|bpql|brl|bmdl|blq|blod|bloq|ndu|<\s*(?:m?dl|rl|mrl|pql|lod|loq|mql|lloq|ql)"
    r"|(?:present )?below (?:the )?(?:method |practical |minimum |laboratory |lower )?"
    r"(?:detection|reporting|quanti\w+)(?: limits?| levels?)?"
    r"|not detected at (?:the )?(?:detection|reporting) limit|trace|tr"
)
"""Words for a non-detect, as a pattern."""

ND: Final = re.compile(rf"^(?:{ND_WORDS})$", re.IGNORECASE)


def plain(text: str) -> str:
    """Return a text without kinds of spaces, wide letters and signs that look alike.

    Examples
    --------
    >>> plain(" ＜\u00a05 "), plain("\u2212 3")
    ('< 5', '- 3')
    """
    text = re.sub(r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])", " ", text)  # 1½ is not 11/2
    text = unicodedata.normalize("NFKC", text.replace("\u2212", "-").replace("\ufe63", "-")).replace("\u2044", "/")
    text = re.sub(r"[\u2039\u02c2\u27e8\u3008\u2329]", "<", text)
    text = re.sub(r"[\u203a\u02c3\u27e9\u3009\u232a]", ">", text)
    return " ".join(text.replace("'", "").split() if text.startswith("'") else text.split())


_CODE: Final = re.compile(r"[^A-Za-z0-9<>=*]+")
_DETECTION_LETTERS: Final = frozenset(
    ("U", "UJ", "JU", "BU", "UB", "UQ", "UH", "UI", "HU", "QU", "IU", "UL", "UN", "UY", "UX", "UD", "UR", "U*", "ND")
)


def nondetect_letters(text: str) -> bool:
    """Tell whether a laboratory's letters say that nothing was detected: `U`, alone or beside others.

    `U` is the letter of EPA's Contract Laboratory Program (National Functional Guidelines) and of Florida's rule
    62-160.700 F.A.C.

    Examples
    --------
    >>> [nondetect_letters(text) for text in ("U", "J;U", "UQ", "J", "")]
    [True, True, True, False, False]
    """
    return any(part.upper() in _DETECTION_LETTERS for part in _CODE.split(text.strip()) if part)


@lru_cache(maxsize=4096)
def qualifier(text: str) -> tuple[str, str]:
    """Return what a qualifier cell says: `""`, `<` or `>`, and the letters that remain.

    Examples
    --------
    >>> qualifier("<"), qualifier("U"), qualifier("IQ"), qualifier("="), qualifier("> "), qualifier("ND")
    (('<', ''), ('<', 'U'), ('', 'IQ'), ('', ''), ('>', ''), ('<', ''))
    """
    bare = plain(text)
    if bare in ("", "=", "==", "-", "eq", "EQ"):
        return "", ""
    if re.match(r"^(?:<|≤|lt$|less than)", bare, re.IGNORECASE):
        return "<", re.sub(r"^(?:<=?|≤|lt|less than)\s*", "", bare, flags=re.IGNORECASE)
    if re.match(r"^(?:>|≥|gt$|greater than)", bare, re.IGNORECASE):
        return ">", re.sub(r"^(?:>=?|≥|gt|greater than)\s*", "", bare, flags=re.IGNORECASE)
    if ND.match(bare):
        return "<", ""
    return ("<", bare) if nondetect_letters(bare) else ("", bare)


_NOT_DETECTED: Final = re.compile(
    r"^\*?(?:n|no|false|0|0\.0|u|nd|absent|not present|not detected.*|non[- ]?detect.*|undetected|none detected)$",
    re.IGNORECASE,
)
_BELOW: Final = re.compile(
    r"^\*?(?:(?:present )?below.*|detected not quantified|present <.*|trace|dnq|bql|bdl|brl|bpql|present below.*)$",
    re.IGNORECASE,
)
_ABOVE: Final = re.compile(r"^\*?(?:present )?above.*(?:quanti\w+|detection|reporting).*$", re.IGNORECASE)
_UNREPORTED: Final = re.compile(
    r"^\*?(?:not reported|value not reported|systematic contamination|lost.*)$", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def condition(text: str) -> str:
    """Return what a detection condition says: `not detected`, `below`, `above`, `not reported` or `""`.

    The conditions are those of the WQX domain list "ResultDetectionCondition" (EPA).

    Examples
    --------
    >>> condition("Not Detected at Reporting Limit"), condition("Present Below Quantification Limit"), condition("Y")
    ('not detected', 'below', '')
    """
    plain = " ".join(text.split())
    for pattern, meaning in (
        (_NOT_DETECTED, "not detected"),
        (_BELOW, "below"),
        (_ABOVE, "above"),
        (_UNREPORTED, "not reported"),
    ):
        if pattern.match(plain):
            return meaning
    return ""
