"""What a coordinator meets on the first day: sheets without a table, samples named like ions, folders without packs."""

import pandas as pd
import pytest
from click.testing import CliRunner

from pretreat import read_samples
from pretreat.cli import main
from pretreat.reading import learn

LIMITS = ("--limits", "ny/little-valley")


@pytest.mark.parametrize("text", ["Dear coordinator,\nplease find attached\n", "Facility,Date,Analyte,Result,Units\n"])
def test_a_sheet_without_a_result_makes_a_whole_report(tmp_path, text):
    sheet, out = tmp_path / "letter.csv", tmp_path / "report"
    sheet.write_text(text)
    run = CliRunner().invoke(main, ["check", str(sheet), *LIMITS, "--out", str(out)])
    assert run.exit_code == 0, run.output
    assert (out / "report.xlsx").exists()
    assert pd.read_csv(out / "tables" / "comparisons.csv").empty


def test_a_folder_without_packs_is_refused(tmp_path):
    sheet, folder = tmp_path / "letter.csv", tmp_path / "none"
    sheet.write_text("Facility,Date,Analyte,Result,Units\n")
    folder.mkdir()
    run = CliRunner().invoke(main, ["check", str(sheet), "--limits", str(folder), "--out", str(tmp_path / "out")])
    assert run.exit_code == 2
    assert "holds no pack" in run.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["S2", "pH", "Cu", "Lead", "Zn 1", "Sulfide"])
@pytest.mark.parametrize("value", ["5.2", "ND", "<0.1", "no sample"])
def test_a_sample_named_like_a_parameter_is_no_heading(tmp_path, name, value):
    sheet = tmp_path / "lab.csv"
    rows = [f"{name},10/{day}/2026,Grab,{analyte},{value},{unit}\n" for day, analyte, unit in
            [(7, "Copper", "mg/L"), (14, "pH", "SU"), (14, "Oil & Grease", "mg/L"), (21, "Zinc", "mg/L")]]  # fmt: skip
    sheet.write_text("Sample ID,Date Collected,Sample Type,Analyte,Result,Units\n" + "".join(rows))
    samples = read_samples(sheet)
    assert samples.sheets["layout"].tolist() == ["long"]
    assert samples.sheets["values_seen"].tolist() == [4]


def test_a_learned_template_keeps_the_sample_type_and_quality_control(tmp_path):
    sheet, hints = tmp_path / "lab.csv", tmp_path / "lab.toml"
    sheet.write_text(
        "Facility,Sample Date,Sample Type,Analyte,Result,Units\n"
        "Acme,10/7/2026,24-hr composite,Copper,1,mg/L\nAcme,10/7/2026,Field blank,Copper,1,mg/L\n"
    )
    found = read_samples(sheet)
    learn(found.understood, hints)
    again = read_samples(sheet, template=hints)
    for samples in (found, again):
        assert samples.results["sample_type"].astype(str).tolist() == ["composite"]
        assert samples.set_aside["reason"].tolist() == ["quality control: blank"]
