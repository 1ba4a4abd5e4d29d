"""The worked cases of the papers (cases.md), each by its name and through the front door: `pretreat.check`.

The numbers are those published or derived there; the sources stand with each. Cases of single functions are beside
those functions; `test_cases_index.py` shows that none is missing.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

import pretreat
from pretreat import packs, units
from pretreat.loads import alternative_limits

HEAD = '[document]\ntitle = "Permit"\ncite = "Part 1"\n[settings]\nunstated = "instantaneous"\n'
SIX = [f"2026-0{month}-12" for month in range(1, 7)]


@pytest.fixture
def permit(tmp_path: Path):
    def write(*rows: str, settings: str = "") -> packs.Limits:
        path = tmp_path / "permit.toml"
        text = "".join(f'[[limit]]\nid = "L{at}"\ncite = "{at}"\n{row}\n' for at, row in enumerate(rows, 1))
        path.write_text(HEAD + settings + "\n" + text, encoding="utf-8")
        return packs.load(str(path))

    return write


def limit(parameter: str, word: str, number: object, statistic: str = "daily maximum", unit: str = "mg/L") -> str:
    return f'parameter = "{parameter}"\n{word} = {number}\nstatistic = "{statistic}"\nunit = "{unit}"'


def samples(parameter: str, values: list, days: list[str], unit: str = "mg/L", **more: object) -> pd.DataFrame:
    base: dict[str, object] = {
        "facility": "Acme Plating",
        "parameter": parameter,
        "value": values,
        "unit": unit,
        "start": days,
    }
    return pd.DataFrame({**base, **more})


def check(frame: pd.DataFrame, limits: packs.Limits, *tables: str, **options: object) -> pretreat.Review:
    """Check a half year of a significant user; works out the tables named, or the comparisons."""
    people = {"facility": ["Acme Plating"], "class": ["SIU"], **options.pop("user", {})}
    given = {
        "period": "2026-H1",
        "as_of": "2026-12-31",
        "all_rows": True,
        "tables": tables or ("comparisons",),
    } | options
    return pretreat.check(frame, limits, facilities=pd.DataFrame(people), **given)


def of(review: pretreat.Review, name: str = "L1", statistic: str = "") -> pd.DataFrame:
    rows = review.comparisons[review.comparisons["limit_id"] == name]
    return rows[rows["statistic"] == statistic] if statistic else rows


def half_year(review: pretreat.Review, name: str = "L1") -> pd.Series:
    """The significance of one limit in the half year that ends in June."""
    rows = review.snc[(review.snc["limit_id"] == name) & (review.snc["window_end"] == "2026-07-01")]
    assert len(rows) == 1
    return rows.iloc[0]


# Published answers


def test_p_1_narragansett_bay_seven_of_ten(permit) -> None:
    """P-1, Narragansett Bay Commission: 7 of 10 copper samples above 1.20 ppm, January to June, 70 %: SNC by (A)."""
    days = [f"2026-{1 + at // 2:02d}-{5 + 14 * (at % 2):02d}" for at in range(10)]
    review = check(
        samples("Copper", [1.21] * 7 + [1.20] * 3, days, "ppm"), permit(limit("Copper", "above", "1.20")), "snc"
    )
    row = half_year(review)
    assert (row.n, row.n_over_low, row.n_over_high) == (10, 7, 7)
    assert (row.chronic, row.trc, row.snc) == ("yes", "no", "yes")


def test_p_3_below_the_minimum_level_is_zero_and_counts(permit) -> None:
    """P-3, a permit's definition: (1 + 2 + 0) / 3 = 1. Dividing by 2 gives 1.5, which must not come out."""
    frame = samples("Copper", ["1", "2", "< 0.5"], ["2026-03-01", "2026-03-02", "2026-03-03"])
    review = check(frame, permit(limit("Copper", "above", "1.2", "monthly average")), nondetects="zero")
    row = of(review).iloc[0]
    assert (row["n"], row["n_nondetect"], row["low"], row["high"], row["verdict"]) == (3, 1, 1.0, 1.0, "complies")


@pytest.mark.parametrize(("rounding", "verdict"), [("limit", "exceeds"), ("none", "complies")])
def test_p_5_mean_and_rounding(permit, rounding: str, verdict: str) -> None:
    """P-5, "DMR Calculations": 29.48 / 5 = 5.896, rounded 5.90."""
    frame = samples("BOD5", [5.30, 6.21, 4.00, 5.25, 8.72], [f"2026-03-0{day}" for day in range(1, 6)])
    limits = permit(limit("BOD5", "at_or_above", '"5.90"', "monthly average"))
    row = of(check(frame, limits, settings={"rounding": rounding})).iloc[0]
    held = {"limit": 5.90, "none": 5.896}[rounding]
    assert (row["low"], row["verdict"]) == (pytest.approx(held, rel=1e-12), verdict)


def test_p_7_monthly_average_and_largest_grab(permit) -> None:
    """P-7, wastewater101.net: daily average 19.75 mg/L, maximum individual grab 29.00."""
    days = [f"2026-03-{day:02d}" for day in (3, 10, 17, 24)]
    limits = permit(
        limit("BOD5", "above", "19.74", "monthly average"), limit("BOD5", "above", "28.99", "instantaneous")
    )
    review = check(
        samples("BOD5", [22.00, 29.00, 18.00, 10.00], days, sample_type="grab"), limits, "exceedances", "comparisons"
    )
    assert of(review)[["low", "verdict"]].to_numpy().tolist() == [[19.75, "exceeds"]]
    over = review.exceedances[review.exceedances["limit_id"] == "L2"]
    assert over["low"].tolist() == [29.0]


def test_p_9_significant_figures(permit) -> None:
    """P-9, NYSDEC: .067 stays .067; <5 stays <5 against 15; three figures against a limit of two are reported with two.

    A limit printed 0.7 has one figure: 0.74 is reported 0.7.
    """
    frame = samples("Copper", [".067"], SIX[:1])
    whole = check(
        frame, permit(limit("Copper", "above", '"1.0"')), "results", "comparisons", settings={"rounding": "limit"}
    )
    assert whole.results["value"].tolist() == [0.067]  # what is reported
    assert of(whole)[["low", "verdict"]].to_numpy().tolist() == [[0.1, "complies"]]  # a day's value, held against 1.0
    once = check(
        frame, permit(limit("Copper", "above", '"1.0"', "instantaneous")), "comparisons", settings={"rounding": "limit"}
    )
    assert of(once)[["low", "verdict"]].to_numpy().tolist() == [[0.067, "complies"]]  # measured, not worked out
    below = check(
        samples("TSS", ["< 5"], SIX[:1]),
        permit(limit("TSS", "above", "15")),
        "results",
        "comparisons",
        settings={"rounding": "limit"},
    )
    assert of(below)[["low", "high", "verdict"]].to_numpy().tolist() == [[0, 5, "complies"]]
    assert below.results["value_text"].tolist() == ["< 5"]
    for printed, value, answers in (("1.5", 1.54, ("complies", "exceeds")), ("0.7", 0.74, ("complies", "exceeds"))):
        limits = permit(limit("Copper", "above", f'"{printed}"'))
        found = [
            of(
                check(
                    samples("Copper", [value], SIX[:1]), limits, "results", "comparisons", settings={"rounding": rule}
                )
            )["verdict"].item()
            for rule in ("limit", "none")
        ]
        assert tuple(found) == answers


def test_p_9_no_figures_are_made_up(permit) -> None:
    """P-9: a limit of four figures and a method good for two: 30 is reported 30."""
    review = check(
        samples("BOD5", ["30"], SIX[:1]), permit(limit("BOD5", "above", '"30.00"')), "results", "comparisons"
    )
    assert review.results["value_text"].tolist() == ["30"]
    assert of(review)["verdict"].tolist() == ["complies"]


def test_p_11_half_up(permit) -> None:
    """P-11, EPA (arsenic): 0.0105 is 0.011 and 0.0104 is 0.010; half to even would make 0.010 of both."""
    limits = permit(limit("Arsenic", "above", '"0.010"'))
    review = check(samples("Arsenic", [0.0105, 0.0104], SIX[:2]), limits, settings={"rounding": "limit"})
    assert of(review)["verdict"].tolist() == ["exceeds", "complies"]


@pytest.mark.parametrize(("analyzed", "codes"), [("2024-10-22 08:30", []), ("2024-10-22 08:31", ["holding time"])])
def test_p_12_holding_time_to_the_minute(permit, analyzed: str, codes: list[str]) -> None:
    """P-12, a laboratory: taken 15 October 2024 08:30, seven days: until 22 October 08:30, not midnight."""
    frame = samples("TSS", [5.0], ["2024-10-15 08:30"], analyzed=analyzed)
    review = check(frame, permit(limit("TSS", "above", "15")), "findings", period="2024-10")
    assert review.findings[review.findings["code"].str.startswith("holding")]["code"].tolist() == codes


@pytest.mark.parametrize(
    ("analyzed", "code"),
    [("2024-10-22 08:30", []), ("2024-10-22 08:31", ["holding time open"]), ("2024-12-01 08:31", ["holding time"])],
)
def test_p_12_a_semivolatile_may_be_extracted_until_then(permit, analyzed: str, code: list[str]) -> None:
    """P-12: sheets give the day of analysis, not of extraction; only what is certain either way is said."""
    frame = samples("Naphthalene", [0.005], ["2024-10-15 08:30"], analyzed=analyzed)
    review = check(frame, permit(limit("Naphthalene", "above", "1")), "findings", period="2024-10")
    assert review.findings[review.findings["code"].str.startswith("holding")]["code"].tolist() == code


P_13 = "0.6 0.4 0.3, 1.2 0.7 0.5, 1.9 1 0.55, 4.1 2.6 1.8, 4.2 2.6 1.8, 4.5 2.7 1.8, 5.0 2.7 1.5, 7.0 4 2.5, 10.5 6.8 5, 20.0 13.4 10"


@pytest.mark.parametrize("row", P_13.split(", "))
def test_p_13_thirty_day_equivalents(row: str) -> None:
    """P-13, 40 CFR 413.04: keyed on the pair, since a 4-day average of 2.7 has two answers."""
    one, four, thirty = row.split()
    assert alternative_limits.thirty_day_equivalent(one, four) == Decimal(thirty)


def test_p_22_a_composite_over_midnight(permit) -> None:
    """P-22, 40 CFR 136.3 Table II note 4: November 14-15 is one sample, and is held from its end."""
    for analyzed, code in (("2024-11-17 08:00", []), ("2024-11-17 08:01", ["holding time"])):
        frame = samples("BOD5", [200.0], ["2024-11-14 08:00"], end="2024-11-15 08:00", sample_type="composite")
        review = check(
            frame.assign(analyzed=analyzed),
            permit(limit("BOD5", "above", "250")),
            "findings",
            "comparisons",
            period="2024-11",
        )
        row = of(review)
        assert row["period_start"].dt.strftime("%m-%d").tolist() == ["11-14"]
        assert row["n"].tolist() == [1]
        assert review.findings[review.findings["code"].str.startswith("holding")]["code"].tolist() == code


# Published and wrong


def plant(*dropped: str, dilute: float = 0.30) -> pd.DataFrame:
    rows = [
        ("Regulated 1", "regulated", 0.10, 2.0, 1.0),
        ("Regulated 2", "regulated", 0.05, 1.0, 0.5),
        ("Unregulated", "unregulated", 0.05, "", ""),
        ("Dilute", "dilute", dilute, "", ""),
    ]
    keys = ["stream", "type", "flow", "daily maximum", "monthly average"]
    frame = pd.DataFrame([row for row in rows if row[1] not in dropped], columns=keys)
    regulated = frame["type"] == "regulated"
    return frame.assign(
        facility="Acme Plating", outfall="", flow_unit="MGD", category=regulated.map({True: "433 PSES", False: ""}),
        parameter=regulated.map({True: "Zinc", False: ""}), limit_unit=regulated.map({True: "mg/L", False: ""}),
    )  # fmt: skip


def zinc(streams: pd.DataFrame, value: float = 0.5) -> pretreat.Review:
    user = {"class": ["CIU"], "category": ["433 PSES"], "point": ["end of pipe"]}
    frame = samples("Zinc", [value], SIX[:1], sample_type="composite")
    return check(frame, packs.load("federal/433"), streams=streams, user=user)


def zinc_limits(streams: pd.DataFrame) -> list[float]:
    rows = of(zinc(streams), "433.15 Zn").set_index("statistic")["limit_high"]
    return [round(float(rows[name]), 3) for name in ("daily maximum", "monthly average")]


def test_n_1_a_public_engines_answers_do_not_come_out() -> None:
    """N-1: it gives 1.25 and 0.625, and the same with 0.20 MGD more of dilute water."""
    assert zinc_limits(plant()) == [0.667, 0.333]
    assert zinc_limits(plant(dilute=0.50))[0] == 0.476


def test_d_1_combined_wastestream_formula() -> None:
    """D-1, 40 CFR 403.6(e): 0.667; 1.667 without dilute water; 1.667 without unregulated water too."""
    found = [zinc_limits(plant(*gone))[0] for gone in ((), ("dilute",), ("dilute", "unregulated"))]
    assert found == [0.667, 1.667, 1.667]
    assert of(zinc(plant(), 0.67), "433.15 Zn", "daily maximum")["verdict"].tolist() == ["exceeds"]
    assert of(zinc(plant(), 0.66), "433.15 Zn", "daily maximum")["verdict"].tolist() == ["complies"]


def test_n_2_the_factor_of_copper_is_not_1_4(permit) -> None:
    """N-2: a vendor's page has "usually 1.4x"; for copper at 1.20 the level is 1.44, not 1.68."""
    days = ["2026-01-12", "2026-03-09", "2026-05-11"]
    limits = permit(limit("Copper", "above", "1.20"))
    row = half_year(check(samples("Copper", [1.44, 1.0, 1.0], days), limits, "snc"))
    assert (row.trc_factor, row.n_trc_low, row.trc) == (1.2, 1, "yes")
    assert half_year(check(samples("Copper", [1.4399, 1.0, 1.0], days), limits, "snc")).trc == "no"


# Derived from the rules


def test_d_2_equal_does_not_exceed(permit) -> None:
    """D-2: 1.20 three times against 1.20: nothing exceeds, not chronic."""
    review = check(
        samples("Copper", [1.20] * 3, SIX[:3]), permit(limit("Copper", "above", "1.20")), "snc", "comparisons"
    )
    assert set(of(review)["verdict"]) == {"complies"}
    row = half_year(review)
    assert (row.n_over_low, row.n_over_high, row.chronic, row.snc) == (0, 0, "no", "no")


def test_d_4_two_of_three(permit) -> None:
    """D-4: 66.67 % above the limit, below the technical review level."""
    row = half_year(check(samples("Copper", [1.3, 1.3, 1.0], SIX[:3]), permit(limit("Copper", "above", "1.20")), "snc"))
    assert (row.chronic, row.trc, row.snc) == ("yes", "no", "yes")


def test_d_6_66_of_100_and_33_of_100(permit) -> None:
    """D-6: "66 percent or more", "33 percent or more"."""
    days = [str(day)[:10] for day in pd.date_range("2026-01-01", periods=100)]
    values = [1.5] * 33 + [1.3] * 33 + [1.0] * 34
    row = half_year(check(samples("Copper", values, days), permit(limit("Copper", "above", "1.20")), "snc"))
    assert (row.n, row.n_over_low, row.n_trc_low, row.chronic, row.trc) == (100, 66, 33, "yes", "yes")


@pytest.mark.parametrize(("who", "snc"), [("SIU", "yes"), ("unpermitted", "no")])
def test_d_7_one_bad_sample_and_d_13_not_significant(permit, who: str, snc: str) -> None:
    """D-7: one sample at 1.25 times the limit is 100 %. D-13: (A) and (B) are for significant users alone."""
    review = check(
        samples("Copper", [1.5], SIX[:1]),
        permit(limit("Copper", "above", "1.20")),
        "exceedances",
        "snc",
        user={"class": [who]},
    )
    row = half_year(review)
    assert (row.n, row.n_over_low, row.n_trc_low, row.snc) == (1, 1, 1, snc)
    assert review.exceedances["limit_id"].tolist() == ["L1"]


def test_d_9_ph_has_no_technical_review() -> None:
    """D-9: pH 4.2 in 2 of 6: 33 %, no technical review; each violates 403.5(b)(2)."""
    frame = samples("pH", [4.2, 4.2, 7, 7, 7, 7], [f"{day} 09:00" for day in SIX], "SU", sample_type="grab")
    review = check(frame, packs.load("federal/403"), "snc", "comparisons")
    assert of(review, "403.5(b)(2)")["verdict"].tolist() == ["exceeds"] * 2 + ["complies"] * 4
    row = half_year(review, "403.5(b)(2)")
    assert (row.n_over_low, row.n_trc_low, row.trc, row.snc) == (2, 0, "no", "no")
    assert pd.isna(row.trc_factor)


def test_d_11_cod_is_any_other_pollutant(permit) -> None:
    """D-11: 1 of 3 at 1,200 against 1,000 is SNC by 1.2; the NPDES list's 1.4 would miss it."""
    row = half_year(check(samples("COD", [1200, 900, 900], SIX[:3]), permit(limit("COD", "above", "1000")), "snc"))
    assert (row.trc_factor, row.trc, row.snc) == (1.2, "yes", "yes")


@pytest.mark.parametrize(("value", "answer"), [(349.9, "no"), (350, "yes")])
def test_d_12_bod_at_1_4(permit, value: float, answer: str) -> None:
    """D-12: 250 times 1.4 is 350."""
    row = half_year(check(samples("BOD5", [value, 100, 100], SIX[:3]), permit(limit("BOD5", "above", "250")), "snc"))
    assert (row.trc_factor, row.trc) == (1.4, answer)


def test_d_15_each_limit_is_its_own_series() -> None:
    """D-15, 40 CFR 433.15: daily 0 of 6; monthly averages 4 of 6 over 0.26, none at 0.312."""
    user = {"class": ["CIU"], "category": ["433 PSES"], "point": ["end of process"]}
    frame = samples("Cadmium", [0.30, 0.30, 0.30, 0.30, 0.20, 0.20], SIX, sample_type="composite")
    review = check(frame, packs.load("federal/433"), "snc", user=user)
    rows = review.snc[(review.snc["limit_id"] == "433.15 Cd") & (review.snc["window_end"] == "2026-07-01")]
    rows = rows.set_index("statistic")
    daily, months = rows.loc["daily maximum"], rows.loc["monthly average"]
    assert (daily.n, daily.n_over_low, daily.snc) == (6, 0, "no")
    assert (months.n, months.n_over_low, months.n_trc_low, months.snc) == (6, 4, 0, "yes")


@pytest.mark.parametrize(("rule", "mean"), [("zero", 0.15), ("limit", 0.16), ("half", 0.155)])
def test_d_16_non_detects_stay_in_the_mean(permit, rule: str, mean: float) -> None:
    """D-16: 0.10, 0.50 and two of <0.02: 0.15 with zeros, 0.16 at the limit; dropping them gives 0.30."""
    frame = samples("Cadmium", ["0.10", "0.50", "<0.02", "ND"], [f"2026-03-{d:02d}" for d in (2, 9, 16, 23)])
    frame["reporting_limit"] = 0.02
    review = check(frame, permit(limit("Cadmium", "above", "0.26", "monthly average")), nondetects=rule)
    row = of(review).iloc[0]
    assert (row["low"], row["high"]) == (pytest.approx(mean), pytest.approx(mean))
    assert (row["n"], row["n_nondetect"], row["verdict"]) == (4, 2, "complies")


@pytest.mark.parametrize(
    ("received", "days", "verdict"),
    [("2026-03-01", "45", "met"), ("2026-03-02", "45", "late"), ("2026-03-01", "30", "late"), ("2026-03-02", "30", "late")],
)  # fmt: skip
def test_d_20_a_late_report(permit, received: str, days: str, verdict: str) -> None:
    """D-20, (F) "within 45 days after the due date": due 15 January, day 45 is 1 March. A 30-day code: both late."""
    events = pd.DataFrame(
        {"facility": "Acme Plating", "event": ["report due", "report received"], "date": ["2026-01-15", received]}
    )
    frame = samples("Copper", [1.0], SIX[:1])
    limits = permit(limit("Copper", "above", "1.20"))
    review = check(frame, limits, "schedule", events=events, settings={"late_report_days": days})
    rows = review.schedule[review.schedule["cite"] == "40 CFR 403.8(f)(2)(viii)(F)"]
    assert rows["verdict"].tolist() == [verdict]


def test_d_22_the_clock_starts_with_awareness(permit) -> None:
    """D-22, 403.12(g)(2): sampled 1 May, known 20 May 14:00: notice by 21 May 14:00, results by 19 June, not 31 May."""
    events = pd.DataFrame({"facility": ["Acme Plating"], "event": ["aware"], "date": ["2026-05-20 14:00"]})
    frame = samples("Copper", [1.5], ["2026-05-01"], collected_by="user")
    review = check(frame, permit(limit("Copper", "above", "1.20")), "schedule", events=events, as_of="2026-05-20")
    rows = review.schedule[(review.schedule["cite"] == "40 CFR 403.12(g)(2)") & (review.schedule["verdict"] == "due")]
    assert rows["due"].dt.strftime("%m-%d %H:%M").tolist() == ["05-21 14:00", "06-19 00:00"]


@pytest.mark.parametrize(
    ("values", "pair", "single"),
    [
        ([6, 4, 6], False, False), ([6, 6], True, False), ([5, 5], False, False), ([10], False, False),
        ([10.1], False, True),
    ],
)  # fmt: skip
def test_d_24_explosion_hazard_meter(values: list[float], pair: bool, single: bool) -> None:
    """D-24, Glen Cove NY: both of two successive readings more than 5 %, or any single one more than 10 %."""
    times = [f"2026-03-03 {hour:02d}:00" for hour, _ in enumerate(values, 8)]
    review = check(samples("LEL", values, times, "%"), packs.load("examples/glen-cove"))
    assert set(review.comparisons["limit_id"]) == {"two", "one"}
    over = set(review.comparisons[review.comparisons["verdict"] == "exceeds"]["limit_id"])
    assert ("two" in over, "one" in over) == (pair, single)


@pytest.mark.parametrize(
    ("value", "unit", "verdict"),
    [(140.0, "degF", "complies"), (139.9, "degF", "exceeds"), (60.0, "degC", "complies"), (59.9, "degC", "exceeds")],
)
def test_d_26_flashpoint(value: float, unit: str, verdict: str) -> None:
    """D-26, 403.5(b)(1): less than 140 °F or 60 °C; 59.9 °C is 139.82 °F."""
    frame = samples("Flashpoint", [value], ["2026-03-03 09:00"], unit, sample_type="grab")
    review = check(frame, packs.load("federal/403"))
    assert of(review, "403.5(b)(1)")["verdict"].tolist() == [verdict]


def test_d_27_heat_is_measured_at_the_plant(permit) -> None:
    """D-27, 403.5(b)(5): 120 °F at the user and 103 or 104.0 °F at the plant violate nothing, 104.1 °F does."""
    users = {"facility": ["Acme Plating", "Plant"], "class": ["SIU", ""], "point": ["end of pipe", "plant influent"]}
    frame = samples("Temperature", [120.0], ["2026-03-01 08:00"], "degF")
    at_plant = samples("Temperature", [103, 104.0, 104.1], [f"2026-03-0{day} 08:00" for day in (2, 3, 4)], "degF")
    both = pd.concat([frame, at_plant.assign(facility="Plant")], ignore_index=True)
    review = check(both, permit(limit("Temperature", "above", 150, "instantaneous", "degF")), user=users)
    federal = of(review, "403.5(b)(5)")
    assert federal[["facility", "verdict"]].to_numpy().tolist() == [
        ["Plant", "complies"], ["Plant", "complies"], ["Plant", "exceeds"],
    ]  # fmt: skip
    assert of(review)[["facility", "verdict"]].to_numpy().tolist() == [["Acme Plating", "complies"]]


def test_d_30_total_toxic_organics() -> None:
    """D-30, 433.11(e): 1.20 + 0.90 = 2.10, within 2.13; the small ones would make 2.1249; there is no monthly limit."""
    members = packs.load("federal/433").packs[0].groups["TTO"].members
    told = {"Toluene": "1.20", "Benzene": "0.90", "Phenol": "0.010", "Chloroform": "0.0099"}
    values = [told.get(name, "<0.005") for name in members]
    assert set(told) <= set(members)
    user = {"class": ["CIU"], "category": ["433 PSES"], "point": ["end of process"]}
    frame = samples("", values, ["2026-03-03 09:00"] * len(members), sample_type="grab").assign(parameter=list(members))
    review = check(frame, packs.load("federal/433"), user=user)
    rows = of(review, "433.15 TTO")
    assert rows[["statistic", "low", "high", "verdict"]].to_numpy().tolist() == [
        ["daily maximum", pytest.approx(2.10), pytest.approx(2.10), "complies"]
    ]


@pytest.mark.parametrize(("detection", "used"), [(0.005, False), (0.004, True), (0.003, True)])
def test_d_32_a_limit_below_the_detection_limit(detection: float, used: bool) -> None:
    """D-32, 403.6(e)(2): 0.004 may not be used where the detection limit is 0.005; at the detection limit it may."""
    streams = pd.DataFrame(
        {
            "facility": "Acme Plating", "outfall": "", "stream": ["rinse", "cooling"], "type": ["regulated", "dilute"],
            "flow": [0.1, 0.4], "flow_unit": "MGD", "category": ["433 PSES", ""], "parameter": ["Zinc", ""],
            "daily maximum": [0.02, ""], "limit_unit": ["mg/L", ""], "detection_limit": [detection, ""],
        }
    )  # fmt: skip
    rows = of(zinc(streams), "433.15 Zn", "daily maximum")
    assert rows["verdict"].tolist() == ["exceeds" if used else "not evaluated"]
    assert ("detection limit" in rows["reason"].item()) is not used


# Extra sets


@pytest.mark.parametrize(
    ("text", "verdict", "coarse"), [("<0.0002", "complies", False), ("<0.01", "undetermined", True)]
)
def test_extra_a_method_too_coarse(text: str, verdict: str, coarse: bool) -> None:
    """Mercury's 0.0031 (442.15): <0.0002 shows compliance; <0.01 is no proof, and the method is a finding."""
    user = {"class": ["CIU"], "category": ["442 PSES"], "point": ["end of process"], "subcategory": ["truck chemical"]}
    review = check(
        samples("Mercury", [text], SIX[:1], sample_type="grab"),
        packs.load("federal/442"),
        "comparisons",
        "findings",
        user=user,
    )
    rows = review.comparisons[review.comparisons["cite"].str.contains(r"442\.15")]
    assert set(rows["verdict"]) == {verdict}
    assert ("reporting limit above limit" in set(review.findings["code"])) is coarse


@pytest.mark.parametrize(("category", "verdict"), [("433 PSES", "complies"), ("433 PSNS", "exceeds")])
def test_extra_0_69_is_for_existing_sources(category: str, verdict: str) -> None:
    """Cadmium of 0.12 fails the new source's 0.11 and passes the existing source's 0.69."""
    user = {"class": ["CIU"], "category": [category], "point": ["end of process"]}
    review = check(samples("Cadmium", [0.12], SIX[:1], sample_type="composite"), packs.load("federal/433"), user=user)
    daily = review.comparisons[review.comparisons["statistic"] == "daily maximum"]
    assert daily["verdict"].tolist() == [verdict]


EQUAL = [(limit_, "Copper", "1.2") for limit_ in ("0.17", "0.34", "0.68", "1.36", "2.72", "4.23", "10.3", "0.69")]
EQUAL += [("8.3", "BOD5", "1.4"), ("16.6", "TSS", "1.4"), ("4.11", "Oil and grease", "1.4")]


def test_extra_float_equality(permit) -> None:
    """0.17 × 1.2 is 0.204 in decimals and more in binary: a sample at 0.204 counts, and so with all of these."""
    rows, frames = [], []
    for at, (printed, parameter, factor) in enumerate(EQUAL):
        level = float(Decimal(printed) * Decimal(factor))
        for name, value in ((f"Met {at}", level), (f"Short of {at}", level * (1 - 1e-6))):
            rows.append(limit(parameter, "above", printed) + f'\nwhen.facility = "{name}"')
            frames.append(samples(parameter, [value, 0.001, 0.001], SIX[:3], sample_type="grab", facility=name))
    people = {"facility": [frame["facility"].iloc[0] for frame in frames], "class": "SIU"}
    found = check(pd.concat(frames, ignore_index=True), permit(*rows), "snc", user=people).snc
    found = found[found["window_end"] == "2026-07-01"]
    assert len(found) == 2 * len(EQUAL)
    assert (found["n_trc_low"] == found["facility"].str.startswith("Met")).all()


def test_extra_unit_sanity() -> None:
    """28 ppb, 0.2 lb/day at 0.05 MGD, 25,000 gpd."""
    assert units.convert(28, "ppb", "mg/L") == 0.028
    assert units.convert(25_000, "gpd", "MGD") == 0.025
    assert float(alternative_limits.equivalent_concentration(0.2, 0.05)) == pytest.approx(0.4796, abs=5e-5)
