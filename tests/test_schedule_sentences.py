"""The seven sentences: each rule of the five ordinances and of 403 is exactly one of them."""

from __future__ import annotations

import pytest

from pretreat.schedule import sentences as say
from pretreat.schedule.sentences import Span, Unless


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("within 90 days of official notice", say.Within(Span(90, "days"), ("official notice",))),
        ("Within one year of  issue.", say.Within(Span(1, "years"), ("issue",))),
        ("within 30 days of transfer or sale", say.Within(Span(30, "days"), ("transfer", "sale"))),
        (
            "within 90 days of sewer available or official notice, whichever is later",
            say.Within(Span(90, "days"), ("sewer available", "official notice"), "later"),
        ),
        (
            "within 24 hours of storm event of 0.5 inch or more",
            say.Within(Span(24, "hours"), ("storm event of 0.5 inch or more",)),
        ),
        (
            "at least 10 days before property transfer unless tank pumped and inspected within the past 1 year",
            say.Before(Span(10, "days"), "property transfer", (Unless("tank pumped and inspected", Span(1, "years")),)),
        ),
        ("not before inspection", say.NotBefore(None, "inspection")),
        ("not before 5 years after installation", say.NotBefore(Span(5, "years"), "installation")),
        ("every 7 days", say.Every(Span(7, "days"), Span(7, "days"))),
        ("every month", say.Every(Span(1, "months"), Span(1, "months"))),
        ("every 3 years to 5 years", say.Every(Span(3, "years"), Span(5, "years"))),
        ("every three to five years", say.Every(Span(3, "years"), Span(5, "years"))),
        ("at least 4 times a year", say.TimesAYear(4, 12)),
        ("at least twice a year", say.TimesAYear(2, 12)),
        ("at least once per half year", say.TimesAYear(1, 6)),
        ("for 1 year from permit issued", say.For(Span(1, "years"), "permit issued")),
        ("by connection", say.By("connection")),
        (
            "within late_report_days days of report due",
            say.Within(Span("late_report_days", "days"), ("report due",)),
        ),
    ],
)
def test_each_form(text, meant):
    assert say.parse(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon after notice",
        "within 90 of notice",
        "within ninety-odd days of notice",
        "within 0 days of notice",
        "at most 4 times a year",
        "at least many times a year",
        "every 5 to 3 years",
        "90 days",
        "before transfer",
    ],
)
def test_what_is_no_sentence_is_refused_with_what_can_be_written(text):
    with pytest.raises(ValueError, match=r"none of the seven|no count|no number|backwards"):
        say.parse(text)


def test_names():
    assert say.names(say.parse("every 7 days from start until end unless winter")) == ("start", "end", "winter")
