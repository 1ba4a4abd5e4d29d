"""A value against a limit: operators as printed, open ends, equality, bands, parts and wholes, sums, readings counted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from bench import ALL, Group, Readings, both, check, comparisons, known, limit, samples, verdicts, work

from pretreat import columns, limits, periods
from pretreat.compare.before import before
from pretreat.compare.table import percent_over
from pretreat.engine import decimals, work_out
from pretreat.limits.provisions import Bound, Limit
from pretreat.relations import half_up


def verdict(text: object, operator: str, number: str, **more: object) -> str:
    return verdicts(samples([("2026-10-07 08:00", text)]), limit("Copper", operator, number, **more))[0]


@pytest.mark.parametrize(
    ("text", "operator", "number", "answer"),
    [
        (1.6, ">", "1.6", "complies"),
        (1.7, ">", "1.6", "exceeds"),
        (1.6, ">=", "1.6", "exceeds"),
        (1.5, ">=", "1.6", "complies"),
        (5.5, "<", "5.5", "complies"),
        (5.4, "<", "5.5", "exceeds"),
        (5.5, "<=", "5.5", "exceeds"),
        (5.6, "<=", "5.5", "complies"),
        ("<0.2", ">=", "0.2", "complies"),  # any value below 0.2
        ("<0.2", ">", "0.2", "complies"),
        ("<0.3", ">=", "0.2", "undetermined"),
        (">20", ">", "20", "exceeds"),  # any value above 20
        (">20", ">=", "20", "exceeds"),
        (">19", ">", "20", "undetermined"),
        (">20", "<", "20", "complies"),
        (">20", "<=", "20", "complies"),
        ("<5", "<", "5", "exceeds"),
        ("<6", "<", "5", "undetermined"),
        (">0", "<=", "0", "complies"),  # any value above 0
    ],
)
def test_the_relation_that_is_printed_decides(text: object, operator: str, number: str, answer: str) -> None:
    assert verdict(text, operator, number) == answer


@pytest.mark.parametrize(
    ("value", "operator", "answer"),
    [
        *((0, ">", "complies"), (0, ">=", "exceeds"), (0, "<", "complies"), (0, "<=", "exceeds")),
        *((0.001, ">", "exceeds"), (0.001, "<=", "complies")),
    ],
)
def test_a_limit_of_zero_is_held_to_as_printed(value: float, operator: str, answer: str) -> None:
    assert verdict(value, operator, "0") == answer
    # The same where another result is a non-detect, so that intervals are compared.
    beside = samples([("2026-10-07 08:00", value), ("2026-10-08 08:00", "<5")])
    assert verdicts(beside, limit("Copper", operator, "0"))[0] == answer


@pytest.mark.parametrize(
    ("value", "answer"), [(147.2, "complies"), (149.0, "undetermined"), (150.0, "undetermined"), (150.1, "exceeds")]
)
def test_a_limit_printed_in_two_units_is_an_interval(value: float, answer: str) -> None:
    """Little Valley § 194-6C(4): 150 °F and 64 °C, which is 147.2 °F."""
    assert verdict(value, ">", "147.2", high=150.0) == answer


def test_binary_rounding_never_decides() -> None:
    assert 0.1 + 0.2 > 0.3
    assert verdict(0.1 + 0.2, ">", "0.3") == "complies"
    assert verdict(0.1 + 0.2, ">=", "0.3") == "exceeds"
    assert verdict(0.3 * (1 + 2e-9), ">", "0.3") == "exceeds"
    assert verdict(0.3 * (1 - 2e-9), ">=", "0.3") == "complies"
    ug = np.arange(1, 20_001) / 100
    frame = samples([("2026-10-07 08:00", 0.0)])
    every = pd.concat([frame] * 400, ignore_index=True)
    every["facility"] = [f"U{number}" for number in range(400)]
    every["value"] = ug[::50] * 1000 / 1000
    assert set(comparisons(every, limit("Copper", ">", "200"))["verdict"]) == {"complies"}


def test_the_unit_zero_degrees_is_thirty_two() -> None:
    assert verdict(32.00000004 - 0.00000004, "<", "32") == "complies"


def test_a_band_forbids_its_inside() -> None:
    """Little Valley § 194-6C(5): solid or viscous between 32 and 150 °F."""
    bound = Bound(side="inside", operator=">=", number=None, decimals=0, low=32.0, high=150.0)
    band = Limit(
        pack="p", id="band", key="band", cite="5", parameter="Solidification temperature", statistic="instantaneous",
        unit="degF", bounds=(bound,),
    )  # fmt: skip
    for value, answer in [
        (31, "complies"),
        (32, "exceeds"),
        (90, "exceeds"),
        (150, "exceeds"),
        (151, "complies"),
        ("<40", "undetermined"),
    ]:
        results = samples([("2026-10-07 08:00", value)], "Solidification temperature", unit="degF")
        row = comparisons(results, band).iloc[0]
        assert row["verdict"] == answer, value
        assert np.isnan(row["ratio"])


def test_a_limit_for_another_kind_of_sample_is_not_for_this_one() -> None:
    grab = limit("Copper", ">", "2", sample_type="grab")
    assert verdicts(samples([("2026-10-07 08:00", 3.0)], sample_type="grab"), grab) == ["exceeds"]
    assert verdicts(samples([("2026-10-07 08:00", 3.0)], sample_type="continuous"), grab) == []
    row = comparisons(samples([("2026-10-07 08:00", 3.0)]), grab).iloc[0]
    assert (row["verdict"], row["reason"]) == (
        "not evaluated",
        "the limit is for a grab, and the sample type is not given",
    )


@pytest.mark.parametrize("parameter", ["Oil and grease", "Cyanide", "Phenol", "Sulfide", "Benzene"])
def test_a_composite_of_what_must_be_a_grab(parameter: str) -> None:
    """Losses bias low: over the limit it stands, under it nothing is shown."""
    for value, answer in [(3.0, "exceeds"), (1.0, "undetermined")]:
        results = samples([("2026-10-07 08:00", value)], parameter, sample_type="composite")
        assert verdicts(results, limit(parameter, ">", "2")) == [answer]


def test_a_composite_of_ph_is_not_evaluated() -> None:
    row = comparisons(samples([("2026-10-07 08:00", 4.0)], "pH", sample_type="composite"), limit("pH", "<", "5")).iloc[
        0
    ]
    assert (row["verdict"], row["reason"]) == ("not evaluated", "a composite of pH or temperature")


def test_a_composite_of_metals_is_no_single_value() -> None:
    tables = check(samples([("2026-10-07 08:00", 4.0)], sample_type="composite"), limit("Copper", ">", "2"))
    assert tables["comparisons"].empty
    assert tables["not_evaluated"]["reason"].tolist() == ["no grab or reading"]


def test_each_limit_is_held_against_its_own_parameter_alone() -> None:
    """Copper has two limits and zinc one: of the second, which has dates, zinc knows nothing."""
    day, began = "24-hour average", pd.Timestamp("2026-10-01").date()
    rows = limit("Copper", ">", "1", day), limit("Copper", ">", "2", day, start=began), limit("Zinc", ">", "5", day)
    results = both(samples([("2026-10-07", 3.0)]), samples([("2026-10-07", 3.0)], "Zinc"))
    frame = comparisons(results, *rows)[["parameter", "limit_low", "verdict"]].astype(
        {"parameter": str, "verdict": str}
    )
    assert frame.to_numpy().tolist() == [
        ["Copper", 1.0, "exceeds"],
        ["Copper", 2.0, "exceeds"],
        ["Zinc", 5.0, "complies"],
    ]


def test_limits_without_an_average_leave_the_others_to_theirs() -> None:
    """Three days of copper, which has two limits, make no average of four; zinc has one of each."""
    rows = *(limit("Copper", ">", number, "4-day average") for number in "12"), limit("Zinc", ">", "5", "4-day average")
    days = [(f"2026-10-0{day}", 3.0) for day in range(1, 5)]
    frame = comparisons(both(samples(days[:3]), samples(days, "Zinc")), *rows)
    assert frame[["parameter", "verdict"]].astype(str).to_numpy().tolist() == [["Zinc", "complies"]]


# Ratios and percents


@pytest.mark.parametrize(
    ("value", "number", "percent"),
    [
        (3.12, "3", 4),
        (16.2, "10", 62),
        (15.5, "10", 55),
        (1.005, "1", 1),
        (1.115, "1", 12),
        (1.125, "1", 13),
        (2.0, "1", 100),
    ],
)
def test_percent_over_as_epa_prints_it(value: float, number: str, percent: float) -> None:
    row = comparisons(samples([("2026-10-07 08:00", value)]), limit("Copper", ">", number)).iloc[0]
    assert row["percent_over"] == percent
    assert row["ratio"] == pytest.approx(value / float(number))


def test_ratio_is_over_one_where_violated() -> None:
    def ratio(text: object, operator: str, number: str, **more: object) -> float:
        results = samples([("2026-10-07 08:00", text)], "Flashpoint", unit="degF")
        return float(comparisons(results, limit("Flashpoint", operator, number, unit="degF", **more)).iloc[0]["ratio"])

    assert ratio(70, "<", "140") == 2.0
    assert ratio(280, "<", "140") == 0.5
    assert ratio(280, ">", "140") == 2.0
    assert ratio("<280", ">", "140") == 2.0  # undetermined: what it could be at most


def test_no_percent_for_what_epa_prints_none() -> None:
    flash = comparisons(
        samples([("2026-10-07 08:00", 70)], "Flashpoint", unit="degF"), limit("Flashpoint", "<", "140", unit="degF")
    )
    assert np.isnan(flash["percent_over"]).all()
    ph = comparisons(samples([("2026-10-07 08:00", 4)], "pH"), limit("pH", "<", "5"))
    assert np.isnan(ph[["ratio", "percent_over"]].to_numpy(dtype=float)).all()
    assert np.isnan(percent_over(np.array([1.5]), np.array(["inside"]), np.array([True]))).all()


# Rounding


def test_p5_and_p11_half_up_rounding() -> None:
    """5.30, 6.21, 4.00, 5.25, 8.72: 5.896, rounded 5.90. EPA: 0.0105 is 0.011, 0.0104 is 0.010."""
    assert half_up(np.array([5.896]), np.array([2])).tolist() == [5.9]
    assert half_up(np.array([0.0105, 0.0104]), np.array([3, 3])).tolist() == [0.011, 0.010]
    assert half_up(np.array([31.525]), np.array([2])).tolist() == [31.53]  # Python's round gives 31.52
    assert half_up(np.array([5.89499999]), np.array([2])).tolist() == [5.89]  # below the half, however little
    assert half_up(np.array([1.26]), np.array([-1])).tolist() == [1.26]  # a limit that is not rounded to


def test_rounding_to_the_limit_is_a_choice() -> None:
    month = samples([(f"2026-10-0{day}", value) for day, value in enumerate([5.30, 6.21, 4.00, 5.25, 8.72], 1)])
    for number, plain, rounded in [
        ("5.89", "exceeds", "exceeds"),
        ("5.9", "complies", "complies"),
        ("5.90", "complies", "complies"),
    ]:
        for setting, answer in [("none", plain), ("limit", rounded)]:
            assert verdicts(month, limit("Copper", ">", number, "monthly average"), rounding=setting) == [answer]
    low = samples([("2026-10-01", 0.04), ("2026-10-02", 0.05)])
    assert verdicts(low, limit("Copper", ">", "0.04", "monthly average")) == ["exceeds"]
    assert verdicts(low, limit("Copper", ">=", "0.05", "monthly average")) == ["complies"]
    assert verdicts(low, limit("Copper", ">=", "0.05", "monthly average"), rounding="limit") == ["exceeds"]
    assert verdicts(samples([("2026-10-01", 0.045)]), limit("Copper", ">=", "0.05"), rounding="limit") == ["complies"]
    whole = samples([("2026-10-01", 150.0), ("2026-10-02", 150.8), ("2026-11-01", 150.0), ("2026-11-02", 151.0)])
    month = limit("Copper", ">", "150", "monthly average")  # 150.4 is 150, 150.5 is 151
    assert verdicts(whole, month, rounding="limit") == ["complies", "exceeds"]


@pytest.mark.parametrize(
    ("text", "plain", "rounded"), [("<0.46", "undetermined", "undetermined"), ("<0.44", "undetermined", "complies")]
)
def test_both_ends_of_what_a_non_detect_can_be_are_rounded(text: str, plain: str, rounded: str) -> None:
    month = samples([("2026-10-01", text)]), limit("Copper", ">", "0.4", "monthly average")
    assert (verdicts(*month), verdicts(*month, rounding="limit")) == ([plain], [rounded])


def test_decimals_follow_the_unit() -> None:
    """A limit of 40 ug/L is 0.04 mg/L to three decimals; one in lb/day from kg/day rounds to none."""
    assert decimals(limit("Copper", ">", "0.04", unit_printed="mg/L")) == 2
    assert decimals(replace(limit("Copper", ">", "40"), unit_printed="ug/L")) == 3
    assert decimals(replace(limit("Copper", ">", "40.5"), unit_printed="ug/L")) == 4
    assert decimals(replace(limit("Copper", ">", "40.5", unit="lb/day"), unit_printed="kg/day")) == -1


# Which limit binds


def test_the_most_stringent_limit_binds_and_the_other_is_shown() -> None:
    frame = comparisons(
        samples([("2026-10-07 08:00", 4.8)], "pH"),
        limit("pH", "<", "5.0", pack="federal"),
        limit("pH", "<", "5.5", pack="village"),
    )
    assert frame.set_index("pack")["binding"].to_dict() == {"federal": "no", "village": "yes"}
    tables = check(
        samples([("2026-10-07 08:00", 4.8)], "pH"), limit("pH", "<", "5.0", pack="a"), limit("pH", "<", "5.0", pack="b")
    )
    assert tables["exceedances"]["pack"].tolist() == ["a"]


def test_within_the_old_limit_last_month_and_over_the_new_one_is_new() -> None:
    """5 mg/L in September under a limit of 10 and in October under one of 1: nothing was over in September."""
    october = pd.Timestamp("2026-10-01").date()
    rows = limit("Copper", ">", "10", id="old", until=october), limit("Copper", ">", "1", id="new", start=october)
    period = periods.parse("2026-10")
    copper = ("Acme Plating", "001", "Copper", "total", "instantaneous", "upper")
    for september, exceeded in [(5.0, []), (12.0, [copper])]:
        done = work(samples([("2026-09-07", september), ("2026-10-07", 5.0)]), *rows, period="2026-10")
        over = done.tables(ALL, columns.empty("not_evaluated"), ["permit"], all_rows=True)["exceedances"]
        assert len(over) == 1
        found = before(done.blocks, done.layers, done.held, period, over)
        assert found == {"period": "2026-09", "exceeded": exceeded, "judged": [copper]}


def test_a_value_over_several_limits_is_one_exceedance_in_the_count() -> None:
    village = limit("pH", "<", "5.5", pack="village"), limit("pH", "<", "5.0", pack="federal")

    def counted(*values: tuple[str, object], rows: tuple[Limit, ...] = village, **more: str) -> tuple[int, int]:
        counts = work(samples(values, "pH"), *rows, **more).binding()
        return counts["exceeds"], counts["undetermined"]

    assert counted(("2026-10-07 08:00", 4.8)) == (1, 0)  # under 5.5 and under 5.0
    assert counted(("2026-10-07 08:00", "<5.2")) == (1, 0)  # surely under 5.5, perhaps under 5.0
    assert counted(("2026-10-07 08:00", "<6")) == (0, 1)  # perhaps under either
    assert counted(("2026-10-07 08:00", 4.8), ("2026-10-07 08:00", 4.8)) == (2, 0)  # two readings of one minute
    assert counted(("2026-10-07 08:00", 4.8), ("2026-10-07 09:00", "<6")) == (1, 1)
    assert counted(("2026-10-07 08:00", 4.8), ("2026-11-07 08:00", 4.8), period="2026-10") == (1, 0)
    range_ = limit("pH", "<", "5.5"), limit("pH", ">", "4.0")
    assert counted(("2026-10-07 08:00", 4.8), rows=range_) == (2, 0)  # below the one end, above the other
    fee = village[0], limit("pH", "<", "5.0", pack="fees", kind="surcharge")
    assert counted(("2026-10-07 08:00", "<5.2"), ("2026-10-08 08:00", 5.7), rows=fee) == (1, 0)


def test_a_surcharge_never_enters_the_exceedances() -> None:
    tables = check(samples([("2026-10-07 08:00", 400)], "BOD5"), limit("BOD5", ">", "250", kind="surcharge"))
    assert tables["comparisons"]["verdict"].tolist() == ["exceeds"]
    assert tables["exceedances"].empty


def test_ids_are_unique_and_the_same_in_every_run() -> None:
    results = both(
        samples([("2026-10-07 08:00", 1.0), ("2026-10-07 08:00", 2.0)], sample_type=["grab", "continuous"]),
        samples([("2026-10-07 08:00", 7.0), ("2026-10-07 08:00", 7.0)], "pH"),
    )
    rows = (
        limit("Copper", ">", "1.6"),
        limit("Copper", ">", "1.6", "30-day average"),
        limit("pH", "<", "5"),
        limit("pH", ">", "9"),
    )
    frame, again = comparisons(results, *rows), comparisons(results.iloc[::-1], *rows)
    assert frame["comparison_id"].is_unique
    assert frame["comparison_id"].tolist() == again["comparison_id"].tolist()
    other = comparisons(results.assign(value=9.0), *rows)
    assert set(other["comparison_id"]) == set(frame["comparison_id"])


# Parts and wholes


def test_a_part_proves_the_whole_over_and_nothing_else() -> None:
    chromium = limit("Chromium", ">", "2", "24-hour average")
    tables = check(samples([("2026-10-07", 3.0), ("2026-10-08", 1.0)], "Chromium (VI)"), chromium)
    row = tables["comparisons"].iloc[0]
    assert (len(tables["comparisons"]), row["verdict"], row["low"], row["high"]) == (1, "exceeds", 3.0, np.inf)
    assert (row["parameter"], row["sources"]) == ("Chromium", "lab.xlsx!Results!C2")
    assert tables["not_evaluated"].empty
    second = comparisons(samples([("2026-10-07", 1.0), ("2026-10-08", 3.0)], "Chromium (VI)"), chromium)
    assert second[["low", "sources"]].to_numpy().tolist() == [[3.0, "lab.xlsx!Results!C3"]]
    nothing = check(samples([("2026-10-08", 1.0)], "Chromium (VI)"), chromium)
    assert nothing["comparisons"].empty
    assert nothing["not_evaluated"]["reason"].tolist() == ["only a part measured"]


def test_the_whole_proves_a_part_within_and_nothing_else() -> None:
    free = limit("Cyanide (free)", ">", "0.4", "24-hour average")
    tables = check(samples([("2026-10-07", 0.3), ("2026-10-08", 1.0)], "Cyanide"), free)
    assert tables["comparisons"]["verdict"].tolist() == ["complies"]
    assert check(samples([("2026-10-08", 1.0)], "Cyanide"), free)["not_evaluated"]["reason"].tolist() == [
        "only the whole measured"
    ]


def test_what_was_measured_itself_is_never_bounded() -> None:
    results = both(
        samples([("2026-10-07", 1.0)], "Chromium"), samples([("2026-10-07", 3.0), ("2026-10-08", 3.0)], "Chromium (VI)")
    )
    frame = comparisons(results, limit("Chromium", ">", "2", "24-hour average"))
    assert frame["verdict"].tolist() == ["complies", "exceeds"]
    month = comparisons(results, limit("Chromium", ">", "2", "monthly average"))
    assert month["verdict"].tolist() == ["complies"]


def test_dissolved_metal_is_part_of_total_metal() -> None:
    assert verdicts(
        samples([("2026-10-07", 3.0)], fraction="dissolved"), limit("Copper", ">", "2", "24-hour average")
    ) == ["exceeds"]
    dissolved = limit("Copper", ">", "2", "24-hour average", fraction="dissolved")
    assert verdicts(samples([("2026-10-07", 1.0)]), dissolved) == ["complies"]


def test_a_part_proves_nothing_of_another_parameter_nor_of_a_median() -> None:
    hexavalent = samples([("2026-10-07", 3.0)], "Chromium (VI)")
    zinc, chromium = (limit(name, ">", "2", "24-hour average") for name in ("Zinc", "Chromium"))
    tables = check(hexavalent, zinc, chromium)
    assert tables["comparisons"][["parameter", "verdict"]].astype(str).to_numpy().tolist() == [["Chromium", "exceeds"]]
    assert tables["not_evaluated"][["parameter", "reason"]].to_numpy().tolist() == [["Zinc", "no results"]]
    assert check(hexavalent, limit("Chromium", ">", "2", "median"))["comparisons"].empty


def test_total_and_dissolved_each_prove_of_the_other_what_they_can() -> None:
    dissolved = samples([("2026-10-07", 3.0)], fraction="dissolved")
    total = samples([("2026-10-08", 1.0)])
    rows = (
        limit("Copper", ">", "2", "24-hour average"),
        limit("Copper", ">", "2.5", "24-hour average", fraction="dissolved"),
    )
    frame = comparisons(both(dissolved, total), *rows)
    day = frame["period_start"].dt.day.rename("day")
    assert frame.set_index([frame["limit_high"], day])["verdict"].astype(str).to_dict() == {
        (2.0, 7): "exceeds",  # dissolved copper alone is over
        (2.0, 8): "complies",
        (2.5, 7): "exceeds",
        (2.5, 8): "complies",  # total copper is not over, so that dissolved copper is not
    }


def test_a_parts_average_proves_nothing_of_a_limit_that_began_within_it() -> None:
    month = limit("Chromium", ">", "2", "monthly average", start=pd.Timestamp("2026-10-15").date())
    for first, answer in [("2026-10-07", []), ("2026-10-15", ["exceeds"])]:
        assert verdicts(samples([(first, 3.0), ("2026-10-20", 3.0)], "Chromium (VI)"), month) == answer


def test_two_parts_that_prove_the_same_make_one_exceedance() -> None:
    """Hexavalent and dissolved chromium over on the 7th, dissolved alone on the 8th, for a limit of total chromium."""
    results = both(
        samples([("2026-10-07", 3.0), ("2026-10-08", 1.0)], "Chromium (VI)"),
        samples([("2026-10-07", 2.5), ("2026-10-08", 2.6)], "Chromium", fraction="dissolved"),
    )
    frame = comparisons(results, limit("Chromium", ">", "2", "24-hour average"))
    assert frame["period_start"].dt.day.tolist() == [7, 8]
    assert frame["low"].tolist() == [3.0, 2.6]
    assert frame["sources"].tolist() == ["lab.xlsx!Results!C2", "lab.xlsx!Results!C5"]
    assert [reason.rsplit(",", 1)[0] for reason in frame["reason"]] == [
        "shown by Chromium (VI)",
        "shown by Chromium, dissolved",
    ]


# Sums

TTO = Group(name="TTO", members=("Benzene", "Toluene", "Chloroform"), summed=True, quantified=True, floor=0.01)


def toxics(**values: object) -> pd.DataFrame:
    return both(*[samples([("2026-10-07 09:00", value)], name, sample_type="grab") for name, value in values.items()])


def total(number: str = "2.13", **more: object) -> Limit:
    return limit("TTO", ">", number, "daily maximum", group=TTO, unit="mg/L", **more)


def test_d30_a_sum_counts_what_its_rule_counts() -> None:
    """40 CFR 433.11(e): 1.20, 0.90, and a non-detect: 2.10; nothing at or below 0.01 adds."""
    row = comparisons(toxics(Benzene=1.20, Toluene=0.90, Chloroform="<0.05"), total()).iloc[0]
    assert (row["low"], row["high"], row["verdict"]) == (pytest.approx(2.10), pytest.approx(2.10), "complies")
    assert comparisons(toxics(Benzene=1.20, Toluene=0.010, Chloroform=0.0099), total()).iloc[0][
        "high"
    ] == pytest.approx(1.2)
    assert comparisons(toxics(Benzene=1.20, Toluene="0.5J", Chloroform=0.5), total()).iloc[0]["high"] == pytest.approx(
        1.7
    )
    assert row["sources"].count("lab.xlsx") == 3


def test_each_days_sum_names_the_cells_that_were_added_up() -> None:
    days = ("2026-10-07", 0.5), ("2026-10-08", 1.5)
    results = both(*(samples(days, name, sample_type="grab") for name in ("Benzene", "Toluene", "Chloroform")))
    frame = comparisons(results, total())
    assert frame[["low", "verdict"]].astype({"verdict": str}).to_numpy().tolist() == [
        [1.5, "complies"],
        [4.5, "exceeds"],
    ]
    cells = frame["sources"].iloc[1].split("; ")
    assert sorted(cell.rsplit("!", 1)[1] for cell in cells) == ["C3", "C5", "C7"]


def test_members_not_measured_leave_the_upper_end_open() -> None:
    row = comparisons(toxics(Benzene=1.20, Toluene=0.5), total()).iloc[0]
    assert (row["low"], row["high"], row["verdict"]) == (pytest.approx(1.7), np.inf, "undetermined")
    assert comparisons(toxics(Benzene=1.20, Toluene=1.5), total()).iloc[0]["verdict"] == "exceeds"


def test_a_reported_total_stands_for_itself() -> None:
    results = both(toxics(Benzene=1.20), samples([("2026-10-07 09:00", 0.5)], "TTO", unit="mg/L"))
    assert verdicts(results, total()) == ["complies"]


# Readings counted


def lel(
    values: list[tuple[str, object]], operator: str = ">", level: str = "10", count: int = 2, **more: object
) -> pd.DataFrame:
    settings = {name: str(more.pop(name)) for name in ("reading_window",) if name in more}
    rule = limit("LEL", operator, level, "reading count", readings=Readings(count, **more), unit="%")
    return comparisons(samples(values, "LEL", unit="%"), rule, **settings)


def test_two_readings_over_within_a_day_violate() -> None:
    frame = lel([("2026-10-07 08:00", 12), ("2026-10-07 09:00", 14)])
    row = frame.iloc[0]
    assert (row["low"], row["high"], row["limit_low"], row["operator"], row["level"]) == (2, 2, 2, ">=", "> 10")
    assert row["verdict"] == "exceeds"
    assert row["unit"] == "readings"


def test_the_cells_of_a_pair_are_the_two_readings_over() -> None:
    """A logger's day has 288 readings; the evidence is the two over 10 %, one of them of the day before."""
    times = pd.date_range("2026-10-01", "2026-10-03 23:55", freq="5min")
    over = {"2026-10-02 10:00", "2026-10-03 09:55"}
    values = [(str(time), 11.0 if f"{time:%Y-%m-%d %H:%M}" in over else 2.0) for time in times]
    frame = lel(values).set_index("period_start")
    assert frame["verdict"].tolist() == ["complies", "complies", "exceeds"]
    row = frame.loc["2026-10-03"]
    assert (row["low"], row["n"]) == (2, 288)
    assert len(row["sources"].split("; ")) == 2
    assert len(frame.loc["2026-10-02", "sources"].split("; ")) == 1
    assert len(frame.loc["2026-10-01", "sources"].split("; ")) == 288  # that none is over, all of them show


def test_readings_equal_to_the_level_do_not_count() -> None:
    assert lel([("2026-10-07 08:00", 10), ("2026-10-07 09:00", 14)])["verdict"].tolist() == ["complies"]


def test_an_earlier_reading_is_in_high_alone() -> None:
    frame = lel([("2026-09-01 08:00", 12), ("2026-10-07 09:00", 14), ("2026-10-08 10:00", 5)])
    assert frame[["low", "high"]].to_numpy().tolist() == [[1, 1], [1, 2], [0, 0]]
    assert frame["verdict"].tolist() == ["complies", "undetermined", "complies"]


def test_twenty_four_hours_count_across_midnight() -> None:
    frame = lel([("2026-10-07 20:00", 12), ("2026-10-08 20:00", 14), ("2026-10-09 20:01", 14)])
    assert frame["low"].tolist() == [1, 2, 1]


def test_a_day_without_a_reading_over_complies() -> None:
    frame = lel([("2026-10-07 20:00", 12), ("2026-10-07 21:00", 12), ("2026-10-08 08:00", 1)])
    assert frame["verdict"].tolist() == ["exceeds", "complies"]


def test_the_document_can_set_the_time() -> None:
    values = [("2026-10-07 08:00", 12), ("2026-10-07 09:00", 14)]
    assert lel(values, reading_window="30 min")["verdict"].tolist() == ["complies"]
    assert lel(values, reading_window="60 min")["verdict"].tolist() == ["exceeds"]


@pytest.mark.parametrize(
    ("values", "pair", "single"),
    [
        ([6, 4, 6], "complies", "complies"),
        ([6, 6], "exceeds", "complies"),
        ([5, 5], "complies", "complies"),
        ([10], "complies", "complies"),
        ([10.1], "complies", "exceeds"),
    ],
)
def test_d24_two_successive_readings(values: list[float], pair: str, single: str) -> None:
    """Glen Cove NY: both of two successive readings more than 5 %, or any single reading more than 10 %."""
    times = [(f"2026-10-07 {hour:02d}:00", value) for hour, value in enumerate(values, 8)]
    assert lel(times, level="5", successive=True)["verdict"].tolist() == [pair]
    frame = comparisons(samples(times, "LEL", unit="%"), limit("LEL", ">", "10", unit="%"))
    assert ("exceeds" in frame["verdict"].tolist()) == (single == "exceeds")


def test_a_reading_that_may_be_over_counts_in_high() -> None:
    assert lel([("2026-10-07 08:00", "<15"), ("2026-10-07 09:00", 14)])[["low", "high"]].to_numpy().tolist() == [[1, 2]]


def test_readings_that_must_lie_apart() -> None:
    times = [(f"2026-10-07 08:{minute:02d}", 12) for minute in (0, 5, 15, 20, 30, 45)]
    assert lel(times, count=4, apart=15.0)["low"].tolist() == [4]
    assert lel(times, count=4, apart=20.0)["low"].tolist() == [3]


# Everything together


def test_limits_that_begin_and_end() -> None:
    old = limit("Copper", ">", "1", id="old", until=pd.Timestamp("2026-10-08").date())
    new = limit("Copper", ">", "3", id="new", start=pd.Timestamp("2026-10-08").date())
    frame = comparisons(samples([("2026-10-07 08:00", 2.0), ("2026-10-08 08:00", 2.0)]), old, new)
    assert frame[["limit_id", "verdict"]].to_numpy().tolist() == [["old", "exceeds"], ["new", "complies"]]
    midnight = comparisons(samples([("2026-10-07 23:59", 2.0), ("2026-10-08 00:00", 2.0)]), old, new)
    assert midnight[["limit_id", "verdict"]].to_numpy().tolist() == [["old", "exceeds"], ["new", "complies"]]


def test_two_users_together_give_what_they_give_apart() -> None:
    one = samples([("2026-10-01", 1.0), ("2026-10-02", "<2")])
    two = samples([("2026-10-01", 3.0), ("2026-10-09", 0.2)], facility="Other Works")
    rows = limit("Copper", ">", "1.6", "24-hour average"), limit("Copper", ">", "0.8", "30-day average")
    together = comparisons(both(one, two), *rows).drop(columns="sources")
    apart = pd.concat([comparisons(part, *rows) for part in (one, two)], ignore_index=True).drop(columns="sources")
    pd.testing.assert_frame_equal(together, apart, check_dtype=False, check_categorical=False)


def test_a_limit_on_what_was_not_measured_is_held_against_nothing_else() -> None:
    """Copper and zinc of one user and copper of another: no lead, and no zinc of the other."""
    one = both(samples([("2026-10-01", 1.0)]), samples([("2026-10-01", 9.0)], "Zinc"))
    results = both(one, samples([("2026-10-01", 1.0)], facility="Other Works"))
    frame = comparisons(results, limit("Lead", ">", "5"), limit("Zinc", ">", "5"))
    found = frame[["facility", "parameter", "low", "verdict"]].astype({"facility": str, "parameter": str})
    assert found.to_numpy().tolist() == [["Acme Plating", "Zinc", 9.0, "exceeds"]]


def test_counts_add_up() -> None:
    results = samples([(f"2026-10-{day:02d}", day / 10) for day in range(1, 30)])
    tables = check(
        results, limit("Copper", ">", "1.6", "24-hour average"), limit("Copper", ">", "0.8", "30-day average")
    )
    assert tables["counts"]["n"].sum() == len(tables["comparisons"])
    assert tables["counts"].set_index(["statistic", "verdict"])["n"].to_dict() == {
        ("24-hour average", "complies"): 16,
        ("24-hour average", "exceeds"): 13,
        ("30-day average", "exceeds"): 1,
    }


def test_a_period_lists_what_ends_in_it_and_counts_the_rest() -> None:
    results = samples([("2026-09-20", 9.0), ("2026-10-02", 1.2), ("2026-10-30", 9.0), ("2026-11-02", 9.0)])
    done = work(results, limit("Copper", ">", "1.6", "24-hour average"), period="2026-10")
    assert done.outside == 2
    assert int(done.tally.sum()) == 2


def test_from_to_takes_a_month_where_any_of_its_days_lies() -> None:
    results = samples([("2026-10-02", 1.0), ("2026-10-30", 3.0), ("2026-11-20", 5.0)])
    month = limit("Copper", ">", "1.6", "monthly average")
    assert comparisons(results, month, period="2026-10-25:2026-11-10")["low"].tolist() == [2.0]
    assert comparisons(results, month, period="2026-10-05:2026-10-25").empty
    assert comparisons(results, month, period="2026-10")["low"].tolist() == [2.0]


def test_limits_that_cannot_be_judged_are_not_evaluated_where_results_exist() -> None:
    packs = known(limit("Copper", ">", "1", points=("end of process",)))
    results = samples([("2026-10-07 08:00", 3.0)])
    users = results[["facility", "outfall"]].assign(point="")
    in_force, _ = limits.in_force(packs, users, "2026-10-01", "2026-11-01")
    assert set(in_force["status"].astype(str)) <= {"point unknown", ""}


def test_each_reason_alone_leaves_a_result_open() -> None:
    """A limit of pH for a point that may be another, one for grabs, a composite of pH, a result without its type."""
    rows = (
        *(limit("pH", "<", "5", id="any"), limit("pH", "<", "5", id="grabs", sample_type="grab")),
        limit("pH", "<", "6", id="elsewhere", points=("end of process",)),
    )
    kinds = {5: "grab", 6: "composite", 7: ""}
    results = both(*(samples([(f"2026-10-0{n} 08:00", 4.0)], "pH", sample_type=kind) for n, kind in kinds.items()))
    users = results[["facility", "outfall"]].drop_duplicates().assign(point="")
    in_force, _ = limits.in_force(known(*rows), users, "2026-10-01", "2026-11-01")
    assert in_force.set_index("limit_id")["status"].to_dict() == {"any": "", "grabs": "", "elsewhere": "point unknown"}
    done = work_out(results, in_force, known(*rows), users=users)
    frame = done.tables(frozenset({"comparisons"}), columns.empty("not_evaluated"), ["permit"], all_rows=True)
    day = frame["comparisons"]["period_start"].dt.day.map(kinds)
    assert frame["comparisons"].set_index(["limit_id", day])["verdict"].astype(str).to_dict() == {
        ("any", "grab"): "exceeds",
        ("any", "composite"): "not evaluated",
        ("any", ""): "exceeds",
        ("grabs", "grab"): "exceeds",  # the composite is not for it at all
        ("grabs", ""): "not evaluated",
        ("elsewhere", "grab"): "not evaluated",
        ("elsewhere", "composite"): "not evaluated",
        ("elsewhere", ""): "not evaluated",
    }


def test_a_limit_without_decimals_rounds_to_whole_numbers() -> None:
    # A survivor of the mutation test: nothing had noticed a scale of 10 for limits such as 150.
    assert half_up(np.array([2.5, 2.4, -1.0]), np.array([0, 0, -1])).tolist() == [3.0, 2.0, -1.0]
