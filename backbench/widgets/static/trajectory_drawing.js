// Shared by the pictures of TrajectoryView: floats from bytes, ticks, and the marks by which runs are told apart.

/** The floats of a binary trait. They are copied, because a DataView may begin anywhere in its buffer. */
const floatsOf = (bytes, Type) => new Type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));

const minusSign = (text) => text.replace(/^-/, "−");

/** A number in a sentence: four digits at most. */
function shortNumber(value) {
  if (!Number.isFinite(value)) return minusSign(String(value).replace("Infinity", "∞"));
  const size = Math.abs(value);
  const plain = size === 0 || (size >= 1e-3 && size < 1e5);
  return minusSign(plain ? String(Number(value.toPrecision(4))) : value.toExponential(2));
}

/** 10 to a whole power, as 10⁻¹². */
const powerOfTen = (exponent) => `10${[...String(exponent)].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("")}`;

/** The smallest number of the form 1, 2 or 5 times a power of ten that is not below `value`. */
function roundStep(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= value * (1 - 1e-9));
}

/** Round numbers from `low` to `high`, about `count` at most, at least `least` apart. */
function ticksBetween(low, high, count, least = 0) {
  const step = Math.max(least, roundStep((high - low) / count));
  const first = Math.ceil(low / step - 1e-9);
  const ticks = [];
  for (let i = first; i * step <= high + 1e-9 * step; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

// Colour (a class), marker and dash say the same, so that none of them is needed.
const RUN_MARKERS = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
  "M-3.6-3.6h7.2v7.2h-7.2z",
  "M0-4.8L4.6 3.4h-9.2z",
  "M0-5L5 0L0 5L-5 0z",
  "M0 4.8L4.6-3.4h-9.2z",
  "M-1.5-4.8h3v3.3h3.3v3h-3.3v3.3h-3v-3.3h-3.3v-3h3.3z",
];
const RUN_DASHES = [null, "8 3", "2 3", "9 3 2 3", "14 4", "4 4"];
const MOST_DOTS = 40; // along one line; more of them would hide it

/** Line and marker of a run, for the table. */
const runSwatch = (style) =>
  svg("svg", { class: `bb-swatch bb-run-${style}`, viewBox: "0 0 44 14", width: 44, height: 14, "aria-hidden": "true" },
    svg("path", { class: "bb-done", d: "M1 7H43", "stroke-dasharray": RUN_DASHES[style] }),
    svg("path", { class: "bb-dot", d: RUN_MARKERS[style], transform: "translate(22 7)" }));

/**
 * The line of one run through `points` (pixels; null where there is nothing to draw). `show(step)` draws what was done
 * up to a step strongly; the way ahead stays faint. It changes as little for a long run as for a short one.
 */
function runLine(style, points) {
  let text = "";
  let pen = "M";
  const ends = points.map((point) => {
    if (point) text += `${pen}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
    pen = point ? "L" : "M";
    return text.length;
  });
  const every = Math.ceil(points.length / MOST_DOTS);
  const dots = [];
  points.forEach((point, i) => {
    if (!point || i % every !== 0) return;
    const transform = `translate(${point[0].toFixed(1)} ${point[1].toFixed(1)}) scale(0.55)`;
    dots.push([i, svg("path", { class: "bb-dot", d: RUN_MARKERS[style], transform })]);
  });
  const done = svg("path", { class: "bb-done", "stroke-dasharray": RUN_DASHES[style] });
  const now = svg("path", { class: "bb-now", d: RUN_MARKERS[style] });
  const node = svg("g", { class: `bb-run bb-run-${style}` },
    svg("path", { class: "bb-ahead", d: text }), done, ...dots.map(([, dot]) => dot));
  const show = (step) => {
    const i = Math.min(step, points.length - 1);
    done.setAttribute("d", text.slice(0, ends[i]));
    for (const [at, dot] of dots) dot.classList.toggle("bb-later", at > i);
    const point = points[i];
    now.style.visibility = point ? "" : "hidden";
    if (point) now.style.transform = `translate(${point[0].toFixed(1)}px, ${point[1].toFixed(1)}px) scale(1.5)`;
  };
  return { node, now: svg("g", { class: `bb-run-${style}` }, now), show };
}

/** Call `draw(width)` when the width of `node` has changed. */
function onWidth(node, draw) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    const wide = Math.floor(node.clientWidth);
    if (wide === width || wide === 0) return;
    width = wide;
    draw(width);
  });
  observer.observe(node);
  return () => observer.disconnect();
}
