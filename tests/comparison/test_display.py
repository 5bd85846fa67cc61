"""How a comparison is shown: as text, as HTML, as a data frame, as a picture."""

from html.parser import HTMLParser

import numpy as np
import pytest

from backbench import Comparison, compare
from backbench.comparison import Cell
from backbench.number_formats import format_output, format_seconds
from backbench.plot import plot_comparison

NAN, INF = float("nan"), float("inf")


def relative_change(b, x):
    return b.div(b.sub(b.add(1, x), 1), x)


@pytest.fixture(scope="module")
def scalar() -> Comparison:
    return compare(relative_change, 1e-4, backends=["numpy", "sympy"])


@pytest.fixture(scope="module")
def arrays() -> Comparison:
    x = np.linspace(0.1, 1.7, 6).reshape(2, 3)
    return compare(lambda b, x: (b.exp(x), b.sum(x)), x, backends=["numpy", "sympy"], precisions=(16, 64))


def test_the_text_is_a_table_with_one_line_for_each_cell(scalar):
    title, _, head, *rows, _, note = repr(scalar).splitlines()
    assert title == "relative_change: error against 50 digits, 1.0"
    assert head.split() == ["backend", "precision", "type", "value", "largest", "error", "in", "ulp", "time"]
    assert [row.split()[0] for row in rows] == ["numpy"] * 3 + ["sympy"]
    assert rows[0].split()[:6] == ["numpy", "16", "bits", "float16", "0", "1.0e+00"]
    assert rows[0].split()[6] == "1.0e3"
    assert rows[3].split()[:5] == ["sympy", "exact", "exact", "1", "0"]
    assert "not counted" in note


def test_arrays_are_shortened_and_the_worst_element_is_shown(arrays):
    cell = arrays["numpy", 16]
    line = repr(arrays).splitlines()[3]
    assert "((2, 3) [1.10" in line and ", …], 5.4)" in line
    number = int(np.argmax([error.max() for error in cell.ulp_error]))
    worst = cell.value[number].flat[int(np.argmax(cell.ulp_error[number]))]
    assert f"worst: output {number}" in line and f" {format_output(worst)}  " in line


def test_a_nan_is_the_worst_element():
    found = compare(lambda b, x: b.sub(b.exp(x), b.exp(x)), [1.0, 1e5, 2.0, 3.0], backends="numpy", precisions=32)
    assert "worst: [1] NaN" in repr(found)


def test_exact_numbers_are_fractions_or_decimals():
    def shown(f, *x):
        return repr(compare(f, *x, backends="sympy")).splitlines()[3].split("exact")[2].split("  ")[1].strip()

    assert shown(lambda b, x: b.div(x, 3), 1) == "1/3"
    assert shown(lambda b, x: b.exp(x), 1) == "≈ 2.718281828459045"
    assert shown(lambda b, x: b.mul(x, 1), 0.1) == "≈ 0.1"
    assert shown(lambda b, x: b.exp(x), [1, 1000, -np.inf]) == "[2.71828, > 1e308, 0]"


def test_a_long_reason_is_wrapped():
    found = compare(lambda b, x: b.argmax(x), [1.0, 2.0], backends=["numpy", "sympy"], reference="numpy")
    assert max(map(len, repr(found).splitlines())) <= 110


class Outline(HTMLParser):
    """Tags with their attributes, and the texts of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_html_is_a_table_that_can_be_read_aloud(scalar):
    outline = Outline(scalar._repr_html_())
    assert outline.open == []
    tags = [tag for tag, _ in outline.tags]
    assert tags.count("caption") == 1 and tags.count("tr") == 5 and "script" not in tags
    scopes = [attributes["scope"] for tag, attributes in outline.tags if tag == "th"]
    assert scopes == ["col"] * 7 + ["row"] * 4
    assert "var(--jp-ui-font-color1" in scalar._repr_html_()


def test_names_and_reasons_are_escaped():
    error = ValueError("<b>bold</b> & more")
    cells = (Cell("numpy", 32, error=error),)
    html = Comparison("<script>", cells, np.array(1.0, object), "50 digits")._repr_html_()
    assert "<script>" not in html and "&lt;b&gt;bold&lt;/b&gt; &amp; more" in html
    assert Outline(html).open == []


def test_the_data_frame_has_a_row_for_each_cell(scalar):
    table = scalar.to_dataframe()
    assert table[["backend", "precision"]].values.tolist() == [[cell.backend, cell.precision] for cell in scalar.cells]
    assert table["max_ulp_error"].tolist() == [cell.max_ulp_error for cell in scalar.cells]
    assert (table["seconds"] > 0).all() and (table["reason"] == "").all()

    failed = compare(lambda b, x: b.argmax(x), [1.0, 2.0], precisions=(None, 32), reference="numpy").to_dataframe()
    row = failed[failed["backend"] == "sympy"].iloc[0]
    assert "argmax" in row["reason"] and np.isnan(row["max_absolute_error"]) and row["value"] is None
    assert failed["precision"].tolist()[:2] == [None, 32]


def test_the_picture_shows_all_errors_and_says_its_unit(scalar):
    axes = scalar.plot().axes[0]
    assert (axes.get_ylabel(), axes.get_yscale()) == ("largest error (ulp)", "log")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["16 bits", "32 bits", "64 bits", "exact"]
    heights = {float(line.get_ydata()[0]) for line in axes.lines if len(line.get_ydata())}
    assert {cell.max_ulp_error for cell in scalar.cells} == heights
    with pytest.raises(ValueError, match="'ulp' or 'absolute', not 'relative'"):
        scalar.plot("relative")


def test_what_has_no_place_on_the_axis_is_named_at_its_edges():
    errors = {"numpy": {"16 bits": NAN, "32 bits": 0.0, "64 bits": 0.3}, "jax": {"16 bits": INF, "32 bits": None}}
    figure = plot_comparison(errors, "error", "title")
    words = [text.get_text() for text in figure.axes[0].texts]
    assert words == ["NaN", "0", "inf", "cannot run"]
    markers = {line.get_marker() for line in figure.axes[0].lines}
    assert len(markers) == 2  # no one depends on the colour
    low, high = figure.axes[0].get_ylim()
    assert low <= 0.03 and high >= 3
    assert figure.to_png().startswith(b"\x89PNG")


@pytest.mark.parametrize("errors", [[0.0, 0.0], [NAN, NAN], [5e-324, 1.7e308], [1e-199, 1e199], []])
def test_every_error_can_be_drawn(errors):
    figure = plot_comparison({"numpy": {str(place): error for place, error in enumerate(errors)}}, "error", "title")
    assert figure.to_png().startswith(b"\x89PNG")


def test_numbers_are_as_short_as_they_can_be():
    assert format_output(np.float32(1e30)) == "1e+30"
    assert format_output(np.float16(0.001)) == "0.001"
    assert [format_seconds(seconds) for seconds in (999.6e-6, 0.9996, 999e-6)] == ["1 ms", "1 s", "999 µs"]
