// The inputs of SoftmaxView: a slider and a field for each unit, and the number of units.

const PRECISIONS = [16, 32, 64];
const RANGE = 10; // of the sliders, either side of 0
const STEP = 0.1; // of the sliders and of the arrow keys

/** One line of the inputs: name, slider, text field. */
function inputRow(unit, noticeId, act) {
  const name = `x_${unit}`;
  const slider = h("input", { type: "range", min: -RANGE, max: RANGE, step: STEP, "aria-label": `${name}, slider` });
  const text = { type: "text", "aria-label": `${name}, number`, spellcheck: "false", "data-field": unit };
  const field = heldField(text, noticeId, {
    send: (typed) => act.type(unit, typed),
    withdraw: () => act.withdraw(String(unit)),
  });
  const take = (number) => {
    field.replace(number);
    act.slide(unit, number);
  };
  slider.addEventListener("input", () => take(Number(slider.value)));
  field.node.addEventListener("keydown", (event) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const number = plainNumber(field.node.value);
    if (typeof number !== "number") return;
    const next = number + direction * (event.shiftKey ? 10 * STEP : STEP);
    if (next !== number) take(Number(next.toPrecision(15))); // 0.3, not 0.30000000000000004
  });
  const label = h("span", { class: "bb-name", "aria-hidden": "true" }, "x", h("sub", {}, String(unit)));
  const node = h("div", { class: "bb-row", role: "group", "aria-label": `Input ${name}` }, label, slider, field.node);
  return {
    node,
    field,
    show(value) {
      const number = Number(String(value).replace("inf", "Infinity"));
      const outside = !(Math.abs(number) <= RANGE);
      slider.value = Number.isNaN(number) ? 0 : Math.max(-RANGE, Math.min(RANGE, number));
      slider.classList.toggle("bb-outside", outside);
      setAll(slider, { "aria-valuetext": outside ? `${value}, outside the slider` : String(value) });
      field.show(value);
    },
  };
}

/** The number of units. One request is on its way at a time, so that a key held down piles nothing up. */
function unitsField(noticeId, act) {
  let asked = null;
  let wanted = null;
  const askNext = () => {
    if (asked !== null || wanted === null) return;
    [asked, wanted] = [wanted, null];
    act.resize(asked);
  };
  const send = (text) => {
    wanted = text;
    askNext();
  };
  const field = heldField({ type: "number", min: 2, max: 64, "data-field": "units" }, noticeId, {
    send,
    withdraw: () => act.withdraw("units"),
  });
  return {
    ...field,
    answered(text) {
      asked = null;
      field.answered(text);
      askNext();
    },
  };
}
