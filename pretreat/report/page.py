"""The page: one self-contained HTML file that prints, needs no network and no mouse, and explains every verdict."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from pretreat import parameters
from pretreat.errors import PretreatError
from pretreat.report import advice, content, rules_sheet, series, summary_sheet, svg, wording

if TYPE_CHECKING:
    from pretreat.report import Reviewed

EXPLAINED: Final = ("results", "comparisons", "slugs", "snc", "limits")
"""The tables that an explanation looks at."""
NOT_TEXT: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
Explain = Callable[[content.Tables, str], str]

MOST_FINDINGS: Final = 100
MOST_EXPLAINED: Final = 700_000
"""Characters of explanations on the page; further findings are explained by `pretreat explain`."""
MOST_DRAWN: Final = 500_000
"""Characters of figures."""
MOST_FIGURES: Final = 120
MOST_USERS: Final = 150
"""Rows of the heat map."""
MOST_ROWS: Final = 100
"""Rows of the tables at the end."""


def write(review: Reviewed, path: Path) -> None:
    """Write the page of a review.

    Parameters
    ----------
    review : Reviewed
        The tables, the provenance and the checklist.
    path : Path
        The file to write; the folder exists.
    """
    path.write_text(render(review), encoding="utf-8", newline="\n")


def render(review: Reviewed, explain: Explain | None = None) -> str:
    """Return the page as text.

    Parameters
    ----------
    review : Reviewed
        The tables, the provenance and the checklist.
    explain : callable, optional
        Returns the explanation of one id from the tables; `pretreat.explain.explain` unless given.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> page = render(SimpleNamespace(tables={}, provenance={}, checklist=pd.DataFrame()))
    >>> page.startswith("<!doctype html>")
    True
    """
    tables, provenance = content.plain(review), review.provenance
    comparisons = content.table(tables, "comparisons")
    over = content.with_also(content.table(tables, "exceedances"), comparisons)
    doubtful = content.for_people(content.table(tables, "undetermined"), "undetermined")
    unjudged = content.for_people(comparisons, "not evaluated")
    slugs, snc = _over_the_level(content.table(tables, "slugs")), _concerned(content.table(tables, "snc"))
    told = [*(listed.head(MOST_FINDINGS) for listed in (over, doubtful, unjudged)), slugs, snc]
    users = {user for listed in told for user in listed["facility"].tolist()}
    words = Words(tables, users, explain, provenance.get("settings"))
    cells, reasons = content.unanswered(content.table(tables, "not_evaluated"))
    outside = int(provenance.get("outside_period") or 0)
    text = _template().render(
        under=summary_sheet.described(provenance),
        numbers=content.headline(tables),
        nothing_over=advice.nothing_over(provenance),
        over=_groups(over, "exceeds", provenance),
        over_last=content.last_column(provenance),
        over_listed=words.findings(over),
        doubtful=_groups(content.with_why(doubtful), "undetermined"),
        doubtful_listed=words.findings(doubtful),
        unjudged_listed=words.findings(unjudged),
        under_rules=_under_rules(tables),
        heat=_heat(content.matrix(tables)),
        figures=_figures(tables),
        slugs=_slugs(tables, slugs, words, series.longest(provenance)),
        snc=_snc(snc, words),
        cells=[
            (wording.place(each.facility, each.outfall), each.parameter, each.reasons, each.n)
            for each in content.rows(cells)
        ],
        reasons=content.rows(reasons),
        steps=advice.next_steps(tables, outside),
        remarks=summary_sheet.remarks(tables, provenance),
        plain=[_plain(tables, *spec) for spec in PLAIN],
        checklist=_checklist(review.checklist),
        provenance=_provenance(provenance),
        wording=wording,
        most=MOST_ROWS,
    )
    return NOT_TEXT.sub("\ufffd", text)


@functools.cache
def _template() -> Template:
    """Return the page's template, made once: a report of each user asks for it once a user."""
    environment = Environment(
        loader=PackageLoader("pretreat", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")


class Words:
    """The explanations of findings, as long as there is room; all of them by one explainer.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        The tables of a review.
    users : iterable of str
        Whose findings are explained: a long table of very many users is not looked through for a few of them.
    explain : callable, optional
        As `render` takes it.
    settings : mapping, optional
        The settings in use, as the provenance has them.
    """

    def __init__(
        self,
        tables: content.Tables,
        users: Iterable[str],
        explain: Explain | None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._tables, self._users, self._room = tables, set(users), MOST_EXPLAINED
        self._given, self._settings = explain, settings

    def findings(self, listed: pd.DataFrame) -> dict[str, Any]:
        """Return comparisons by user, each with its line and its explanation, and how many are left out."""
        users: dict[str, list[dict[str, str]]] = {}
        for each in content.rows(listed.head(MOST_FINDINGS)):
            line = {
                "verdict": each.verdict,
                "what": f"{wording.substance(each.parameter, each.fraction)}, {each.statistic}",
                "when": wording.span(each.period_start, each.period_end),
                "found": wording.found(each),
                "permitted": wording.permitted(each),
                "cite": each.cite,
                "over": "" if pd.isna(each.percent_over) else f"{each.percent_over:.0f} % over",
                "id": each.comparison_id,
                "explained": self.of(each.comparison_id),
            }
            users.setdefault(wording.place(each.facility, each.outfall), []).append(line)
        return {"users": users, "left": max(0, len(listed) - MOST_FINDINGS)}

    def of(self, finding: str) -> str:
        """Return the explanation of one id, `""` where there is no more room."""
        if self._room <= 0:
            return ""
        try:
            said = self._explain(finding)
        except PretreatError as error:
            said = str(error)
        self._room -= len(said)
        return said

    @functools.cached_property
    def _explain(self) -> Callable[[str], str]:
        tables = {}
        for name in (name for name in EXPLAINED if name in self._tables):
            mine = self._tables[name]["facility"].isin(self._users).to_numpy()
            tables[name] = self._tables[name] if mine.all() else self._tables[name][mine]
        if self._given is not None:
            return functools.partial(self._given, tables)
        from pretreat.explain.steps import Explainer  # noqa: PLC0415 - only a page with findings needs it

        return Explainer(tables, self._settings).explain


def _groups(listed: pd.DataFrame, verdict: str, provenance: Any = None) -> list[dict[str, str]]:
    groups = content.with_since(content.grouped(listed).head(MOST_FINDINGS), provenance or {})
    return [
        {
            "user": wording.place(each.facility, each.outfall),
            "parameter": wording.substance(each.parameter, each.fraction),
            "statistic": each.statistic,
            "times": f"{each.times:,}",
            "when": wording.span(each.period_start, each.period_end),
            "found": wording.found(each),
            "permitted": wording.permitted(each),
            "over": "" if pd.isna(each.percent_over) else f"{each.percent_over:.0f} %",
            "cite": each.cite,
            "also": each.also,
            "verdict": verdict,
        }
        for each in content.rows(groups)
    ]


def _under_rules(tables: content.Tables) -> dict[str, Any]:
    listed, rules = rules_sheet.under_rules(tables)
    lines = [
        {
            "user": wording.place(each.facility, each.outfall),
            "what": f"{wording.substance(each.parameter, each.fraction)}, {each.statistic}",
            "when": wording.span(each.period_start, each.period_end),
            "changes": each.changes == "yes",
        }
        for each in content.rows(listed.head(MOST_ROWS))
    ]
    verdicts = listed[rules].head(MOST_ROWS).to_numpy().tolist()
    return {
        "rules": rules,
        "said": rules_sheet.said(listed),
        "lines": list(zip(lines, verdicts, strict=True)),
        "left": max(0, len(listed) - MOST_ROWS),
    }


def _heat(cells: pd.DataFrame) -> dict[str, Any]:
    """Return the heat map of what has results: parameters across, users down; the worst users where not all fit."""
    judged = cells[(cells["verdict"] != "no results").to_numpy()]
    reached = cells["parameter"].isin(set(judged["parameter"])) & cells["facility"].isin(set(judged["facility"]))
    cells = cells[reached.to_numpy()]
    ranked = cells.assign(rank=cells["verdict"].map(content.RANK).astype("int64"))
    places = ranked.groupby(["facility", "outfall"], sort=True)["rank"].agg(["min", "size"]).reset_index()
    places = places.sort_values(["min", "facility", "outfall"], kind="stable")
    shown = set(zip(places["facility"].head(MOST_USERS), places["outfall"].head(MOST_USERS), strict=True))
    parameters = sorted(cells["parameter"].unique(), key=str.casefold)
    lines: dict[tuple[str, str], dict[str, Any]] = {place: {} for place in sorted(shown)}
    for each in content.rows(cells):
        if (each.facility, each.outfall) in lines:
            count = f" {each.n:,}" if each.verdict in {"exceeds", "undetermined"} else ""
            word = wording.plural(each.n, "limit") if each.verdict == "no results" else f"{each.n:,}"
            lines[each.facility, each.outfall][each.parameter] = (each.verdict, count, f"{each.verdict}, {word}")
    rows = [(wording.place(*place), [line.get(parameter) for parameter in parameters]) for place, line in lines.items()]
    return {"parameters": parameters, "rows": rows, "left": max(0, len(places) - MOST_USERS)}


def _figures(tables: content.Tables) -> dict[str, Any]:
    """Return a figure of each exceeded parameter, then of each undetermined one, by user, as long as there is room."""
    keys = list(dict.fromkeys([*series.exceeded(tables), *series.exceeded(tables, ["undetermined"])]))
    users: dict[str, list[tuple[str, Markup]]] = {}
    room, left = MOST_DRAWN, max(0, len(keys) - MOST_FIGURES)
    for i, chart in enumerate(series.notable(series.charts(tables, keys[:MOST_FIGURES]))):
        drawn = svg.chart(chart, f"f{i}") if room > 0 else ""
        room -= len(drawn)
        if drawn:
            place = wording.place(chart.key.facility, chart.key.outfall)
            title = wording.substance(chart.key.parameter, chart.key.fraction)
            if chart.unit and chart.unit != parameters.get(chart.key.parameter).unit:  # such as pounds a day
                title += f" [{wording.units(chart.unit)}]"
            users.setdefault(place, []).append((title, Markup(drawn)))  # noqa: S704 - svg escapes text
        else:
            left += 1
    return {"users": dict(sorted(users.items())), "left": left}


def _over_the_level(slugs: pd.DataFrame) -> pd.DataFrame:
    return slugs[slugs["verdict"].isin(["exceeds", "undetermined"]).to_numpy()].head(MOST_ROWS)


def _slugs(tables: content.Tables, listed: pd.DataFrame, words: Words, longest: float) -> list[dict[str, Any]]:
    slugs = content.table(tables, "slugs")
    readings = series.readings(tables, listed)
    shown = []
    for i, each in enumerate(content.rows(listed)):
        times, values = series.around(readings, each)
        mine = slugs[((slugs["facility"] == each.facility) & (slugs["parameter"] == each.parameter)).to_numpy()]
        drawn = (
            svg.hydrograph(times, values, each, f"h{i}", mine[mine["slug_id"] != each.slug_id], longest)
            if len(times) > 1
            else ""
        )
        least, most = wording.number(each.minutes_low), wording.number(each.minutes_high)
        peak = wording.measured(each.peak, each.peak, each.unit)
        shown.append(
            {
                "verdict": each.verdict,
                "user": wording.place(each.facility, each.outfall),
                "what": f"{each.parameter}, {wording.moment(each.start)}",
                "minutes": f"{least} to {most} minutes",
                "peak": f"peak {peak}, baseline {wording.number(each.baseline)}",
                "cite": each.cite,
                "reason": each.reason,
                "figure": Markup(drawn),  # noqa: S704 - svg escapes text
                "explained": words.of(each.slug_id),
            }
        )
    return shown


def _concerned(snc: pd.DataFrame) -> pd.DataFrame:
    concerned = snc["snc"].isin(["yes", "undetermined"]) & (snc["significant_user"] != "no")
    return snc[concerned.to_numpy()].head(MOST_ROWS)


def _snc(listed: pd.DataFrame, words: Words) -> list[dict[str, Any]]:
    return [
        {
            "user": wording.place(each.facility, each.outfall),
            "unknown": each.significant_user == "unknown",
            "what": f"{each.parameter}, {each.statistic}",
            "window": wording.span(each.window_start, each.window_end),
            "n": each.n,
            "over": _between(each.n_over_low, each.n_over_high),
            "trc_over": _between(each.n_trc_low, each.n_trc_high),
            "chronic": each.chronic,
            "trc": each.trc,
            "snc": each.snc,
            "verdict": {"yes": "exceeds"}.get(each.snc, "undetermined"),
            "cite": each.limit_cite,
            "explained": words.of(each.snc_id),
        }
        for each in content.rows(listed)
    ]


def _between(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


CELL: Final = {"source_file": "File", "source_sheet": "Sheet", "source_cell": "Cell"}
PLAIN: Final = (
    ("set_aside", "Set aside", {**CELL, "text": "Text", "reason": "Reason", "message": "What to do"}),
    (
        "findings",
        "Findings",
        {"code": "Finding", "facility": "User", "parameter": "Parameter", "message": "What was noticed"},
    ),
    (
        "schedule",
        "Schedule",
        {"verdict": "Verdict", "facility": "User", "subject": "Duty", "due": "Due", "done": "Done", "cite": "Section"},
    ),
)


def _plain(tables: content.Tables, name: str, title: str, names: dict[str, str]) -> dict[str, Any]:
    frame = content.table(tables, name)
    shown = frame.head(MOST_ROWS)
    cells = [
        [wording.moment(v) for v in shown[c]] if shown[c].dtype.kind == "M" else shown[c].astype(str) for c in names
    ]
    return {
        "name": name,
        "title": title,
        "heads": list(names.values()),
        "rows": list(zip(*cells, strict=True)),
        "n": len(frame),
    }


def _checklist(checklist: pd.DataFrame) -> list[tuple[str, ...]]:
    names = ["pack", "cite", "subject", "printed"]
    return [tuple(row) for row in checklist.reindex(columns=names, fill_value="").astype(str).itertuples(index=False)]


def _provenance(provenance: Any) -> list[tuple[str, str, str]]:
    rows = [(name, "", str(provenance[name])) for name in ("version", "as_of", "period") if provenance.get(name)]
    for pack in provenance.get("packs", ()):
        about = (str(pack[key]) for key in ("title", "cite", "text_state") if pack.get(key))
        rows.append(("limits", str(pack.get("name", "")), "; ".join(about)))
    for kind in ("options", "settings", "assumed"):
        rows += [(kind, str(name), str(value)) for name, value in dict(provenance.get(kind) or {}).items()]
    inputs: Iterable[Any] = provenance.get("inputs", ())
    return rows + [("input (SHA-256)", str(name), str(digest)) for name, digest in inputs]
