"""The findings: odd results, how days were sampled, methods, exposure, and what significant noncompliance leads to."""

from decimal import Decimal
from types import SimpleNamespace as Of

import pandas as pd
import pytest
from bench import COPPER

from pretreat import columns, findings, listing, packs
from pretreat.findings import doubts, exposure, methods, odd_values, sampling


def results(**more):
    base = {
        "facility": "Acme Plating",
        "outfall": "001",
        "parameter": "Copper",
        "fraction": "total",
        "value": 1.0,
        "unit": "mg/L",
    }
    data = {**base, **more}
    n = max((len(v) for v in data.values() if isinstance(v, list)), default=1)
    frame = pd.DataFrame({name: v if isinstance(v, list) else [v] * n for name, v in data.items()})
    for name in ("start", "end"):
        if name in frame:
            frame[name] = pd.to_datetime(frame[name])
    frame["source_file"], frame["source_sheet"] = "a.xlsx", "Oct"
    frame["source_cell"] = [f"D{i + 2}" for i in range(n)]
    return frame


def in_force(**more):
    return pd.DataFrame([{"limit": 0, **COPPER, "status": "", **more}])


class TestDoubts:
    def test_fault_4_a_detection_far_below_its_limit(self):
        # github.com/bcgov/wqbc/issues/68: 0.00238 mg/L detected against 0.005, the limit left in another unit.
        found = odd_values.check(results(value=0.00238, detection_limit=0.005))
        assert found.code.tolist() == ["below the detection limit"]
        assert "0.00238 against 0.005 mg/L" in found.message[0]
        assert odd_values.check(results(value=0.0049, detection_limit=0.005)).empty
        assert odd_values.check(results(value=0.00238, detection_limit=0.005, qualifier="<")).empty

    def test_fault_10_repeated_equal_lows(self):
        # github.com/USEPA/EPATADA/issues/587: 2.5, no flag, where the limit is usually 5.
        found = odd_values.check(results(value=[2.5, 2.5, 9.0, 2.5, 11.0], reporting_limit=5.0))
        assert found.code.tolist() == ["repeated low"]
        assert "repeats 3 times" in found.message[0]
        assert "half of the limit" in found.message[0]
        assert found.sources[0] == "a.xlsx!Oct!D2; a.xlsx!Oct!D3; a.xlsx!Oct!D5"
        assert odd_values.check(results(value=[2.5, 2.6, 9.0, 2.5, 11.0])).empty
        assert odd_values.check(results(parameter="pH", unit="SU", value=[7.0] * 5)).empty
        assert odd_values.check(results(value=[2.5] * 3 + [9.0], qualifier=["<"] * 3 + [""])).empty

    def test_zero_is_remarked_and_kept(self):
        frame = results(value=[0.0, 1.0])
        assert odd_values.check(frame).code.tolist() == ["zero reported"]
        assert frame["value"].tolist() == [0.0, 1.0]
        assert odd_values.check(results(parameter="Flow", unit="MGD", value=0.0)).empty

    def test_results_that_no_limit_reaches_are_counted(self):
        frame = results(parameter=["Copper", "Boron", "Boron", "Chromium (VI)"])
        chromium = pd.concat([in_force(), in_force(parameter="Chromium")])
        found = doubts.unreached(frame, chromium)
        assert found[["parameter", "message"]].to_numpy().tolist() == [
            ["Boron", "2 results, which no limit in force at this place reaches: shown, and held against nothing."]
        ]
        assert len(doubts.unreached(frame.assign(outfall="002"), chromium)) == 3
        # A row that is for whatever is measured, kept in another document, reaches nothing by that.
        assert (
            len(doubts.unreached(frame, pd.concat([chromium, in_force(parameter=""), in_force(parameter="any")]))) == 1
        )

    def test_a_slug_rule_reaches_what_is_metered(self):
        frame = results(
            parameter=["Flow", "TOC", "TOC", "001 Flow", "Conductivity"],
            fraction="",
            unit=["MGD", "mg/L", "mg/L", "MGD", "uS/cm"],
            sample_type=["", "continuous", "grab", "continuous", "continuous"],
        )
        slug = in_force(parameter="", statistic="slug", limit=0)
        rows = (Of(group=None, slug=Of(of=("any constituent", "flow"))),)
        found = doubts.unreached(frame, slug, rows)
        assert sorted(found.parameter) == ["001 Flow", "Conductivity", "TOC"]
        assert all(said.startswith("1 result, ") for said in found.message)
        assert len(doubts.unreached(frame, slug.assign(status="no definition"), rows)) == 4

    def test_members_of_a_sum_are_reached(self):
        tto = (Of(group=Of(members=("Toluene", "Benzene"))),)
        frame = results(parameter=["Toluene", "Xylenes"], fraction="")
        assert doubts.unreached(frame, in_force(parameter="TTO"), tto).parameter.tolist() == ["Xylenes"]

    def test_a_row_that_only_shows_a_number_reaches_nothing(self):
        assert len(doubts.unreached(results(), in_force(kind="reference"))) == 1

    @pytest.mark.parametrize(
        ("decided", "first", "last", "found"),
        [
            (False, "2026-03-10", "2026-05-10", 1),
            (True, "2026-03-10", "2026-05-10", 0),
            (False, "2026-10-03", "2026-12-05", 0),
        ],
    )
    def test_only_the_other_order_of_dates_falls_into_the_period(self, decided, first, last, found):
        sheet = {"source_file": "a.csv", "source_sheet": "", "date_order": "mdy, assumed", "decided": decided}
        days = {"first": first, "last": last, "other_first": "2026-10-03", "other_last": "2026-10-05"}
        frame = pd.DataFrame([{**sheet, **{name: pd.Timestamp(day) for name, day in days.items()}}])
        assert len(doubts.other_order(frame, "2026-10-01", "2026-11-01")) == found

    def test_a_file_read_month_first_whose_days_come_first(self, tmp_path):
        import pretreat

        path = tmp_path / "lab.csv"
        path.write_text(
            "Client,Date,Parameter,Result,Units\nAcme Plating,03/10/2026,Copper,1.0,mg/L\nAcme Plating,05/10/2026,Copper,1.1,mg/L\n"
        )
        read = pretreat.read_samples(path)
        asked = pretreat.check(read, "ny/little-valley", period="2026-10", as_of="2026-11-30").findings
        assert (asked.code == "date order").sum() == 1
        other = pretreat.check(read, "ny/little-valley", period="2026-03", as_of="2026-11-30").findings
        assert (other.code == "date order").sum() == 0


class TestSampling:
    def test_hours_of_composites(self):
        frame = results(
            sample_type="composite",
            start=["2026-10-05 08:00", "2026-10-06 08:00", "2026-10-07 08:00", "2026-10-09 08:00", "2026-10-10 08:00"],
            end=["2026-10-06 08:00", "2026-10-06 20:00", "2026-10-08 13:00", "2026-10-10 04:00", "2026-10-11 10:00"],
        )
        found = sampling.check(frame, in_force())
        assert found.code.tolist() == ["composite hours"]
        assert "1 composite of less than 20 hours (2026-10-06 12 h)" in found.message[0]
        assert "1 composite of more than 26 hours (2026-10-07 29 h): not evaluated" in found.message[0]
        assert found.sources[0] == "a.xlsx!Oct!D3; a.xlsx!Oct!D4"

    def test_grabs_in_place_of_a_composite_say_how_many_over_how_many_hours(self):
        frame = results(
            sample_type=["grab", "grab", "grab", "grab", "composite"],
            start=["2026-10-05 08:00", "2026-10-05 11:30", "2026-10-06 09:00", "2026-10-07 09:00", "2026-10-07 00:00"],
        )
        found = sampling.check(frame, in_force(limit_low=99, limit_high=99))
        assert found.message.tolist() == [
            "No composite on 2 days: 2026-10-05 is the mean of 2 grabs over 3.5 hours; 2026-10-06 is one grab "
            "(40 CFR 136.3, Table II, note 2)."
        ]

    def test_a_grab_over_on_a_day_whose_composite_complies(self):
        frame = results(
            sample_type=["grab", "composite"],
            value=[2.5, 0.9],
            start=["2026-10-05 10:00", "2026-10-05 00:00"],
            end=[None, "2026-10-06 00:00"],
        )
        found = sampling.check(frame, in_force())
        assert found.code.tolist() == ["grab over the limit"]
        assert "over the daily limit of 1.2 mg/L" in found.message[0]
        # The composite is over too: then the day is an exceedance, and there is nothing more to say.
        assert sampling.check(frame.assign(value=[2.5, 1.3]), in_force()).empty

    def test_a_composite_belongs_to_the_day_that_holds_most_of_its_hours(self):
        frame = results(
            sample_type=["grab", "composite"],
            value=[2.5, 0.9],
            start=["2026-10-06 10:00", "2026-10-05 13:00"],
            end=[None, "2026-10-06 13:00"],
        )
        assert sampling.check(frame, in_force()).code.tolist() == ["grab over the limit"]
        tie = frame.assign(
            start=pd.to_datetime(["2026-10-05 14:00", "2026-10-05 12:00"]),
            end=pd.to_datetime([None, "2026-10-06 12:00"]),
        )
        assert sampling.check(tie, in_force()).code.tolist() == ["grab over the limit"]

    def test_only_where_a_daily_value_is_asked_for(self):
        frame = results(sample_type="grab", start="2026-10-05 08:00")
        assert sampling.check(frame, in_force(statistic="instantaneous")).empty
        assert sampling.check(frame, in_force(parameter="Zinc")).empty


class TestMethods:
    def test_fault_9_a_reporting_limit_above_the_limit(self):
        # github.com/USEPA/EPATADA/issues/253: <0.1 with a limit of 0.05.
        frame = results(value=0.1, qualifier="<", start="2026-10-05 08:00")
        found = methods.check(frame, in_force(limit_low=0.05, limit_high=0.05))
        assert found.code.tolist() == ["reporting limit above limit"]
        assert "below 0.1 mg/L, which is above the limit of 0.05 mg/L (§ 1)" in found.message[0]
        assert methods.check(frame, in_force(limit_low=0.1, limit_high=0.1)).empty

    def test_mercury_of_442_15(self):
        # cases.md, "Method too coarse": limit 0.0031; ML 0.0002 is sufficient, 0.01 is not.
        mercury = in_force(parameter="Mercury", limit_low=0.0031, limit_high=0.0031)
        assert methods.check(results(parameter="Mercury", value=0.0002, qualifier="<"), mercury).empty
        assert len(methods.check(results(parameter="Mercury", value=0.01, qualifier="<"), mercury)) == 1

    def test_the_lowest_limit_counts_and_surcharges_do_not(self):
        frame = results(value=0.5, qualifier="<")
        both = pd.concat([in_force(), in_force(limit_low=0.3, limit_high=0.3, cite="§ 2", statistic="monthly average")])
        assert "(§ 2)" in methods.check(frame, both).message[0]
        assert methods.check(frame, in_force(limit_low=0.3, limit_high=0.3, kind="surcharge")).empty

    @pytest.mark.parametrize(
        ("printed", "named", "same"),
        [("SM 3120 B-2011", "Standard Methods", True), ("EPA 200.7", "Standard Methods", False), ("SM4500-CN E", "latest edition of Standard Methods", True),
         ("EPA 245.1", "245.1", True), ("1631E", "245.1", False), ("", "Standard Methods", True)],
    )  # fmt: skip
    def test_the_method_that_the_document_names(self, printed, named, same):
        rows = (Of(method=named, cite="§ 194-6H(7)", group=None),)
        assert methods.check(results(method=printed), in_force(), rows).empty == same

    def test_little_valley_names_standard_methods_for_all_its_limits(self):
        # § 194-6H(7): the latest edition of Standard Methods.
        known = packs.load(["ny/little-valley"])
        frame = results(parameter=["Copper", "Zinc", "Lead"], method=["EPA 200.7", "EPA 200.8", "SM 3120 B"])
        copper = in_force(pack="ny/little-valley")
        reached = pd.concat([copper, copper.assign(parameter="Zinc"), copper.assign(parameter="Lead")])
        found = methods.check(frame, reached, packs=known.packs)
        assert found.message.tolist() == [
            "2 results by EPA 200.7, EPA 200.8; Village of Little Valley Sewer Use Local Law names Standard Methods, its latest "
            "edition (§ 194-6H(7)). Methods that EPA approves (40 CFR 136) may be others: the authority decides."
        ]

    def test_a_laboratory_that_is_not_certified(self):
        found = methods.check(results(lab="Lakeside Analytical", lab_certification=["ELAP 10000", "no"]), in_force())
        assert found.code.tolist() == ["laboratory"]
        assert found.message[0].startswith("1 results of Lakeside Analytical")


class TestExposure:
    def over(self, *rows):
        names = ["pack", "cite", "statistic", "period_start", "period_end"]
        frame = pd.DataFrame(rows, columns=names).assign(facility="Acme Plating", outfall="001", parameter="Copper")
        return frame.assign(**{name: pd.to_datetime(frame[name], format="ISO8601") for name in names[3:]})

    def test_a_day_counts_once_whichever_limits_are_over(self):
        # Gwaltney: an average spans its days; Tyson: not twice.
        frame = self.over(
            ("permit", "§ 1", "daily maximum", "2026-10-05", "2026-10-06"),
            ("permit", "§ 1", "instantaneous", "2026-10-05 09:00", "2026-10-05 09:00"),
            ("permit", "§ 1", "monthly average", "2026-10-01", "2026-11-01"),
            ("permit", "§ 1", "daily maximum", "2026-11-05", "2026-11-06"),
        )
        counted = exposure.days_of_violation(frame)
        assert counted[["daily", "averages", "spanned", "days"]].to_numpy().tolist() == [[2, 1, 31, 32]]

    def test_little_valleys_fine_does_not_reach_limits(self):
        # § 194-9C prints its amounts for § 194-7 alone: never $500 a day for an exceedance.
        penalty = Of(cite="§ 194-9C(2)", reaches=("§ 194-7",), least=None, most=Decimal(500), per="violation")
        found = exposure.check(
            self.over(("ny/little-valley", "§ 194-6C(8)", "24-hour average", "2026-10-05", "2026-10-06")),
            [Of(name="ny/little-valley", penalties=(penalty,))],
        )
        assert "not a fine" in found.message[0]
        assert "§ 194-9C(2) is for § 194-7" in found.message[0]
        assert "500" not in found.message[0]

    def test_an_inferred_section_is_a_section(self):
        assert exposure.reaches("[§ 81-6] D", "[§ 81-6] D(1)(b)")
        assert not exposure.reaches("[§ 81-6] D", "[§ 81-9] D")
        assert not exposure.reaches("§ 194-7", "[§ 194-9] C(2)")

    def test_a_penalty_that_reaches_is_named_and_not_multiplied(self):
        penalty = Of(cite="§ 9", reaches=("§ 1",), least=Decimal(100), most=Decimal(1000), per="day")
        frame = self.over(("permit", "§ 1A", "daily maximum", "2026-10-05", "2026-10-06"))
        found = exposure.check(frame, [Of(name="permit", penalties=(penalty,))])
        assert "§ 9 reaches § 1A: at least $100 and at most $1,000 for each day" in found.message[0]


def snc_rows(**more):
    row = {
        "snc_id": "snc-1",
        "limit_pack": "permit",
        "limit_cite": "§ 1",
        "rule_cite": "40 CFR 403.8(f)(2)(viii)",
        "facility": "Acme Plating",
        "outfall": "001",
        "parameter": "Copper",
        "limit_id": "Cu",
        "statistic": "daily maximum",
        "window_start": pd.Timestamp("2026-07-01"),
        "window_end": pd.Timestamp("2027-01-01"),
        "n": 3,
        "n_over_low": 1,
        "n_over_high": 1,
        "chronic": "no",
        "trc_factor": 1.2,
        "n_trc_low": 1,
        "n_trc_high": 1,
        "trc": "yes",
        "snc": "yes",
        "significant_user": "yes",
    }
    return pd.DataFrame([{**row, **more}])


PACKS = Of(
    packs=(
        Of(name="permit", snc=None, penalties=(), definitions=()),
        Of(name="federal/403", snc={"cite": "40 CFR 403.8(f)(2)(viii)"}, penalties=(), definitions=()),
    ),
    rows=(),
)


def test_what_significant_noncompliance_leads_to():
    found = findings.collect(results(), in_force(), PACKS, snc=snc_rows())
    said = dict(zip(found.code, found.message, strict=True))
    assert said["publication"].startswith(
        "To be published for 2026: technical review by 40 CFR 403.8(f)(2)(viii), limit § 1"
    )
    assert "one more under the limit would make it 'no'" in said["one more sample"]
    assert (found.code == "judgment").sum() == 4


def test_unknown_users_are_never_on_the_list():
    found = findings.collect(results(), in_force(), PACKS, snc=snc_rows(significant_user="unknown"))
    assert "publication" not in set(found.code)


def test_a_late_report_is_significant_by_itself():
    # cases.md, D-20: due January 15, received March 2 is 46 days: (F).
    schedule = pd.DataFrame(
        {
            "facility": ["Acme Plating"],
            "pack": ["federal/403"],
            "cite": ["40 CFR 403.8(f)(2)(viii)(F)"],
            "subject": ["report received"],
            "due": [pd.Timestamp("2026-03-01")],
            "verdict": ["late"],
        }
    )
    found = findings.collect(results(), in_force(), PACKS, snc=snc_rows(), schedule=schedule)
    assert "late beyond the grace period" in set(found.code)
    listed = found[found.code == "publication"].message.tolist()
    assert any("report received late by 40 CFR 403.8(f)(2)(viii)(F) (due 2026-03-01)" in text for text in listed)


def test_a_significant_user_without_results_is_listed_for_a_late_report():
    schedule = pd.DataFrame(
        {
            "facility": ["Silent Plating", "Corner Cafe"],
            "pack": "federal/403",
            "cite": "40 CFR 403.8(f)(2)(viii)(F)",
            "subject": "report received",
            "due": pd.Timestamp("2026-03-01"),
            "verdict": "late",
        }
    )
    users = pd.DataFrame({"facility": ["Silent Plating", "Corner Cafe"], "class": ["SIU", "unpermitted"]})
    found = findings.collect(results(), in_force(), PACKS, snc=columns.empty("snc"), schedule=schedule, users=users)
    assert found[found.code == "publication"].facility.tolist() == ["Silent Plating"]


def test_the_table_is_whole_sorted_and_each_row_once():
    frame = results(parameter=["Boron", "Cobalt"], sample_type="composite")
    found = findings.collect(
        frame, in_force(), PACKS, more=(listing.findings("x", ["said twice"]), listing.findings("x", ["said twice"]))
    )
    assert tuple(found.columns) == columns.TABLES["findings"]
    assert found.code.tolist() == sorted(found.code)
    assert (found.code == "x").sum() == 1
    assert (
        findings.collect(frame.iloc[::-1], in_force(), PACKS).message.tolist()
        == findings.collect(frame, in_force(), PACKS).message.tolist()
    )


def test_nothing_in_gives_an_empty_table():
    empty = results().iloc[:0]
    assert findings.collect(empty, in_force(), PACKS).empty


@pytest.mark.parametrize(
    ("parameter", "unit", "fine", "impossible"),
    [
        ("Copper", "mg/L", [0.01, 99.0], [-0.5]),
        ("pH", "SU", [0.4, 13.9], [79.0, -2.0]),
        ("Temperature", "degF", [33.0, 180.0], [3000.0]),
        ("LEL", "%", [0.0, 100.0], [110.0, -1.0]),
        ("Flow", "MGD", [0.0, 400.0], [-0.01]),
        ("Solidification temperature", "degF", [-40.0], []),
    ],
)
def test_a_value_that_cannot_be_is_used_and_remarked(parameter, unit, fine, impossible) -> None:
    frame = pd.DataFrame({"facility": "Acme", "parameter": parameter, "unit": unit, "value": [*fine, *impossible]})
    found = odd_values.check(frame)
    found = found[found["code"] == "impossible value"]
    assert len(found) == bool(impossible)
    if impossible:
        count = "1 result that" if len(impossible) == 1 else f"{len(impossible)} results that"
        assert found["message"].item().startswith(f"{count} cannot be, such as {impossible[0]:g} {unit}: ")


def test_each_unit_that_no_limit_reaches_has_its_own_count():
    """One result in lb/day and one in mg/kg were "2 results in lb/day"."""
    frame = pd.concat([results(unit="lb/day"), results(unit="mg/kg"), results(unit="mg/kg")], ignore_index=True)
    limit = in_force(parameter=str(frame["parameter"].iloc[0]), unit="mg/L")
    (said,) = doubts.unreached(frame, limit)["message"]
    assert said.startswith("2 results in mg/kg and 1 in lb/day, which no limit in force at this place reaches")
    (said,) = doubts.unreached(frame[:1], limit)["message"]
    assert said.startswith("1 result in lb/day, which")


def test_one_measurement_is_singular():
    found = findings.collect(results(), in_force(), PACKS, snc=snc_rows())
    many = found.loc[found["code"] == "one more sample", "message"].item()
    assert " measurements;" in many
    one = snc_rows(n=1, n_over_low=0, n_over_high=1, snc="undetermined", chronic="undetermined", trc="undetermined")
    found = findings.collect(results(), in_force(), PACKS, snc=one)
    assert "is 'undetermined' by 1 measurement;" in found.loc[found["code"] == "one more sample", "message"].item()
