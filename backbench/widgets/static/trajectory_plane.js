// The plane of TrajectoryView: contour lines of f, the ways that the runs took, and the start, which can be dragged.

const PLANE = { size: 400, left: 44, right: 10, top: 10, bottom: 40 };
const FARTHEST = 1e4; // pixels outside the picture; browsers lose their way with larger numbers

function planePicture(moveStart) {
  const clip = freshId();
  const inside = svg("rect");
  const ground = svg("g", { "aria-hidden": "true" });
  const lines = svg("g", { "clip-path": `url(#${clip})` });
  const image = svg("g", { role: "img" }, ground, lines);
  const start = svg("g", { class: "bb-start", role: "slider", tabindex: "0", "aria-label": "Start point: arrow keys move it" },
    svg("circle", { class: "bb-grip", r: 16 }), svg("circle", { r: 6.5 }), svg("path", { d: "M-13 0h6.5m13 0h6.5M0-13v6.5m0 13v6.5" }));
  const picture = svg("svg", { class: "bb-plane" }, svg("defs", {}, svg("clipPath", { id: clip }, inside)), image, start);
  const node = h("div", { class: "bb-picture" }, picture);
  let width = 0;
  let scene = null;
  let side = 1;
  let drawn = [];
  let place = [0, 0];
  let enabled = true;

  const xOf = (x) => PLANE.left + ((x - scene.landscape.domain[0]) / (scene.landscape.domain[1] - scene.landscape.domain[0])) * side;
  const yOf = (y) => PLANE.top + ((scene.landscape.domain[3] - y) / (scene.landscape.domain[3] - scene.landscape.domain[2])) * side;
  const near = (value) => Math.max(-FARTHEST, Math.min(FARTHEST, value));
  const pixel = (x, y) => (Number.isFinite(x) && Number.isFinite(y) ? [near(xOf(x)), near(yOf(y))] : null);

  /** One path a level: high levels faint, so that the valleys stand out. */
  const contours = () => {
    const { levels, lines: pieces } = scene.landscape;
    const paths = levels.map(() => "");
    for (const [level, first, count] of pieces) {
      for (let i = first; i < first + count; i++) {
        paths[level] += `${i === first ? "M" : "L"}${xOf(scene.contours[2 * i]).toFixed(1)} ${yOf(scene.contours[2 * i + 1]).toFixed(1)}`;
      }
    }
    return paths.map((d, level) => svg("path", { class: "bb-contour", d, "stroke-opacity": (0.95 - (0.6 * level) / levels.length).toFixed(2) }));
  };
  const axes = () => {
    const [left, right, low, high] = scene.landscape.domain;
    const base = PLANE.top + side;
    const across = ticksBetween(left, right, 8).map((x) => svg("g", { class: "bb-axis" },
      svg("path", { d: `M${xOf(x)} ${base}v5` }), svg("text", { x: xOf(x), y: base + 17, "text-anchor": "middle" }, minusSign(String(x)))));
    const up = ticksBetween(low, high, 8).map((y) => svg("g", { class: "bb-axis" },
      svg("path", { d: `M${PLANE.left} ${yOf(y)}h-5` }), svg("text", { x: PLANE.left - 8, y: yOf(y) + 4, "text-anchor": "end" }, minusSign(String(y)))));
    return [
      svg("rect", { class: "bb-frame", x: PLANE.left, y: PLANE.top, width: side, height: side }), ...across, ...up,
      svg("text", { class: "bb-title", x: PLANE.left + side / 2, y: base + 34, "text-anchor": "middle" }, "x₁"),
      svg("text", { class: "bb-title", x: 10, y: PLANE.top + side / 2 }, "x₂"),
    ];
  };
  const draw = () => {
    if (!scene || !width) return;
    const size = Math.min(width, PLANE.size);
    side = size - PLANE.left - PLANE.right;
    setAll(picture, { viewBox: `0 0 ${size} ${size}`, width: size, height: size });
    setAll(inside, { x: PLANE.left, y: PLANE.top, width: side, height: side });
    ground.replaceChildren(...axes());
    const minima = scene.landscape.minima.map(([x, y]) => svg("path", { class: "bb-minimum", d: "M-6 0H6M0-6V6M-4.2-4.2L4.2 4.2M-4.2 4.2L4.2-4.2", transform: `translate(${pixel(x, y)})` }));
    drawn = scene.runs.filter((run) => run.ran).map((run) => runLine(run.style,
      Array.from({ length: run.states }, (_, i) => pixel(scene.paths[2 * (run.start + i)], scene.paths[2 * (run.start + i) + 1]))));
    lines.replaceChildren(...contours(), ...drawn.map((line) => line.node), ...minima, ...drawn.map((line) => line.now));
    setAll(image, { "aria-label": scene.summary });
    showStart(place);
    step(scene.step);
  };
  const step = (at) => {
    if (scene) scene.step = at;
    drawn.forEach((line) => line.show(at));
  };
  const showStart = (x0) => {
    place = x0;
    const [x, y] = x0.map(shortNumber);
    setAll(start, { "aria-valuenow": x0[0], "aria-valuetext": `x₁ = ${x}, x₂ = ${y}` });
    if (scene && width) start.style.transform = `translate(${xOf(x0[0])}px, ${yOf(x0[1])}px)`;
  };

  // Drags are told once a frame; the widget's model sends one change at a time, the newest.
  let frame = 0;
  const move = (x0) => {
    showStart(x0);
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => moveStart(x0));
  };
  const grain = () => roundStep((scene.landscape.domain[1] - scene.landscape.domain[0]) / 150);
  const snapped = (value, unit) => Number((Math.round(value / unit) * unit).toPrecision(10));
  let dragging = false;
  start.addEventListener("pointerdown", (event) => {
    if (!enabled || event.button !== 0) return;
    event.preventDefault(); // no selection of text
    start.focus();
    start.setPointerCapture(event.pointerId);
    dragging = true;
  });
  start.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (!dragging) return;
    const box = picture.getBoundingClientRect();
    const [left, right, low, high] = scene.landscape.domain;
    const part = (value) => Math.max(0, Math.min(1, value / side));
    const unit = grain() / 5; // about a pixel, and few digits
    move([
      snapped(left + part(clientX - box.left - PLANE.left) * (right - left), unit),
      snapped(high - part(clientY - box.top - PLANE.top) * (high - low), unit),
    ]);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) start.addEventListener(end, () => (dragging = false));
  start.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!direction || !enabled) return;
    event.preventDefault();
    const length = grain() * (event.shiftKey ? 10 : 1);
    move(place.map((value, i) => Number((value + direction[i] * length).toPrecision(10))));
  });

  const stopWatching = onWidth(node, (wide) => {
    width = wide;
    draw();
  });
  return {
    node,
    step,
    show(shown) {
      scene = shown;
      draw();
    },
    start: (x0) => dragging || showStart(x0),
    allow(allowed) {
      enabled = allowed;
      setAll(start, { "aria-disabled": !allowed && "true" });
    },
    free() {
      cancelAnimationFrame(frame);
      stopWatching();
    },
  };
}
