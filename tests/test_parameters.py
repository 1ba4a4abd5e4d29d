"""Parameters: names, symbols, CAS numbers, fractions, and what is asked about instead of guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pretreat import names, parameters, units

EVERY = sorted(parameters.every())


def test_the_names_of_the_interface_are_there() -> None:
    fixed = """Arsenic, Barium, Boron, Cadmium, Chromium, Chromium (VI), Copper, Gold, Lead, Manganese, Mercury, Molybdenum,
    Nickel, Selenium, Silver, Zinc, Cyanide, Cyanide (free), Cyanide (amenable), Cyanide (complex), Chlorine (available),
    Sulfide, Fluoride, Phenol, Oil and grease, BOD5, COD, TSS, Ammonia as N, Phosphorus, pH, Temperature, Flashpoint, LEL,
    Flow, Solids size, Solidification temperature, TTO"""
    assert {" ".join(name.split()) for name in fixed.split(",")} <= set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_every_parameter_is_found_by_its_name_and_has_a_unit_and_a_right_cas_number(name: str) -> None:
    parameter = parameters.get(name)
    assert parameters.identify(name).parameter == name
    assert parameter.unit == "" or units.canonical(parameter.unit) == parameter.unit
    if parameter.cas:
        assert parameters.cas_number(parameter.cas) == parameter.cas  # the check digit
        assert parameters.identify("", parameter.cas).parameter == name


def test_no_cas_number_stands_twice() -> None:
    numbers = [p.cas for p in parameters.every().values() if p.cas]
    assert len(numbers) == len(set(numbers))


def test_parts_lists_and_ambiguities_name_parameters_that_exist() -> None:
    listed = parameters._list()
    named = {*listed.whole, *listed.whole.values(), *listed.trc, *(n for group in listed.lists.values() for n in group)}
    assert named <= set(EVERY)
    assert {name for could in listed.ambiguous.values() for name in could} - set(EVERY) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ARSENIC, TOTAL", ("Arsenic", "total")),
        ("Cadmium (Cd)", ("Cadmium", "total")),
        ("Se", ("Selenium", "total")),
        ("Zinc, dissolved", ("Zinc", "dissolved")),
        ("Dissolved Copper", ("Copper", "dissolved")),
        ("Cu-D", ("Copper", "dissolved")),
        ("Nickel (T)", ("Nickel", "total")),
        ("Lead, Total Recoverable", ("Lead", "total")),
        ("Copper, total [as Cu]", ("Copper", "total")),
        ("Phosphorus- Total", ("Phosphorus", "")),
        ("Ammonia (N)", ("Ammonia as N", "")),
        ("Nitrogen, ammonia total [as N]", ("Ammonia as N", "")),
        ("NH3-N", ("Ammonia as N", "")),
        ("NO2+NO3-N", ("Nitrate+Nitrite as N", "")),
        ("Oil & Grease (HEM)", ("Oil and grease", "")),
        ("FOG", ("Oil and grease", "")),
        ("SGT-HEM", ("Oil and grease (non-polar)", "")),
        ("BOD, 5-day, 20 deg. C", ("BOD5", "")),
        ("BOD", ("BOD5", "")),
        ("Suspended Solids", ("TSS", "")),
        ("TKN (MG/L)", ("TKN", "")),
        ("Total N (calc)", ("Total nitrogen", "")),
        ("EPA 200.7 Copper", ("Copper", "total")),
        ("Cyanide, amenable", ("Cyanide (amenable)", "")),
        ("Cyanide (A)", ("Cyanide (amenable)", "")),
        ("Cyanide-free", ("Cyanide (free)", "")),
        ("Cyanide-complex", ("Cyanide (complex)", "")),
        ("CN-", ("Cyanide", "")),
        ("Cyanide, Total", ("Cyanide", "")),
        ("Available Chlorine", ("Chlorine (available)", "")),
        ("Flash Point", ("Flashpoint", "")),
        ("% LEL", ("LEL", "")),
        ("Temp (°F)", ("Temperature", "")),
        ("E.Coli", ("E. coli", "")),
        ("Di[2-ethylhexyl] phthalate [DEHP]", ("Bis(2-ethylhexyl) phthalate", "")),
        ("Fluoride (F)", ("Fluoride", "")),
        ("Phenols", ("Phenols (total)", "")),
    ],
)
def test_names(text: str, expected: tuple[str, str]) -> None:
    assert parameters.identify(text)[:2] == expected


@pytest.mark.parametrize(
    "text", ["Chromium, Hexavalent", "Cr VI", "Chromium (VI)", "Cr+6", "Cr(VI)", "Hex. Chromium", "Hex Chrome"]
)
def test_hexavalent_chromium_is_one_parameter_apart_from_total(text: str) -> None:
    """bcgov/wqbc 150: synonyms."""
    assert parameters.identify(text).parameter == "Chromium (VI)"
    assert parameters.whole("Chromium (VI)") == "Chromium"


@pytest.mark.parametrize("cas", ["7440-38-2", "7440382", "7440382.0", 7440382.0, " 7440-38-2 "])
def test_cas_numbers_in_any_form(cas: object) -> None:
    assert parameters.identify("", str(cas)).parameter == "Arsenic"


@pytest.mark.parametrize("text", ["SS", "Ammonia", "N", "CaCO3", "Chlorine", "Oil", "Cl", "Solids"])
def test_names_that_could_be_two_are_asked_about(text: str) -> None:
    found = parameters.identify(text)
    assert found.parameter == ""
    assert "could be" in found.ask


def test_what_it_is_expressed_as_decides() -> None:
    assert parameters.identify("Ammonia", speciation="as N").parameter == "Ammonia as N"
    assert parameters.identify("Ammonia", speciation="as NH3").parameter == "Ammonia as NH3"
    assert parameters.identify("Ammonia and ammonium", speciation="NH4").parameter == "Ammonia as NH4"
    assert parameters.identify("Copper", speciation="as Cu").parameter == "Copper"
    assert parameters.identify("Hardness, Ca, Mg", speciation="CaCO3").parameter == "Hardness"
    assert parameters.identify("Nitrate", speciation="as NO3").parameter == "Nitrate as NO3"


def test_a_name_and_a_cas_number_that_contradict_each_other_are_asked_about() -> None:
    assert "the name says Zinc" in parameters.identify("Zinc", "7440-50-8").ask
    # Laboratories print total chromium's number beside hexavalent chromium, but not the other way about.
    assert parameters.identify("Chromium, hexavalent", "7440-47-3").parameter == "Chromium (VI)"
    assert parameters.identify("Chromium", "18540-29-9").ask
    assert parameters.identify("Cyanide, amenable", "57-12-5").parameter == "Cyanide (amenable)"


def test_suspended_metal_is_not_total_metal() -> None:
    found = parameters.identify("Zinc", fraction="Suspended")
    assert found[:2] == ("Zinc (suspended)", "")


def test_unknown_names_are_kept() -> None:
    assert parameters.identify("Glitter (mg/L)")[:3] == ("Glitter", "", "mg/L")
    assert parameters.identify("Whole effluent toxicity - retest #1").parameter == "Whole effluent toxicity - retest #1"
    assert parameters.accepts("Glitter", "ug/L") == "mg/L"


def test_statistics_in_a_heading_make_no_result_of_the_parameter() -> None:
    assert parameters.identify("Copper average").parameter == "Copper average"


def test_headings_are_split_but_symbols_are_no_units() -> None:
    assert parameters.split("Copper, Total (ug/L)") == ("Copper, Total", "ug/L")
    assert parameters.split("Vanadium (V)") == ("Vanadium (V)", "")
    assert parameters.split("Flow, MGD") == ("Flow", "MGD")


def test_rules_of_the_federal_regulation() -> None:
    """40 CFR 403.12(g)(3): grabs; 403.8(f)(2)(viii)(B): technical review factors."""
    for name in (
        "pH",
        "Cyanide",
        "Cyanide (amenable)",
        "Phenol",
        "Oil and grease",
        "Sulfide",
        "Toluene",
        "Temperature",
    ):
        assert parameters.get(name).sample == "grab"
    assert parameters.get("Copper").sample == ""
    assert {parameters.trc_factor(n) for n in ("BOD5", "TSS", "Oil and grease")} == {1.4}
    assert {parameters.trc_factor(n) for n in ("Copper", "COD", "Cyanide")} == {1.2}
    assert parameters.trc_factor("pH") is None
    assert not parameters.get("pH").averaged
    assert not parameters.get("Temperature").averaged


def test_the_toxic_organics_of_433_11_e() -> None:
    members = parameters.members("433.11(e)")
    assert len(members) == len(set(members)) == 111
    assert {"Toluene", "TCDD", "PCB-1016", "Chrysene"} <= set(members)
    assert not {"Acetone", "Xylenes", "Copper"} & set(members)


def test_units_that_do_not_fit() -> None:
    assert parameters.accepts("Copper", "degF") == ""
    assert parameters.accepts("Copper", "mg/kg") == "mg/kg"
    assert parameters.accepts("pH", "mg/L") == ""
    assert parameters.accepts("E. coli", "CFU/100mL") == "CFU/100mL"


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(EVERY), st.sampled_from([str.upper, str.lower, str.title]), st.sampled_from(["", " ", "  "]))
def test_case_and_spaces_never_count(name: str, case, space: str) -> None:
    assert parameters.identify(space + case(name) + space).parameter == name


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=60))
def test_any_text_is_a_parameter_a_question_or_nothing_else(text: str) -> None:
    found = parameters.identify(text)
    assert bool(found.parameter) != bool(found.ask) or not text.strip()


def test_long_headings_end_in_time() -> None:
    text = "A, " * 400
    assert parameters.identify(text).parameter.startswith("A,")
    assert names.fold("A" * 10_000)
