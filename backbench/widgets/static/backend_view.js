// The page of BackendBar.

function render({ model, el }) {
  const send = (name, value) => {
    model.set(name, value);
    model.save_changes();
    kernel.asked();
  };
  const controls = backendControls({
    onBackend: (name) => send("backend", name),
    onPrecision: (value) => send("precision", value === "exact" ? value : Number(value)),
    onDevice: (name) => send("device", name),
  });
  const box = h("input", { type: "checkbox" });
  box.addEventListener("change", () => send("for_cells", box.checked));
  const forCells = h("label", { class: "bb-for-cells", title: "Makes this the default backend and precision of all cells" },
    box, "Also for the cells");
  controls.row.append(forCells);
  const alert = errorPanel();
  const notice = h("p", { class: "bb-notice", role: "alert" });
  const summary = h("p", { class: "bb-unseen", role: "status" });
  const all = h("fieldset", {}, controls.row, controls.alert);
  el.classList.add("bb-view");
  el.append(all, notice, alert.node, summary);

  const choice = ["backends", "backend", "precision", "device", "alert"];
  const shows = [
    [choice, () => controls.show(Object.fromEntries(choice.map((name) => [name, model.get(name)])))],
    [["for_cells"], () => (box.checked = model.get("for_cells"))],
    [["summary"], () => (summary.textContent = model.get("summary"))],
    [["error"], () => alert.show(model.get("error"))],
  ];
  for (const [names, show] of shows) {
    model.on(names.map((name) => `change:${name}`).join(" "), show);
    show();
  }
  const kernel = watchKernel(model, model.get("layout"), (sentence, gone) => {
    all.disabled = gone;
    notice.hidden = !sentence;
    notice.textContent = sentence;
  });
  const freeKeys = keepKeys(el);
  return () => {
    freeKeys();
    kernel.free();
  };
}

export default { render };
