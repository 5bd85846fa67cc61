// The numbers of SoftmaxView: the table and the chart.

const CHART = { width: 640, height: 170, left: 34, right: 8, top: 12, bottom: 24 };
const MISSING = { value: [], absolute: [], ulp: [] }; // the backend has no such floats
const CROWDED = 12; // units from which the chart shows the chosen precision alone

/** Numbers side by side: one line a unit, one column a precision, errors under each value. */
function numberTable() {
  const heads = PRECISIONS.map((bits) => h("th", { scope: "col" }, h("span", { class: `bb-key bb-key-${bits}` }), `float${bits}`));
  const body = h("tbody");
  const caption = h("caption", {}, "Under each value: its absolute error, and its error in units in the last place (ulp). Exact: from 50 digits.");
  const exactHead = h("th", { scope: "col" }, "exact");
  const header = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "input"), exactHead, ...heads));
  const node = h("div", { class: "bb-table bb-scroll", tabindex: "0", role: "region", "aria-label": "Outputs and errors" },
    h("table", {}, caption, h("colgroup", {}, ...Array.from({ length: 5 }, () => h("col"))), header, body));
  let rows = [];

  const newRow = (unit) => {
    const input = h("span", { class: "bb-value" });
    const exact = h("td", { class: "bb-value" });
    const cells = PRECISIONS.map((bits) => {
      const value = h("span", { class: "bb-value" });
      const absolute = h("span");
      const ulp = h("span");
      const errors = h("span", { class: "bb-errors" }, absolute, ulp);
      return { bits, node: h("td", {}, value, errors), value, absolute, ulp };
    });
    const head = h("th", { scope: "row" }, h("span", { class: "bb-name" }, "x", h("sub", {}, String(unit))), input);
    return { node: h("tr", {}, head, exact, ...cells.map((cell) => cell.node)), input, exact, cells };
  };

  const show = ({ inputs, exact, columns, precision }) => {
    if (rows.length !== inputs.length) {
      rows = inputs.map((_, unit) => newRow(unit));
      body.replaceChildren(...rows.map((row) => row.node));
    }
    [...PRECISIONS, "exact"].forEach((choice, i) => {
      const head = heads[i] ?? exactHead;
      head.classList.toggle("bb-chosen", choice === precision);
      setAll(head, { "aria-current": choice === precision && "true" });
    });
    rows.forEach((row, unit) => {
      row.input.textContent = row.input.title = inputs[unit];
      row.exact.textContent = exact[unit];
      row.exact.classList.toggle("bb-chosen", precision === "exact");
      for (const { bits, node: cell, value, absolute, ulp } of row.cells) {
        const column = columns[bits] ?? MISSING;
        value.textContent = column.value[unit] ?? "–";
        absolute.textContent = column.absolute[unit] ?? "";
        ulp.textContent = column.ulp[unit] ?? "";
        cell.classList.toggle("bb-chosen", bits === precision);
        cell.classList.toggle("bb-lost", column.absolute[unit] === "NaN");
      }
    });
  };
  return { node, show };
}

// Colour, marker and dash say the same, so that none of them is needed.
const MARKERS = {
  16: (x, y) => svg("path", { d: `M${x} ${y - 5}l5 9h-10z` }),
  32: (x, y) => svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }),
  64: (x, y) => svg("circle", { cx: x, cy: y, r: 4.5 }),
};

/** The outputs as stems, one a precision; the exact value is the level line across them. */
function outputChart() {
  const { width, height, left, right, top, bottom } = CHART;
  const base = height - bottom;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  const legend = h("p", { class: "bb-legend", "aria-hidden": "true" },
    ...PRECISIONS.map((bits) => h("span", {}, h("span", { class: `bb-key bb-key-${bits}` }), `float${bits}`)),
    h("span", {}, h("span", { class: "bb-key bb-key-exact" }), "exact"), h("span", {}, "× NaN"));

  // A cross on the base line stands for NaN.
  const stem = (bits, x, y, isChosen) =>
    svg("g", { class: `bb-stem bb-stem-${bits}${isChosen ? " bb-chosen" : ""}` }, ...(y === null
      ? [svg("path", { class: "bb-cross", d: `M${x - 4} ${base - 10}l8 8m0 -8l-8 8` })]
      : [svg("line", { x1: x, x2: x, y1: base, y2: y }), MARKERS[bits](x, y)]));

  const show = ({ heights, inputs, precision, summary }) => {
    const count = inputs.length;
    const step = (width - left - right) / count;
    const shown = PRECISIONS.filter((bits) => heights[bits] && (count < CROWDED || bits === precision));
    const labelEvery = Math.ceil(count / 16);
    // Few steps in scale, so that it seldom changes: many units have small outputs.
    const tallest = Math.max(...Object.values(heights).flat());
    const ceiling = [0.1, 0.2, 0.5, 1].find((value) => value >= tallest) ?? 1;
    const yOf = (value) => (value === null ? null : base - (value / ceiling) * (base - top));
    const marks = [0, ceiling / 2, ceiling].map((value) => svg("g", { class: "bb-axis" },
      svg("line", { x1: left, x2: width - right, y1: yOf(value), y2: yOf(value) }),
      svg("text", { x: left - 6, y: yOf(value) + 4, "text-anchor": "end" }, String(value))));
    for (let unit = 0; unit < count; unit++) {
      const middle = left + (unit + 0.5) * step;
      const reach = Math.min(0.4 * step, 60);
      if (heights.exact[unit] !== null) {
        const y = yOf(heights.exact[unit]);
        marks.push(svg("line", { class: `bb-exact${precision === "exact" ? " bb-chosen" : ""}`, x1: middle - reach, x2: middle + reach, y1: y, y2: y }));
      }
      shown.forEach((bits, i) => marks.push(stem(bits, middle + (i - (shown.length - 1) / 2) * reach * 0.75, yOf(heights[bits][unit]), bits === precision)));
      if (unit % labelEvery === 0) marks.push(svg("text", { class: "bb-tick", x: middle, y: height - 8, "text-anchor": "middle" }, String(unit)));
    }
    picture.replaceChildren(...marks);
    setAll(picture, { "aria-label": `Outputs by unit. ${summary}`, class: count < CROWDED ? null : "bb-crowded" });
  };
  return { node: h("div", { class: "bb-chart" }, picture, legend), show };
}
