"""Schedule rules: due dates to the day and the minute, and verdicts that say why."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pretreat import columns, schedule
from pretreat.errors import UsageError
from pretreat.limits.facts import Fact, condition
from pretreat.limits.provisions import Limits, Pack, ScheduleRule
from pretreat.schedule import sentences as say

NO_RESULTS = columns.empty("results")


def pack(*rules, name="town", facts=None, **settings):
    made = tuple(
        ScheduleRule(**{"pack": name, "id": str(number), "cite": f"§ {number}", **rule})
        for number, rule in enumerate(rules, start=1)
    )
    return Pack(
        name=name, file="", sha256="", document={}, settings=settings, facts=facts or {}, rows=(), schedule=made
    )


def judged(rule, *happened, as_of="2026-12-31", users=("Acme",), results=NO_RESULTS, over=None, facts=None, **more):
    """One rule held against events of Acme, given as 'event @ date [@ concerns]'."""
    rows = [[part.strip() for part in (text + " @ @").split("@")[:3]] for text in happened]
    sheet = pd.DataFrame(rows, columns=["event", "date", "concerns"]).assign(facility="Acme", **more)
    people = users if isinstance(users, pd.DataFrame) else pd.DataFrame({"facility": list(users)})
    packs = [pack(rule, facts=facts)]
    return schedule.judge(packs, people, sheet, results, as_of=as_of, exceedances=over)


def verdicts(table):
    return [(str(due)[:16], verdict) for due, verdict in zip(table["due"], table["verdict"], strict=True)]


LATE = {"subject": "report received", "rule": "within late_report_days days of report due"}


@pytest.mark.parametrize(
    ("received", "verdict"), [("2026-03-01", "met"), ("2026-03-02", "late"), ("2026-01-10", "met")]
)
def test_d20_a_report_is_in_time_on_day_45(received, verdict):
    table = judged(LATE, "report due @ 2026-01-15", f"report received @ {received}")
    assert verdicts(table) == [("2026-03-01 00:00", verdict)]


@pytest.mark.parametrize("received", ["2026-03-01", "2026-03-02"])
def test_d20_under_a_local_30_days_both_are_late(received):
    sheet = pd.DataFrame(
        {"facility": "Acme", "event": ["report due", "report received"], "date": ["2026-01-15", received]}
    )
    table = schedule.judge(
        [pack(LATE)], pd.DataFrame(), sheet, NO_RESULTS, as_of="2026-12-31", settings={"late_report_days": "30"}
    )
    assert verdicts(table) == [("2026-02-14 00:00", "late")]
    by_pack = schedule.judge([pack(LATE, late_report_days="30")], pd.DataFrame(), sheet, NO_RESULTS, as_of="2026-12-31")
    assert verdicts(by_pack) == verdicts(table)


def test_a_report_answers_its_own_due_date():
    table = judged(
        LATE,
        "report due @ 2026-01-15", "report due @ 2026-07-15",
        "report received @ 2026-01-10", "report received @ 2026-10-01",
    )  # fmt: skip
    assert verdicts(table) == [("2026-03-01 00:00", "met"), ("2026-08-29 00:00", "late")]
    missing = judged(LATE, "report due @ 2026-01-15", "report due @ 2026-07-15", "report received @ 2026-07-10")
    assert [verdict for _, verdict in verdicts(missing)] == ["late", "met"]


def over_at(sampled="2026-05-01T09:00:00", parameter="Copper", **more):
    table = pd.DataFrame({"facility": ["Acme"], "outfall": ["001"], "parameter": [parameter], **more})
    moment = np.array([sampled], dtype="datetime64[s]")
    return table.assign(period_start=moment, period_end=moment)


def taken(*rows):
    made = pd.DataFrame([row.split("|") for row in rows], columns=["start", "parameter", "collected_by"])
    made["start"] = pd.to_datetime(made["start"], format="ISO8601").astype("datetime64[s]")
    return made.assign(facility="Acme", outfall="001")


NOTICE = {"subject": "notice", "rule": "within 24 hours of aware", "cite": "40 CFR 403.12(g)(2)"}
REPEAT = {
    "subject": "resampling results",
    "rule": "within 30 days of aware",
    "unless": "the authority samples every month or the authority samples in between",
}


def test_d22_the_clock_starts_on_awareness():
    results = taken("2026-05-01T09:00|Copper|user")
    notice = judged(NOTICE, "aware @ 2026-05-20 14:00", as_of="2026-05-20", results=results, over=over_at())
    assert verdicts(notice) == [("2026-05-21 14:00", "due")]
    assert notice["subject"].tolist() == ["notice: Copper at 001, sampled 2026-05-01"]
    repeat = judged(REPEAT, "aware @ 2026-05-20 14:00", as_of="2026-05-20", results=results, over=over_at())
    assert verdicts(repeat) == [("2026-06-19 00:00", "due")]


@pytest.mark.parametrize(
    ("told", "verdict"),
    [("2026-05-21 14:00", "met"), ("2026-05-21 14:01", "late"), ("2026-05-20", "met"), ("2026-05-22", "late")],
)
def test_24_hours_are_counted_to_the_minute(told, verdict):
    table = judged(NOTICE, "aware @ 2026-05-20 14:00", f"notice @ {told}", over=over_at())
    assert verdicts(table) == [("2026-05-21 14:00", verdict)]


def test_24_hours_without_a_time_of_day_are_not_guessed():
    same_day = judged(NOTICE, "aware @ 2026-05-20", "notice @ 2026-05-20", over=over_at())
    next_day = judged(NOTICE, "aware @ 2026-05-20", "notice @ 2026-05-21", over=over_at())
    third_day = judged(NOTICE, "aware @ 2026-05-20", "notice @ 2026-05-22", over=over_at())
    assert [table["verdict"].item() for table in (same_day, next_day, third_day)] == ["met", "not evaluated", "late"]
    assert "time of day" in next_day["reason"].item()


def test_without_aware_nothing_is_assumed():
    table = judged(NOTICE, "notice @ 2026-05-02", over=over_at())
    assert table["verdict"].tolist() == ["not evaluated"]
    assert "aware" in table["reason"].item()


@pytest.mark.parametrize(("submitted", "verdict"), [("2026-06-19 23:59", "met"), ("2026-06-20", "late")])
def test_the_results_of_the_repeat_are_due_in_30_days(submitted, verdict):
    table = judged(REPEAT, "aware @ 2026-05-20 14:00", f"resampling results @ {submitted}", over=over_at())
    assert table["verdict"].tolist() == [verdict]


def test_no_repeat_is_owed_where_the_authority_samples_in_between():
    results = taken("2026-05-01T09:00|Copper|user", "2026-05-10T09:00|Copper|authority")
    table = judged(REPEAT, "aware @ 2026-05-20 14:00", results=results, over=over_at())
    assert table[["verdict", "reason"]].to_numpy().tolist() == [["not owed", "the authority sampled on 2026-05-10"]]
    after = taken("2026-05-01T09:00|Copper|user", "2026-05-21T09:00|Copper|authority")
    assert judged(REPEAT, "aware @ 2026-05-20 14:00", results=after, over=over_at())["verdict"].item() == "late"
    notice = judged(NOTICE, "aware @ 2026-05-20 14:00", results=results, over=over_at())
    assert notice["verdict"].item() == "late", "the exception is for the repeat, not for the notice"


def test_no_repeat_is_owed_where_the_authority_samples_every_month():
    monthly = [f"2026-{month:02}-03T09:00|Zinc|authority" for month in range(1, 6)]
    results = taken("2026-01-02T09:00|Copper|user", "2026-05-08T09:00|Copper|user", *monthly)
    over = over_at("2026-05-08T09:00:00")
    assert judged(REPEAT, "aware @ 2026-05-20", results=results, over=over)["verdict"].item() == "not owed"
    gap = results[results["start"] != pd.Timestamp("2026-03-03T09:00")]
    assert judged(REPEAT, "aware @ 2026-05-20", results=gap, over=over)["verdict"].item() == "late"
    short = results[results["start"] > pd.Timestamp("2026-04-01")]
    assert judged(REPEAT, "aware @ 2026-05-20", results=short, over=over)["verdict"].item() == "late"


def test_what_the_authority_sampled_the_user_need_not_repeat():
    results = taken("2026-05-01T09:00|Copper|authority")
    for rule in (NOTICE, REPEAT):
        assert judged(rule, "aware @ 2026-05-20", results=results, over=over_at())["verdict"].item() == "not owed"


def test_one_sample_over_two_limits_is_one_notice_and_aware_of_another_parameter_is_not_its_own():
    both = pd.concat([over_at(), over_at().assign(period_end=pd.Timestamp("2026-05-02")), over_at(parameter="Zinc")])
    both["period_start"] = (
        both["period_start"].dt.normalize().where(both["period_end"].dt.hour == 0, both["period_start"])
    )
    results = taken("2026-05-01T09:00|Copper|user", "2026-05-01T09:00|Zinc|user")
    table = judged(NOTICE, "aware @ 2026-05-20 14:00", results=results, over=both, parameter="Zinc")
    assert table["subject"].str.split(":").str[1].str.strip().tolist() == [
        "Copper at 001, sampled 2026-05-01",
        "Zinc at 001, sampled 2026-05-01",
    ]
    assert table["verdict"].tolist() == ["not evaluated", "late"]


def test_whichever_is_later():
    rule = {"subject": "connection", "rule": "within 90 days of sewer available or official notice, whichever is later"}
    table = judged(rule, "sewer available @ 2026-01-10", "official notice @ 2026-03-01", "connection @ 2026-05-30")
    assert verdicts(table) == [("2026-05-30 00:00", "met")]
    half = judged(rule, "sewer available @ 2026-01-10", as_of="2026-12-31")
    assert half["verdict"].tolist() == ["not evaluated"]
    assert "official notice" in half["reason"].item()


@pytest.mark.parametrize(
    ("notice", "verdict"),
    [("2026-06-18 10:00", "met"), ("2026-06-18 10:01", "late"), ("2026-06-17", "met"), ("2026-06-18", "not evaluated")],
)
def test_at_least_48_hours_before(notice, verdict):
    rule = {"subject": "notice of inspection", "rule": "at least 48 hours before inspection"}
    table = judged(rule, "inspection @ 2026-06-20 10:00", f"notice of inspection @ {notice}")
    assert table["verdict"].tolist() == [verdict]


def test_at_least_10_days_before_a_transfer_unless_pumped_within_the_past_year():
    rule = {
        "subject": "tank pumped",
        "rule": "at least 10 days before property transfer",
        "unless": "tank pumped and inspected within the past 1 year",
    }
    transfer = "property transfer @ 2026-06-20"
    assert verdicts(judged(rule, transfer, "tank pumped @ 2026-06-10")) == [("2026-06-10 00:00", "met")]
    assert judged(rule, transfer, "tank pumped @ 2026-06-11")["verdict"].tolist() == ["late"]
    assert judged(rule, transfer, "tank pumped @ 2025-06-01")["verdict"].tolist() == ["late"]
    assert judged(rule, transfer, as_of="2026-06-01")["verdict"].tolist() == ["due"]
    for day, verdict in (("2025-06-20", "not owed"), ("2025-06-19", "late")):
        table = judged(rule, transfer, f"tank pumped and inspected @ {day}")
        assert table["verdict"].tolist() == [verdict], day


def test_not_before():
    rule = {
        "subject": "inspection",
        "rule": "not before 5 years after installation",
        "unless": "property transfer or complaint",
    }
    early = judged(rule, "installation @ 2020-03-01", "inspection @ 2025-02-28")
    assert early["verdict"].tolist() == ["late"]
    assert early["reason"].item() == "too soon: not before 2025-03-01"
    assert judged(rule, "installation @ 2020-03-01", "inspection @ 2025-03-01")["verdict"].tolist() == ["met"]
    moved = judged(rule, "installation @ 2020-03-01", "complaint @ 2023-01-01", "inspection @ 2023-02-01")
    assert moved["verdict"].tolist() == ["not owed"]
    waiting = judged(rule, "installation @ 2024-03-01")
    assert waiting["verdict"].tolist() == ["not owed"]
    assert str(waiting["due_from"].item())[:10] == "2029-03-01"
    assert judged(rule, "inspection @ 2025-02-28")["verdict"].tolist() == ["not evaluated"]


def test_order_of_two_events():
    rule = {"subject": "backfill", "rule": "not before inspection"}
    assert judged(rule, "inspection @ 2026-03-02 09:00", "backfill @ 2026-03-02 10:00")["verdict"].tolist() == ["met"]
    assert judged(rule, "inspection @ 2026-03-02 11:00", "backfill @ 2026-03-02 10:00")["verdict"].tolist() == ["late"]


def test_every_three_to_five_years():
    rule = {"subject": "inspection", "rule": "every 3 to 5 years"}
    table = judged(rule, "inspection @ 2016-02-29", "inspection @ 2021-02-28", as_of="2026-02-28")
    assert [str(day)[:10] for day in table["due_from"]] == ["2019-02-28", "2024-02-28"]
    assert verdicts(table) == [("2021-02-28 00:00", "met"), ("2026-02-28 00:00", "due")]
    assert judged(rule, "inspection @ 2021-02-28", as_of="2026-03-01")["verdict"].tolist() == ["late"]


def test_every_seven_days_until_the_site_is_stable():
    rule = {"subject": "site inspection", "rule": "every 7 days from start of construction until final stabilization"}
    happened = ["start of construction @ 2026-04-01", *[f"site inspection @ 2026-04-{day:02}" for day in (8, 15, 23)]]
    table = judged(rule, *happened, "final stabilization @ 2026-04-25")
    assert [verdict for _, verdict in verdicts(table)] == ["met", "met", "late"]


def test_within_24_hours_of_half_an_inch_of_rain():
    rule = {"subject": "site inspection", "rule": "within 24 hours of storm event of 0.5 inch or more"}
    storms = ["storm event @ 2026-04-03 06:00", "storm event @ 2026-04-10 06:00", "site inspection @ 2026-04-04 06:00"]
    table = judged(rule, *storms, amount=["0.5 in", "0.49 in", ""])
    assert verdicts(table) == [("2026-04-04 06:00", "met")]
    assert judged(rule, *storms, amount=["12.7 mm", "12.6 mm", ""])["verdict"].tolist() == ["met"]
    unknown = judged(rule, *storms, amount=["", "0.1", ""])
    assert unknown["verdict"].tolist() == ["not evaluated"]


def test_at_least_four_times_a_year():
    rule = {"subject": "interceptor inspection", "rule": "at least 4 times a year"}
    done = [f"interceptor inspection @ {day}" for day in ("2025-01-05", "2025-04-01", "2025-08-01", "2025-12-31")]
    table = judged(rule, *done, "interceptor inspection @ 2026-02-01", as_of="2026-06-30")
    assert verdicts(table) == [("2025-12-31 00:00", "met"), ("2026-12-31 00:00", "due")]
    assert table["reason"].tolist() == ["4 of 4", "1 of 4"]
    assert judged(rule, *done[:3], as_of="2026-01-01")["verdict"].tolist()[0] == "late"


def test_a_permit_for_one_year():
    rule = {"subject": "industrial waste permit", "rule": "for 1 year from industrial waste permit"}
    first = "industrial waste permit @ 2024-03-01"
    table = judged(rule, first, "industrial waste permit @ 2025-02-20", as_of="2026-01-01")
    assert verdicts(table) == [("2025-03-01 00:00", "met"), ("2026-02-20 00:00", "due")]
    assert judged(rule, first, as_of="2025-03-02")["verdict"].tolist() == ["late"]
    assert judged(rule, first, as_of="2025-03-01")["verdict"].tolist() == ["due"]


def test_a_certificate_that_nobody_had_to_use():
    rule = {"subject": "transfer of title", "rule": "for 2 years from certificate of compliance"}
    issued = "certificate of compliance @ 2024-03-01"
    assert judged(rule, issued, "transfer of title @ 2026-03-01")["verdict"].tolist() == ["met"]
    assert judged(rule, issued, "transfer of title @ 2026-03-02")["verdict"].tolist() == ["late"]
    assert judged(rule, issued, as_of="2026-12-31")["verdict"].tolist() == ["not owed"]


def test_a_milestone_in_90_days():
    rule = {"subject": "milestone reached", "rule": "within 90 days of milestone due"}
    due = "milestone due @ 2026-01-01 @ start construction"
    other = "milestone reached @ 2026-01-02 @ final compliance"
    assert judged(rule, due, "milestone reached @ 2026-04-01 @ start construction", other)["verdict"].tolist() == [
        "met"
    ]
    assert judged(rule, due, other)["verdict"].tolist() == ["late"], "another milestone answers nothing"


def test_by_an_event_and_business_days():
    assert judged({"subject": "report", "rule": "by report due"}, "report due @ 2026-01-15")["verdict"].tolist() == [
        "late"
    ]
    rule = {"subject": "notified of change", "rule": "within 2 business days of basis to know"}
    assert verdicts(judged(rule, "basis to know @ 2026-05-22")) == [("2026-05-26 00:00", "late")]


def test_whom_a_rule_binds():
    rule = {"subject": "interceptor inspection", "rule": "at least 4 times a year", "when": {"food": condition("yes")}}
    people = pd.DataFrame({"facility": ["Acme", "Bell", "Cook"], "food": ["yes", "no", ""]})
    table = judged(rule, "interceptor inspection @ 2026-01-05", users=people, as_of="2027-01-01")
    last_year = table[table["due"].dt.year == 2026]
    assert dict(zip(last_year["facility"], last_year["verdict"], strict=True)) == {"Acme": "late"}
    unknown = table[table["facility"] == ""]
    assert unknown["verdict"].tolist() == ["not evaluated"]
    assert unknown["reason"].tolist() == ["fact missing: food, of 1 of 2 users: Cook"]
    assumed = judged(
        rule,
        "interceptor inspection @ 2026-01-05",
        users=people,
        facts={"food": Fact(name="food", ask="?", assume="no")},
    )
    assert set(assumed["facility"]) == {"Acme"}


def test_a_pack_binds_its_users_and_federal_everyone():
    rule = {"subject": "report received", "rule": "by report due"}
    town, federal = pack(rule, name="town"), pack(rule, name="federal/403")
    limits = Limits((town, federal), default=(), everyone=("federal/403",))
    people = pd.DataFrame({"facility": ["Acme", "Bell"], "packs": ["town", ""]})
    sheet = pd.DataFrame({"facility": ["Acme", "Bell"], "event": "report due", "date": "2026-01-15"})
    table = schedule.judge(limits, people, sheet, NO_RESULTS, as_of="2026-02-01")
    assert table[["facility", "pack"]].to_numpy().tolist() == [
        ["Acme", "federal/403"], ["Acme", "town"], ["Bell", "federal/403"],
    ]  # fmt: skip


def test_silence_is_not_compliance():
    table = schedule.judge([pack(LATE)], pd.DataFrame({"facility": ["Acme"]}), None, NO_RESULTS, as_of="2026-01-01")
    assert table[["verdict", "reason"]].to_numpy().tolist() == [["not evaluated", "no events given"]]
    other = judged(LATE, "aware @ 2026-01-01")
    assert other[["verdict", "reason"]].to_numpy().tolist() == [["not evaluated", "no event 'report due'"]]
    assert columns.TABLES["schedule"] == tuple(table.columns)


def test_what_has_not_happened_yet_is_not_done():
    table = judged(LATE, "report due @ 2026-01-15", "report received @ 2026-02-01", as_of=date(2026, 1, 20))
    assert table["verdict"].tolist() == ["due"]
    assert table["done"].isna().all()
    at_noon = judged(NOTICE, "aware @ 2026-05-20 14:00", as_of=datetime(2026, 5, 21, 14, 1), over=over_at())
    assert at_noon["verdict"].tolist() == ["late"]


def test_events_that_nothing_uses_are_named():
    sheet = pd.DataFrame({"facility": ["Acme", "Acmee"], "event": ["raport due", "report due"], "date": "2026-01-15"})
    found = schedule.strangers([pack(LATE)], pd.DataFrame({"facility": ["Acme"]}), sheet)
    assert found["message"].tolist() == [
        "events name 'Acmee', who is no user; did you mean 'Acme'?",
        "no rule in force uses the event 'raport due'; did you mean 'report due'?",
    ]


@pytest.mark.parametrize(
    ("sheet", "where"),
    [
        ({"event": ["aware"], "date": ["soon"]}, "events, row 2, date"),
        ({"event": ["aware"], "date": ["2026-13-01"]}, "events, row 2, date"),
        ({"event": ["storm event"], "date": ["2026-01-01"], "amount": ["much"]}, "events, row 2, amount"),
        ({"event": ["aware"]}, "events"),
    ],
)
def test_bad_events_are_named_with_their_row(sheet, where):
    given_sheet = pd.DataFrame(sheet).assign(facility="Acme")
    with pytest.raises(UsageError) as caught:
        schedule.judge([pack(LATE)], pd.DataFrame(), given_sheet, NO_RESULTS, as_of="2026-01-01")
    assert caught.value.where == where
    assert caught.value.todo


@given(
    st.dates(date(2000, 1, 1), date(2100, 1, 1)),
    st.integers(1, 400),
    st.sampled_from(["days", "weeks", "months", "years"]),
)
@settings(max_examples=200, deadline=None)
def test_law_a_due_date_moves_with_its_start_and_never_past_the_months_end(start, count, unit):
    day = np.array([start], dtype="datetime64[s]")
    span = say.Span(min(count, 90) if unit == "years" else count, unit)
    end = say.add(day, span)
    assert end > day
    if unit in ("days", "weeks"):
        assert (end - day).astype("timedelta64[D]").astype(int) == span.count * (7 if unit == "weeks" else 1)
    else:
        months = end.astype("datetime64[M]") - day.astype("datetime64[M]")
        assert months.astype(int) == span.count * (12 if unit == "years" else 1)
        assert end[0].astype("datetime64[D]").astype(date).day <= start.day
    assert say.add(day + np.timedelta64(86400, "s"), span) >= end


@given(st.integers(-5, 5))
@settings(max_examples=11, deadline=None)
def test_law_done_by_the_due_date_is_met_and_after_it_late(shift):
    received = date(2026, 3, 1).toordinal() + shift
    table = judged(LATE, "report due @ 2026-01-15", f"report received @ {date.fromordinal(received)}")
    assert table["verdict"].item() == ("met" if shift <= 0 else "late")


def test_thousands_of_users_and_events_take_no_time():
    people = [f"User {number}" for number in range(2300)]
    days = pd.date_range("2024-01-15", periods=12, freq="MS")
    sheet = pd.DataFrame(
        {"facility": np.repeat(people, 24), "event": np.tile(["report due", "report received"], 27600)}
    )
    sheet["date"] = np.tile(np.repeat(days.to_pydatetime(), 2), 2300)
    table = schedule.judge([pack(LATE)], pd.DataFrame({"facility": people}), sheet, NO_RESULTS, as_of="2026-01-01")
    assert len(table) == 27600
    assert set(table["verdict"]) == {"met"}


def test_a_plant_is_no_user():
    people = pd.DataFrame({"facility": ["Acme", "Town plant"], "point": ["end of pipe", "plant influent"]})
    over = pd.concat([over_at(), over_at(parameter="Temperature").assign(facility="Town plant")])
    table = judged(NOTICE, "aware @ 2026-05-20 14:00", users=people, over=over)
    assert table["facility"].tolist() == ["Acme"]


def test_whom_no_visit_reached():
    visits = {"subject": "interceptor inspection", "rule": "at least 4 times a year", "who": "authority"}
    people = pd.DataFrame({"facility": ["Acme", "Bell"], "food": ["yes", "yes"]})
    happened = [f"interceptor inspection @ 2025-0{month}-01" for month in (1, 3, 5, 7)]
    table = judged({**visits, "when": {"food": condition("yes")}}, *happened, users=people, as_of="2026-01-01")
    last_year = table[table["due"].dt.year == 2025]
    assert dict(zip(last_year["facility"], last_year["verdict"], strict=True)) == {"Acme": "met", "Bell": "late"}


def test_the_authority_itself_owes_once_and_not_for_each_user():
    rule = {"subject": "publication", "rule": "at least once a year", "who": "authority"}
    sheet = pd.DataFrame({"facility": [""], "event": ["publication"], "date": ["2025-03-01"]})
    people = pd.DataFrame({"facility": ["Acme", "Bell"]})
    table = schedule.judge([pack(rule)], people, sheet, NO_RESULTS, as_of="2025-12-31")
    assert table[["facility", "verdict"]].to_numpy().tolist() == [["", "met"]]


def test_samples_that_the_authority_took_count_as_its_visits():
    rule = {
        "subject": "authority sampling", "rule": "at least once a year", "who": "authority",
        "when": {"class": condition("SIU")},
    }  # fmt: skip
    people = pd.DataFrame({"facility": ["Acme", "Bell"], "class": ["CIU", "SIU"]})
    results = taken("2025-05-10T09:00|Copper|authority", "2025-06-10T09:00|Copper|user")
    table = schedule.judge([pack(rule)], people, None, results, as_of="2026-01-01")
    last_year = table[table["due"].dt.year == 2025]
    assert dict(zip(last_year["facility"], last_year["verdict"], strict=True)) == {"Acme": "met", "Bell": "late"}


def test_the_bundled_federal_rules_give_d20_and_d22():
    """D-20 and D-22 (cases.md) through federal/403 itself."""
    from pretreat import packs

    sheet = pd.DataFrame(
        {
            "facility": "Acme",
            "event": ["report due", "report received", "aware", "notice", "resampling results"],
            "date": ["2026-01-15", "2026-03-02", "2026-05-20 14:00", "2026-05-21 14:00", "2026-06-20"],
        }
    )
    results = taken("2026-05-01T09:00|Copper|user")
    people = pd.DataFrame({"facility": ["Acme"]})
    table = schedule.judge(packs.load("federal/403"), people, sheet, results, as_of="2026-07-01", exceedances=over_at())
    mine = table[table["facility"] == "Acme"].set_index("cite")
    assert mine.loc["40 CFR 403.8(f)(2)(viii)(F)", ["due", "verdict"]].astype(str).tolist() == [
        "2026-03-01 00:00:00",
        "late",
    ]
    follow = mine.loc["40 CFR 403.12(g)(2)"]
    assert follow["due"].astype(str).tolist() == ["2026-05-21 14:00:00", "2026-06-19 00:00:00"]
    assert follow["verdict"].tolist() == ["met", "late"]


def test_nothing_follows_from_no_exceedance():
    none = columns.empty("exceedances")
    assert judged(NOTICE, "aware @ 2026-05-20 14:00", over=none).empty
    assert schedule.judge([pack(NOTICE)], pd.DataFrame(), None, NO_RESULTS, as_of="2026-01-01", exceedances=none).empty


def test_spellings_of_users_and_parameters():
    sheet = pd.DataFrame(
        {"facility": ["ACME "], "event": ["Became aware"], "date": ["05/20/2026 2:00 PM"], "parameter": "Cu"}
    )
    people = pd.DataFrame({"facility": ["Acme"]})
    table = schedule.judge([pack(NOTICE)], people, sheet, NO_RESULTS, as_of="2026-05-20", exceedances=over_at())
    assert verdicts(table) == [("2026-05-21 14:00", "due")]
    assert schedule.strangers([pack(NOTICE)], people, sheet).empty


@pytest.mark.parametrize(
    ("told", "late"),
    [
        ("2026-05-21 14:01", "1 minute late"),
        ("2026-05-21 16:30", "2 hours 30 minutes late"),
        ("2026-05-22 13:59", "23 hours 59 minutes late"),
        ("2026-05-22 14:00", "1 day late"),
        ("2026-05-24 08:00", "3 days late"),
        ("2026-05-22", "1 day late"),
    ],
)
def test_how_late_a_notice_is(told, late):
    """One minute late was `hours late`."""
    table = judged(NOTICE, "aware @ 2026-05-20 14:00", f"notice @ {told}", over=over_at())
    assert table["verdict"].item() == "late"
    assert table["reason"].item().partition(";")[0] == late


def test_a_date_is_late_by_days():
    table = judged(LATE, "report due @ 2026-01-15", "report received @ 2026-03-02 00:05")
    assert table["reason"].item().startswith("1 day late")
