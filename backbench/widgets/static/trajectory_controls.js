// The controls of TrajectoryView: what is solved, how, and from where. All of them ask the kernel.

const LOG_CONDITION = { min: 0, max: 6, step: 0.05 }; // of the slider: powers of ten
const TRAJECTORY_FIELDS = {
  x0_0: { name: "start x₁", label: "Start, x₁" },
  x0_1: { name: "start x₂", label: "Start, x₂" },
  max_iter: { name: "max. iterations", label: "Max. iterations" },
  condition: { name: "condition number", label: "Condition number" },
};

function trajectoryControls(noticeId, act) {
  const fields = {};
  for (const [key, { name }] of Object.entries(TRAJECTORY_FIELDS)) {
    const attributes = { type: "text", inputmode: key === "max_iter" ? "numeric" : "decimal", spellcheck: "false", "aria-label": name, "data-field": key };
    fields[key] = heldField(attributes, noticeId, {
      send: (text) => act.tell({ field: key, text }),
      withdraw: () => act.tell({ withdraw: key }),
    });
  }
  const labelled = (text, ...nodes) => h("label", { class: "bb-labelled" }, h("span", {}, text), ...nodes);
  const problem = h("select");
  problem.addEventListener("change", () => act.set("problem", problem.value));
  const boxes = h("div", { class: "bb-boxes" });
  const methods = h("fieldset", { class: "bb-methods" }, h("legend", {}, "Methods"), boxes);
  const slider = h("input", { type: "range", "aria-label": "Condition number, slider", ...LOG_CONDITION });
  slider.addEventListener("input", () => {
    const value = Number((10 ** Number(slider.value)).toPrecision(3));
    fields.condition.replace(value);
    act.set("condition", value);
  });
  const condition = h("div", { class: "bb-labelled", role: "group", "aria-label": "Condition number" },
    h("span", {}, "Condition number"), h("div", { class: "bb-pair" }, slider, fields.condition.node));
  const start = h("div", { class: "bb-labelled", role: "group", "aria-label": "Start point" },
    h("span", {}, "Start x₁, x₂"), h("div", { class: "bb-pair" }, fields.x0_0.node, fields.x0_1.node));
  const row = h("div", { class: "bb-line" }, labelled("Problem", problem), methods, start,
    labelled("Max. iterations", fields.max_iter.node), condition);

  const backend = backendControls({
    onBackend: (name) => act.set("backend", name),
    onPrecision: (value) => act.set("precision", value === "exact" ? value : Number(value)),
    onDevice: (name) => act.set("device", name),
  });
  const node = h("fieldset", { class: "bb-controls", "aria-label": "What is solved" }, row, backend.node);

  let offered = "";
  const showProblem = (problems, name, chosen) => {
    if (problem.childElementCount !== problems.length) {
      problem.replaceChildren(...problems.map((one) => h("option", { value: one.name }, one.label)));
    }
    problem.value = name;
    const known = problems.find((one) => one.name === name);
    if (!known) return;
    const field = known.kind === "field";
    start.hidden = field;
    condition.hidden = !known.has_condition;
    if (offered !== known.methods.join()) {
      offered = known.methods.join();
      boxes.replaceChildren(...known.methods.map((method) => {
        const box = h("input", { type: "checkbox", value: method });
        box.addEventListener("change", () => {
          const checked = [...boxes.querySelectorAll("input")].filter((one) => one.checked);
          act.set("methods", checked.map((one) => one.value));
        });
        return h("label", {}, box, method);
      }));
    }
    boxes.querySelectorAll("input").forEach((box) => (box.checked = chosen.includes(box.value)));
  };
  return {
    node,
    fields,
    backend,
    showProblem,
    showCondition(value) {
      slider.value = Math.log10(value);
      setAll(slider, { "aria-valuetext": shortNumber(value) });
      fields.condition.show(value);
    },
    complain: (complaints) => Object.entries(fields).forEach(([key, field]) => field.complain(complaints[key])),
  };
}
