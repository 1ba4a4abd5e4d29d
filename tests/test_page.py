"""The page: self-contained, valid, deterministic, every verdict explained; in a real browser by keyboard and with axe."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from browser import AXE, CHROMIUM, Browser
from made_review import DAIRY, PLATER, WASH, empty_review, made_review

from pretreat.report import page, series, svg

VOID = {"meta", "br", "link", "hr", "img", "input"}
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not on this machine (.ci/run installs it)")


@pytest.fixture(scope="module")
def review():
    return made_review()


@pytest.fixture(scope="module")
def text(review):
    return page.render(review)


@pytest.fixture(scope="module")
def path(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


class Tree(HTMLParser):
    """Checks that elements are nested and closed, and collects ids, links and what loads something."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.loads, self.tags = [], [], [], [], []
        self.text = text
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        self.loads += [name for name in ("src", "srcset", "data", "background") if name in given]
        assert not any(name.startswith("on") for name in given), given
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, tag
        assert self.open.pop() == tag, tag


def test_the_page_is_well_formed_with_unique_ids_and_links_that_lead_somewhere(text):
    tree = Tree(text)
    assert len(tree.ids) == len(set(tree.ids))
    assert {link[1:] for link in tree.links} <= set(tree.ids)
    assert all(link.startswith("#") for link in tree.links)


def test_the_page_loads_nothing_and_runs_nothing(text):
    tree = Tree(text)
    assert not tree.loads
    assert not {"script", "iframe", "object", "embed", "link", "base", "form"} & {tag for tag, _ in tree.tags}
    assert "default-src 'none'" in text
    assert not re.search(r"url\(|@import|//[a-z]+\.[a-z]", re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL))


def test_every_listed_verdict_unfolds_into_its_explanation(text, review):
    tables = review.tables
    ids = [*tables["exceedances"]["comparison_id"], *tables["undetermined"]["comparison_id"]]
    assert len(ids) == 22
    for each in ids:
        [explained] = re.findall(rf'<details id="{each}"><summary>.*?</summary>\s*<pre>(.*?)</pre>', text, re.DOTALL)
        assert each in explained
        assert "verdict: " in explained
    assert "slug s1" in text
    assert text.count("SNC row ") == 2


def test_the_summary_says_who_exceeded_what_when_by_how_much_under_which_section(text):
    row = next(row for row in re.findall(r"<tr>.*?</tr>", text) if "Zinc" in row and "24-hour" in row)
    said = re.sub(r"<[^>]+>", "|", row)
    for part in ("Oct 21, 2026", "2.7 mg/L", "at most 2.4 mg/L", "13 %", "§ 194-6C(8)", "40 CFR 433.17(a)"):
        assert part in said


def test_the_heat_map_has_a_sign_a_count_and_words_in_each_cell(text):
    heat = re.search(r'<table class="heat">.*?</table>', text, re.DOTALL).group()
    assert heat.count('scope="row"') == 3
    zinc = re.search(
        r'<td class="exceeds"><span aria-hidden="true">▲ 4</span><span class="sr">exceeds, 4</span></td>', heat
    )
    assert zinc
    for verdict in ("undetermined", "not-evaluated", "complies", "no-results"):
        assert f'<td class="{verdict}">' in heat


def test_every_exceeded_and_undetermined_parameter_has_a_figure_with_words(text):
    figures = re.findall(r"<figure>.*?</figure>", text, re.DOTALL)
    assert len(figures) == 12 + 2 + 1  # exceeded, undetermined, one hydrograph
    for figure in figures:
        assert 'role="img"' in figure
        assert re.search(r"<title id=.*?>.+?</title><desc id=.*?>.+?</desc>", figure)
    zinc = next(figure for figure in figures if ">Zinc<" in figure)
    assert zinc.count('class="over"') == 4
    assert zinc.count('class="limit"') == 2
    selenium = next(figure for figure in figures if ">Selenium<" in figure)
    assert 'class="doubt"' in selenium
    assert 'class="rings"' in selenium
    assert 'class="bars"' in selenium
    temperature = next(figure for figure in figures if ">Temperature<" in figure)
    assert 'class="band"' in temperature
    flow = next(figure for figure in figures if 'class="readings"' in figure)
    assert flow.count('class="run"') == 1  # the run of another day is not drawn at the edge


def test_tables_have_captions_and_headers_with_scope(text):
    for table in re.findall(r"<table.*?</table>", text, re.DOTALL):
        assert "<caption>" in table
        assert all('scope="' in head for head in re.findall(r"<th\b[^>]*>", table))


def test_text_of_the_input_is_never_markup(review):
    hostile = {PLATER: "<script>alert(1)</script>", DAIRY: '"><img src=x onerror=alert(1)>', WASH: "{{ 7 * 7 }}&amp;'"}
    tables = {
        name: frame.replace({"facility": hostile}) if "facility" in frame else frame.copy()
        for name, frame in review.tables.items()
    }
    for frame in tables.values():
        for column in {"message", "cite", "reason", "subject", "text"} & set(frame):
            frame[column] = "</pre></summary><svg onload=alert(1)>\x00\u2028" + frame[column].astype(str)
    tree = Tree(page.render(made_review(**tables), explain=lambda *_: "</pre><script>"))
    assert not {"script", "img"} & {tag for tag, _ in tree.tags}
    assert "\x00" not in tree.text


def test_the_same_review_gives_the_same_page(text, review):
    assert page.render(review) == text


def test_a_review_of_nothing_is_a_page_that_says_so():
    text = page.render(empty_review())
    Tree(text)
    assert "Nothing exceeds a limit." in text
    assert "Nothing is undetermined." in text


def test_the_page_stays_small_enough_to_mail(review):
    # 180 users with the plater's exceedances each: figures and explanations end where there is no more room, and the page says so.
    tables = {}
    for name, frame in review.tables.items():
        copies = []
        for i in range(180 if name in {"comparisons", "exceedances"} else 1):
            part = frame[frame["facility"] == PLATER] if "facility" in frame else frame
            part = part[part["verdict"] == "exceeds"] if name in {"comparisons", "exceedances"} else part
            copies.append(part.assign(facility=f"{PLATER} {i}") if "facility" in frame else part)
        tables[name] = pd.concat(copies, ignore_index=True)
    text = page.render(made_review(**tables))
    assert len(text.encode()) < 2_000_000
    assert "more figures would not fit" in text
    assert "more (Exceedances) in the tables" in text
    assert "more places with less to say" in text


def test_a_fault_of_an_explanation_is_said_in_its_place(review):
    lost = review.tables["exceedances"].assign(comparison_id="gone")
    assert "no comparison, slug or SNC row of this report has that id" in page.render(made_review(exceedances=lost))


@pytest.mark.parametrize(("low", "high"), [(0, 2.9), (5.1, 9.9), (0, 1e-5), (0, 123456), (-3, 3)])
def test_marks_of_an_axis_lie_between_its_ends(low, high):
    marks = svg.nice(low, high)
    assert 2 <= len(marks) <= 6
    assert all(low <= mark <= high for mark in marks)


def test_a_long_log_keeps_every_peak_and_stays_light():
    times = pd.Series(pd.date_range("2025-01-01", periods=525_600, freq="min"))
    values = pd.Series(0.03, index=times.index)
    values[300_001] = 9.0
    slug = type("Slug", (), {})()
    slug.start, slug.end, slug.baseline, slug.multiple = times[300_001], times[300_001], 0.03, 5.0
    slug.unit, slug.peak, slug.parameter, slug.facility, slug.outfall = "MGD", 9.0, "Flow", "A", ""
    drawn = svg.hydrograph(times, values, slug, "h")
    x, y = series.thin(times.to_numpy().astype("int64"), values.to_numpy(), 680)
    assert y.max() == 9.0
    assert len(x) <= 2 * 680
    assert len(drawn) < 40_000


def test_over_a_gap_no_line_is_drawn_and_a_reading_alone_is_a_dot():
    times = pd.Series(pd.to_datetime(["2026-10-19 12:00", "2026-10-19 12:05", "2026-10-19 14:13", "2026-10-19 16:00"]))
    values = pd.Series([0.05, 0.2, 0.2, 0.05])
    slug = type("Slug", (), {})()
    slug.start, slug.end, slug.baseline, slug.multiple = times[1], times[1], 0.03, 5.0
    slug.unit, slug.peak, slug.parameter, slug.facility, slug.outfall = "MGD", 0.2, "Flow", "A", ""
    path = re.search(r'class="readings" d="([^"]*)"', svg.hydrograph(times, values, slug, "h")).group(1)
    assert path.count("L") == 1
    assert path.count("h1.5") == 2
    joined = re.search(r'class="readings" d="([^"]*)"', svg.hydrograph(times, values, slug, "h", None, 10_000))
    assert joined.group(1).count("L") == 3


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@in_browser
def test_in_chromium_the_page_asks_for_nothing_and_complains_of_nothing(browser, path):
    browser.open(path)
    assert browser.requests() == [path.as_uri()]
    assert not [e for e in browser.events if e.get("method") in {"Log.entryAdded", "Runtime.exceptionThrown"}]


@in_browser
def test_in_chromium_a_verdict_unfolds_by_keyboard(browser, path):
    browser.open(path)
    summary = "document.querySelector('#each ~ details > summary')"
    assert browser.value(f"{summary}.parentElement.open") is False
    browser.press("Tab")
    assert browser.value("document.activeElement.className") == "skip"
    for _ in range(200):
        if browser.value(f"document.activeElement === {summary}"):
            break
        browser.press("Tab")
    browser.press("Enter")
    assert browser.value(f"{summary}.parentElement.open") is True
    assert "verdict: exceeds" in browser.value(f"{summary}.parentElement.innerText")


@in_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_in_chromium_nothing_is_wider_than_the_window(browser, path, width):
    browser.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.open(path)
    assert browser.value("document.documentElement.scrollWidth") <= width
    browser.send("Emulation.clearDeviceMetricsOverride")


@in_browser
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not in build/axe (.ci/run installs it)")
@pytest.mark.parametrize("unfolded", [False, True])
def test_axe_has_no_serious_finding(browser, path, unfolded):
    browser.send("Page.setBypassCSP", enabled=True)
    browser.open(path)
    if unfolded:
        browser.value("document.querySelectorAll('details').forEach(each => { each.open = true })")
    browser.value(AXE.read_text(encoding="utf-8"))
    found = browser.value(
        "axe.run().then(result => result.violations.map(v => [v.impact, v.id, v.nodes.map(n => n.html)]))"
    )
    assert [each for each in found if each[0] in {"serious", "critical"}] == []


@in_browser
def test_it_prints_on_letter_and_a4(browser, path):
    browser.open(path)
    for width, height in ((8.5, 11), (8.27, 11.69)):
        printed = browser.send("Page.printToPDF", paperWidth=width, paperHeight=height, preferCSSPageSize=False)
        assert len(printed["data"]) > 10_000
