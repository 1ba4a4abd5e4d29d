"""Make the sample files beside this script, and `answers.csv`: the exceedances and doubtful cases that were planted.

Four invented users of two villages over four months. Nothing here is a real company, sample or laboratory.

    python samples/make_samples.py
"""

from __future__ import annotations

import csv
import datetime as dt
import random
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font

HERE = Path(__file__).parent
PLATER, DAIRY, WASH = "Elk Creek Plating", "Rock City Dairy", "Glen Park Truck Wash"
VALLEY_PLANT, AMHERST_PLANT = "Little Valley plant", "Receiving plant"
WEDNESDAYS = [dt.date(2026, 7, 1) + dt.timedelta(weeks=week) for week in range(18)]  # 1 July to 28 October

LITTLE_VALLEY, WILLIAMSVILLE, FEDERAL, METALS = "ny/little-valley", "ny/williamsville", "federal/403", "federal/433"
DAY, DAILY, MONTH, THIRTY = "24-hour average", "daily maximum", "monthly average", "30-day average"
ONCE, COUNT, SLUG = "instantaneous", "reading count", "slug"

# facility, parameter, statistic, first day of the comparison, pack, verdict, what was planted
ANSWERS = [
    (PLATER, "Cadmium", DAILY, "2026-07-15", METALS, "exceeds", "0.72 over 0.69"),
    (PLATER, "Copper", DAY, "2026-08-12", LITTLE_VALLEY, "exceeds", "1.75 over 1.6; 1.6 on 30 September is not"),
    (PLATER, "Lead", THIRTY, "2026-09-01", LITTLE_VALLEY, "undetermined", "0.182 by the month, 0.215 by 30 days; 0.2"),
    (PLATER, "Cyanide", DAILY, "2026-09-16", METALS, "exceeds", "1.31 over 1.20"),
    (PLATER, "Cyanide", MONTH, "2026-09-01", METALS, "exceeds", "one sample, 1.31 over 0.65"),
    (PLATER, "pH", ONCE, "2026-09-23", LITTLE_VALLEY, "exceeds", "5.3 under 5.5; 5.5 on 5 August is not"),
    (PLATER, "pH", ONCE, "2026-10-07", LITTLE_VALLEY, "exceeds", "9.8 over 9.5; 9.5 on 12 August is not"),
    (PLATER, "TTO", DAILY, "2026-10-07", METALS, "exceeds", "2.20 over 2.13; 2.13 on 1 July is not"),
    (PLATER, "Selenium", DAY, "2026-10-14", LITTLE_VALLEY, "undetermined", "<0.6 says nothing about 0.4"),
    (PLATER, "Chromium (VI)", DAY, "2026-10-21", LITTLE_VALLEY, "exceeds", "0.45 over 0.4"),
    (PLATER, "Fluoride", DAY, "2026-10-28", LITTLE_VALLEY, "undetermined", "9.0 between 8.0 and 12.0"),
    (PLATER, "Zinc", THIRTY, "2026-10-01", LITTLE_VALLEY, "exceeds", "1.35 over 1.2, month and 30 days alike"),
    (DAIRY, "Temperature", ONCE, "2026-08-05", LITTLE_VALLEY, "undetermined", "149 °F: 150 °F is printed as 64 °C"),
    (DAIRY, "pH", ONCE, "2026-08-19", LITTLE_VALLEY, "exceeds", "4.8 under 5.5 (and under the federal 5.0)"),
    (DAIRY, "Oil and grease", ONCE, "2026-09-09", LITTLE_VALLEY, "exceeds", "118 over 100; 100 on 12 August is not"),
    (DAIRY, "Temperature", ONCE, "2026-10-07", LITTLE_VALLEY, "exceeds", "152 °F over 150 °F"),
    (DAIRY, "Flow", SLUG, "2026-10-01", LITTLE_VALLEY, "exceeds", "25 minutes at 7 times; 2 readings are not enough"),
    (
        VALLEY_PLANT,
        "Temperature",
        ONCE,
        "2026-08-11",
        FEDERAL,
        "exceeds",
        "48.9 °C over 40 °C, which binds before the 140 °F (40 °C) of the local law",
    ),
    (WASH, "Solids size", ONCE, "2026-07-22", WILLIAMSVILLE, "exceeds", "3/4 inch; 1/2 inch on 15 July is not"),
    (WASH, "LEL", COUNT, "2026-08-12", WILLIAMSVILLE, "exceeds", "12 % and 14 %; 11 % alone on 8 July is not"),
    (
        WASH,
        "Flashpoint",
        ONCE,
        "2026-08-26",
        WILLIAMSVILLE,
        "exceeds",
        "132 °F under 140 °F; 140 °F on 19 August is not",
    ),
    (WASH, "LEL", ONCE, "2026-09-09", WILLIAMSVILLE, "exceeds", "22 % over 20 %; 20 % on 29 July is not"),
    (WASH, "LEL", COUNT, "2026-09-09", WILLIAMSVILLE, "undetermined", "a second reading over 10 %, four weeks later"),
    (
        WASH,
        "LEL",
        COUNT,
        "2026-07-29",
        WILLIAMSVILLE,
        "undetermined",
        "20 %: a second reading over 10 %, three weeks later",
    ),
    (WASH, "pH", ONCE, "2026-09-16", WILLIAMSVILLE, "exceeds", "5.7 under 6.0; 6.0 on 9 September is not"),
    (WASH, "Oil and grease", ONCE, "2026-09-30", WILLIAMSVILLE, "exceeds", "140 over 100"),
    (WASH, "pH", ONCE, "2026-10-14", WILLIAMSVILLE, "exceeds", "9.9 over 9.5"),
    (AMHERST_PLANT, "Temperature", ONCE, "2026-10-13", WILLIAMSVILLE, "exceeds", "104.1 °F over 104 °F; 104.0 is not"),
]


def plater_rows() -> list[list[object]]:
    """Return the electroplater's results: date, time, sample id, type, analyte, result, unit, qualifier, limit."""
    usual = {
        "Cadmium": "0.012", "Chromium": "0.48", "Copper": "0.35", "Lead": "0.05", "Nickel": "0.92", "Silver": "0.021",
        "Zinc": "0.31", "Arsenic": "<0.005", "Chromium, Hexavalent": "<0.010", "Selenium": "<0.010", "Fluoride": "2.0",
    }  # fmt: skip
    planted = {
        ("Cadmium", "07-15"): "0.72", ("Copper", "08-12"): "1.75", ("Copper", "09-30"): "1600 ug/L", ("Lead", "09-02"): "0.10",
        ("Lead", "09-09"): "260 ug/L", ("Lead", "09-16"): "0.26", ("Lead", "09-23"): "0.24", ("Zinc", "10-07"): "1.5",
        ("Zinc", "10-14"): "1400 ug/L", ("Zinc", "10-21"): "1.3", ("Zinc", "10-28"): "1.2", ("Selenium", "10-14"): "<0.600",
        ("Chromium, Hexavalent", "10-21"): "0.45", ("Fluoride", "10-28"): "9.0", ("Arsenic", "08-19"): "0.006 J",
    }  # fmt: skip
    grabs = {
        "07-01": [("Total Toxic Organics", "2.13"), ("Cyanide, Total", "0.06"), ("Cyanide, Free", "<0.01"), ("pH", "7.9")],
        "08-05": [("Cyanide, Total", "0.05"), ("Cyanide, Free", "<0.01"), ("pH", "5.5")],
        "08-12": [("pH", "9.5")],
        "09-16": [("Cyanide, Total", "1.31"), ("Cyanide, Free", "0.04"), ("pH", "7.4")],
        "09-23": [("pH", "5.3")],
        "10-07": [("Total Toxic Organics", "2.20"), ("Cyanide, Total", "0.04"), ("Cyanide, Free", "<0.01"), ("pH", "9.8")],
    }  # fmt: skip
    rows: list[list[object]] = []
    for day in WEDNESDAYS:
        key = f"{day:%m-%d}"
        for analyte, plain in usual.items():
            text = planted.get((analyte, key), plain)
            result, unit = (text[:-5], "ug/L") if text.endswith(" ug/L") else (text, "mg/L")
            rows.append([day, dt.time(7), f"EC-{day:%y%m%d}-C", "24-hr composite", analyte, result, unit])
        for analyte, result in grabs.get(key, []):
            unit = "SU" if analyte == "pH" else "mg/L"
            rows.append([day, dt.time(10, 15), f"EC-{day:%y%m%d}-G", "Grab", analyte, result, unit])
    return rows


def plater_workbooks() -> None:
    """Write July to September as the first laboratory's workbooks: a title block over a long table."""
    for month in (7, 8, 9):
        book = Workbook()
        sheet = book.active
        sheet.title = "Results"
        for line in (
            ["Cattaraugus Analytical (invented)"],
            ["Client:", PLATER],
            ["Project:", "Pretreatment self-monitoring"],
            [],
        ):
            sheet.append(line)
        sheet["A1"].font = Font(bold=True, size=14)
        sheet.append(
            [
                "Sample ID",
                "Sample Date",
                "Sample Time",
                "Sample End",
                "Sample Type",
                "Analyte",
                "Result",
                "Units",
                "Reporting Limit",
                "Method",
            ]
        )
        for date, time, sample, kind, analyte, result, unit in plater_rows():
            if date.month != month:
                continue
            begin = dt.datetime.combine(date, time)
            end = begin + dt.timedelta(days=1) if kind.startswith("24") else begin
            value = float(result) if result.replace(".", "").isdigit() else result
            limit = float(result[1:]) if result.startswith("<") else None
            sheet.append(
                [
                    sample,
                    begin,
                    time,
                    end,
                    kind,
                    analyte,
                    value,
                    unit,
                    limit,
                    "SM 3120 B" if kind.startswith("24") else "SM 4500",
                ]
            )
            sheet.cell(sheet.max_row, 2).number_format = "m/d/yyyy"
            sheet.cell(sheet.max_row, 4).number_format = "m/d/yyyy h:mm"
        sheet.append([])
        sheet.append(["< : not detected at the reporting limit.  J : estimated."])
        book.save(HERE / "elk-creek-plating" / f"2026-{month:02}.xlsx")


def plater_csv() -> None:
    """Write October as the second laboratory's CSV: non-detects as ND, with their limit and unit in other columns."""
    with (HERE / "elk-creek-plating" / "2026-10.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(
            ["Client", "Field ID", "Collected", "Composite End", "Matrix Type", "Parameter", "Value", "RL", "Unit"]
        )
        for date, time, sample, kind, analyte, result, unit in plater_rows():
            if date.month != 10:
                continue
            begin = dt.datetime.combine(date, time)
            end = begin + dt.timedelta(days=1) if kind.startswith("24") else begin
            censored = result.startswith("<")
            value, limit = ("ND", result[1:]) if censored else (result, "")
            out.writerow(
                [PLATER, sample, f"{begin:%m/%d/%Y %H:%M}", f"{end:%m/%d/%Y %H:%M}", kind, analyte, value, limit, unit]
            )


def dairy_workbooks() -> None:
    """Write the dairy's months as wide sheets: a row a day, units in the headers."""
    usual = {
        "pH (SU)": 7.2,
        "Temperature (°F)": 112,
        "Oil & Grease (mg/L)": 42,
        "BOD5 (mg/L)": 1240,
        "TSS (mg/L)": 310,
        "Flow (gpd)": 31000,
    }
    planted = {
        ("pH (SU)", "08-19"): 4.8, ("Temperature (°F)", "07-08"): 147, ("Temperature (°F)", "08-05"): 149, ("Temperature (°F)", "10-07"): 152,
        ("Oil & Grease (mg/L)", "08-12"): 100, ("Oil & Grease (mg/L)", "09-09"): 118, ("BOD5 (mg/L)", "09-16"): "1,410", ("TSS (mg/L)", "08-26"): "<5",
    }  # fmt: skip
    for month in (7, 8, 9, 10):
        book = Workbook()
        sheet = book.active
        sheet.title = "Outfall 001"
        sheet.append(["Facility", "Date", "Time", *usual])
        first = True
        for day in WEDNESDAYS:
            if day.month == month:
                values = [planted.get((name, f"{day:%m-%d}"), value) for name, value in usual.items()]
                sheet.append([DAIRY if first else None, day, dt.time(9, 30), *values])
                first = False
        sheet.append(["Average", None, None, *[f"=AVERAGE({column}2:{column}{sheet.max_row})" for column in "DEFGHI"]])
        book.save(HERE / "rock-city-dairy" / f"2026-{month:02}.xlsx")


def dairy_meter() -> None:
    """Write the dairy's flow meter in October: five-minute readings, newest first, under a preamble."""
    chance = random.Random(194)
    readings = {}
    for index in range(31 * 288):
        at = dt.datetime(2026, 10, 1) + index * dt.timedelta(minutes=5)
        base = 22 if 6 <= at.hour < 22 else 14
        readings[at] = round(base * chance.uniform(0.9, 1.1), 1)
    for at, count in (
        (dt.datetime(2026, 10, 14, 10, 20), 6),
        (dt.datetime(2026, 10, 21, 13, 5), 2),
    ):  # a slug; too short
        for index in range(count):
            readings[at + index * dt.timedelta(minutes=5)] = 142.0
    with (HERE / "rock-city-dairy" / "flow-meter-2026-10.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["Analog Data (5 min samples)"])
        out.writerow(["Site", DAIRY])
        out.writerow([])
        out.writerow(["Date/Time", "Flow (gpm)"])
        for at in sorted(readings, reverse=True):
            out.writerow([f"{at:%d %b %Y %I:%M:%S %p}", readings[at]])


def truck_wash() -> None:
    """Write the truck wash's field sheet: units on a row of their own, explosion-meter readings twice a visit."""
    usual = ["7.4", "38", ">200", "1/8", "2", "3"]
    planted = {
        "07-08": {4: "11"}, "07-15": {3: "1/2"}, "07-22": {3: "3/4"}, "07-29": {4: "20"}, "08-12": {4: "12", 5: "14"}, "08-19": {2: "140"},
        "08-26": {2: "132"}, "09-09": {0: "6.0", 4: "22"}, "09-16": {0: "5.7"}, "09-23": {1: "100"}, "09-30": {1: "140"}, "10-07": {0: "9.5", 4: "10"},
        "10-14": {0: "9.9"},
    }  # fmt: skip
    with (HERE / "glen-park-truck-wash.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["Site", "Date", "Time", "pH", "Oil and Grease", "Flash Point", "Solids size", "LEL", "LEL"])
        out.writerow(["", "", "", "SU", "mg/L", "°F", "in", "%", "%"])
        for day in WEDNESDAYS:
            values = list(usual)
            for column, text in planted.get(f"{day:%m-%d}", {}).items():
                values[column] = text
            out.writerow([WASH, f"{day:%m/%d/%Y}", "14:05", *values])


def plants() -> None:
    """Write the two plants' influent temperatures, one in °C and one in °F."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Influent"
    sheet.append(["Location", "Date", "Time", "Temp (°C)"])
    for index in range(17):
        day = dt.date(2026, 7, 7) + dt.timedelta(weeks=index)
        sheet.append([VALLEY_PLANT, day, dt.time(8), {5: 48.9, 9: 40}.get(index, 21.5)])
    book.save(HERE / "little-valley-plant.xlsx")
    with (HERE / "receiving-plant.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["Station", "Date", "Time", "Temperature (deg F)"])
        for index in range(17):
            day = dt.date(2026, 7, 7) + dt.timedelta(weeks=index)
            out.writerow([AMHERST_PLANT, f"{day:%m/%d/%Y}", "08:00", {13: 104.0, 14: 104.1}.get(index, 71.2)])


def facilities() -> None:
    """Write who the users are: their places, packs, classes and facts."""
    columns = ["facility", "aliases", "outfall", "point", "packs", "class", "category", "flow_gpd", "water_fluoridated"]
    rows = [
        [
            PLATER,
            "EC-",
            "",
            "end of process; end of pipe",
            f"{LITTLE_VALLEY}; {METALS}",
            "CIU",
            "433 PSES",
            18000,
            "no",
        ],
        [DAIRY, "", "", "end of pipe", LITTLE_VALLEY, "SIU", "", 31000, "no"],
        [WASH, "", "", "end of pipe", WILLIAMSVILLE, "unpermitted", "", 4000, ""],
        [VALLEY_PLANT, "", "", "plant influent", LITTLE_VALLEY, "plant", "", "", ""],
        [AMHERST_PLANT, "", "", "plant influent", WILLIAMSVILLE, "plant", "", "", ""],
    ]
    book = Workbook()
    sheet = book.active
    sheet.title = "facilities"
    for row in (columns, *rows):
        sheet.append(row)
    book.save(HERE / "facilities.xlsx")


def main() -> None:
    """Write every sample file and the answers."""
    for folder in ("elk-creek-plating", "rock-city-dairy"):
        (HERE / folder).mkdir(exist_ok=True)
    plater_workbooks()
    plater_csv()
    dairy_workbooks()
    dairy_meter()
    truck_wash()
    plants()
    facilities()
    with (HERE.parent / "tests" / "cases" / "samples_answers.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["facility", "parameter", "statistic", "period_start", "pack", "verdict", "planted"])
        out.writerows(ANSWERS)


if __name__ == "__main__":
    main()
