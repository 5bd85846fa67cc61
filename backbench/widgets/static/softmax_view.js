// The page of SoftmaxView. Python holds the state and computes every number and text; this draws them in place.

const PRECISIONS = [16, 32, 64];
const FORMULATIONS = ["plain", "shifted", "pairwise"];
const RANGE = 10; // of the sliders, either side of 0
const CHART = { width: 640, height: 170, left: 34, right: 8, top: 12, bottom: 24 };
const CROWDED = 12; // units from which the chart shows the chosen precision alone

/** The value of a text that certainly is a number, as the model keeps it: infinities and NaN as text. */
function plainNumber(text) {
  const word = text.trim().toLowerCase();
  if (/^([-+]?inf|nan)$/.test(word)) return word.replace("+", "");
  return /^[-+]?\d+(\.\d*)?(e[-+]?\d+)?$/.test(word) && Number.isFinite(Number(word)) ? Number(word) : null;
}

/** One line of the inputs: name, slider, text field, and a place for a complaint. */
function inputRow(unit, act) {
  const name = `x_${unit}`;
  const complaint = h("span", { class: "bb-complaint", id: freshId(), role: "alert" });
  const slider = h("input", { type: "range", min: -RANGE, max: RANGE, step: 0.1, "aria-label": `${name}, slider` });
  const field = h("input", {
    type: "text", class: "bb-field", "aria-label": `${name}, number`, "aria-describedby": complaint.id,
    autocomplete: "off", spellcheck: "false",
  });
  let typing = false; // what someone is typing stays until they press Enter or leave the field
  field.addEventListener("input", () => (typing = true));
  slider.addEventListener("input", () => {
    field.value = slider.value;
    act.slide(unit, Number(slider.value));
  });
  onCommit(field, (text) => {
    typing = false;
    act.type(unit, text);
  });
  const label = h("span", { class: "bb-name", "aria-hidden": "true" }, "x", h("sub", {}, String(unit)));
  const node = h("div", { class: "bb-row", role: "group", "aria-label": `Input ${name}` }, label, slider, field, complaint);
  return {
    node,
    show(value) {
      const number = Number(String(value).replace("inf", "Infinity"));
      const outside = !(Math.abs(number) <= RANGE);
      slider.value = Number.isNaN(number) ? 0 : Math.max(-RANGE, Math.min(RANGE, number));
      slider.classList.toggle("bb-outside", outside);
      setAll(slider, { "aria-valuetext": outside ? `${value}, outside the slider` : String(value) });
      if (!typing) field.value = value;
    },
    complain(text) {
      complaint.textContent = text ?? "";
      setAll(field, { "aria-invalid": text ? "true" : "false" });
    },
  };
}

/** Numbers side by side: one line a unit, one column a precision, errors under each value. */
function numberTable() {
  const heads = PRECISIONS.map((bits) => h("th", { scope: "col" }, h("span", { class: `bb-key bb-key-${bits}` }), `float${bits}`));
  const body = h("tbody");
  const caption = h("caption", {}, "Under each value: its absolute error, and its error in units in the last place (ulp). Exact: from 50 digits.");
  const header = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "input"), h("th", { scope: "col" }, "exact"), ...heads));
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
    PRECISIONS.forEach((bits, i) => {
      heads[i].classList.toggle("bb-chosen", bits === precision);
      setAll(heads[i], { "aria-current": bits === precision && "true" });
    });
    rows.forEach((row, unit) => {
      row.input.textContent = inputs[unit];
      row.exact.textContent = exact[unit];
      for (const { bits, node: cell, value, absolute, ulp } of row.cells) {
        const column = columns[bits];
        value.textContent = column.value[unit];
        absolute.textContent = column.absolute[unit];
        ulp.textContent = `${column.ulp[unit]} ulp`;
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
  const stem = (bits, x, y) =>
    svg("g", { class: `bb-stem bb-stem-${bits}` }, ...(y === null
      ? [svg("path", { class: "bb-cross", d: `M${x - 4} ${base - 10}l8 8m0 -8l-8 8` })]
      : [svg("line", { x1: x, x2: x, y1: base, y2: y }), MARKERS[bits](x, y)]));

  const show = ({ heights, inputs, precision, summary }) => {
    const count = inputs.length;
    const step = (width - left - right) / count;
    const shown = count < CROWDED ? PRECISIONS : [precision];
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
        marks.push(svg("line", { class: "bb-exact", x1: middle - reach, x2: middle + reach, y1: y, y2: y }));
      }
      shown.forEach((bits, i) => marks.push(stem(bits, middle + (i - (shown.length - 1) / 2) * reach * 0.75, yOf(heights[bits][unit]))));
      if (unit % labelEvery === 0) marks.push(svg("text", { class: "bb-tick", x: middle, y: height - 8, "text-anchor": "middle" }, String(unit)));
    }
    picture.replaceChildren(...marks);
    setAll(picture, { "aria-label": `Outputs by unit. ${summary}`, class: count < CROWDED ? null : "bb-crowded" });
  };
  return { node: h("div", { class: "bb-chart" }, picture, legend), show };
}

function render({ model, el }) {
  const send = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const replaced = (unit, value) => model.get("values").map((old, i) => (i === unit ? value : old));
  const act = {
    slide: (unit, value) => send("values", replaced(unit, value)),
    // Python reads what was typed. A plain number is also kept here at once: a slider that is moved before the answer
    // sends all values, and must not send the old one of this unit.
    type: (unit, text) => {
      const value = plainNumber(text);
      if (value !== null) model.set("values", replaced(unit, value));
      model.send({ unit, text });
    },
  };

  // --- the parts, from top to bottom
  const unitsComplaint = h("span", { class: "bb-complaint", id: freshId(), role: "alert" });
  const units = h("input", { type: "number", min: 2, max: 64, class: "bb-field", "aria-describedby": unitsComplaint.id });
  onCommit(units, (text) => model.send({ units: Math.trunc(Number(text)) }));
  const formulation = segments("Formulation", FORMULATIONS.map((value) => ({ value, label: value })), (value) => send("formulation", value));
  const precision = segments("Precision", PRECISIONS.map((value) => ({ value, label: `float${value}` })), (value) => send("precision", Number(value)));
  const recipe = codeBlock("Python that gives this state");
  const showCode = h("button", { type: "button", class: "bb-button", "aria-expanded": "false" }, "Show code");
  showCode.addEventListener("click", () => {
    recipe.node.hidden = !recipe.node.hidden;
    setAll(showCode, { "aria-expanded": String(!recipe.node.hidden) });
  });
  recipe.node.hidden = true;
  const bar = h("div", { class: "bb-bar" },
    h("label", { class: "bb-units" }, h("span", {}, "Units"), units, unitsComplaint), formulation.node, precision.node, showCode);

  const rows = h("div", { class: "bb-rows bb-scroll" });
  const inputs = h("fieldset", { class: "bb-inputs" }, h("legend", {}, "Inputs"), rows);
  const alert = errorPanel();

  const entry = h("select", { "aria-label": "Formula to show" });
  entry.addEventListener("change", () => send("entry", entry.value === "" ? null : Number(entry.value)));
  const formula = h("div", { class: "bb-formula bb-scroll", tabindex: "0", role: "region", "aria-label": "Formulas" });
  const table = numberTable();
  const chart = outputChart();
  const main = h("div", { class: "bb-main" },
    h("section", {}, h("div", { class: "bb-head" }, h("h4", {}, "Formulas"), entry), formula),
    h("section", {}, h("div", { class: "bb-head" }, h("h4", {}, "Numbers")), table.node, chart.node));

  const summary = h("p", { class: "bb-summary", role: "status", "aria-live": "polite" });
  const story = h("ul", { class: "bb-story" });
  const result = h("div", { class: "bb-result bb-scroll", tabindex: "0", role: "region", "aria-label": "What happened" }, summary, story);
  const source = codeBlock("Generated Python");
  el.classList.add("bb-view");
  el.append(bar, recipe.node, alert.node, inputs, main, result, source.node);

  // --- what is shown follows the model
  let inputRows = [];
  const showValues = () => {
    const values = model.get("values");
    if (inputRows.length !== values.length) {
      inputRows = values.map((_, unit) => inputRow(unit, act));
      rows.replaceChildren(...inputRows.map((row) => row.node));
      const names = values.map((_, unit) => h("option", { value: unit }, `entry ${unit}`));
      entry.replaceChildren(h("option", { value: "" }, "whole program"), ...names);
      showEntry();
    }
    values.forEach((value, unit) => inputRows[unit].show(value));
    units.value = values.length;
  };
  const showEntry = () => (entry.value = model.get("entry") ?? "");
  const showComplaints = () => {
    const complaints = model.get("complaints");
    const values = model.get("values");
    inputRows.forEach((row, unit) => {
      row.complain(complaints[unit]);
      if (!complaints[unit]) row.show(values[unit]); // instead of the text that was complained about
    });
    unitsComplaint.textContent = complaints.units ?? "";
    setAll(units, { "aria-invalid": complaints.units ? "true" : "false" });
  };
  const showDrawing = () => {
    const drawing = model.get("drawing");
    if (!drawing.inputs) return; // the first computation failed: the error panel says why
    table.show(drawing);
    chart.show(drawing);
    summary.textContent = drawing.summary;
    story.replaceChildren(...drawing.story.map((sentence) => h("li", {}, sentence)));
  };
  const shows = {
    values: showValues,
    entry: showEntry,
    formulation: () => formulation.choose(model.get("formulation")),
    precision: () => precision.choose(model.get("precision")),
    complaints: showComplaints,
    drawing: showDrawing,
    source: () => source.show(model.get("source")),
    code: () => recipe.show(model.get("code")),
    error: () => alert.show(model.get("error")),
  };
  for (const [name, show] of Object.entries(shows)) {
    model.on(`change:${name}`, show);
    show();
  }
  const freeKeys = keepKeys(el);
  const placed = placeWidget(model, model.get("formula"), formula);
  return async () => {
    freeKeys();
    (await placed)();
  };
}

export default { render };
