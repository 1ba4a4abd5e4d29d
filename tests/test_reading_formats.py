"""Deliverables recognised by their columns, and samples joined to their results."""

from datetime import datetime

import pandas as pd
import pytest
from sheets_made import adds_up, sheet, told

import pretreat
from pretreat.errors import FileError
from pretreat.reading import formats, headers, read, read_table
from pretreat.reading.template import ROLES

DAY = datetime(2026, 10, 1)


@pytest.mark.parametrize("form", formats.every(), ids=lambda f: f.name)
def test_every_format_is_well_formed(form):
    """A format names only columns of ours, is cited, and is recognised by its own headings."""
    assert set(form.columns) <= ROLES
    assert set(form.words) <= ROLES
    assert set(form.join) <= ROLES
    assert form.title
    assert form.source
    if form.recognised_by:
        found = formats.recognise(form.recognised_by, form.kind)
        assert found is not None
        assert found.name == form.name
        mapped = {headers.compact(text) for texts in form.columns.values() for text in texts}
        assert sum(headers.compact(text) in mapped for text in form.recognised_by) >= 2


def test_no_heading_has_two_roles():
    roles = {}
    for role, texts in headers.data()["columns"].items():
        for text in texts:
            assert roles.setdefault(headers.compact(text), role) == role, text


def csv(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_equis_samples_and_results_joined(tmp_path):
    csv(
        tmp_path,
        "SMP.csv",
        "sys_sample_code,sample_type_code,sys_loc_code,sample_date,sample_time,parent_sample_code\n"
        "S-1,N,OUTFALL 1,10/01/2026,08:30,\nS-1D,FD,OUTFALL 1,10/01/2026,08:30,S-1\n",
    )
    csv(
        tmp_path,
        "TRS.csv",
        "sys_sample_code,lab_anl_method_name,cas_rn,chemical_name,result_value,result_unit,lab_qualifiers,detect_flag,"
        "reporting_detection_limit,result_type_code\n"
        "S-1,E200.8,7440-50-8,Copper,0.5,mg/L,,Y,0.01,TRG\n"
        "S-1,E200.8,7439-92-1,Lead,,mg/L,U,N,0.005,TRG\n"
        "S-1D,E200.8,7440-50-8,Copper,0.6,mg/L,,Y,0.01,TRG\n",
    )
    raw = read(tmp_path)
    assert adds_up(raw)
    assert told(raw, "start", "start_time", "outfall", "qc", "duplicate_of", "detected") == {
        "E2": ("0.5", "10/01/2026", "08:30", "OUTFALL 1", "", "", ""),
        "E3": ("", "10/01/2026", "08:30", "OUTFALL 1", "", "", "Not Detected"),
        "E4": ("0.6", "10/01/2026", "08:30", "OUTFALL 1", "FD", "S-1", ""),
    }
    assert sorted(raw.sheets["layout"]) == ["long", "samples"]


def test_two_sheets_of_a_workbook_joined_by_the_sample_id(tmp_path):
    raw = sheet(
        tmp_path,
        [["Sample ID", "Date Collected", "Location"], ["A1", DAY, "MH-3"], ["A2", datetime(2026, 10, 2), "MH-4"]],
        [["Sample ID", "Analyte", "Result", "Units"], ["A2", "Zinc", 0.5, "mg/L"], ["A9", "Zinc", 0.6, "mg/L"]],
    )
    assert told(raw, "start", "outfall") == {"C2": ("0.5", "2026-10-02", "MH-4"), "C3": ("0.6", "", "")}


def test_a_list_of_samples_that_nothing_needs_is_no_table(tmp_path):
    raw = sheet(tmp_path, [["Sample ID", "Date Collected", "Location"], ["A1", DAY, "MH-3"]])
    assert raw.sheets["layout"].tolist() == ["none"]
    assert raw.set_aside["source_cell"].tolist() == ["A1:C2"]


def test_two_samples_of_one_id_are_not_guessed(tmp_path):
    raw = sheet(
        tmp_path,
        [["Sample ID", "Date Collected"], ["A1", DAY], ["A1", datetime(2026, 10, 2)], ["A2", DAY]],
        [["Sample ID", "Analyte", "Result"], ["A1", "Zinc", 0.5], ["A2", "Zinc", 0.6]],
    )
    assert {cell: v[1] for cell, v in told(raw, "start").items()} == {"C2": "", "C3": "2026-10-01"}


def test_a_column_of_grabs_and_composites_whatever_its_heading(tmp_path):
    raw = sheet(
        tmp_path,
        [["Date", "Matrix Type", "Parameter", "Result"], [DAY, "24-hr composite", "Zinc", 1], [DAY, "Grab", "pH", 7]],
    )
    assert told(raw, "sample_type") == {"D2": ("1.0", "24-hr composite"), "D3": ("7.0", "Grab")}


def test_washington_eim(tmp_path):
    path = csv(
        tmp_path,
        "eim.csv",
        "Location_ID,Sample_ID,Field_Collection_Start_Date,Field_Collection_Start_Time,Sample_Replicate_Flag,"
        "Result_Parameter_Name,Result_Value,Result_Value_Units,Result_Data_Qualifier,Result_Reporting_Limit\n"
        "IND-1,S1,10/1/2026,08:30:00,N,Copper,12,ug/L,J,5\n",
    )
    raw = read(path)
    assert told(raw, "facility", "validation", "reporting_limit", "qc") == {"G2": ("12", "IND-1", "J", "5", "")}
    assert any("Washington EIM" in note for note in raw.understood["note"])


def test_california_esmr(tmp_path):
    path = csv(
        tmp_path,
        "esmr.csv",
        "location,location_place_id,parameter,qualifier,result,units,mdl,ml,rl,sampling_date,sampling_time,calculated_method,"
        'facility_name,facility_place_id\nEFF-001,1,"Copper, Total",DNQ,1.2,ug/L,0.5,2,,2026-10-01,08:30:00,Raw,Acme,2\n',
    )
    assert told(read(path), "facility", "outfall", "qualifier", "detection_limit", "statistic") == {
        "E2": ("1.2", "Acme", "EFF-001", "DNQ", "0.5", "")
    }


def test_parquet_by_our_names_and_by_headings(tmp_path):
    frame = pd.DataFrame(
        {
            "facility": ["A", None],
            "Analyte": ["Zinc", "Lead"],
            "value": [0.5, 2.0],
            "unit": ["mg/L"] * 2,
            "start": [DAY] * 2,
        }
    )
    frame.to_parquet(tmp_path / "a.parquet")
    raw = read(tmp_path / "a.parquet")
    assert adds_up(raw)
    assert raw.values["source_cell"].tolist() == [1, 2]
    assert raw.values["facility"].tolist() == ["A", ""]
    assert raw.values["parameter"].tolist() == ["Zinc", "Lead"]
    assert raw.values["value"].dtype == float
    frame.drop(columns="value").to_parquet(tmp_path / "b.parquet")
    with pytest.raises(FileError, match="no column holds the results"):
        read(tmp_path / "b.parquet")


def test_text_files(tmp_path):
    for name, text in {
        "bom.csv": "\ufeffDate,Copper (mg/L)\n2026-10-01,0.5\n",
        "tabs.txt": "Date\tCopper (mg/L)\n2026-10-01\t0.5\n",
        "pipes.txt": '"Date"|"Copper (mg/L)"\n"2026-10-01"|"0.5"\n',
        "semicolons.csv": "Date;Copper (mg/L)\n2026-10-01;0,5\n",
        "preamble.csv": "Report\nAcme, Inc.\n\nDate,Copper (mg/L)\n2026-10-01,0.5\n",
        "mac.csv": "Date,Copper (mg/L)\r2026-10-01,0.5\r",
    }.items():
        (tmp_path / name).write_bytes(text.encode("utf-8"))
        raw = read(tmp_path / name)
        row = "5" if name == "preamble.csv" else "2"
        assert told(raw, "parameter", "start") == {
            f"B{row}": ("0,5" if name[0] == "s" else "0.5", "Copper", "2026-10-01")
        }
        assert ("decimal" in raw.values) == (name == "semicolons.csv")
    (tmp_path / "ansi.csv").write_bytes("Date,Zinc (\u00b5g/L)\n2026-10-01,5\n".encode("cp1252"))
    raw = read(tmp_path / "ansi.csv")
    assert told(raw, "unit") == {"B2": ("5", "\u00b5g/L")}
    assert any("cp1252" in note for note in raw.understood["note"])
    (tmp_path / "wide.csv").write_bytes("Date,Zinc (mg/L)\n2026-10-01,5\n".encode("utf-16"))
    assert told(read(tmp_path / "wide.csv")) == {"B2": ("5",)}


def test_a_large_text_file_reads_like_a_small_one(tmp_path):
    """Above two megabytes the body is read in columns; a preamble, quotes and spaces must come out the same."""
    lines = ["Plant 1", '"Report, daily"', "", 'Date,Flow (gpm),"Note, or not"']
    lines += [
        f'2026-10-01 {h:02d}:{m:02d}:{s:02d},"1,{s:03d}", ' for h in range(24) for m in range(60) for s in range(60)
    ]
    path = csv(tmp_path, "big.csv", "\n".join(lines) + "\n")
    assert path.stat().st_size > 2_000_000
    raw = read(path)
    assert len(raw.values) == 86_400
    first, last = raw.values.iloc[0], raw.values.iloc[-1]
    assert (first["value"], first["source_cell"], first["start"]) == ("1,000", "B5", "2026-10-01 00:00:00")
    assert (last["value"], last["source_cell"]) == ("1,059", "B86404")


def test_folders_globs_and_what_is_no_sample(tmp_path):
    folder = tmp_path / "samples"
    (folder / "sub").mkdir(parents=True)
    text = "Date,Copper (mg/L)\n2026-10-01,0.5\n"
    names = (
        "b.csv",
        "sub/a.csv",
        "~$b.csv",
        ".hidden.csv",
        "facilities.csv",
        "events.csv",
        "streams.csv",
        "plan.csv",
        "x.pdf",
    )
    for name in names:
        (folder / name).write_text(text)
    base = folder.as_posix()
    assert read(folder).sheets["source_file"].tolist() == [f"{base}/b.csv", f"{base}/sub/a.csv"]
    assert read(f"{base}/*.csv").sheets["source_file"].tolist() == [f"{base}/b.csv"]
    assert read([folder / "facilities.csv"]).sheets["source_file"].tolist() == [f"{base}/facilities.csv"]
    assert len(read([folder, folder / "b.csv"]).sheets) == 2


def test_read_table(tmp_path):
    path = csv(tmp_path, "facilities.csv", "\nfacility,aliases\nAcme,A1; A2\n\nDairy Co,\n")
    table = read_table(path)
    assert table.to_dict("list") == {"facility": ["Acme", "Dairy Co"], "aliases": ["A1; A2", ""]}
    assert table.index.tolist() == [3, 5]
    with pytest.raises(FileError, match=r"row 1: two columns are headed 'facility'"):
        read_table(csv(tmp_path, "twice.csv", "facility,facility\na,b\n"))
    with pytest.raises(FileError, match="no such file"):
        read_table(tmp_path / "none.csv")


def test_wqx3_has_two_limits(tmp_path):
    """The second one was not read: a detection far above it looked like one at the limit."""
    path = csv(
        tmp_path,
        "wqx3.csv",
        "Location_Identifier,Activity_StartDate,Result_Characteristic,Result_Measure,Result_MeasureUnit,"
        "Result_ResultDetectionCondition,DetectionLimit_TypeA,DetectionLimit_MeasureA,DetectionLimit_MeasureUnitA,"
        "DetectionLimit_TypeB,DetectionLimit_MeasureB,DetectionLimit_MeasureUnitB\n"
        "S-1,2026-10-01,Zinc,,,Not Detected,Censoring Level,0.02,mg/L,Method Detection Level,5,ug/L\n"
        "S-1,2026-10-02,Zinc,0.3,mg/L,,,,,Method Detection Level,5,ug/L\n",
    )
    results = pretreat.read_samples(path).results
    columns = ["qualifier", "value", "reporting_limit", "detection_limit"]
    assert results[columns].astype(object).fillna("").to_numpy().tolist() == [
        ["<", 0.02, 0.02, 0.005],
        ["", 0.3, "", 0.005],
    ]
