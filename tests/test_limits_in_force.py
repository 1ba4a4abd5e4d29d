"""Which limits bind whom, where and when: issue 3 and the interface, "A value is an interval, and so is a limit"."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packs_made import force, pack

from pretreat import packs
from pretreat.errors import UsageError
from pretreat.limits.selection import Limits, assumptions, binding, in_force

FLUORIDE = ("Fluoride", "30-day average"), ("Fluoride", "24-hour average")


def ends(frame, parameter, statistic="instantaneous", bound="upper"):
    row = frame[(frame.parameter == parameter) & (frame.statistic == statistic) & (frame.bound == bound)]
    assert len(row) == 1, row
    return row.limit_low.item(), row.limit_high.item()


@pytest.fixture(scope="module")
def little_valley():
    return packs.load("ny/little-valley")


@pytest.mark.parametrize(
    ("facts", "thirty_day", "day"),
    [
        ({"water_fluoridated": "yes"}, (4.0, 4.0), (8.0, 8.0)),
        ({"water_fluoridated": "yes", "fluoride_factor_granted": "yes"}, (4.0, 4.0), (8.0, 8.0)),
        ({"water_fluoridated": "no", "fluoride_factor_granted": "yes"}, (6.0, 6.0), (12.0, 12.0)),
        ({"water_fluoridated": "no", "fluoride_factor_granted": "no"}, (4.0, 4.0), (8.0, 8.0)),
        ({"water_fluoridated": "no"}, (4.0, 6.0), (8.0, 12.0)),
        ({"fluoride_factor_granted": "no"}, (4.0, 4.0), (8.0, 8.0)),
        ({}, (4.0, 6.0), (8.0, 12.0)),
    ],
)
def test_little_valley_fluorides_may_be_multiplied(little_valley, facts, thirty_day, day):
    """Issue 3: 4.0 and 8.0 where fluoridated or refused, 6.0 and 12.0 where granted, the interval where unknown."""
    for found in (force(little_valley, **facts), force(little_valley, settings=facts)):
        assert ends(found, *FLUORIDE[0]) == thirty_day
        assert ends(found, *FLUORIDE[1]) == day


def test_a_users_own_answer_is_nearer_than_the_option(little_valley):
    found = force(
        little_valley, settings={"water_fluoridated": "no", "fluoride_factor_granted": "yes"}, water_fluoridated="yes"
    )
    assert ends(found, *FLUORIDE[0]) == (4.0, 4.0)


def test_an_interval_says_what_it_depends_on(little_valley):
    found = force(little_valley)
    reason = found[found.parameter == "Fluoride"].reason.iloc[0]
    assert "water_fluoridated" in reason
    assert "fluoride_factor_granted" in reason


def test_little_valley_temperatures_disagree(little_valley):
    """§ 194-6C(4) prints 150 °F (64 °C) at the user and 140 °F (40 °C) at the works influent."""
    assert ends(force(little_valley), "Temperature") == pytest.approx((147.2, 150.0))
    assert ends(force(little_valley, point="plant influent"), "Temperature") == pytest.approx((104.0, 140.0))
    assert "64 degC" in force(little_valley).query("parameter == 'Temperature'").reason.item()


def test_federal_and_williamsville_temperature_at_the_plant_is_104(little_valley):
    limits = packs.load(["federal/403", "ny/williamsville"])
    found = force(limits, point="plant influent")
    assert found[["limit_low", "limit_high"]].to_numpy().tolist() == [[104.0, 104.0]] * 2
    assert set(found.operator) == {">"}


def test_plant_limits_do_not_bind_users_and_the_other_way_round(little_valley):
    user, plant = force(little_valley), force(little_valley, point="plant influent")
    assert "S1-20" not in set(user.limit_id)
    assert set(plant.limit_id) == {"S1-20"}


def test_a_plant_limit_without_a_plant_is_listed(little_valley):
    _, nowhere = in_force(packs.load("federal/403"), pd.DataFrame({"facility": ["Acme"]}), "2026-01-01", "2027-01-01")
    row = nowhere[nowhere.limit_id == "403.5(b)(5)"]
    assert row.reason.tolist() == ["no such place"]


def test_a_waiver_binds_until_a_fact_says_so(little_valley):
    found = force(little_valley)
    assert ends(found, "pH") == (9.5, 9.5)
    assert (
        "no_adverse_effect_of_high_ph = no" in found[(found.parameter == "pH") & (found.bound == "upper")].reason.item()
    )
    waived = force(little_valley, settings={"no_adverse_effect_of_high_ph": "yes"})
    assert waived[(waived.parameter == "pH") & (waived.bound == "upper")].empty
    assert {a.fact for a in assumptions(little_valley, found)} >= {"no_adverse_effect_of_high_ph"}


def test_a_categorical_limit_is_not_judged_after_mixing():
    limits = packs.load("federal/433")
    found = force(limits, category="433 PSES", point="end of pipe")
    assert len(found)
    assert set(found.status) == {"point unknown"}
    before = force(limits, category="433 PSES", point="end of process")
    assert ends(before[before.status == ""], "Cadmium", "daily maximum") == (0.69, 0.69)
    new = force(limits, category="433 PSNS", point="end of process")
    assert ends(new[new.status == ""], "Cadmium", "daily maximum") == (0.11, 0.11)


@pytest.mark.parametrize("points", ["end of process", "in-plant", "end of process; in-plant"])
def test_no_limit_before_mixing_is_judged_after_it(tmp_path, points):
    made = pack(tmp_path, f'[[limit]]\nparameter="Zinc"\nabove=1\nunit="mg/L"\npoint="{points}"\n')
    found = force(Limits((made,)), point="end of pipe")
    assert found[["point", "status"]].to_numpy().tolist() == [[points, "point unknown"]]


def test_a_user_with_another_outfall_before_mixing_is_judged_there():
    limits = packs.load("federal/433")
    users = pd.DataFrame(
        {
            "facility": ["A", "A"],
            "outfall": ["1", "2"],
            "point": ["end of pipe", "end of process"],
            "category": "433 PSES",
        }
    )
    found, _ = in_force(limits, users, "2026-01-01", "2027-01-01")
    assert set(found[found.status == ""].outfall) == {"2"}
    assert not (found.status == "point unknown").any()


def test_an_unknown_category_is_tried_both_ways():
    limits = packs.load("federal/433")
    found = force(limits, point="end of process")
    low, high = ends(found, "Cadmium", "daily maximum")
    assert low == 0.11
    assert math.isnan(high)


def test_each_limit_of_a_user_in_several_categories_stands_by_itself(tmp_path):
    head = '[[table]]\nparameter="Zinc"\nunit="mg/L"\ncolumns=["id","when.category","above"]\n'
    rows = [["a", "433 PSES", 1.0], ["b", "433 PSNS", 2.0], ["c", "413 PSES", 3.0]]
    limits = Limits((pack(tmp_path, f"{head}rows={json.dumps(rows)}\n"),))
    for count in (1, 2, 3):
        found = force(limits, category="; ".join(category for _, category, _ in rows[:count]))
        assert found[["limit_low", "limit_high"]].to_numpy().tolist() == [[limit, limit] for *_, limit in rows[:count]]
        assert set(found.reason) == {""}


def test_a_class_that_is_not_categorical_is_in_no_category():
    assert force(packs.load("federal/433"), point="end of process", **{"class": "unpermitted"}).empty


def test_williamsville_slugs_are_prohibited_and_not_defined():
    found = force(packs.load("ny/williamsville"))
    assert found[found.statistic == "slug"].status.tolist() == ["no definition"]


def test_a_slug_is_one_too_many_in_little_valley(little_valley):
    found = force(little_valley)
    row = found[found.statistic == "slug"]
    assert row[["operator", "limit_low", "limit_high", "status"]].to_numpy().tolist() == [[">", 0.0, 0.0, ""]]


def test_williamsvilles_manual_is_external_until_somebody_supplies_it(tmp_path):
    limits = packs.load("ny/williamsville")
    found = force(limits)
    assert set(found[found.status == "text not supplied"].limit_id) >= {"S0-23", "S0-33"}
    manual = tmp_path / "manual.toml"
    manual.write_text(
        '[document]\ntitle = "Manual"\ncite = "Table 1"\n[[limit]]\nparameter = "Zinc"\nabove = 1.5\nunit = "lb/day"\n'
        'statistic = "daily maximum"\ninstead_of = "ny/williamsville: S0-33"\n'
        '[slug]\ninstead_of = "ny/williamsville: S0-20"\n'
        'definition = { above = "5 times", for = "more than 15 minutes" }\n',
        encoding="utf-8",
    )
    both = force(packs.load(["ny/williamsville", manual]))
    assert "S0-33" not in set(both.limit_id)
    assert both[both.statistic == "slug"].status.tolist() == [""]
    assert ends(both[both.unit == "lb/day"], "Zinc", "daily maximum") == (1.5, 1.5)


def test_a_users_own_packs_stand_instead_of_the_given_ones():
    limits = packs.with_needed(packs.load("ny/little-valley"), pd.DataFrame({"packs": ["ny/williamsville", ""]}))
    users = pd.DataFrame({"facility": ["A", "B"], "packs": ["ny/williamsville", ""]})
    found, _ = in_force(limits, users, "2026-01-01", "2027-01-01")
    of = found.astype({"facility": str, "pack": str}).groupby("facility").pack.agg(set)
    assert of["A"] == {"ny/williamsville", "federal/403"}
    assert of["B"] == {"ny/little-valley", "federal/403"}


def test_facts_may_have_dates(little_valley):
    users = pd.DataFrame(
        {
            "facility": ["A", "A"],
            "from": ["", "2026-07-01"],
            "until": ["2026-07-01", ""],
            "water_fluoridated": ["yes", "no"],
            "fluoride_factor_granted": ["", "yes"],
        }
    )
    found, _ = in_force(little_valley, users, "2026-01-01", "2027-01-01")
    mine = found[(found.parameter == "Fluoride") & (found.statistic == "30-day average")].sort_values("limit_low")
    assert mine.limit_low.tolist() == [4.0, 6.0]
    assert mine["until"].iloc[0] == mine["from"].iloc[1] == pd.Timestamp("2026-07-01")


def test_an_answer_that_a_fact_does_not_have_is_an_error(little_valley):
    with pytest.raises(UsageError, match="water_fluoridated is one of yes, no"):
        force(little_valley, water_fluoridated="perhaps")
    with pytest.raises(UsageError, match="neither a setting nor a fact"):
        force(little_valley, settings={"water_flouridated": "yes"})
    with pytest.raises(UsageError, match="water_fluoridated is one of yes, no") as found:
        force(little_valley, settings={"water_fluoridated": "perhaps"})
    assert found.value.where == "--set water_fluoridated=perhaps"
    with pytest.raises(UsageError, match="flow_gpd is a number"):
        force(packs.load("federal/413"), flow_gpd="plenty")


def test_settings_of_the_command_line_override_the_row_and_the_pack(tmp_path):
    made = pack(
        tmp_path,
        '[[limit]]\nparameter="Zinc"\nabove=1\nunit="mg/L"\nstatistic="30-day average"\nset.thirty_day="calendar"\n',
    )
    limits = Limits((made,))
    assert force(limits).thirty_day.tolist() == ["calendar"]
    assert force(limits, settings={"thirty_day": "consecutive"}).thirty_day.tolist() == ["consecutive"]


def test_effective_dates_cut_the_span(tmp_path):
    made = pack(tmp_path, '[[limit]]\nparameter="Zinc"\nabove=2\nunit="mg/L"\nuntil=2026-07-01\n'
                '[[limit]]\nid="new"\nparameter="Zinc"\nabove=1\nunit="mg/L"\nfrom=2026-07-01\n')  # fmt: skip
    found = force(Limits((made,)))
    assert found["until"].iloc[0] == found["from"].iloc[1] == pd.Timestamp("2026-07-01")
    assert len(force(Limits((made,)), start="2025-01-01", end="2026-01-01")) == 1
    # A user who was connected from March to the end of August: the later beginning and the earlier end count.
    found = force(Limits((made,)), **{"from": "2026-03-01", "until": "2026-09-01"})
    spans = [[str(day.date()) for day in row] for row in found[["from", "until"]].itertuples(index=False)]
    assert spans == [["2026-03-01", "2026-07-01"], ["2026-07-01", "2026-09-01"]]


def test_the_dates_of_one_end_are_not_those_of_the_other(tmp_path):
    row = '[[limit]]\nid="{}"\nparameter="pH"\n{}\nfrom={}\nuntil={}\n'
    upper, lower = ("2026-03-01", "2026-10-01"), ("2026-06-01", "2026-08-01")
    made = pack(tmp_path, row.format("a", "above=9.0", *upper) + row.format("b", "below=5.0", *lower))
    found = force(Limits((made,))).set_index("bound")[["from", "until"]].astype(str)
    assert {side: tuple(days) for side, *days in found.itertuples()} == {"upper": upper, "lower": lower}
    assert len(found) == 2


def test_seasons_are_spread_over_years(tmp_path):
    made = pack(tmp_path, '[[table]]\nparameter="Zinc"\nunit="mg/L"\ncolumns=["id","season","above"]\n'
                'rows=[["s","May to October",1],["w","November to April",2]]\n')  # fmt: skip
    found = force(Limits((made,)), start="2025-01-01", end="2027-01-01").sort_values("from")
    assert found.limit_low.tolist() == [2, 1, 2, 1, 2]
    assert found["from"].iloc[1] == pd.Timestamp("2025-05-01")
    assert (found["until"].iloc[:-1].to_numpy() == found["from"].iloc[1:].to_numpy()).all()


def test_alternative_by_agreement_supersedes_only_where_agreed():
    """40 CFR 433.15(b): cyanide amenable instead of total, upon agreement."""
    limits = packs.load("federal/433")
    where = {"category": "433 PSES", "point": "end of process"}
    usual = force(limits, **where)
    assert ends(usual, "Cyanide", "daily maximum")[0] == 1.20
    fact = next(name for name in limits.facts if "amenable" in name)
    agreed = force(limits, settings={fact: "yes"}, **where)
    assert ends(agreed, "Cyanide (amenable)", "daily maximum") == (0.86, 0.86)
    assert agreed[agreed.parameter == "Cyanide"].empty


TIERS = """
[[table]]
parameter = "Cyanide"
unit = "mg/L"
statistic = "daily maximum"
columns = ["id", "when.flow_gpd", "above"]
rows = [["small", "below 10000", 5.0], ["large", "at or above 10000", 1.9]]
"""


@pytest.mark.parametrize(
    ("flow", "limit"), [("9999.9", (5.0, 5.0)), ("10000", (1.9, 1.9)), ("12,000", (1.9, 1.9)), ("", (1.9, 5.0))]
)
def test_flow_tiers(tmp_path, flow, limit):
    assert ends(force(Limits((pack(tmp_path, TIERS),)), flow_gpd=flow), "Cyanide", "daily maximum") == limit


def test_what_one_unanswered_fact_decides_depends_on_it(tmp_path):
    text = '[facts]\nold="Is it old?"\n[[table]]\nparameter="Zinc"\nunit="mg/L"\ncolumns=["id","when.old","above"]\n'
    (row,) = force(Limits((pack(tmp_path, text + 'rows=[["a","yes",2.0],["b","no",3.0]]\n'),))).itertuples()
    assert (row.limit_low, row.limit_high) == (2.0, 3.0)
    assert row.reason == "depends on old, which nobody has answered"


def test_an_interval_changes_with_either_of_its_ends(tmp_path):
    row = '[[limit]]\nid="{}"\nparameter="Zinc"\nunit="mg/L"\nwhen.old="{}"\nabove={}\n{}\n'
    text = '[facts]\nold="Is it old?"\n' + row.format("a", "yes", 2.0, "")
    text += row.format("b", "no", 3.0, "until=2026-07-01") + row.format("c", "no", 4.0, "from=2026-07-01")
    found = force(Limits((pack(tmp_path, text),)))
    assert found[["limit_low", "limit_high"]].to_numpy().tolist() == [[2.0, 3.0], [2.0, 4.0]]
    assert found["until"].iloc[0] == found["from"].iloc[1] == pd.Timestamp("2026-07-01")


@pytest.mark.parametrize(("also", "differ"), [("25.4 mm", False), ("25 mm", False), ("30 mm", True)])
def test_two_units_are_said_to_differ_where_they_do(tmp_path, also, differ):
    text = f'[[limit]]\nparameter="Solids size"\nabove=1\nunit="in"\nalso="{also}"\n'
    (reason,) = force(Limits((pack(tmp_path, text),))).reason
    assert ("which are not the same" in reason) == differ


def test_formula_over_a_fact(tmp_path):
    """40 CFR 430.96: (0.032)(24.4)/y mg/l."""
    made = pack(tmp_path, '[facts]\ny={ask="kgal per ton of product",unit="kgal"}\n'
                '[[limit]]\nparameter="Pentachlorophenol"\nabove="0.032 * 24.4 / y"\nunit="mg/L"\n')  # fmt: skip
    assert ends(force(Limits((made,)), y="2"), "Pentachlorophenol") == (0.3904, 0.3904)
    assert force(Limits((made,))).status.tolist() == ["fact missing"]


ALKALINITY = """
[facts]
alkalinity = { measured = "Alkalinity as CaCO3", unit = "mg/L"%s }
[[table]]
parameter = "pH"
columns = ["id", "below", "above", "when.alkalinity"]
rows = [["low", 5.0, "", ""], ["usual", "", 10.0, "above 300"], ["lenient", "", 10.5, "at or below 300"]]
"""


def test_ph_by_alkalinity(tmp_path):
    """Garden City MI § 52.35: 10.0 where alkalinity exceeds 300 mg/l, 10.5 if 300 or less and both are monitored."""
    unknown = force(Limits((pack(tmp_path, ALKALINITY % ""),)))
    assert ends(unknown, "pH") == (10.0, 10.5)
    assert unknown[unknown.bound == "upper"].by_result.tolist() == ["alkalinity"]
    assumed = force(Limits((pack(tmp_path, ALKALINITY % ', assume = "above 300"'),)))
    assert ends(assumed, "pH") == (10.0, 10.0)
    assert ends(assumed, "pH", bound="lower") == (5.0, 5.0)


def test_overlap_as_printed_is_the_interval(tmp_path):
    """Limon CO § 54.022 prints "May - December" and "December - April" for cadmium."""
    made = pack(tmp_path, '[[table]]\nparameter="Cadmium"\nunit="mg/L"\naccept.overlap="December is printed in both"\n'
                'columns=["id","season","above"]\n'
                'rows=[["a","May to December",0.003068],["b","December to April",0.003067]]\n')  # fmt: skip
    found = force(Limits((made,))).sort_values("from")
    december = found[found["from"] == pd.Timestamp("2026-12-01")]
    assert december[["limit_low", "limit_high"]].to_numpy().tolist() == [[0.003067, 0.003068]]
    assert "more than once" in december.reason.item()
    assert len(found[found["from"] == pd.Timestamp("2026-05-01")]) == 1


def test_the_most_stringent_binds_and_a_tie_is_the_first_packs():
    frame = pd.DataFrame(
        {
            "facility": "A",
            "parameter": ["pH", "pH", "Zinc", "Zinc", "Lead", "Lead"],
            "bound": ["lower", "lower", "upper", "upper", "upper", "upper"],
            "pack": ["a", "b", "a", "b", "b", "a"],
            "limit_low": [5.0, 5.5, 1.0, 2.0, 1.0, 1.0],
            "limit_high": [5.0, 5.5, 1.0, 2.0, 1.0, 1.0],
        }
    )
    assert binding(frame, ["a", "b"]).tolist() == ["no", "yes", "yes", "no", "no", "yes"]


def test_binding_needs_no_outfall_and_no_rows():
    frame = pd.DataFrame(
        {
            "facility": ["A", "A", "B"],
            "outfall": [None, None, None],
            "pack": ["a", "b", "b"],
            "bound": "upper",
            "limit_low": [2.0, 1.0, 2.0],
            "limit_high": [2.0, 1.0, 2.0],
        }
    )
    assert binding(frame, ["a", "b"]).tolist() == ["no", "yes", "yes"]
    assert binding(frame.iloc[:0], ["a", "b"]).tolist() == []


def test_binding_is_unknown_where_facts_are_missing():
    frame = pd.DataFrame(
        {
            "pack": ["a", "b"],
            "bound": "upper",
            "limit_low": [4.0, 5.0],
            "limit_high": [6.0, 5.0],
            "parameter": "Fluoride",
        }
    )
    assert binding(frame, ["a", "b"]).tolist() == ["unknown", "unknown"]
    frame["limit_low"], frame["limit_high"] = [4.0, 5.0], [np.nan, 5.0]
    assert binding(frame, ["a", "b"]).tolist() == ["unknown", "unknown"]
    frame["limit_low"], frame["limit_high"] = [4.0, 7.0], [6.0, 7.0]
    assert binding(frame, ["a", "b"]).tolist() == ["yes", "no"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(0, 5), st.sampled_from(["a", "b"])), min_size=1, max_size=6))
def test_law_exactly_one_binds_or_all_rivals_are_unknown(rows):
    frame = pd.DataFrame(
        {
            "pack": [pack_ for *_, pack_ in rows],
            "bound": "upper",
            "limit_low": [low for low, *_ in rows],
            "limit_high": [low + more for low, more, _ in rows],
        }
    )
    marks = binding(frame, ["a", "b"]).tolist()
    assert marks.count("yes") == (0 if "unknown" in marks else 1)
    assert marks.count("unknown") != 1


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(4)))
def test_law_users_order_changes_nothing(little_valley, order):
    users = pd.DataFrame({"facility": list("ABCD"), "water_fluoridated": ["yes", "no", "", "no"]})
    one, _ = in_force(little_valley, users, "2026-01-01", "2027-01-01")
    other, _ = in_force(little_valley, users.iloc[list(order)], "2026-01-01", "2027-01-01")

    def key(frame):
        return sorted(map(str, frame[["facility", "limit", "bound", "limit_low", "limit_high"]].to_numpy().tolist()))

    assert key(one) == key(other)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["yes", "no"]), st.sampled_from(["yes", "no"]))
def test_law_every_world_lies_within_the_unknown_interval(little_valley, fluoridated, granted):
    known = force(little_valley, water_fluoridated=fluoridated, fluoride_factor_granted=granted)
    unknown = force(little_valley)
    for key in FLUORIDE:
        low, high = ends(unknown, *key)
        assert low <= ends(known, *key)[0] <= high


def test_two_thousand_users_of_few_profiles_are_worked_out_once(little_valley, monkeypatch):
    """Work is done once for each distinct profile."""
    from pretreat import limits as module

    calls = []
    real = module.resolve
    monkeypatch.setattr(module, "resolve", lambda *args: calls.append(1) or real(*args))
    users = pd.DataFrame({"facility": [f"U{n}" for n in range(2300)], "water_fluoridated": ["yes", "no"] * 1150})
    found, _ = in_force(little_valley, users, "2026-01-01", "2027-01-01")
    assert found.facility.nunique() == 2300
    assert len(calls) <= 2 * len(little_valley.rows)
