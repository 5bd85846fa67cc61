// The chart of TrajectoryView: how far each run is from the end, on a logarithmic axis over its iterations.

const MEASURES = { height: 400, left: 58, right: 16, top: 28, bottom: 40 };
const MOST_DECADES = 9; // that are labelled

function measureChart() {
  const ground = svg("g", { "aria-hidden": "true" });
  const cursor = svg("line", { class: "bb-cursor" });
  const lines = svg("g");
  const picture = svg("svg", { role: "img" }, ground, cursor, lines);
  const node = h("div", { class: "bb-picture" }, picture);
  const { height, left, right, top, bottom } = MEASURES;
  const base = height - bottom;
  let width = 0;
  let scene = null;
  let drawn = [];
  let xOf = () => 0;

  const value = (run, state) => scene.measures[4 * (run.start + state) + 1];
  const iteration = (run, state) => scene.measures[4 * (run.start + state)];
  const draw = () => {
    if (!scene || !width) return;
    const runs = scene.runs.filter((run) => run.ran);
    let [low, high, last] = [Infinity, -Infinity, 1];
    for (const run of runs) {
      for (let i = 0; i < run.states; i++) {
        const exponent = Math.log10(value(run, i)); // NaN or an infinity for what has no place on the axis
        if (Number.isFinite(exponent)) [low, high] = [Math.min(low, exponent), Math.max(high, exponent)];
        last = Math.max(last, iteration(run, i));
      }
    }
    if (low > high) [low, high] = [-1, 0];
    low = Math.floor(low - 0.02);
    high = Math.max(low + 1, Math.ceil(high + 0.02));
    xOf = (at) => left + (at / last) * (width - left - right);
    const yOf = (exponent) => top + ((high - exponent) / (high - low)) * (base - top);
    const point = (run, i) => {
      const exponent = Math.log10(value(run, i));
      return Number.isFinite(exponent) ? [xOf(iteration(run, i)), yOf(exponent)] : null;
    };
    const decades = ticksBetween(low, high, MOST_DECADES, 1).map((exponent) => svg("g", { class: "bb-axis" },
      svg("path", { class: "bb-grid", d: `M${left} ${yOf(exponent)}H${width - right}` }),
      svg("text", { x: left - 8, y: yOf(exponent) + 4, "text-anchor": "end" }, powerOfTen(exponent))));
    const counts = ticksBetween(0, last, Math.max(4, width / 60), 1).map((count) => svg("g", { class: "bb-axis" },
      svg("path", { d: `M${xOf(count)} ${base}v5` }),
      svg("text", { x: xOf(count), y: base + 17, "text-anchor": "middle" }, count.toLocaleString("en"))));
    ground.replaceChildren(
      svg("rect", { class: "bb-frame", x: left, y: top, width: width - left - right, height: base - top }), ...decades, ...counts,
      svg("text", { class: "bb-title", x: (left + width - right) / 2, y: base + 34, "text-anchor": "middle" }, "iteration"),
      svg("text", { class: "bb-title", x: left, y: top - 12 }, scene.measureLabel));
    // Zero has no logarithm: an open diamond on the lower edge.
    const zeros = runs.flatMap((run) => Array.from({ length: run.states }, (_, i) => i).filter((i) => value(run, i) === 0).map((i) =>
      svg("path", { class: `bb-zero bb-run-${run.style}`, d: RUN_MARKERS[3], transform: `translate(${xOf(iteration(run, i))} ${base})` },
        svg("title", {}, `${run.label}: exactly 0`))));
    drawn = runs.map((run) => runLine(run.style, Array.from({ length: run.states }, (_, i) => point(run, i))));
    lines.replaceChildren(...drawn.map((line) => line.node), ...zeros, ...drawn.map((line) => line.now));
    setAll(picture, { viewBox: `0 0 ${width} ${height}`, width, height, "aria-label": scene.chartSummary });
    setAll(cursor, { x1: 0, x2: 0, y1: top, y2: base });
    step(scene.step);
  };
  const step = (at) => {
    if (!scene) return;
    scene.step = at;
    drawn.forEach((line) => line.show(at));
    const there = (run) => run?.ran && at < run.states;
    const run = there(scene.chosen) ? scene.chosen : scene.runs.find(there);
    cursor.style.visibility = run ? "" : "hidden";
    if (run) cursor.style.transform = `translateX(${xOf(iteration(run, at)).toFixed(1)}px)`;
  };
  const free = onWidth(node, (wide) => {
    width = wide;
    draw();
  });
  return {
    node,
    step,
    free,
    show(shown) {
      scene = shown;
      draw();
    },
  };
}
