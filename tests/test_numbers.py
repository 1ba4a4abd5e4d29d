"""Value cells: each way of printing, and its relatives."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pretreat.tidy import numbers, qualifiers
from pretreat.tidy.numbers import read


@pytest.mark.parametrize(
    ("texts", "qualifier", "value"),
    [
        # EPATADA 257: look-alikes of "less than"
        (["<0.5", "< .5", "< 0.5", "＜0.5", "≤0.5", "<=0.5", "‹0.5", "<0.50", "less than 0.5", "LT 0.5", "\u00a0<\u00a00.5"], "<", 0.5),
        # GWSDAT 247: <10 and ND<10 are the same thing
        (["ND<10", "<10", "ND 10", "ND (10)", "ND(<10)", "N.D. <10", "ND@10", "BDL 10", "10 U", "10U", "U 10", "<10 U", "10 ND"], "<", 10),
        ([">2419.6", "> 2419.6", "≥2419.6", "greater than 2419.6", ">2,419.6", "＞2419.6"], ">", 2419.6),
        (["1,200", "1200", "1 200", "1\u00a0200", "1\u202f200", "1\u2009200", "1200.", "+1200", "1.2e3", "1.2E+03", "1.2 x 10^3"], "", 1200),
        # EPATADA 17: scientific notation
        (["9.71e-06", "9.71E-6", "0.00000971", "9.71 x 10^-6", "9.71×10-6"], "", 0.00000971),
        (["0.012 J", "0.012J", "J 0.012", "0.012 (J)", "0.012 J,B", ".012 J", "*0.012", "0.012*", "0.012 E"], "", 0.012),
        (["-3", "−3"], "", -3),
        (["no flash to 200", "No flash at 200", ">200"], ">", 200),
    ],
)  # fmt: skip
def test_ways_of_printing(texts: list[str], qualifier: str, value: float) -> None:
    for text in texts:
        reading = read(text)
        assert (reading.qualifier, reading.value, reading.reason) == (qualifier, value, ""), text


@pytest.mark.parametrize(
    "text",
    ["ND", "nd", "N.D.", "n.d.", "Not Detected", "non-detect", "Non Detect", "BDL", "BPQL", "BRL", "<MDL", "< RL", "<PQL",
     "U", "UJ", "None Detected", "below detection limit", "Below Reporting Limit", "trace", "not detected at reporting limit"],
)  # fmt: skip
def test_words_for_a_non_detect_have_no_number_and_are_never_zero(text: str) -> None:
    reading = read(text)
    assert reading.qualifier == "<"
    assert reading.nondetect
    assert math.isnan(reading.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("No discharge", "status"), ("nil", "status"), ("--", "status"), ("PLUGGED", "status"), ("BLOCK", "status"),
        ("REMOVED", "status"), ("N/A", "status"), ("not sampled", "status"), ("?", "status"), ("Report", "status"),
        ("TNTC", "no number"), ("no flash", "no number"), ("did not flash", "no number"),
        ("#REF!", "error cell"), ("#DIV/0!", "error cell"), ("#N/A", "error cell"),
        ("10-15", "range"), ("0 - 5", "range"), ("10 to 15", "range"),
        ("%", "unit in place of a value"), ("mg/l", "unit in place of a value"),
        ("30.044.50", "ambiguous number"), ("0,05", "ambiguous number"), ("12,34", "ambiguous number"), ("1,2,3", "ambiguous number"),
        ("Calm", "not a number"), ("GREEN", "not a number"), ("35.11\" total", "not a number"), ("0.5<", "not a number"),
        ("(0.5)", "not a number"), ("2018-01-01", "not a number"), ("12:30", "not a number"),
        ("1e999", "not a number"), ("9" * 400, "not a number"), ("<1e999", "not a number"),
        ("", "blank"), ("   ", "blank"), ("\u00a0", "blank"),
    ],
)  # fmt: skip
def test_what_is_no_result_says_why(text: str, reason: str) -> None:
    reading = read(text)
    assert reading.reason == reason
    assert reading.message
    assert math.isnan(reading.value)


def test_percent_keeps_its_unit() -> None:
    """EPATADA 226: 45 % is not 45 mg/L."""
    assert read("45%")[1:4] == (45.0, "", "%")
    assert read("45 %").unit == "%"


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [("72 °F", 72, "°F"), ("5 mg/L", 5, "mg/L"), ("0.02 MGD", 0.02, "MGD"), ("1,200 ug/L", 1200, "ug/L")],
)
def test_units_in_the_cell(text: str, value: float, unit: str) -> None:
    assert read(text)[1] == value
    assert read(text).unit == unit


def test_a_letter_after_a_number_is_the_laboratorys() -> None:
    assert read("7.2 H")[1:4] == (7.2, "H", "")
    assert read("0.5 K").flags == "K"


def test_fractions_of_an_inch() -> None:
    assert read('1/2"').value == 0.5
    assert read("1 1/4 in").value == 1.25
    assert read("1/2").note == "fraction"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0,05", 0.05),
        ("1.200,5", 1200.5),
        ("12,34", 12.34),
        ("0.05", 0.05),
        ("<0,5", 0.5),
        ("1 234,5", 1234.5),
        ("1,234", 1.234),
    ],
)
def test_a_comma_is_decimal_where_the_file_separates_with_semicolons(text: str, value: float) -> None:
    assert read(text, ",").value == value


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        (["1.234", "0,05"], 1234),
        (["1.234", "0.05"], 1.234),
        (["1.234", "12.5"], 1.234),
        (["1.234.567", "3,5"], 1234567),
        (["<1.234", "0,05"], 1234),
    ],
)
def test_points_between_thousands_are_told_by_the_other_numbers(cells: list[str], value: float) -> None:
    column = numbers.column(cells, [","] * len(cells))
    assert column.value[0] == value


@pytest.mark.parametrize("cells", [["1.234", "7"], ["1.234", "0,05", "0.05"]])
def test_points_that_nothing_tells_are_asked_about(cells: list[str]) -> None:
    assert numbers.column(cells, [","] * len(cells)).of("reason")[0] == "ambiguous number"
    assert numbers.column(cells).value[0] == 1.234


def test_at_or_below_is_noted() -> None:
    assert read("≤5").note
    assert not read("<5").note


def test_qualifier_cells() -> None:
    assert qualifiers.qualifier("<") == ("<", "")
    assert qualifiers.qualifier("＜") == ("<", "")
    assert qualifiers.qualifier("U") == ("<", "U")
    assert qualifiers.qualifier("UQ") == ("<", "UQ")
    assert qualifiers.qualifier("J;U") == ("<", "J;U")
    assert qualifiers.qualifier("IQ") == ("", "IQ")
    assert qualifiers.qualifier("J") == ("", "J")
    assert qualifiers.qualifier("=") == ("", "")
    assert qualifiers.qualifier(">") == (">", "")
    assert qualifiers.qualifier("LL") == ("", "LL")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Not Detected", "not detected"), ("Not Detected at Reporting Limit", "not detected"), ("*Non-detect", "not detected"),
        ("N", "not detected"), ("FALSE", "not detected"), ("Present Below Quantification Limit", "below"),
        ("Below Method Detection Limit", "below"), ("Below Reporting Limit", "below"), ("Detected Not Quantified", "below"),
        ("Present Above Quantification Limit", "above"), ("Not Reported", "not reported"), ("Y", ""), ("Detected", ""), ("", ""),
    ],
)  # fmt: skip
def test_detection_conditions_of_wqx(text: str, meaning: str) -> None:
    assert qualifiers.condition(text) == meaning


def test_numbers_that_no_float_holds_are_no_numbers() -> None:
    column = numbers.column(["1e999", float("inf"), "9" * 150, "-1e999"])
    assert column.of("reason").tolist() == ["not a number", "not a number", "", "not a number"]


def test_a_column_of_all_kinds_of_cells() -> None:
    cells = ["<0.5", 7, 7.5, "7.5", True, None, dt.datetime(2026, 1, 5), np.float64(2), "", float("nan"), "J 3"]
    column = numbers.column(cells)
    assert column.value[:4].tolist() == [0.5, 7, 7.5, 7.5]
    assert column.of("reason").tolist() == [
        "",
        "",
        "",
        "",
        "not numeric",
        "blank",
        "a date in place of a value",
        "",
        "blank",
        "blank",
        "",
    ]
    assert column.of("flags")[-1] == "J"


@settings(deadline=None, max_examples=100)
@given(st.floats(0, 1e12, allow_subnormal=False), st.sampled_from(["", "<", ">", "< ", " <"]))
def test_a_printed_number_is_read_back_as_itself(number: float, sign: str) -> None:
    text = f"{sign}{number!r}"
    assert read(text).value == number
    column = numbers.column([text, text])
    assert column.value.tolist() == [number, number]
    assert column.of("qualifier").tolist() == [sign.strip()] * 2


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**12), st.sampled_from([",", " ", "\u00a0", "\u202f"]))
def test_thousands_separators(number: int, separator: str) -> None:
    assert read(f"{number:,}".replace(",", separator)).value == number


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=30))
def test_any_text_is_a_number_a_non_detect_or_set_aside(text: str) -> None:
    reading = read(text)
    assert bool(reading.reason) or math.isfinite(reading.value) or reading.qualifier == "<"
    assert not (reading.reason and math.isfinite(reading.value))
    assert bool(reading.reason) == bool(reading.message)


@pytest.mark.parametrize(
    ("text", "value"),
    [("½", 0.5), ("1½", 1.5), ("1 ½", 1.5), ("¾ inch", 0.75), ('2⅛"', 2.125), ("1/2", 0.5), ("1 1/2 in.", 1.5)],
)
def test_fractions_as_one_character(text: str, value: float) -> None:
    """NFKC writes 1½ as 11⁄2, which is eleven halves."""
    reading = read(text)
    assert (reading.value, reading.unit, reading.reason) == (value, "in", "")


@pytest.mark.parametrize("text", ["9.71e-06", "9.71 e-06", "9.71E -06", "9.71 E-6", "971 e-8"])
def test_spaces_around_an_exponent(text: str) -> None:
    assert read(text).value == pytest.approx(9.71e-06, rel=1e-12)
    assert read(f"<{text}")[:2] == ("<", read(text).value)


@pytest.mark.parametrize("text", ["5 E", "5 E3", "1.0 e3"])
def test_a_letter_is_no_exponent_without_a_sign(text: str) -> None:
    assert read(text).value in {5.0} or read(text).reason


@pytest.mark.parametrize(
    "text",
    ["no flash to 140", "No Flash @ 140", "no flash (140)", "no flash, 140", "No flash observed up to 140", "NF at 140",
     "did not flash at 140", "no flash <140", ">140 (no flash)", ">140 no flash", "No Flash >140", "no flash point to 140"],
)  # fmt: skip
def test_no_flash_up_to_a_temperature_is_above_it(text: str) -> None:
    assert read(text)[:2] == (">", 140.0)


@pytest.mark.parametrize("text", ["no flash", "No flash observed", "did not flash", "NF"])
def test_no_flash_alone_is_no_number(text: str) -> None:
    assert read(text).reason == "no number"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5 mg/L J", ("", 0.5, "J", "mg/L")),
        ("0.5 mg/L (J)", ("", 0.5, "J", "mg/L")),
        ("0.5 mg/L U", ("<", 0.5, "U", "mg/L")),
        ("<0.5 mg/L", ("<", 0.5, "", "mg/L")),
        ("5 est.", ("", 5.0, "~", "")),
        ("5 (estimated)", ("", 5.0, "~", "")),
        ("approximately 5", ("", 5.0, "~", "")),
        ("below 5", ("<", 5.0, "", "")),
    ],
)
def test_units_and_letters_in_one_cell(text: str, expected: tuple[object, ...]) -> None:
    assert read(text)[:4] == expected


def test_what_it_is_expressed_as_is_no_letter() -> None:
    assert read("5 mg/L N").flags != "N"


@pytest.mark.parametrize(
    "text",
    ["present", "Absent", "cancelled", "cancelled by client", "QNS", "insufficient sample", "interference", "N/T",
     "holding time exceeded", "sample broken", "no sample taken", "not calculated", "non-flammable"],
)  # fmt: skip
def test_words_instead_of_a_number(text: str) -> None:
    assert read(text).reason == "status"
