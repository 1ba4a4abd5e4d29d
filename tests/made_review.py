"""A review made by hand, as the engine would leave one: an electroplater, a dairy and a truck wash over four months.

The users and laboratories are invented. Verdicts come from the small `verdict` below, so that the report can be tested
without the engine.
"""

from __future__ import annotations

import hashlib
from types import SimpleNamespace

import numpy as np
import pandas as pd

from pretreat import columns

PLATER, DAIRY, WASH = "Elk Creek Plating", "Rock City Dairy", "Glen Park Truck Wash"
DAYS = pd.date_range("2026-07-01", "2026-10-28", freq="7D")
VALLEY, WILLIAMS, FEDERAL = "ny/little-valley", "ny/williamsville", "federal/403"
DAY, THIRTY, ONCE, COUNT, SLUG = "24-hour average", "30-day average", "instantaneous", "reading count", "slug"
OPEN = np.inf

METALS = {  # parameter: usual, 30-day limit, 24-hour limit [mg/L]
    "Cadmium": (0.012, 0.4, 0.8),
    "Chromium": (0.48, 4.0, 8.0),
    "Chromium (VI)": ("<0.010", 0.2, 0.4),
    "Copper": (0.35, 0.8, 1.6),
    "Lead": (0.05, 0.2, 0.4),
    "Nickel": (0.92, 4.0, 8.0),
    "Selenium": ("<0.010", 0.2, 0.4),
    "Silver": (0.021, 0.2, 0.4),
    "Zinc": (0.31, 1.2, 2.4),
}
PLANTED = {
    ("Copper", "08-12"): 1.75, ("Copper", "09-09"): 1.6, ("Selenium", "10-14"): "<0.600", ("Chromium (VI)", "10-21"): 0.45,
    ("Lead", "09-09"): 0.26, ("Lead", "09-16"): 0.26, ("Zinc", "10-07"): 2.55, ("Zinc", "10-14"): 2.6, ("Zinc", "10-21"): 2.7,
    ("Zinc", "10-28"): 1.2,
}  # fmt: skip
GRABS = [  # facility, parameter, day, value
    (PLATER, "Cyanide", "09-16", 1.31), (PLATER, "Cyanide", "08-05", 0.05), (PLATER, "Cyanide", "10-07", 0.04),
    (PLATER, "pH", "08-05", 5.5), (PLATER, "pH", "09-23", 5.3), (PLATER, "pH", "10-07", 9.8), (PLATER, "pH", "09-16", 7.4),
    (DAIRY, "Oil and grease", "08-12", 100.0), (DAIRY, "Oil and grease", "09-09", 118.0), (DAIRY, "Oil and grease", "10-14", 42.0),
    (DAIRY, "Temperature", "08-05", 149.0), (DAIRY, "Temperature", "10-07", 152.0), (DAIRY, "Temperature", "09-09", 121.0),
    (DAIRY, "pH", "08-19", 4.8), (DAIRY, "pH", "09-16", 6.9), (DAIRY, "BOD5", "09-16", 412.0),
    (WASH, "pH", "09-16", 5.7), (WASH, "pH", "10-14", 9.9), (WASH, "pH", "09-09", 6.0), (WASH, "Oil and grease", "09-30", 140.0),
    (WASH, "Oil and grease", "08-26", "<5"), (WASH, "Flashpoint", "08-26", 132.0), (WASH, "Flashpoint", "08-19", ">200"),
    (WASH, "Solids size", "07-22", 0.75),
]  # fmt: skip
BOUNDS = {  # (facility, parameter): pack, cite, limits as bound, operator, low, high, unit
    (PLATER, "Cyanide"): (VALLEY, "§ 194-6C(8)", [("upper", ">", 0.4, 0.4)], "mg/L"),
    (PLATER, "pH"): (VALLEY, "§ 194-6C(2)", [("lower", "<", 5.5, 5.5), ("upper", ">", 9.5, 9.5)], "SU"),
    (DAIRY, "pH"): (VALLEY, "§ 194-6C(2)", [("lower", "<", 5.5, 5.5), ("upper", ">", 9.5, 9.5)], "SU"),
    (DAIRY, "Oil and grease"): (VALLEY, "§ 194-6C(3)", [("upper", ">", 100.0, 100.0)], "mg/L"),
    (DAIRY, "Temperature"): (VALLEY, "§ 194-6C(4)", [("upper", ">", 147.2, 150.0)], "degF"),
    (DAIRY, "BOD5"): (VALLEY, "§ 194-11", [("upper", ">", 300.0, 300.0)], "mg/L"),
    (WASH, "pH"): (WILLIAMS, "§ 81-6B(4)", [("lower", "<", 6.0, 6.0), ("upper", ">", 9.5, 9.5)], "SU"),
    (WASH, "Oil and grease"): (WILLIAMS, "§ 81-6B(3)", [("upper", ">", 100.0, 100.0)], "mg/L"),
    (WASH, "Flashpoint"): (WILLIAMS, "§ 81-6B(1)", [("lower", "<", 140.0, 140.0)], "degF"),
    (WASH, "Solids size"): (WILLIAMS, "§ 81-6B(5)", [("upper", ">", 0.5, 0.5)], "in"),
}


def verdict(low, high, high_open, bound, limit_low, limit_high):
    """The verdict of a value's interval against a limit's, where exceeding itself violates."""
    if bound == "upper":
        over, within = low > limit_high, high <= limit_low
    else:
        over, within = (high < limit_low) or (high_open and high <= limit_low), low >= limit_high
    return "exceeds" if over else "complies" if within else "undetermined"


def interval(value):
    if isinstance(value, str):
        number = float(value[1:])
        return (0.0, number) if value[0] == "<" else (number, OPEN)
    return value, value


def _id(*parts) -> str:
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:12]


def _results() -> pd.DataFrame:
    rows = []
    for parameter, (usual, _, _) in METALS.items():
        for day in DAYS:
            value = PLANTED.get((parameter, f"{day:%m-%d}"), usual)
            rows.append((PLATER, parameter, day + pd.Timedelta(hours=7), 24, "composite", value, "mg/L"))
    units = {key: spec[3] for key, spec in BOUNDS.items()}
    for facility, parameter, day, value in GRABS:
        start = pd.Timestamp(f"2026-{day}T10:15")
        rows.append((facility, parameter, start, 0, "grab", value, units[facility, parameter]))
    frame = pd.DataFrame(rows, columns=["facility", "parameter", "start", "hours", "sample_type", "given", "unit"])
    text = frame["given"].astype(str)
    frame["qualifier"] = text.str[0].where(text.str[0].isin(["<", ">"]), "")
    frame["value"] = text.str.lstrip("<>").astype(float)
    frame["value_text"], frame["unit_text"] = text, frame["unit"]
    frame["end"] = frame["start"] + pd.to_timedelta(frame["hours"], unit="h")
    frame["outfall"] = np.where(frame["facility"] == PLATER, "001", "")
    frame["fraction"] = np.where(frame["parameter"].isin(list(METALS)), "total", "")
    frame["sample_id"] = "S-" + frame["start"].dt.strftime("%y%m%d")
    frame["lab"] = "Cattaraugus Analytical (invented)"
    frame["source_file"] = "samples/" + frame["facility"].str.replace(" ", "-").str.lower() + ".xlsx"
    frame["source_sheet"] = "Results"
    frame["source_cell"] = [f"G{i + 7}" for i in range(len(frame))]
    return columns.complete(
        pd.concat([columns.complete(frame, "results"), columns.complete(_meter(), "results")], ignore_index=True),
        "results",
    )


def _meter() -> pd.DataFrame:
    """The dairy's flow meter around the slug of 6 October: five-minute readings."""
    times = pd.date_range("2026-10-05T16:00", "2026-10-06T12:00", freq="5min")
    flow = 0.03 + 0.01 * np.sin(np.arange(len(times)) / 9)
    flow[(times >= "2026-10-06T02:10") & (times <= "2026-10-06T02:34")] = [0.19, 0.21, 0.2, 0.18, 0.165]
    return pd.DataFrame(
        {
            "facility": DAIRY, "parameter": "Flow", "start": times, "end": times, "sample_type": "continuous", "value": flow,
            "unit": "MGD", "value_text": [f"{value:.4f}" for value in flow], "unit_text": "MGD",
            "source_file": "samples/rock-city-dairy/meter.csv", "source_cell": [f"B{i + 4}" for i in range(len(times))],
        }
    )  # fmt: skip


def _comparison(row, pack, cite, statistic, start, end, n, n_nondetect, low, high, bound, unit, sources, **more):
    facility, outfall, parameter, fraction = row
    name, operator, limit_low, limit_high = bound
    over = verdict(low, high, False, name, limit_low, limit_high)
    numbers = parameter not in {"pH", "Temperature", "Flashpoint"} and statistic not in {COUNT, SLUG}
    near, far = (low, limit_high) if name == "upper" else (limit_low, high)
    ratio = (near / far if over == "exceeds" else high / limit_low) if numbers else np.nan
    given = {
        "comparison_id": _id(pack, cite, facility, parameter, statistic, start, name),
        "pack": pack, "limit_id": f"{cite.strip('§ ')}-{parameter.lower()}-{statistic[:2]}", "cite": cite,
        "facility": facility, "outfall": outfall, "parameter": parameter, "fraction": fraction, "statistic": statistic,
        "period_start": start, "period_end": end, "n": n, "n_nondetect": n_nondetect, "low": low, "high": high,
        "bound": name, "operator": operator, "level": "", "limit_low": limit_low, "limit_high": limit_high, "unit": unit,
        "verdict": over, "reason": "", "ratio": ratio,
        "percent_over": np.floor((ratio - 1) * 100 + 0.5) if over == "exceeds" and numbers else np.nan,
        "binding": "yes", "kind": "violation", "sources": sources if more.get("verdict", over) != "complies" else "",
    }  # fmt: skip
    return given | more


def _comparisons(results: pd.DataFrame) -> pd.DataFrame:
    rows = []
    source = results["source_file"].astype(str) + "!Results!" + results["source_cell"].astype(str)
    for parameter, (_, thirty, daily) in METALS.items():
        mine = results[(results["parameter"] == parameter) & (results["facility"] == PLATER)]
        who = (PLATER, "001", parameter, "total")
        for month, part in mine.groupby(mine["start"].dt.to_period("M")):
            spans = [interval(text if text[0] in "<>" else float(text)) for text in part["value_text"]]
            low, high = (float(np.mean(side)) for side in zip(*spans, strict=True))
            nondetects = int((part["qualifier"] == "<").sum())
            reason = ""
            if parameter == "Lead" and month.month == 9:
                high = 0.215
                reason = "30-day average is left open: worst of 30 consecutive days, 2026-08-26 to 2026-09-24"
            first, last = month.start_time, (month + 1).start_time
            rows.append(
                _comparison(
                    who, VALLEY, "§ 194-6C(8)", THIRTY, first, last, len(part), nondetects, low, high,
                    ("upper", ">", thirty, thirty), "mg/L", "; ".join(source[part.index]), reason=reason,
                )
            )  # fmt: skip
            for at, (low, high) in zip(part.index, spans, strict=True):
                day = part.loc[at, "start"].normalize()
                reason = "the reporting limit is above the limit" if parameter == "Selenium" and high > daily else ""
                rows.append(
                    _comparison(
                        who, VALLEY, "§ 194-6C(8)", DAY, day, day + pd.Timedelta(days=1), 1, int(low != high), low, high,
                        ("upper", ">", daily, daily), "mg/L", source[at], reason=reason,
                    )
                )  # fmt: skip
                if parameter in {"Zinc", "Copper"}:  # the categorical limit is less stringent here
                    rows.append(
                        _comparison(
                            who, "federal/433", "40 CFR 433.17(a)", DAY, day, day + pd.Timedelta(days=1), 1, 0, low, high,
                            ("upper", ">", 2.61 if parameter == "Zinc" else 3.38, 2.61 if parameter == "Zinc" else 3.38), "mg/L",
                            source[at], binding="no",
                        )
                    )  # fmt: skip
    for at, row in results[results["sample_type"] == "grab"].iterrows():
        pack, cite, bounds, unit = BOUNDS[row["facility"], row["parameter"]]
        low, high = interval(row["value_text"] if row["value_text"][0] in "<>" else row["value"])
        kind = "surcharge" if row["parameter"] == "BOD5" else "violation"
        reason = (
            "150 °F is printed as 64 °C: the limit lies between 147.2 and 150 °F"
            if row["unit"] == "degF" and pack == VALLEY
            else ""
        )
        rows += [
            _comparison(
                (row["facility"], row["outfall"], row["parameter"], ""), pack, cite, ONCE, row["start"], row["start"], 1,
                int(row["qualifier"] == "<"), low, high, bound, unit, source[at], kind=kind, reason=reason,
            )
            for bound in bounds
        ]  # fmt: skip
    day = pd.Timestamp("2026-08-12")
    rows.append(
        _comparison(
            (WASH, "", "LEL", ""), WILLIAMS, "§ 81-6B(1)", COUNT, day, day + pd.Timedelta(days=1), 2, 0, 2.0, 2.0, ("upper", ">=", 2.0, 2.0),
            "", "samples/glen-park-truck-wash.csv!F12; samples/glen-park-truck-wash.csv!F13", level="> 10", verdict="exceeds",
        )
    )  # fmt: skip
    month = pd.Timestamp("2026-10-01")
    rows.append(
        _comparison(
            (DAIRY, "", "Flow", ""), VALLEY, "§ 194-3", SLUG, month, month + pd.DateOffset(months=1), 31, 0, 1.0, 2.0, ("upper", ">", 0.0, 0.0),
            "", "samples/rock-city-dairy/meter.csv!B1820:B1844", reason="31 of 31 days had readings", ratio=np.nan, percent_over=np.nan,
        )
    )  # fmt: skip
    frame = columns.complete(pd.DataFrame(rows), "comparisons")
    frame["reason"] = frame["reason"].where(frame["verdict"] != "complies", "")
    late = (frame["parameter"] == "Nickel") & (frame["period_start"] == pd.Timestamp("2026-10-28"))
    said = "not evaluated", "other streams may have joined before the sampling point"
    frame.loc[late, ["verdict", "reason", "sources"]] = [*said, "samples/elk-creek-plating.xlsx!Results!G114"]
    return frame


def _limits(comparisons: pd.DataFrame) -> pd.DataFrame:
    key = ["facility", "outfall", "parameter", "pack", "limit_id", "bound"]
    limits = comparisons.drop_duplicates(key).copy()
    limits["statistic_printed"] = (
        limits["statistic"].map({DAY: "Twenty-four-Hour Average", THIRTY: "Thirty-Day Average"}).fillna("")
    )
    limits["printed"] = limits["limit_high"].map("{:g}".format)
    limits["reason"] = ""
    return columns.complete(limits, "limits")


def _snc(comparisons: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for parameter, chronic, trc, over in (
        ("Zinc", "no", "yes", 3),
        ("Copper", "no", "no", 1),
        ("Selenium", "no", "undetermined", 0),
    ):
        rows.append(
            {
                "snc_id": _id("snc", parameter), "limit_pack": VALLEY, "limit_cite": "§ 194-6C(8)",
                "rule_cite": "40 CFR 403.8(f)(2)(viii)(A), (B)", "facility": PLATER, "outfall": "001", "parameter": parameter,
                "limit_id": f"194-6C(8)-{parameter.lower()}-24", "statistic": DAY,
                "window_start": pd.Timestamp("2026-04-01") if parameter == "Copper" else pd.Timestamp("2026-07-01"),
                "window_end": pd.Timestamp("2026-10-01") if parameter == "Copper" else pd.Timestamp("2027-01-01"),
                "n": 13 if parameter == "Copper" else 18, "n_over_low": over, "n_over_high": over + (parameter == "Selenium"),
                "chronic": chronic, "trc_factor": 1.2, "n_trc_low": 6 if parameter == "Zinc" else 0,
                "n_trc_high": 6 if parameter == "Zinc" else int(parameter == "Selenium"), "trc": trc,
                "snc": "yes" if trc == "yes" else "undetermined" if trc == "undetermined" else "no", "significant_user": "yes",
            }
        )  # fmt: skip
    return columns.complete(pd.DataFrame(rows), "snc")


def _others() -> dict[str, pd.DataFrame]:
    t = pd.Timestamp
    set_aside = [
        (
            "samples/rock-city-dairy/pH log.xlsx",
            "Sheet1",
            "C44",
            "#REF!",
            "error cell",
            "The cell holds an error; correct it in the workbook.",
        ),
        (
            "samples/glen-park-truck-wash.csv",
            "",
            "F9",
            "=2+2",
            "not a number",
            "Text that is no value; ask the laboratory.",
        ),
        (
            "samples/elk-creek-plating.xlsx",
            "QC",
            "D5:G22",
            "",
            "quality control",
            "A blank, spike or surrogate is no sample.",
        ),
    ]
    sheets = [
        ("samples/elk-creek-plating.xlsx", "Results", "long", 6, "ymd", 171, 168, 3),
        ("samples/rock-city-dairy/pH log.xlsx", "Sheet1", "wide", 2, "mdy", 9, 8, 1),
        ("samples/glen-park-truck-wash.csv", "", "long", 1, "mdy", 12, 11, 1),
    ]
    missing = [
        (VALLEY, f"194-6C(8)-{name.lower()}-24", "§ 194-6C(8)", facility, "", name, DAY, reason)
        for facility, reason in ((PLATER, "no results"), (DAIRY, "no results"))
        for name in ("Arsenic", "Barium", "Manganese", "Mercury", "Sulfide", "Phenol")
    ] + [
        (WILLIAMS, "81-6A", "§ 81-6A", WASH, "", "TTO", DAY, "text not supplied"),
        (WILLIAMS, "81-6C", "§ 81-6C", WASH, "", "Temperature", ONCE, "point unknown"),
        (VALLEY, "194-3-slug", "§ 194-3", PLATER, "001", "Flow", SLUG, "no timed readings"),
    ]
    slugs = [
        ("s1", VALLEY, "§ 194-3", DAIRY, "", "Flow", t("2026-10-06T02:10"), t("2026-10-06T02:34"), 24.0, 26.0, 0.210, 0.03, 5.0, "MGD", "exceeds", ""),
        ("s2", VALLEY, "§ 194-3", DAIRY, "", "Flow", t("2026-10-11T14:02"), t("2026-10-11T14:09"), 7.0, OPEN, 0.181, 0.03, 5.0, "MGD", "undetermined", "no reading within 60 minutes after"),
        ("s3", VALLEY, "§ 194-3", DAIRY, "", "Flow", t("2026-10-20T06:00"), t("2026-10-20T06:04"), 4.0, 6.0, 0.163, 0.03, 5.0, "MGD", "complies", ""),
    ]  # fmt: skip
    schedule = [
        (PLATER, FEDERAL, "40 CFR 403.12(g)(2)", "Notify the village within 24 hours of becoming aware (Zinc, 7 October)", t("NaT"), t("2026-10-15T14:00"), t("2026-10-15T09:00"), "met", ""),
        (PLATER, FEDERAL, "40 CFR 403.12(g)(2)", "Repeat the sampling and submit it within 30 days (Zinc, 7 October)", t("NaT"), t("2026-11-13"), t("NaT"), "late", "nothing received by 2026-11-30"),
        (DAIRY, VALLEY, "§ 194-8B", "Report of periodic compliance", t("2026-12-01"), t("2026-12-31"), t("NaT"), "due", ""),
        (WASH, WILLIAMS, "§ 81-9", "Slug discharge control plan", t("NaT"), t("NaT"), t("NaT"), "not evaluated", "no event 'permit issued' was given"),
    ]  # fmt: skip
    findings = [
        ("no limit for this result", DAIRY, "", "Calcium", "12 results of Calcium have no limit in force.", ""),
        ("grab over a complying composite", PLATER, "001", "Cyanide", "The grab of 16 September is over on a day that complies.", "samples/elk-creek-plating.xlsx!Results!G90"),
        ("reporting limit above limit", PLATER, "001", "Selenium", "<0.6 mg/L cannot show compliance with 0.4 mg/L.", "samples/elk-creek-plating.xlsx!Results!G77"),
        ("<script>alert(1)</script>", WASH, "", "=1+1", "<b>Text of a lab</b> & its \"quotes\"", ""),
    ]  # fmt: skip
    return {
        name: pd.DataFrame(rows, columns=list(columns.TABLES[name]))
        for name, rows in {
            "set_aside": set_aside,
            "sheets": sheets,
            "not_evaluated": missing,
            "slugs": slugs,
            "schedule": schedule,
            "findings": findings,
        }.items()
    }


CHECKLIST = pd.DataFrame(
    [
        (
            VALLEY,
            "§ 194-6C(1)",
            "Explosive or flammable substances",
            "narrative",
            "No user shall discharge gasoline, benzene, naphtha",
        ),
        (
            VALLEY,
            "§ 194-6C(7)",
            "Noxious or malodorous liquids",
            "narrative",
            "Sufficient to create a public nuisance or hazard to life",
        ),
        (WILLIAMS, "§ 81-6B(7)", "Color", "narrative", "Objectionable color not removed in the treatment process"),
        (
            FEDERAL,
            "40 CFR 403.5(b)(8)",
            "Trucked or hauled pollutants",
            "narrative",
            "Except at discharge points designated by the POTW",
        ),
    ],
    columns=["pack", "cite", "subject", "kind", "printed"],
)

PROVENANCE = {
    "version": "0.1.0",
    "as_of": "2026-11-30",
    "period": "2026-07-01 to 2026-10-31",
    "inputs": [("samples/elk-creek-plating.xlsx", "ab" * 32), ("samples/glen-park-truck-wash.csv", "cd" * 32)],
    "options": {"limits": "ny/little-valley, ny/williamsville", "facilities": "samples/facilities.xlsx"},
    "packs": [
        {"name": VALLEY, "title": "Village of Little Valley, Chapter 194, Sewer Use", "cite": "§ 194-6C", "text_state": "section headings lost"},
        {"name": WILLIAMS, "title": "Village of Williamsville, Chapter 81, Sewers", "cite": "§ 81-6", "text_state": ""},
        {"name": FEDERAL, "title": "National pretreatment standards: prohibited discharges", "cite": "40 CFR 403.5(b)", "text_state": ""},
    ],
    "settings": {"thirty_day": "open", "nondetects": "interval", "rounding": "none"},
    "assumed": {"water_fluoridated": "unknown: both answers were tried"},
    "outside_period": 2,
}  # fmt: skip


def made_review(**changes: object) -> SimpleNamespace:
    """Return a review of three users over four months; `changes` replace tables."""
    results = _results()
    comparisons = _comparisons(results)
    binding = (comparisons["binding"] != "no") & (comparisons["kind"] == "violation")
    keys = ["facility", "outfall", "parameter", "pack", "limit_id", "statistic", "verdict"]
    tables = {
        "results": results,
        "comparisons": comparisons,
        "exceedances": comparisons[binding & (comparisons["verdict"] == "exceeds")],
        "undetermined": comparisons[comparisons["verdict"] == "undetermined"],
        "averages": comparisons[comparisons["statistic"].isin([DAY, THIRTY]) & (comparisons["pack"] == VALLEY)],
        "limits": _limits(comparisons),
        "counts": comparisons.groupby(keys, as_index=False).size().rename(columns={"size": "n"}),
        "snc": _snc(comparisons),
        **_others(),
    } | changes
    tables = {name: columns.complete(frame, name) for name, frame in tables.items()}
    return SimpleNamespace(tables=tables, provenance=PROVENANCE, checklist=CHECKLIST)


def empty_review() -> SimpleNamespace:
    """Return a review of nothing."""
    tables = {name: columns.empty(name) for name in columns.TABLES}
    return SimpleNamespace(tables=tables, provenance={}, checklist=CHECKLIST.iloc[:0])
