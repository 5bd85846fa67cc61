// Shared by the views of backbench. The files that a view needs are joined into one module in Python.

const setAll = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value == null) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
};

/** An HTML element with attributes and children. Text is set as text, never as markup. */
const h = (tag, attributes = {}, ...children) => {
  const node = setAll(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};

/** The same for SVG. */
const svg = (tag, attributes = {}, ...children) => {
  const node = setAll(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes);
  node.append(...children);
  return node;
};

let lastId = 0;
const freshId = () => `bb-${Date.now().toString(36)}-${++lastId}`;

// JupyterLab looks for shortcuts from the focused element upwards, up to the first one with this attribute. Those of
// cells (d d deletes one, arrows leave it) match the focused element itself, so it is not enough on a parent.
// Chromium also focuses boxes that scroll.
const SUPPRESS = "data-lm-suppress-shortcuts";
const FOCUSABLE = "input, select, button, textarea, summary, a[href], [tabindex], .bb-scroll";

/** Keep JupyterLab's shortcuts away from everything in `root` that can have the focus, now and later. */
function keepKeys(root) {
  const each = (act) => root.querySelectorAll(FOCUSABLE).forEach(act);
  const mark = () => each((node) => node.setAttribute(SUPPRESS, "true"));
  const observer = new MutationObserver(mark);
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ["tabindex"] });
  mark();

  const controller = new AbortController();
  const options = { capture: true, signal: controller.signal };
  // Saving is the one shortcut to let through. The window hears of a key before the document, where JupyterLab listens.
  const letSavePass = ({ target, key, ctrlKey, metaKey }) => {
    if (!root.contains(target)) return;
    if ((ctrlKey || metaKey) && key.toLowerCase() === "s") each((node) => node.removeAttribute(SUPPRESS));
    else mark();
  };
  window.addEventListener("keydown", letSavePass, options);
  // JupyterLab leaves the focus in the view when someone clicks beside another cell; its keys would then do nothing.
  const giveFocusBack = ({ target }) => {
    if (!root.contains(target) && root.contains(document.activeElement)) document.activeElement.blur();
  };
  window.addEventListener("pointerdown", giveFocusBack, options);
  return () => {
    observer.disconnect();
    controller.abort();
  };
}

/** Call `act` with the text when someone presses Enter in the field or leaves it. Twice the same does no harm. */
function onCommit(field, act) {
  field.addEventListener("change", () => act(field.value));
  field.addEventListener("keydown", ({ key }) => key === "Enter" && act(field.value));
}

/** A set of radio buttons with a group name, shown as one row of segments. */
function segments(legend, options, onChoose) {
  const name = freshId();
  const inputs = options.map(({ value }) => h("input", { type: "radio", name, value }));
  inputs.forEach((input) => input.addEventListener("change", () => onChoose(input.value)));
  const labels = options.map(({ label }, i) => h("label", {}, inputs[i], h("span", {}, label)));
  const node = h("fieldset", { class: "bb-segments" }, h("legend", {}, legend), h("div", {}, ...labels));
  return { node, choose: (value) => inputs.forEach((input) => (input.checked = input.value === String(value))) };
}

/** A block of code with a heading and a button that copies it. */
function codeBlock(title) {
  const code = h("code");
  const pre = h("pre", { class: "bb-scroll", tabindex: "0", role: "region", "aria-label": title }, code);
  const button = h("button", { type: "button", class: "bb-button", "aria-label": `Copy: ${title}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      // Pages served without https have no clipboard: select the text, one key is left to press.
      getSelection().selectAllChildren(code);
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  const node = h("div", { class: "bb-code" }, h("div", { class: "bb-head" }, h("h4", {}, title), button), pre);
  return { node, show: (text) => (code.textContent = text) };
}

/** The place for an exception: a short message, the traceback folded. Empty while all is well. */
function errorPanel() {
  const node = h("div", { class: "bb-alert", role: "alert", hidden: true });
  const show = ({ message, traceback }) => {
    node.hidden = !message;
    node.replaceChildren();
    if (!message) return;
    const details = h("details", {}, h("summary", {}, "Traceback"), h("pre", { class: "bb-scroll", tabindex: "0" }, traceback));
    node.append(h("p", {}, h("strong", {}, "This change could not be shown. "), message), details);
  };
  return { node, show };
}

/** Put another widget's view (such as HTMLMath, which typesets formulas) into `host`. */
async function placeWidget(model, reference, host) {
  const manager = model.widget_manager;
  const child = await manager.get_model(reference.replace("IPY_MODEL_", ""));
  const view = await manager.create_view(child);
  host.replaceChildren(view.el);
  // A widget typesets once it is told that it is on the page; boxes of ipywidgets say so to their children too.
  view.trigger("displayed");
  return () => view.remove();
}
