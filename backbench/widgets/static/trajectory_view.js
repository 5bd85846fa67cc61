// The page of TrajectoryView. Python solves; what it sends is stepped through here, without asking the kernel.

const STEP_DELAY = 200; // ms after the last step until Python is told of it
const LIVE_EVERY = 1000; // ms between two sentences to a screen reader while a film plays

async function render({ model, el }) {
  let gone = false;
  const act = {
    set(name, value) {
      model.set(name, value);
      model.save_changes();
      kernel.asked();
    },
    tell(message) {
      kernel.asked();
      model.send(message);
    },
  };

  // --- the parts, from top to bottom
  const notice = h("p", { class: "bb-notice", id: freshId(), role: "alert" });
  const controls = trajectoryControls(notice.id, act);
  const recipe = codeBlock("Python that opens this view");
  recipe.node.hidden = true;
  const button = (label, onClick, attributes = {}) => {
    const node = h("button", { type: "button", class: "bb-button", ...attributes }, label);
    node.addEventListener("click", onClick);
    return node;
  };
  const showCode = button("Code for this view", () => {
    recipe.node.hidden = !recipe.node.hidden;
    showRecipe();
    showCode.textContent = recipe.node.hidden ? "Code for this view" : "Hide code";
    setAll(showCode, { "aria-expanded": String(!recipe.node.hidden) });
  }, { class: "bb-button bb-wide", "aria-expanded": "false" });
  const showRecipe = () => recipe.node.hidden || recipe.show(model.get("code")); // each step changes it: not unseen
  const keep = button("Keep these runs", () => act.tell({ keep: true }));
  const clear = button("Clear kept runs", () => act.tell({ clear: true }));
  const stop = button("Stop", () => act.tell({ stop: true }), { disabled: true });
  const meter = h("progress", { max: 1, "aria-label": "Solving" });
  const progress = h("span", { class: "bb-progress" });
  const doing = h("div", { class: "bb-doing" }, keep, clear, stop, meter, progress, showCode);
  const alert = errorPanel();
  const formula = h("p", { class: "bb-formula-line" });

  const plane = planePicture((x0) => act.set("x0", x0));
  const field = fieldPictures();
  const chart = measureChart();
  const pictures = h("div", { class: "bb-pictures" }, plane.node, field.node, chart.node);
  const live = h("p", { class: "bb-live", "aria-live": "polite" });
  let playing = false;
  const bar = stepBar((step, atEnd) => {
    showStep(step);
    told = atEnd ? -1 : step;
    clearTimeout(telling);
    telling = setTimeout(tellStep, STEP_DELAY);
  }, (now) => {
    playing = now;
    pictures.classList.toggle("bb-playing", now);
    if (!now) say();
  });
  const table = runTable((id) => choose(id), (id) => act.tell({ remove: id }));
  el.classList.add("bb-view", "bb-trajectory");
  el.append(controls.node, notice, doing, recipe.node, alert.node, formula, pictures, bar.node, live, table.node);

  // --- stepping
  let scene = null;
  let chosenId = null;
  let step = 0;
  let told = model.get("step");
  let telling = null;
  const tellStep = () => {
    telling = null;
    if (!gone && told !== model.get("step")) act.set("step", told);
  };
  /** Show a step that Python has set; the page's own are on the screen already. */
  const takeStep = () => {
    if (!scene || telling !== null || model.get("step") === told) return;
    told = model.get("step");
    showStep(bar.show(told, scene.states));
  };
  let spoken = 0;
  const say = () => {
    spoken = performance.now();
    live.textContent = sentence();
  };
  const sentence = () => {
    const run = scene?.chosen;
    if (!run) return "";
    const at = Math.min(step, run.states - 1);
    const [, , f, norm] = scene.measures.subarray(4 * (run.start + at), 4 * (run.start + at) + 4);
    const where = scene.paths.length ? ` at (${[0, 1].map((i) => shortNumber(scene.paths[2 * (run.start + at) + i])).join(", ")})` : "";
    const ended = step > at ? `, which ended at step ${at},` : "";
    const parts = [`${run.label}${ended}${where}`];
    if (!Number.isNaN(f)) parts.push(`f = ${shortNumber(f)}`);
    if (!Number.isNaN(norm)) parts.push(`${scene.landscape.residual_label} = ${shortNumber(norm)}`);
    return `Step ${step} of ${scene.states - 1}: ${parts.join(", ")}`;
  };
  const showStep = (wanted) => {
    step = wanted;
    picture().step(step);
    chart.step(step);
    if (!playing || performance.now() - spoken > LIVE_EVERY) say();
  };
  const picture = () => (scene?.landscape.kind === "field" ? field : plane);

  // --- what is shown follows the model
  const choose = (id) => {
    chosenId = id;
    scene.chosen = chosenRun();
    table.show(scene.runs, chosenId);
    if (scene.landscape.kind === "field") field.show(scene);
    chart.step(step);
    say();
  };
  const chosenRun = () => {
    const runs = scene.runs;
    const run = runs.find(({ id }) => id === chosenId) ?? runs.find(({ ran, kept }) => ran && !kept) ?? runs.find(({ ran }) => ran);
    chosenId = run?.id ?? null;
    return run?.ran ? run : null;
  };
  const redraw = () => {
    const landscape = model.get("landscape");
    if (!landscape.kind) return; // nothing solved yet, or the first attempt failed: the error panel says why
    bar.halt();
    const runs = model.get("runs");
    const isField = landscape.kind === "field";
    scene = {
      landscape,
      runs,
      states: Math.max(1, ...runs.filter(({ ran }) => ran).map(({ states }) => states)),
      contours: floatsOf(model.get("contours"), Float32Array),
      paths: isField ? new Float32Array() : floatsOf(model.get("paths"), Float32Array),
      measures: floatsOf(model.get("measures"), Float64Array),
      fields: isField ? floatsOf(model.get("fields"), Float32Array) : new Float32Array(),
      measureLabel: isField ? landscape.residual_label : landscape.loss_label,
    };
    scene.chosen = chosenRun();
    const done = runs.filter(({ ran }) => ran).map((run) => `${run.label}: ${run.word} after ${run.iterations} iterations`).join("; ");
    scene.summary = `Contour lines of ${landscape.formula}, and the ways of the runs. ${done}.`;
    scene.chartSummary = `${scene.measureLabel} over the iterations, logarithmic. ${done}.`;
    step = scene.step = bar.show(telling === null ? model.get("step") : told, scene.states);
    plane.node.hidden = isField;
    field.node.hidden = !isField;
    pictures.classList.toggle("bb-fields", isField);
    formula.textContent = landscape.formula;
    picture().show(scene);
    chart.show(scene);
    table.show(runs, chosenId);
    clear.disabled = gone || !runs.some(({ kept }) => kept);
    keep.disabled = gone || !runs.some(({ kept }) => !kept);
    say();
  };
  let notAnswering = "";
  // One place for all that is to be said: about the kernel, else about the field with the focus, else about the first.
  const showNotice = () => {
    const complaints = model.get("complaints");
    const focused = el.contains(document.activeElement) && document.activeElement.dataset.field;
    const key = focused in complaints ? focused : Object.keys(complaints)[0];
    const complaint = key && `${TRAJECTORY_FIELDS[key]?.label ?? "Keep these runs"}: ${complaints[key]}`;
    const text = notAnswering || complaint || "";
    if (notice.textContent !== text) notice.textContent = text; // said once by a screen reader
  };
  el.addEventListener("focusin", showNotice);
  const showProgress = () => {
    const { text = "", fraction } = model.get("progress");
    const solving = text !== "";
    if (progress.textContent !== text) progress.textContent = text;
    meter.style.visibility = solving ? "" : "hidden";
    setAll(meter, { value: fraction });
    // Without the focus a key would reach the notebook.
    if (!solving && document.activeElement === stop) keep.focus();
    stop.disabled = gone || !solving;
  };
  const showProblem = () => controls.showProblem(model.get("problems"), model.get("problem"), model.get("methods"));
  const showBackend = () =>
    controls.backend.show(Object.fromEntries(["backends", "backend", "precision", "device", "alert"].map((name) => [name, model.get(name)])));
  const showStart = () => {
    const x0 = model.get("x0");
    plane.start(x0);
    x0.forEach((value, i) => controls.fields[`x0_${i}`].show(value));
  };
  const shows = [
    [["problems", "problem", "methods"], showProblem],
    [["backends", "backend", "precision", "device", "alert"], showBackend],
    [["condition"], () => controls.showCondition(model.get("condition"))],
    [["x0"], showStart],
    [["max_iter"], () => controls.fields.max_iter.show(model.get("max_iter"))],
    [["complaints"], () => {
      controls.complain(model.get("complaints"));
      showNotice();
    }],
    [["drawn"], redraw],
    [["progress"], showProgress],
    [["code"], showRecipe],
    [["error"], () => alert.show(model.get("error"))],
    [["step"], takeStep],
  ];
  for (const [names, show] of shows) {
    names.forEach((name) => model.on(`change:${name}`, show));
    show();
  }
  model.on("msg:custom", ({ answered }) => {
    if (answered && "text" in answered) controls.fields[answered.field].answered(answered.text);
  });
  // Every widget has a layout, and that is a widget inside this one.
  const kernel = watchKernel(model, model.get("layout"), (said, isGone) => {
    if (said === notAnswering && isGone === gone) return; // each answer of the kernel comes by here
    notAnswering = said;
    gone = isGone;
    controls.node.disabled = keep.disabled = clear.disabled = gone;
    plane.allow(!gone);
    table.allow(!gone);
    showProgress();
    showNotice();
  });
  const freeKeys = keepKeys(el);
  return () => {
    clearTimeout(telling);
    bar.halt();
    freeKeys();
    kernel.free();
    plane.free();
    chart.free();
  };
}

export default { render };
