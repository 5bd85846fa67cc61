// Stepping through the runs of TrajectoryView, by hand or as a film. Nothing here waits for the kernel.

const FRAME_TIME = 160; // ms, about six steps a second
const LONGEST_FILM = 120; // frames; longer runs are played in larger strides

// Drawn, because fonts show some of these signs as empty boxes or as emoji.
const STEP_ICONS = {
  first: "M3 2v10M12 2L5 7l7 5z",
  back: "M10 2L3 7l7 5z",
  play: "M4 2l8 5-8 5z",
  pause: "M4.5 2v10M9.5 2v10",
  next: "M4 2l7 5-7 5z",
  last: "M11 2v10M2 2l7 5-7 5z",
};

function stepBar(onStep, onPlaying) {
  let step = 0;
  let last = 0;
  let timer = null;

  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Step" });
  const count = h("output", { class: "bb-count" });
  const icon = (name) => svg("svg", { viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" }, svg("path", { d: STEP_ICONS[name] }));
  const button = (name, label, act) => {
    const node = h("button", { type: "button", class: "bb-button bb-step", "aria-label": label, title: label }, icon(name));
    node.addEventListener("click", act);
    return node;
  };
  const first = button("first", "First step", () => go(0));
  const back = button("back", "Previous step", () => go(step - 1));
  const play = button("play", "Play", () => (timer === null ? start() : halt()));
  const next = button("next", "Next step", () => go(step + 1));
  const end = button("last", "Last step", () => go(last));
  const showPlay = (name, label) => {
    play.replaceChildren(icon(name), label);
    setAll(play, { "aria-label": label, title: label });
  };
  play.classList.add("bb-play");
  showPlay("play", "Play");
  const node = h("div", { class: "bb-steps", role: "group", "aria-label": "Steps" }, first, back, play, next, end, slider, count);

  const show = () => {
    setAll(slider, { max: last, "aria-valuetext": `${step} of ${last}` });
    slider.value = step;
    slider.disabled = play.disabled = last === 0;
    // A button that has the focus stays usable at the ends, or the focus would be lost.
    for (const [control, idle] of [[first, step === 0], [back, step === 0], [next, step === last], [end, step === last]]) {
      setAll(control, { "aria-disabled": idle && "true" });
    }
    count.textContent = `${step} of ${last}`;
  };
  const halt = () => {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    showPlay("play", "Play");
    onPlaying(false);
  };
  const take = (wanted) => {
    const bounded = Math.max(0, Math.min(last, wanted));
    if (bounded === step) return;
    step = bounded;
    show();
    onStep(step, step === last);
  };
  const go = (wanted) => {
    halt();
    take(wanted);
  };
  const start = () => {
    onPlaying(true);
    showPlay("pause", "Pause");
    if (step === last) take(0);
    const stride = Math.ceil(last / LONGEST_FILM);
    timer = setInterval(() => {
      take(step + stride);
      if (step === last) halt();
    }, FRAME_TIME);
  };
  slider.addEventListener("input", () => go(Number(slider.value)));
  return {
    node,
    halt,
    /** Show a step (−1 is the last) of `states` states. */
    show(wanted, states) {
      last = Math.max(0, states - 1);
      step = wanted < 0 ? last : Math.min(wanted, last);
      show();
      return step;
    },
  };
}
