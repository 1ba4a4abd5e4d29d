"""Sampling, preservation and holding: 40 CFR 136.3, Table II; 40 CFR 403.12(g)(3)."""

import numpy as np
import pandas as pd
import pytest

from pretreat.findings import handling


def frame(**more):
    row = {
        "facility": "Acme Plating",
        "outfall": "001",
        "source_file": "a.csv",
        "source_sheet": "",
        "source_cell": "D2",
    }
    rows = {**row, **more}
    data = pd.DataFrame({name: value if isinstance(value, list) else [value] for name, value in rows.items()})
    for name in ("start", "end", "analyzed", "received"):
        if name in data:
            data[name] = pd.to_datetime(data[name])
    return data


def codes(**more):
    return handling.check(frame(**more))["code"].tolist()


def test_p12_holding_time_is_to_the_minute():
    # First Environmental Laboratories: taken Tue Oct 15 2024 08:30, 7 days: until Tue Oct 22 2024 08:30, not midnight.
    taken = np.array(["2024-10-15T08:30"], dtype="datetime64[s]")
    assert handling.due(taken, "7 days")[0] == np.datetime64("2024-10-22T08:30")
    assert codes(parameter="TSS", start="2024-10-15 08:30", analyzed="2024-10-22 08:30") == []
    assert codes(parameter="TSS", start="2024-10-15 08:30", analyzed="2024-10-22 08:31") == ["holding time"]


def test_p22_the_clock_starts_at_the_end_of_a_composite():
    # Table II, note 4: a composite of November 14-15 is held from its end.
    composite = {
        "parameter": "BOD5",
        "sample_type": "composite",
        "start": "2024-11-14 08:00",
        "end": "2024-11-15 08:00",
    }
    assert codes(**composite, analyzed="2024-11-17 08:00") == []
    assert codes(**composite, analyzed="2024-11-17 08:01") == ["holding time"]


def test_a_composite_without_an_end_may_have_gone_on_for_a_day():
    composite = {"parameter": "BOD5", "sample_type": "composite", "start": "2024-11-14 08:00"}
    assert codes(**composite, analyzed="2024-11-17 07:00") == ["holding time open"]
    assert codes(**composite, analyzed="2024-11-17 08:01") == ["holding time"]


def test_dates_alone_try_both_ends_of_the_day():
    assert codes(parameter="BOD5", start="2024-11-14", analyzed="2024-11-16") == ["holding time open"]
    assert codes(parameter="BOD5", start="2024-11-14", analyzed="2024-11-17") == ["holding time"]
    assert codes(parameter="BOD5", start="2024-11-14", analyzed="2024-11-15") == []
    # A time at midnight that the sheet printed is a time.
    assert codes(parameter="BOD5", start="2024-11-14", analyzed="2024-11-16 00:01", timed=True) == ["holding time"]


def test_months_are_calendar_months():
    assert codes(parameter="Copper", start="2026-01-31 08:00", analyzed="2026-07-31 08:00") == []
    assert codes(parameter="Copper", start="2026-01-31 08:00", analyzed="2026-07-31 08:01") == ["holding time"]


def test_extraction_leaves_it_open_until_no_extraction_could_be_in_time():
    naphthalene = {"parameter": "Naphthalene", "start": "2026-01-05 08:00"}
    assert codes(**naphthalene, analyzed="2026-01-12 08:00") == []
    assert codes(**naphthalene, analyzed="2026-01-20 08:00") == ["holding time open"]
    assert codes(**naphthalene, analyzed="2026-02-21 08:01") == ["holding time"]


def test_mercury_by_its_method():
    mercury = {"parameter": "Mercury", "start": "2026-01-05 08:00", "analyzed": "2026-02-20 08:00"}
    assert codes(**mercury, method="EPA 1631E") == []
    assert codes(**mercury, method="EPA 245.1") == ["holding time"]
    assert codes(**mercury, method="") == ["holding time open"]


def test_note_9_aromatics_without_acid_are_held_seven_days():
    benzene = {"parameter": "Benzene", "start": "2026-01-05 08:00", "analyzed": "2026-01-15 08:00"}
    assert codes(**benzene, preservation="HCl, 4 °C") == []
    assert codes(**benzene, preservation="4 °C only") == ["holding time"]
    assert codes(**benzene) == ["holding time open"]


def test_received_too_late_is_analyzed_too_late():
    assert codes(parameter="BOD5", start="2024-11-14 08:00", received="2024-11-17 09:00") == ["holding time"]
    assert codes(parameter="BOD5", start="2024-11-14 08:00", received="2024-11-15 09:00") == []


@pytest.mark.parametrize(
    ("degrees", "answer"), [(6.0, []), (6.4, ["receipt temperature"]), (4.0, []), (6.01, ["receipt temperature"])]
)
def test_note_18_the_temperature_is_not_rounded(degrees, answer):
    assert codes(parameter="BOD5", receipt_temperature=degrees) == answer


def test_bacteria_below_ten_and_metals_at_any_temperature():
    assert codes(parameter="E. coli", receipt_temperature=10.0) == ["receipt temperature"]
    assert codes(parameter="E. coli", receipt_temperature=9.9) == []
    assert codes(parameter="Copper", receipt_temperature=22.0) == []


def test_preservation_that_is_told_and_wrong():
    assert codes(parameter="COD", preservation="HNO3 to pH<2") == ["preservation"]
    assert codes(parameter="COD", preservation="H2SO4, <6C") == []
    assert codes(parameter="COD", preservation="none") == ["preservation"]
    # A temperature alone does not say that nothing was added, and a laboratory may acidify metals later (note 19).
    assert codes(parameter="COD", preservation="4 °C") == []
    assert codes(parameter="Copper", preservation="none") == []


def test_glass():
    assert codes(parameter="Oil and grease", preservation="HCl, HDPE bottle") == ["container"]
    assert codes(parameter="Oil and grease", preservation="HCl, glass") == []


@pytest.mark.parametrize(
    "parameter", ["pH", "Cyanide", "Phenols (total)", "Oil and grease", "Sulfide", "Toluene", "Temperature"]
)
def test_grabs_that_the_rule_demands(parameter):
    assert codes(parameter=parameter, sample_type="composite") == ["grab required"]
    assert codes(parameter=parameter, sample_type="grab") == []


def test_a_composite_of_metals_is_right():
    assert codes(parameter="Copper", sample_type="composite") == []


def test_one_finding_a_user_and_parameter_names_its_cells():
    rows = pd.concat([frame(parameter="pH", sample_type="composite", source_cell=f"D{n}") for n in range(25)])
    rows = rows.reset_index(drop=True)
    found = handling.check(rows)
    assert len(found) == 1
    assert found.message[0].startswith("25 results from a composite")
    assert found.sources[0].startswith("a.csv!D0; a.csv!D1; ")
    assert found.sources[0].endswith("; and 5 more")


def test_every_parameter_of_the_table_is_known():
    import tomllib
    from importlib import resources

    text = (resources.files("pretreat") / "data" / "parameters.toml").read_text(encoding="utf-8")
    names = {
        name for group in tomllib.loads(text).values() if isinstance(group, dict) for name in group.get("names", ())
    }
    assert set(handling.table()) <= names


def test_a_frame_without_these_columns_says_nothing():
    assert handling.check(pd.DataFrame({"facility": ["Acme"], "parameter": ["Copper"]})).empty


@pytest.mark.parametrize("parameter", ["pH", "Temperature"])
def test_a_composite_of_ph_or_temperature_is_said_to_be_not_evaluated(parameter):
    """As the comparisons have it: the finding said that what is over a limit stands."""
    said = handling.check(frame(parameter=parameter, sample_type="composite"))["message"].item()
    assert f"{parameter} of a composite is not evaluated" in said
    assert "over" not in said


def test_a_composite_of_what_must_be_a_grab_stands_over_an_upper_limit():
    said = handling.check(frame(parameter="Oil and grease", sample_type="composite"))["message"].item()
    assert "over an upper limit stands" in said
    assert "under it is not proven" in said
