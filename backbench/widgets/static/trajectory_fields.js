// The pictures of a field in TrajectoryView: the solution and its residual, each with its own colour scale.

const POSITIVE = [213, 94, 0]; // Okabe and Ito's vermilion and blue; zero is the paper, so that both themes need no more
const NEGATIVE = [0, 114, 210];

/** One square with a title above and a scale with numbers below. */
function fieldSquare(title) {
  const canvas = h("canvas", { role: "img" });
  const name = h("span", {}, title);
  const low = h("span");
  const high = h("span");
  const scale = h("div", { class: "bb-colours", "aria-hidden": "true" }, low, h("span", { class: "bb-gradient" }), high);
  const node = h("figure", { class: "bb-square" }, h("figcaption", {}, name), canvas, scale);
  const show = (values, size, most, text) => {
    if (canvas.width !== size) canvas.width = canvas.height = size;
    const context = canvas.getContext("2d");
    const image = context.createImageData(size, size);
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        const value = values[(size - 1 - row) * size + column]; // the second coordinate grows upwards
        const known = Number.isFinite(value);
        const strength = known ? Math.min(1, Math.abs(value) / most) : 0.6;
        image.data.set([...(known ? (value < 0 ? NEGATIVE : POSITIVE) : [128, 128, 128]), 255 * strength], 4 * (row * size + column));
      }
    }
    context.putImageData(image, 0, 0);
    low.textContent = minusSign(`-${shortNumber(most)}`);
    high.textContent = shortNumber(most);
    setAll(canvas, { "aria-label": text });
  };
  return { node, show, call: (text) => (name.textContent = text) };
}

const largest = (values) => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);

/** Field and residual of one run at one step. */
function fieldPictures() {
  const solution = fieldSquare("");
  const residual = fieldSquare("");
  const node = h("div", { class: "bb-picture bb-squares" }, solution.node, residual.node);
  let scene = null;
  const step = (at) => {
    if (scene) scene.step = at;
    const run = scene?.chosen;
    node.classList.toggle("bb-empty", !run);
    if (!run) return;
    const { size, field_range: range } = scene.landscape;
    const cells = size * size;
    const first = 2 * cells * (run.start + Math.min(at, run.states - 1));
    const x = scene.fields.subarray(first, first + cells);
    const r = scene.fields.subarray(first + cells, first + 2 * cells);
    // The field keeps its scale. The residual shrinks by many powers of ten, so its scale follows, in whole powers.
    const biggest = largest(r);
    solution.show(x, size, Math.max(...range.map(Math.abs)) || 1, `Solution u of ${run.label}, largest size ${shortNumber(largest(x))}`);
    residual.show(r, size, biggest > 0 ? 10 ** Math.ceil(Math.log10(biggest)) : 1, `Residual of ${run.label}, largest size ${shortNumber(biggest)}`);
  };
  return {
    node,
    step,
    show(shown) {
      scene = shown;
      solution.call(`Solution u${shown.chosen ? `, ${shown.chosen.label}` : ""}`);
      residual.call(`Residual ${shown.landscape.residual_label.replaceAll("‖", "")}`);
      step(shown.step);
    },
  };
}
