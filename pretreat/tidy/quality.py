"""What kind of row a row is: a sample, a field duplicate, or a laboratory's quality control, and how it was taken.

Codes are those of EQuIS deliverables (EPA Region 2 and 5 electronic data deliverable manuals: `sample_type_code`,
`result_type_code`), of WQX (`ActivityTypeCode`) and of NetDMR and ICIS (`statistical_base_code`), beside plain words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORDS: Final = (
    (r"surr", "surrogate"),
    (r"internal standard", "surrogate"),
    (r"tentatively identified|\btic\b", "tentatively identified"),
    (r"spike", "spike"),
    (r"blank", "blank"),
    (r"rinsate", "blank"),
    (
        r"(?<!quality )control (?:sample|standard|spike)|reference (?:material|sample)|calibration|check standard",
        "control sample",
    ),
    (r"performance evaluation|proficiency|(?:positive|negative) control", "control sample"),
    (r"(?<!inter[ -])lab\w*[ -](?:dup|rep|split)|(?:dup|rep)\w*,? lab", "laboratory duplicate"),
    (r"field[ -](?:dup|rep|split)|\bdup(?:licate)?\b|replicate|\bsplit\b", "field duplicate"),
    (r"quality control", "quality control"),
)
_CODES: Final = {
    code: kind
    for kind, codes in {
        "surrogate": "SUR SURR IS",
        "tentatively identified": "TIC",
        "spike": "MS MSD SC SPK",
        "blank": "LB MB FB TB EB RB BLK MBLK AB PB CCB ICB",
        "control sample": "LCS LCSD BS BSD SRM CRM CCV ICV QCS PE BD",
        "laboratory duplicate": "L LD LR DUP-L",
        "field duplicate": "FD FR DUP",
    }.items()
    for code in codes.split()
}

REASONS: Final = {
    "surrogate": "a surrogate measures the laboratory's recovery, not the wastewater",
    "spike": "a spike holds what the laboratory added",
    "blank": "a blank is clean water that went through the same handling",
    "control sample": "a control sample has a known content; it tests the laboratory",
    "laboratory duplicate": "a second analysis by the laboratory of the same bottle; the first one counts",
    "tentatively identified": "a tentatively identified compound was not calibrated for",
    "quality control": "the row is marked as quality control",
    "recovery": "the unit is percent recovery, which is quality control",
}


@lru_cache(maxsize=4096)
def kind(text: str) -> str:
    """Return what a quality-control text says: a key of `REASONS`, `field duplicate`, or `""` for a sample.

    Examples
    --------
    >>> kind("NA TRG"), kind("LCS SC"), kind("Quality Control Sample-Field Replicate"), kind("Sample-Routine")
    ('', 'control sample', 'field duplicate', '')
    """
    words = " ".join(text.split())
    for pattern, meaning in _WORDS:
        if re.search(pattern, words, re.IGNORECASE):
            return meaning
    codes = [_CODES[part] for part in re.split(r"[\s;,/|]+", words.upper()) if part in _CODES]
    return next((code for code in ("surrogate", "blank", "control sample") if code in codes), codes[0] if codes else "")


@lru_cache(maxsize=4096)
def is_blank_sample(text: str) -> bool:
    """Tell whether a sample's name says that it is a blank.

    Examples
    --------
    >>> is_blank_sample("Trip Blank 3"), is_blank_sample("Blankenship Plating")
    (True, False)
    """
    return bool(
        re.search(
            r"\b(?:method|trip|field|equip(?:ment)?|rinsate|lab(?:oratory)?|prep)[ _-]*blank\b", text, re.IGNORECASE
        )
        or re.fullmatch(r"\s*blank\s*\d*\s*", text, re.IGNORECASE)
    )


_CONTROL_SAMPLES: Final = (
    (
        "control sample",
        r"(lcsd?|ccv|icv|srm|crm)([ _#-]?\d[\w-]*)?|lab(oratory)? control (sample|spike)s?( dup\w*)?|bsd?",
    ),
    ("blank", r"(mblk|ccb|icb)([ _#-]?\d[\w-]*)?|mb"),
    ("spike", r"msd?|.+[ _-]msd?|(matrix |lab(oratory)? )?spikes?( dup\w*)?( #?\d+)?|.+[ _-]matrix spike( dup\w*)?"),
)


_MAYBE_CONTROL: Final = re.compile(r"blank|mblk|lcs|c[cvb]|crm|srm|control|bs|ms|^mb$|spike", re.IGNORECASE)
"""What one of these has; most of a million samples' numbers have none and need no further look."""


def of_sample(text: str) -> str:
    """Return the kind of quality control that a sample's name or number says it is, or `""`.

    Letters that may be a place's (`MB-3`, `MS-1`) say nothing with a number behind them; `controls` asks their company.

    Examples
    --------
    >>> of_sample("LCS-1005"), of_sample("AP-1 MSD"), of_sample("Trip Blank 3"), of_sample("MB-3"), of_sample("AP-1")
    ('control sample', 'spike', 'blank', '', '')
    """
    if not _MAYBE_CONTROL.search(text):
        return ""
    if is_blank_sample(text):
        return "blank"
    words = " ".join(text.split())
    return next((kind for kind, form in _CONTROL_SAMPLES if re.fullmatch(form, words, re.IGNORECASE)), "")


@lru_cache(maxsize=4096)
def is_recovery(unit: str) -> bool:
    """Tell whether a unit is percent recovery.

    Examples
    --------
    >>> is_recovery("% Rec"), is_recovery("%")
    (True, False)
    """
    return bool(re.match(r"^\s*(?:%|percent|pct)\s*_?\s*rec(?:overy|\.)?\s*$", unit, re.IGNORECASE))


_TYPES: Final = (
    (
        "composite",
        re.compile(r"\bcomp|composite|flow.?prop|time.?prop|^(?:c|cp|24|24 ?-?h\w*c?|8 ?hc|fpc|tpc)$", re.IGNORECASE),
    ),
    ("grab", re.compile(r"grab|discrete|manual|^(?:g|gr|gb|inst\w*)$", re.IGNORECASE)),
    ("continuous", re.compile(r"contin|record|logger|meter|totali|^(?:cn|cont|rcorder)$", re.IGNORECASE)),
)


@lru_cache(maxsize=4096)
def sample_type(text: str) -> str:
    """Return `grab`, `composite`, `continuous` or `""` for a sample type as printed.

    Examples
    --------
    >>> sample_type("24-HR COMP"), sample_type("G"), sample_type("Intermediate Grab"), sample_type("Recorder")
    ('composite', 'grab', 'grab', 'continuous')
    """
    words = " ".join(text.split())
    return next((name for name, pattern in _TYPES if pattern.search(words)), "")


@lru_cache(maxsize=4096)
def collected_by(text: str) -> str:
    """Return who took the sample: `user`, `authority` or `""`.

    Examples
    --------
    >>> collected_by("POTW"), collected_by("Self-monitoring"), collected_by("J. Doe")
    ('authority', 'user', '')
    """
    words = text.strip().lower()
    if re.search(
        r"authorit|potw|\bcity\b|village|town\b|county|district|inspect|agency|control auth|\bca\b|state", words
    ):
        return "authority"
    return (
        "user" if re.search(r"\buser|self|\biu\b|\bsiu\b|\bciu\b|industr|permittee|discharger|company", words) else ""
    )


_LIQUID: Final = re.compile(r"(?:waste ?water|water|aqueous|liquid)\b(?!.*(?:sludge|biosolid))", re.IGNORECASE)
_MATRICES: Final = (
    ("air", r"\b(?:air|gas|vapou?rs?|headspace)\b|^(?:aa|gs)$"),
    ("solid", r"\b(?:sludges?|bio-?solids?|soils?|solids?|sediments?|(?:filter ?)?cake|grit|ash)\b|^(?:so|sl|se|sd)$"),
    ("other", r"\b(?:oil|tissue|wipes?|product|paint|napl)\b"),
)


@lru_cache(maxsize=4096)
def matrix(text: str) -> str:
    """Return what a sample was where it was no wastewater: `solid`, `air`, `other`; `""` for water and what is unknown.

    The codes are those of EQuIS (`matrix_code`: SO soil, SE sediment, SL sludge, AA and GS air and gas).

    Examples
    --------
    >>> matrix("Sludge"), matrix("SO"), matrix("Ambient Air"), matrix("WW"), matrix("Aqueous, some sediment")
    ('solid', 'solid', 'air', '', '')
    """
    words = " ".join(re.split(r"[\s_]+", text.strip()))
    if _LIQUID.match(words):
        return ""
    return next((name for name, pattern in _MATRICES if re.search(pattern, words, re.IGNORECASE)), "")


_STATISTICS: Final = {
    text: name
    for name, texts in {
        "monthly average": (
            "mo avg",
            "monthly average",
            "mo average",
            "monthly avg",
            "average monthly",
            "monthly mean",
        ),
        "30-day average": ("30da avg", "30 day average", "30-day average", "30 day avg", "30-day avg"),
        "24-hour average": (
            "24-hour average",
            "24 hour average",
            "24-hr avg",
            "24 hr avg",
            "24-hour avg",
            "24-hr average",
        ),
        "weekly average": ("wkly avg", "weekly average", "7 da avg", "weekly avg", "7-day average", "7 day average"),
        "daily maximum": ("daily mx", "daily max", "daily maximum", "da max", "maximum daily", "max daily"),
        "instantaneous maximum": ("inst max", "instantaneous max", "instantaneous maximum"),
        "instantaneous minimum": ("inst min", "instantaneous min", "instantaneous minimum"),
        "": ("singsamp", "singgrab", "single sample"),
    }.items()
    for text in texts
}


@lru_cache(maxsize=4096)
def statistic(text: str) -> str:
    """Return the statistic that a DMR row carries, in our words where we have one; `""` for a single sample.

    Examples
    --------
    >>> statistic("MO AVG"), statistic("DAILY AV"), statistic("SINGGRAB")
    ('monthly average', 'daily av', '')
    """
    words = " ".join(text.lower().split())
    return _STATISTICS.get(words, words)


@lru_cache(maxsize=4096)
def is_surrogate(name: str) -> bool:
    """Tell whether an analyte's name says that it is a surrogate.

    Examples
    --------
    >>> is_surrogate("2-Fluorophenol (Surr)"), is_surrogate("Phenol")
    (True, False)
    """
    return bool(re.search(r"\bsurr(?:ogate)?s?\b", name, re.IGNORECASE))
