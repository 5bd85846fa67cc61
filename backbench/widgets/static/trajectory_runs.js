// The table of TrajectoryView: what each run did, in numbers and in a sentence.

function runTable(onChoose, onRemove) {
  const body = h("tbody");
  const heads = ["Run", "Iterations", "Evaluations", "Status", "What happened"].map((text) => h("th", { scope: "col" }, text));
  const node = h("div", { class: "bb-runs bb-scroll", tabindex: "0", role: "region", "aria-label": "Runs" },
    h("table", {}, h("thead", {}, h("tr", {}, ...heads, h("th", {}, h("span", { class: "bb-unseen" }, "Remove")))), body));
  let rows = [];
  let allowed = true;

  const newRow = () => {
    const row = { run: null };
    const swatch = h("span");
    const label = h("span");
    const choose = h("button", { type: "button", class: "bb-choose" }, swatch, label);
    const cells = [h("td", { class: "bb-number" }), h("td", { class: "bb-number" }), h("td", { class: "bb-status" }), h("td", { class: "bb-sentence" })];
    const remove = h("button", { type: "button", class: "bb-button bb-remove" }, "×");
    const tr = h("tr", {}, h("th", { scope: "row" }, choose), ...cells, h("td", {}, remove));
    tr.addEventListener("click", () => onChoose(row.run.id));
    remove.addEventListener("click", (event) => {
      event.stopPropagation();
      onRemove(row.run.id);
    });
    const show = (run, chosen) => {
      if (row.run?.style !== run.style) swatch.replaceChildren(runSwatch(run.style));
      row.run = run;
      label.textContent = run.kept ? `${run.label} (kept)` : run.label;
      cells[0].textContent = run.ran ? run.iterations.toLocaleString("en") : "–";
      cells[1].textContent = run.ran ? run.evaluations.toLocaleString("en") : "–";
      cells[2].textContent = run.ran ? `${run.good ? "✓" : "!"} ${run.word}` : "– cannot run";
      cells[2].classList.toggle("bb-good", run.ran && run.good);
      cells[3].textContent = run.ran ? run.sentence : run.reason;
      remove.style.visibility = run.kept ? "" : "hidden";
      remove.disabled = !allowed;
      setAll(remove, { "aria-label": `Remove ${run.label}` });
      setAll(choose, { "aria-pressed": String(chosen) });
      tr.classList.toggle("bb-chosen", chosen);
    };
    return { node: tr, choose, remove, show };
  };

  const show = (runs, chosen) => {
    const hadFocus = node.contains(document.activeElement) && document.activeElement !== node;
    rows.splice(runs.length).forEach((row) => row.node.remove());
    while (rows.length < runs.length) rows.push(newRow());
    rows.forEach((row, i) => {
      row.show(runs[i], runs[i].id === chosen);
      if (!row.node.parentNode) body.append(row.node);
    });
    const lost = hadFocus && (!node.contains(document.activeElement) || document.activeElement.style.visibility === "hidden");
    if (lost) (rows.at(-1)?.choose ?? node).focus();
  };
  return {
    node,
    show,
    allow(may) {
      allowed = may;
      rows.forEach((row) => (row.remove.disabled = !may));
    },
  };
}
