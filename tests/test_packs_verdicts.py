"""What the bundled packs must show, each through a whole check."""

from __future__ import annotations

import pandas as pd
import pytest

import pretreat
from pretreat import packs


def check(pack, *rows, facts=None, settings=None, federal=True, points=None, period="2026-10", **more):
    """Rows `facility | parameter | value | unit | start | sample type`; every user has the facts given."""
    keys = ["facility", "parameter", "value", "unit", "start", "sample_type"]
    frame = pd.DataFrame([[cell.strip() for cell in row.split("|")] for row in rows], columns=keys)
    frame["value"] = frame["value"].astype(float)
    people = pd.DataFrame({"facility": list(dict.fromkeys(frame["facility"]))})
    for name, value in (facts or {}).items():
        people[name] = value
    if points:
        people["point"] = [points.get(name, "end of pipe") for name in people["facility"]]
    known = packs.load(pack) if pack else packs.Limits(())
    return pretreat.check(
        frame,
        known,
        facilities=people,
        tables=["comparisons", "undetermined", "not_evaluated"],
        period=period,
        settings=settings or {},
        federal=federal,
        as_of="2026-11-30",
        **more,
    )


def verdict(review, limit_id, facility="Acme", statistic=None):
    table = review.comparisons
    mine = table[(table["limit_id"] == limit_id) & (table["facility"] == facility)]
    if statistic:
        mine = mine[mine["statistic"] == statistic]
    return mine["verdict"].tolist()


def test_between_150_f_and_64_c_nothing_is_decided():
    review = check("ny/little-valley", "Acme | Temperature | 65 | degC | 2026-10-05T09:00 | grab")
    assert verdict(review, "S1-19") == ["undetermined"]
    assert review.undetermined["reason"].iloc[0]
    hotter = check("ny/little-valley", "Acme | Temperature | 150.1 | degF | 2026-10-05T09:00 | grab")
    assert verdict(hotter, "S1-19") == ["exceeds"]
    cooler = check("ny/little-valley", "Acme | Temperature | 64 | degC | 2026-10-05T09:00 | grab")
    assert verdict(cooler, "S1-19") == ["complies"]


def test_120_f_at_the_plant_is_undetermined_there_and_over_the_federal_limit():
    plant = {"Plant": "plant influent"}
    review = check("ny/little-valley", "Plant | Temperature | 120 | degF | 2026-10-05T09:00 | grab", points=plant)
    assert verdict(review, "S1-20", "Plant") == ["undetermined"]
    assert verdict(review, "403.5(b)(5)", "Plant") == ["exceeds"]
    assert verdict(review, "S1-19", "Plant") == []
    warm = check("ny/williamsville", "Plant | Temperature | 104.1 | degF | 2026-10-05T09:00 | grab", points=plant)
    assert verdict(warm, "S0-14", "Plant") == ["exceeds"]
    just = check("ny/williamsville", "Plant | Temperature | 104.0 | degF | 2026-10-05T09:00 | grab", points=plant)
    assert verdict(just, "S0-14", "Plant") == ["complies"]


@pytest.mark.parametrize(
    ("facts", "value", "verdict_"),
    [
        ({"water_fluoridated": "yes"}, 4.1, "exceeds"),
        ({"water_fluoridated": "no", "fluoride_factor_granted": "no"}, 4.1, "exceeds"),
        ({"water_fluoridated": "no", "fluoride_factor_granted": "yes"}, 4.1, "complies"),
        ({"water_fluoridated": "no", "fluoride_factor_granted": "yes"}, 6.1, "exceeds"),
        ({"water_fluoridated": "no"}, 5.0, "undetermined"),
        ({"water_fluoridated": "no"}, 6.1, "exceeds"),
        ({"water_fluoridated": "no"}, 4.0, "complies"),
        ({}, 5.0, "undetermined"),
    ],
)
def test_fluoride_may_be_multiplied(facts, value, verdict_):
    review = check("ny/little-valley", f"Acme | Fluoride | {value} | mg/L | 2026-10-05 | composite", facts=facts)
    assert verdict(review, "S1-48", statistic="30-day average") == [verdict_]


def test_a_high_ph_that_the_superintendent_allows():
    row = "Acme | pH | 9.8 | SU | 2026-10-05T09:00 | grab"
    assert verdict(check("ny/little-valley", row), "S1-25") == ["exceeds"]
    allowed = check("ny/little-valley", row, facts={"no_adverse_effect_of_high_ph": "yes"})
    assert verdict(allowed, "S1-25") == []


def test_an_agreement_under_194_6_d_lifts_the_table_and_not_the_federal_floor():
    rows = ["Acme | Copper | 5 | mg/L | 2026-10-05 | composite", "Acme | pH | 4.5 | SU | 2026-10-05T09:00 | grab"]
    review = check("ny/little-valley", *rows, facts={"accepted_under_194_6D": "yes"})
    assert verdict(review, "S1-33") == []
    assert verdict(review, "S1-24") == []
    assert verdict(review, "403.5(b)(2)") == ["exceeds"]


def test_a_categorical_limit_is_not_judged_where_other_streams_may_have_joined():
    row = "Acme | Copper | 9 | mg/L | 2026-10-05 | composite"
    joined = check("federal/433", row, facts={"category": "433 PSES"})
    assert set(verdict(joined, "433.15 Cu")) == {"not evaluated"}
    before = check("federal/433", row, facts={"category": "433 PSES"}, points={"Acme": "end of process"})
    assert set(verdict(before, "433.15 Cu")) == {"exceeds"}
    assert verdict(before, "433.17 Cu") == []


def test_cadmium_passes_existing_and_fails_new_sources():
    row = "Acme | Cadmium | 0.12 | mg/L | 2026-10-05 | composite"
    point = {"Acme": "end of process"}
    existing = check("federal/433", row, facts={"category": "433 PSES"}, points=point)
    new = check("federal/433", row, facts={"category": "433 PSNS"}, points=point)
    assert verdict(existing, "433.15 Cd", statistic="daily maximum") == ["complies"]
    assert verdict(new, "433.17 Cd", statistic="daily maximum") == ["exceeds"]


def test_amenable_cyanide_stands_in_place_of_total_by_agreement():
    rows = [f"Acme | {name} | 0.9 | mg/L | 2026-10-05T09:00 | grab" for name in ("Cyanide", "Cyanide (amenable)")]
    point = {"Acme": "end of process"}
    facts = {"category": "433 PSES", "amenable_cyanide_agreed": "yes"}
    agreed = check("federal/433", *rows, facts=facts, points=point)
    assert verdict(agreed, "433.15 CN(T)") == []
    assert verdict(agreed, "433.15 CN(A)", statistic="daily maximum") == ["exceeds"]
    silent = check("federal/433", *rows, facts={"category": "433 PSES"}, points=point)
    assert verdict(silent, "433.15 CN(A)") == []
    assert verdict(silent, "433.15 CN(T)", statistic="daily maximum") == ["complies"]


def test_d30_tto_counts_what_is_quantified_above_ten_micrograms():
    """D-30: 1.20 + 0.90, and not 0.010, 0.0099 or <0.005; 2.10 is within 2.13; there is no monthly limit."""
    members = packs.load("federal/433").packs[0].groups["TTO"].members
    keys = ["parameter", "value", "qualifier", "reporting_limit"]
    rows = [
        ["Toluene", 1.20, "", None],
        ["Benzene", 0.90, "", None],
        ["Phenol", 0.010, "", None],
        ["Chloroform", 0.0099, "", None],
    ]
    rows += [[name, 0.005, "<", 0.005] for name in members if name not in {row[0] for row in rows}]
    frame = pd.DataFrame(rows, columns=keys).assign(
        facility="Acme", unit="mg/L", start="2026-10-05", sample_type="grab"
    )
    people = pd.DataFrame({"facility": ["Acme"], "category": ["433 PSES"], "point": ["end of process"]})
    review = pretreat.check(
        frame, packs.load("federal/433"), facilities=people, period="2026-10", as_of="2026-11-30", all_rows=True,
        tables=["comparisons"],
    )  # fmt: skip
    table = review.comparisons[review.comparisons["limit_id"] == "433.15 TTO"]
    assert table[["statistic", "verdict"]].to_numpy().tolist() == [["daily maximum", "complies"]]
    assert table["low"].item() == pytest.approx(2.10)
    assert table["high"].item() == pytest.approx(2.10)


def test_williamsville_prohibits_slugs_and_defines_none():
    review = check("ny/williamsville", "Acme | pH | 7 | SU | 2026-10-05T09:00 | grab")
    slugs = review.not_evaluated[review.not_evaluated["limit_id"] == "S0-20"]
    assert len(slugs)
    assert not slugs["reason"].eq("").any()


def test_what_the_amherst_manual_holds_is_not_evaluated_and_can_be_supplied(tmp_path):
    row = "Acme | Copper | 3 | mg/L | 2026-10-05 | composite"
    review = check("ny/williamsville", row)
    listed = pd.concat([review.not_evaluated[["limit_id", "reason"]], review.comparisons[["limit_id", "reason"]]])
    external = listed[listed["limit_id"] == "S0-23"]
    assert len(external)
    assert external["reason"].str.contains("not supplied").all()
    manual = tmp_path / "manual.toml"
    manual.write_text(
        '[document]\ntitle = "Manual"\ncite = "Table 1"\ntext_state = "complete"\n'
        '[[limit]]\nid = "Cu"\ncite = "Table 1"\nparameter = "Copper"\nabove = 2.0\nunit = "mg/L"\n'
        'statistic = "daily maximum"\ninstead_of = "ny/williamsville: S0-23"\n',
        encoding="utf-8",
    )
    supplied = check(["ny/williamsville", str(manual)], row)
    assert verdict(supplied, "Cu") == ["exceeds"]
    replaced = supplied.not_evaluated[supplied.not_evaluated["limit_id"] == "S0-23"]
    assert replaced["reason"].tolist() == ["replaced"]


def test_lel_pair_and_single_of_williamsville():
    pair = ["Acme | LEL | 11 | % | 2026-10-05T09:00 | grab", "Acme | LEL | 12 | % | 2026-10-05T09:10 | grab"]
    review = check("ny/williamsville", *pair)
    assert verdict(review, "S0-21") == ["exceeds"]
    assert set(verdict(review, "S0-22")) == {"complies"}
    alone = check("ny/williamsville", "Acme | LEL | 20 | % | 2026-10-05T09:00 | grab")
    assert verdict(alone, "S0-21") == ["complies"]
    assert verdict(alone, "S0-22") == ["complies"]


def test_413_tiers_by_flow():
    row = "Acme | Copper | 5 | mg/L | 2026-10-05 | composite"
    point = {"Acme": "end of process"}
    small = check("federal/413", row, facts={"category": "413 PSES", "flow_gpd": 9999}, points=point)
    assert verdict(small, "413.14(c) Cu") == []
    large = check("federal/413", row, facts={"category": "413 PSES", "flow_gpd": 10000}, points=point)
    assert verdict(large, "413.14(c) Cu", statistic="daily maximum") == ["exceeds"]


def test_design_and_class_numbers_never_stand_among_the_exceedances_of_a_discharge():
    review = check("ny/little-valley", "Acme | Flow | 0.03 | MGD | 2026-10-05 | continuous")
    assert "S1-05" not in set(review.comparisons["limit_id"])
