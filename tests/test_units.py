"""Units: every spelling converted rightly, or set aside by name."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import INPUTS, needs_shared

from pretreat import unit_table, units
from pretreat.errors import UsageError

TABLE = unit_table.table()
CONVERTED = sorted(unit.name for unit in TABLE.units.values() if unit.pint)


@pytest.mark.parametrize("name", [name for name in CONVERTED if TABLE.units[name].factor is not None])
def test_written_factors_are_those_of_pint(name: str) -> None:
    assert TABLE.units[name].factor == units.pint_factor(name)


@pytest.mark.parametrize("name", CONVERTED)
def test_every_unit_has_a_factor_to_its_canonical_unit_and_its_own_spelling(name: str) -> None:
    assert units.factor(name, units.canonical(name)) > 0
    assert units.lookup(name) == name


def test_canonical_units_are_their_own() -> None:
    for canonical in TABLE.canonical.values():
        assert units.canonical(canonical) == canonical
        assert units.factor(canonical, canonical) == 1


@pytest.mark.parametrize(
    ("value", "unit", "to", "expected"),
    [
        # cases.md, "Unit sanity"
        (28, "ppb", "mg/L", 0.028),
        (25_000, "gpd", "MGD", 0.025),
        # faults.md 16, 19, 27: published fault reports
        (0, "degC", "degF", 32),
        (10, "mg/mL", "mg/L", 10_000),
        (100, "degC", "degF", 212),
        (-40, "degF", "degC", -40),
        (350, "ug/L", "mg/L", 0.35),
        (2, "ppm", "mg/L", 2),
        (694.4444444444445, "gpm", "MGD", 1),
        (1, "cfs", "MGD", 0.646316883116883),
        (1, "kg/day", "lb/day", 2.2046226218487757),
        (1, "tons/day", "lb/day", 2000),
        (1, "ft", "in", 12),
        (5500, "pg/L", "ug/L", 0.0055),
        (1, "lb/MG", "mg/L", 0.119826427316896),
        (1, "mmho/cm", "uS/cm", 1000),
        (2, "gpm", "ft3/day", 385),  # 231 cubic inches a gallon
        (385, "ft3/day", "gpm", 2),
        (1, "tons/ac ft", "ng/L", 735_466_637.9228715),  # 2000 lb of 453.59237 g in 43560 cubic feet
    ],
)
def test_conversions(value: float, unit: str, to: str, expected: float) -> None:
    assert units.convert(value, unit, to) == pytest.approx(expected, rel=1e-14)


def test_a_rise_of_temperature_is_no_reading() -> None:
    """hgrecco/pint 120: a rise of 12.3 degC is 22.14 degF."""
    assert units.convert(12.3, "degC", "degF", difference=True) == 22.14


def test_whole_hundredths_convert_to_the_decimal_that_they_are() -> None:
    """With a binary factor 2,661 of these 20,000 land above themselves (design.md, decision 5)."""
    hundredths = np.arange(1, 20_001)
    got = units.convert(hundredths * 10.0, "ug/L", "mg/L")
    assert got.tolist() == [float(Decimal(int(n)) / 100) for n in hundredths]


@settings(deadline=None, max_examples=60)
@given(st.decimals(0, 10**6, places=3), st.sampled_from(["ug/L", "ng/L", "pg/L", "gpd"]))
def test_a_decimal_stays_the_nearest_float_of_itself(value: Decimal, unit: str) -> None:
    exact = Fraction(value) * units.factor(unit, units.canonical(unit))
    # The printed number is the nearest float of its decimal, and one division rounds once.
    assert units.convert(float(value), unit, units.canonical(unit)) == pytest.approx(float(exact), rel=2.3e-16, abs=0)


@settings(deadline=None, max_examples=60)
@given(st.floats(-1e9, 1e9), st.sampled_from(CONVERTED))
def test_there_and_back_again(value: float, name: str) -> None:
    there = units.convert(value, name, units.canonical(name))
    back = units.convert(there, units.canonical(name), name)
    assert back == pytest.approx(
        value, rel=1e-12, abs=1e-9 * max(1, abs(float(units.factor(units.canonical(name), name))))
    )


@settings(deadline=None, max_examples=60)
@given(st.floats(0, 1e9), st.floats(0, 1e9), st.sampled_from(CONVERTED))
def test_conversion_keeps_the_order(one: float, other: float, name: str) -> None:
    first, second = units.convert([min(one, other), max(one, other)], name, units.canonical(name))
    assert first <= second


@pytest.mark.parametrize(
    ("texts", "unit", "basis"),
    [
        (
            ["mg/L", "MG/L", "mg/l", " mg / L", "Mg/L", "milligrams per liter", "mg L-1", "mg·L-1", "(mg/L)", "g/m3"],
            "mg/L",
            "",
        ),
        (["ug/L", "µg/L", "μg/L", "mcg/L", "UG/L", "micrograms/liter", "µg/l", "mg/m3"], "ug/L", ""),
        (["SU", "s.u.", "S.U.", "std units", "Standard Units", "pH Units", "pH", "Std. Units"], "SU", ""),
        (["deg F", "°F", "degF", "Deg. F", "F", "degrees Fahrenheit", "º F"], "degF", ""),
        (["deg C", "°C", "C", "degrees celsius"], "degC", ""),
        (["MGD", "mgd", "Mgd", "million gallons per day", "Mgal/d"], "MGD", ""),
        (["gpd", "gal/day", "GPD", "gallons per day"], "gpd", ""),
        (["gal/min", "gpm", "GPM", "gallons/minute"], "gpm", ""),
        (["lb/day", "lbs/day", "lb/d", "pounds per day", "#/day"], "lb/day", ""),
        (["mg/l as N", "mg/L-N", "mg/L (as N)", "mg N/L", "mg/l N", "mg/L as nitrogen"], "mg/L", "N"),
        (["mg/l CaCO3", "mg/L as CaCO3", "mg/l as CAC03", "mg CaCO3/L"], "mg/L", "CaCO3"),
        (["mg/l asNO3"], "mg/L", "NO3"),
        (["mg/l NH4"], "mg/L", "NH4"),
        (["mg/L as CN"], "mg/L", "CN"),
        (["% LEL", "%LEL", "percent LEL", "% of LEL"], "%", "LEL"),
        (["% saturatn", "% saturation"], "%", "saturation"),
        (["uS/cm @25C", "umho/cm", "µS/cm", "umhos/cm", "uS/cm at 25 deg C"], "uS/cm", ""),
        (["in", "inches", "inch", "in."], "in", ""),
    ],
)
def test_spellings(texts: list[str], unit: str, basis: str) -> None:
    assert [units.split(text) for text in texts] == [(unit, basis)] * len(texts)


@pytest.mark.parametrize("text", ["", "None", "code", "furlong", "mgl/L", "mg", "MPN", "CFU", "ppt", "N", "deg K/m"])
def test_what_is_no_concentration_is_not_taken_for_one(text: str) -> None:
    assert units.lookup(text) != "mg/L"


def test_trap_spellings_never_reach_pint() -> None:
    """Pint reads these as megagauss a litre, picohenry, second times atomic mass, degree coulomb: no error."""
    assert units.lookup("MG/L") == "mg/L"
    assert units.lookup("pH") == "SU"
    assert units.lookup("s.u.") == "SU"
    assert units.lookup("deg C") == "degC"
    assert units.lookup("Mb/pH") is None


def test_case_that_counts() -> None:
    assert units.lookup("m") == "m"
    assert units.lookup("M") is None
    assert units.lookup("ML/day") == "ML/day"


def test_unknown_units_name_the_nearest() -> None:
    assert "nearest known spelling is 'mg/l'" in units.why_not("mg/ll")
    assert "filtered is missing" in units.why_not("CFU")
    assert "parts per thousand or parts per trillion" in units.why_not("ppt")
    with pytest.raises(UsageError, match="not known"):
        units.convert(1, "glarg", "mg/L")


def test_dimensions_do_not_mix() -> None:
    with pytest.raises(UsageError, match="cannot become"):
        units.convert(1, "mg/L", "lb/day")


def test_counts_of_microbes_are_comparable_and_kept_apart() -> None:
    assert units.comparable("CFU/100mL") == units.comparable("MPN/100mL")
    with pytest.raises(UsageError):
        units.convert(1, "CFU/100mL", "MPN/100mL")


def test_dilute_water_is_said() -> None:
    assert "dilute water" in units.note("ppm")
    assert "dilute water" in units.note("PPB")
    assert units.note("mg/L") == ""


@needs_shared
def test_all_spellings_of_the_unit_zoo() -> None:
    """Each spelling of a WQP download of EPA Region 5 is converted, or set aside by name."""
    zoo = pd.read_csv(INPUTS / "lab/wqp_R5_unit_zoo.csv", dtype=str, keep_default_na=False)
    spellings = sorted(set(zoo["ResultMeasure.MeasureUnitCode"]) - {""})
    assert len(spellings) == 76
    without = [text for text in spellings if units.lookup(text) is None]
    assert without == ["CFU", "MPN", "None", "code", "ppt"]
    assert all(units.is_none(text) or units.why_not(text).startswith("the unit") for text in without)


@pytest.mark.parametrize("text", ["mg/L as", "furlongs as N", "mg/L " * 100, "furlongs"])
def test_what_is_no_spelling_of_a_unit_has_no_unit(text: str) -> None:
    assert units.split(text) == (None, "")
    assert "is not known" in units.why_not(text)
    assert len(units.why_not(text)) < 200


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("MPN", "is not complete: the volume is missing"),
        ("ppt", "could be parts per thousand or parts per trillion"),
        ("n/a", "is no unit"),
    ],
)
def test_a_word_that_is_not_a_unit_is_said_to_be_what_it_is(text: str, why: str) -> None:
    assert units.split(text) == (None, "")
    assert why in units.why_not(text)
