"""Alternative limits: 40 CFR 403.6(c), (e), 403.15 and 413.04; what a public engine gets wrong must not come out."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pretreat import packs
from pretreat.errors import UsageError
from pretreat.limits.selection import in_force
from pretreat.loads import alternative_limits as formulas
from pretreat.loads import streams
from pretreat.loads.mass import load
from pretreat.loads.stream_table import read

FLOW = st.floats(0.001, 10)
LIMIT = st.floats(0.001, 100)


def table(*rows):
    return (
        pd.DataFrame(list(rows))
        .astype(object)
        .assign(facility="Acme Plating", outfall="001", flow_unit="MGD")
        .astype(object)
        .fillna("")
    )


N_1 = (
    {
        "stream": "1",
        "type": "regulated",
        "flow": 0.10,
        "parameter": "Zinc",
        "daily maximum": 2.0,
        "monthly average": 1.0,
    },
    {
        "stream": "2",
        "type": "regulated",
        "flow": 0.05,
        "parameter": "Zinc",
        "daily maximum": 1.0,
        "monthly average": 0.5,
    },
    {"stream": "3", "type": "unregulated", "flow": 0.05},
    {"stream": "4", "type": "dilute", "flow": 0.30},
)


def plant(*rows):
    numbered = [{"limit_unit": "mg/L" if "parameter" in row else "", **row} for row in rows]
    (mine,) = read(table(*numbered)).values()
    return mine


def zinc(mine, statistic="daily maximum"):
    return streams.alternative(mine, "Zinc", statistic, {})


@pytest.mark.parametrize(
    ("without", "expected"),
    [((), 0.667), (("4",), 1.667), (("4", "3"), 1.667)],
    ids=["D-1", "no dilute", "no unregulated"],
)
def test_case_d_1(without, expected):
    """Dilution lowers the limit; unregulated water does not."""
    assert round(zinc(plant(*(row for row in N_1 if row["stream"] not in without))).high, 3) == expected


def test_case_n_1_the_public_engines_answers_do_not_come_out():
    """It gives 1.25 and 0.625, and says that 0.20 MGD more of dilute water changes nothing."""
    mine = plant(*N_1)
    assert round(zinc(mine).high, 3) == 0.667
    assert round(zinc(mine, "monthly average").high, 3) == 0.333
    more = plant(*N_1[:3], {**N_1[3], "flow": 0.50})
    assert round(zinc(more).high, 3) == 0.476


def test_the_mass_form_divides_by_the_regulated_flow():
    """Σ M_i × (F_T − F_D) / Σ F_i; the public engine divides by F_T."""
    mine = plant(*({**row, "form": "mass"} if row["type"] == "regulated" else row for row in N_1))
    made = zinc(mine)
    masses = float(load(2.0, 0.10)) + float(load(1.0, 0.05))
    assert made.unit == "lb/day"
    assert made.high == pytest.approx(masses * 0.20 / 0.15)
    assert made.high == pytest.approx(float(load(zinc(plant(*N_1)).high, 0.50)))


@pytest.mark.parametrize(("detection", "barred"), [(0.005, True), (0.004, False), (0.003, False)])
def test_case_d_32_below_the_detection_limit(detection, barred):
    """A limit of 0.004 may not be used with a detection limit of 0.005; one at the detection limit may."""
    made = zinc(
        plant(
            {
                "stream": "1",
                "type": "regulated",
                "flow": 0.1,
                "parameter": "Zinc",
                "daily maximum": 0.02,
                "detection_limit": detection,
            },
            {"stream": "2", "type": "dilute", "flow": 0.4},
        )
    )
    assert made.high == pytest.approx(0.004)
    assert bool(made.barred) is barred
    assert (streams.BELOW_DETECTION in made.barred) is barred


P_13 = "0.6 0.4 0.3, 1.2 0.7 0.5, 1.9 1 0.55, 4.1 2.6 1.8, 4.2 2.6 1.8, 4.5 2.7 1.8, 5.0 2.7 1.5, 7.0 4 2.5, 10.5 6.8 5, 20.0 13.4 10"


@pytest.mark.parametrize("row", P_13.split(", "))
def test_case_p_13(row):
    """40 CFR 413.04, the table as published."""
    one, four, thirty = row.split()
    assert formulas.thirty_day_equivalent(one, four) == Decimal(thirty)


@given(st.lists(st.tuples(LIMIT, FLOW), min_size=1, max_size=4), FLOW, FLOW, FLOW)
def test_laws_of_the_formula(regulated, unregulated, dilute, more):
    limits, flows = [limit for limit, _ in regulated], [flow for _, flow in regulated]
    plain = formulas.combined_concentration(limits, flows, sum(flows), 0.0)
    assert min(limits) * (1 - 1e-9) <= plain <= max(limits) * (1 + 1e-9)
    with_unregulated = formulas.combined_concentration(limits, flows, sum(flows) + unregulated, 0.0)
    assert with_unregulated == pytest.approx(plain)
    total = sum(flows) + unregulated + dilute
    diluted = formulas.combined_concentration(limits, flows, total, dilute)
    assert diluted < plain
    assert formulas.combined_concentration(limits, flows, total + more, dilute + more) < diluted
    masses = [float(load(limit, flow)) for limit, flow in regulated]
    mass = formulas.combined_mass(masses, flows, total, dilute)
    assert mass == pytest.approx(float(load(diluted, total)))
    assert mass == pytest.approx(formulas.combined_mass(masses, flows, total + more, dilute + more))


@given(LIMIT, FLOW, st.floats(0, 50), st.floats(0, 200))
def test_laws_of_the_credit(limit, flow, intake, gross):
    """The credit goes as far as needed and no further than the intake."""
    assume(abs(gross - limit - intake) > 1e-6)
    credit = min(intake, max(gross - limit, 0.0))
    assert (gross - credit <= limit + 1e-9) == (gross <= formulas.net_limit(limit, intake))
    assert formulas.equivalent_concentration(float(load(limit, flow)), flow) == pytest.approx(limit)


def test_flows_that_do_not_add_up():
    with pytest.raises(UsageError, match="do not add up"):
        formulas.combined_concentration([1.0], [0.5], total=0.4, dilute=0.0)
    with pytest.raises(UsageError, match="do not add up"):
        formulas.combined_concentration([1.0], [0.0], total=0.4, dilute=0.4)
    with pytest.raises(UsageError, match="no concentration"):
        formulas.equivalent_concentration(1.0, 0.0)


def test_a_standard_by_production():
    """403.6(c)(3) and (4): 0.05 lb a 1,000 lb of product, 20,000 lb a day, in 0.1 MGD."""
    mine = plant(
        {
            "stream": "1", "type": "regulated", "flow": 0.1, "parameter": "Zinc", "daily maximum": 0.05,
            "limit_unit": "lb/1000 lb", "production": 20_000, "production_unit": "lb/day",
        },
    )  # fmt: skip
    made = zinc(mine)
    assert made.high == pytest.approx(1.0 / (0.1 * 8.34))
    assert "0.05 lb/1000 lb × 20000 lb/day = 1 lb/day (403.6(c)(3))" in made.arithmetic


def test_mixing_after_treatment_is_weighted_by_flow():
    rows = (
        {
            "stream": "1",
            "type": "regulated",
            "flow": 0.1,
            "parameter": "Zinc",
            "daily maximum": 2.0,
            "mixed": "after treatment",
        },
        {
            "stream": "2",
            "type": "unregulated",
            "flow": 0.3,
            "parameter": "Zinc",
            "concentration": 0.4,
            "mixed": "after treatment",
        },
    )
    assert zinc(plant(*rows)).high == pytest.approx((2.0 * 0.1 + 0.4 * 0.3) / 0.4)
    unknown = zinc(plant(rows[0], {**rows[1], "concentration": ""}))
    assert "is not given" in unknown.barred
    assert np.isnan(unknown.high)


def test_combined_before_and_weighted_after():
    later = {
        "stream": "5",
        "type": "dilute",
        "flow": 0.5,
        "parameter": "Zinc",
        "concentration": 0.0,
        "mixed": "after treatment",
    }
    assert zinc(plant(*N_1, later)).high == pytest.approx(2 / 3 / 2)


def test_a_credit_that_nobody_knows_of_is_an_interval():
    row = {"stream": "1", "type": "regulated", "flow": 0.1, "parameter": "Zinc", "daily maximum": 2.0, "intake": 0.3}
    ends = [(made.low, made.high) for made in (zinc(plant({**row, "credit": credit})) for credit in ("yes", "no", ""))]
    assert ends == [(2.3, 2.3), (2.0, 2.0), (2.0, 2.3)]


def test_a_stream_without_that_statistic_makes_no_limit():
    rows = ({**N_1[0]}, {"stream": "2", "type": "regulated", "flow": 0.05, "parameter": "Zinc", "daily maximum": 1.0})
    made = zinc(plant(*rows), "monthly average")
    assert made.barred == "2 is regulated for Zinc and has no monthly average to combine"


def test_what_is_not_regulated_for_the_pollutant_is_unregulated():
    other = {"stream": "2", "type": "regulated", "flow": 0.05, "parameter": "Copper", "daily maximum": 1.0}
    alone = plant({**N_1[0]}, other)
    assert zinc(alone).high == pytest.approx(2.0)
    assert streams.alternative(alone, "Lead", "daily maximum", {}) is None


def test_the_reserve():
    """What a plant can still allocate; negative where more is allocated than there is."""
    assert formulas.unallocated_reserve(10.0, 3.0, [2.0, 1.5], safety=0.1) == 2.5
    assert formulas.unallocated_reserve(10.0, 3.0, [8.0]) == -1.0
    with pytest.raises(UsageError):
        formulas.unallocated_reserve(10.0, 3.0, [], safety=10)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"type": "cooling"}, "type is 'cooling'"),
        ({"type": ""}, "has no type"),
        ({"flow": ""}, "has no flow"),
        ({"flow": "-0.1"}, "no number from 0 up"),
        ({"flow": "a lot"}, "no number"),
        ({"flow_unit": "mg/L"}, "no unit of flow"),
        ({"stream": ""}, "stream is empty"),
        ({"limit_unit": "percent"}, "limit_unit is 'percent'"),
        ({"limit_unit": "lb/1000 lb"}, "needs the production"),
        ({"parameter": "pH", "form": "mass"}, "has no mass limit"),
        ({"credit": "maybe"}, "credit is 'maybe'"),
        ({"from": "yesterday-ish"}, "no day"),
        ({"volume": 3}, "no column 'volume'"),
    ],
)
def test_a_faulty_file_is_named(row, words):
    with pytest.raises(UsageError) as caught:
        read(table({**N_1[0], "limit_unit": "mg/L"}).assign(**row))
    assert words in str(caught.value)
    assert "streams" in str(caught.value)


def test_one_stream_has_one_flow():
    with pytest.raises(UsageError, match="two values of flow"):
        plant(N_1[0], {**N_1[0], "parameter": "Copper", "flow": 0.2})
    with pytest.raises(UsageError, match="two rows of 'Zinc'"):
        plant(N_1[0], N_1[0])


PLATER = (
    {"stream": "plating rinses", "type": "regulated", "flow": 0.06, "category": "433 PSES"},
    {"stream": "laundry", "type": "unregulated", "flow": 0.01},
    {"stream": "sanitary", "type": "dilute", "flow": 0.03},
)


@pytest.fixture(scope="module")
def metal_finishing():
    limits = packs.load(["federal/433"])
    users = pd.DataFrame(
        {
            "facility": ["Acme Plating"],
            "outfall": ["001"],
            "point": ["end of pipe"],
            "category": ["433 PSES"],
            "class": ["CIU"],
        }
    )
    return limits, in_force(limits, users, "2026-01-01", "2027-01-01")[0]


def test_a_metal_finishers_limits_at_the_end_of_the_pipe(metal_finishing):
    """Documented in docs/streams.md: zinc 2.61 becomes 1.827 mg/L."""
    limits, waiting = metal_finishing
    made = streams.computed_limits(table(*PLATER), waiting, limits)
    rows = made.in_force.set_index(["parameter", "statistic"])
    assert len(rows) == len(waiting)
    assert rows.loc[("Zinc", "daily maximum"), "limit_high"] == pytest.approx(1.827)
    assert rows.loc[("Zinc", "monthly average"), "limit_high"] == pytest.approx(1.48 * 0.7)
    assert (rows["status"] == "").all()
    assert (rows["point"] == "end of pipe").all()
    assert "403.6(e)(1)(i)" in rows.loc[("Zinc", "daily maximum"), "reason"]
    pointed = made.limits.rows[rows.loc[("Zinc", "daily maximum"), "limit"]]
    assert (pointed.pack, pointed.parameter, pointed.bounds[0].high) == ("federal/433", "Zinc", pytest.approx(1.827))
    assert limits.rows == made.limits.rows[: len(limits.rows)]


def test_before_mixing_nothing_is_computed(metal_finishing):
    limits, waiting = metal_finishing
    known = waiting.assign(status="")
    made = streams.computed_limits(table(*PLATER), known, limits)
    assert made.in_force is known
    assert made.findings["code"].tolist() == ["streams without a limit"]


def test_streams_that_change(metal_finishing):
    limits, waiting = metal_finishing
    first = table(*PLATER).assign(until="2026-07-01")
    then = table(*PLATER[:1]).assign(**{"from": "2026-07-01", "until": "2026-10-01"})
    made = streams.computed_limits(pd.concat([first, then]).astype(object).fillna(""), waiting, limits)
    zinc = made.in_force[(made.in_force["parameter"] == "Zinc") & (made.in_force["statistic"] == "daily maximum")]
    zinc = zinc.sort_values("from", na_position="first")
    assert zinc["limit_high"].round(6).tolist() == [1.827, 2.61, 2.61]
    assert zinc["status"].tolist() == ["", "", "point unknown"]
    assert zinc["until"].dt.strftime("%Y-%m-%d").tolist()[:2] == ["2026-07-01", "2026-10-01"]
    with pytest.raises(UsageError, match="two accounts of one time"):
        streams.computed_limits(pd.concat([table(*PLATER), then]).astype(object).fillna(""), waiting, limits)


def test_another_users_streams_change_nothing(metal_finishing):
    limits, waiting = metal_finishing
    made = streams.computed_limits(table(*PLATER).assign(facility="Acme Dairy"), waiting, limits)
    assert made.in_force is waiting
    assert made.limits is limits


def test_below_the_detection_limit_the_limit_is_not_evaluated(metal_finishing):
    limits, waiting = metal_finishing
    rows = [
        *PLATER,
        {
            "stream": "plating rinses",
            "type": "regulated",
            "flow": 0.06,
            "category": "433 PSES",
            "parameter": "Zinc",
            "detection_limit": 2.0,
        },
    ]
    made = streams.computed_limits(table(*rows), waiting, limits).in_force
    zinc = made[(made["parameter"] == "Zinc") & (made["statistic"] == "daily maximum")].iloc[0]
    assert zinc["status"].startswith(streams.BELOW_DETECTION)
    assert np.isnan(zinc["limit_high"])


def test_an_integrated_plant_uses_the_thirty_day_equivalents():
    """413.04: an electroplater's zinc of 4.2 and 2.6 is 1.8 in 30 days, beside 433's monthly 1.48."""
    limits = packs.load(["federal/413", "federal/433"])
    users = pd.DataFrame(
        {
            "facility": ["Acme Plating"], "outfall": ["001"], "point": ["end of pipe"], "class": ["CIU"],
            "category": ["413 PSES; 433 PSES"], "integrated": ["yes"], "flow_gpd": ["60000"],
        }
    )  # fmt: skip
    waiting, _ = in_force(limits, users, "2026-01-01", "2027-01-01")
    rows = (
        {"stream": "electroplating", "type": "regulated", "flow": 0.06, "category": "413 PSES"},
        {"stream": "finishing", "type": "regulated", "flow": 0.02, "category": "433 PSES"},
        {"stream": "sanitary", "type": "dilute", "flow": 0.02},
    )
    made = streams.computed_limits(table(*rows), waiting, limits).in_force
    zinc = made[(made["parameter"] == "Zinc") & (made["status"] == "")].set_index(["pack", "statistic"])["limit_high"]
    expected = (1.8 * 0.06 + 1.48 * 0.02) / 0.08 * 0.8
    assert zinc[("federal/413", "30-day average")] == pytest.approx(expected)
    assert zinc[("federal/433", "monthly average")] == pytest.approx(expected)
    assert zinc[("federal/433", "daily maximum")] == pytest.approx((4.2 * 0.06 + 2.61 * 0.02) / 0.08 * 0.8)


def said_of(rows, limits, waiting):
    return streams.computed_limits(table(*rows), waiting, limits).findings["message"].tolist()


def test_a_stream_with_limits_and_without_a_category_is_named(metal_finishing):
    """It was said that no categorical limit waited for its flows, when all of them did."""
    limits, waiting = metal_finishing
    own = {"parameter": "Zinc", "daily maximum": 2.0, "limit_unit": "mg/L"}
    rows = ({**PLATER[0], **own, "category": ""}, *PLATER[1:])
    (said,) = said_of(rows, limits, waiting)
    assert "433 PSES" in said
    assert "category is empty at 'plating rinses'" in said
    assert said_of(({**PLATER[0], **own}, *PLATER[1:]), limits, waiting) == []


def test_a_category_that_waits_nowhere_is_named(metal_finishing):
    limits, waiting = metal_finishing
    (said,) = said_of(({**PLATER[0], "category": "433 PSNS"}, *PLATER[1:]), limits, waiting)
    assert "the category 433 PSES, and no stream has it" in said
    assert "'433 PSNS'" in said
    (said,) = said_of(PLATER[1:], limits, waiting)
    assert said.endswith("Categories in the file of streams: none.")


def test_a_second_category_that_no_stream_has_is_named_where_one_is_empty():
    limits = packs.load(["federal/413", "federal/433"])
    user = {"facility": "Acme Plating", "outfall": "001", "point": "end of pipe", "class": "CIU", "flow_gpd": "60000"}
    users = pd.DataFrame([{**user, "category": "413 PSES; 433 PSES"}])
    waiting, _ = in_force(limits, users, "2026-01-01", "2027-01-01")
    electro = {"stream": "electroplating", "type": "regulated", "flow": 0.02, "category": ""}
    (said,) = said_of((*PLATER, electro), limits, waiting)
    assert "category is empty at 'electroplating'" in said
    assert said_of((*PLATER, {**electro, "category": "413 PSES"}), limits, waiting) == []


@pytest.mark.parametrize(("one", "four"), list(formulas.EQUIVALENTS_413_04))
def test_the_thirty_day_equivalent_of_floats_and_texts_is_that_of_decimals(one, four):
    thirty = formulas.EQUIVALENTS_413_04[one, four]
    assert formulas.thirty_day_equivalent(float(one), float(four)) == thirty
    assert formulas.thirty_day_equivalent(np.float64(one), str(four)) == thirty
    assert formulas.thirty_day_equivalent(0.61, float(four)) is None
