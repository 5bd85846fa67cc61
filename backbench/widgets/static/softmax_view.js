// The page of SoftmaxView. Python holds the state and computes every number and text; this draws them in place.

const FORMULATIONS = ["plain", "shifted", "pairwise"];

async function render({ model, el }) {
  const child = await childModel(model, "formula");
  const send = (name, value) => {
    model.set(name, value);
    model.save_changes();
    kernel.asked();
  };
  const tell = (message) => {
    kernel.asked();
    model.send(message);
  };
  const replaced = (unit, value) => model.get("values").map((old, i) => (i === unit ? value : old));
  const act = {
    slide: (unit, value) => send("values", replaced(unit, value)),
    // Python reads what was typed. A plain number is also kept here at once: a slider that is moved before the answer
    // sends all values, and must not send the old one of this unit.
    type: (unit, text) => {
      const value = plainNumber(text);
      if (value !== null) model.set("values", replaced(unit, value));
      tell({ unit, text });
    },
    resize: (text) => tell({ units: text }),
    withdraw: (field) => tell({ withdraw: field }),
  };

  // --- the parts, from top to bottom
  const notice = h("p", { class: "bb-notice", id: freshId(), role: "alert" });
  const units = unitsField(notice.id, act);
  const formulation = segments("Formulation", FORMULATIONS.map((value) => ({ value, label: value })), (value) => send("formulation", value));
  const backend = backendControls({
    onBackend: (name) => send("backend", name),
    onPrecision: (value) => send("precision", value === "exact" ? value : Number(value)),
    onDevice: (name) => send("device", name),
  });
  const recipe = codeBlock("Python that opens this view");
  const showCode = h("button", { type: "button", class: "bb-button bb-wide", "aria-expanded": "false" }, "Code for this view");
  showCode.addEventListener("click", () => {
    recipe.node.hidden = !recipe.node.hidden;
    showCode.textContent = recipe.node.hidden ? "Code for this view" : "Hide code";
    setAll(showCode, { "aria-expanded": String(!recipe.node.hidden) });
  });
  recipe.node.hidden = true;
  const bar = h("div", { class: "bb-bar" },
    h("label", { class: "bb-units" }, h("span", {}, "Units"), units.node), formulation.node, backend.row, backend.alert, showCode);

  const rows = h("div", { class: "bb-rows bb-scroll" });
  const inputs = h("div", { class: "bb-inputs", role: "group", "aria-label": "Inputs" }, h("h4", {}, "Inputs"), notice, rows);
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
      inputRows.splice(values.length).forEach((row) => row.node.remove());
      while (inputRows.length < values.length) inputRows.push(inputRow(inputRows.length, notice.id, act));
      rows.append(...inputRows.slice(rows.childElementCount).map((row) => row.node));
      const names = values.map((_, unit) => h("option", { value: unit }, `entry ${unit}`));
      entry.replaceChildren(h("option", { value: "" }, "whole program"), ...names);
      showEntry();
    }
    values.forEach((value, unit) => inputRows[unit].show(value));
    units.show(values.length);
  };
  const showEntry = () => (entry.value = model.get("entry") ?? "");
  const showComplaints = () => {
    const complaints = model.get("complaints");
    inputRows.forEach((row, unit) => row.field.complain(complaints[unit]));
    units.complain(complaints.units);
    showNotice();
  };
  let notAnswering = "";
  // One place for all that is to be said: about the kernel, else about the field with the focus, else about the first.
  const showNotice = () => {
    const complaints = model.get("complaints");
    const focused = el.contains(document.activeElement) && document.activeElement.dataset.field;
    const field = focused in complaints ? focused : Object.keys(complaints)[0];
    const complaint = field && `${field === "units" ? "Units" : `x_${field}`}: ${complaints[field]}`;
    const text = notAnswering || complaint || "";
    if (notice.textContent !== text) notice.textContent = text; // said once by a screen reader
  };
  el.addEventListener("focusin", showNotice);
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
  const choice = ["backends", "backend", "precision", "device", "alert"];
  const showBackend = () => backend.show(Object.fromEntries(choice.map((name) => [name, model.get(name)])));
  model.on(choice.map((name) => `change:${name}`).join(" "), showBackend);
  showBackend();
  model.on("msg:custom", ({ answered }) => {
    if ("units" in answered) units.answered(answered.units);
    else if ("text" in answered) inputRows[answered.unit]?.field.answered(answered.text);
  });
  const kernel = watchKernel(model, child, (sentence, gone) => {
    notAnswering = sentence;
    el.querySelectorAll("input, select").forEach((control) => (control.disabled = gone));
    if (!gone) showBackend(); // which knows the precisions that do not apply
    showNotice();
  });
  const freeKeys = keepKeys(el);
  const placed = placeWidget(child, formula);
  return async () => {
    freeKeys();
    kernel.free();
    (await placed)();
  };
}

export default { render };
