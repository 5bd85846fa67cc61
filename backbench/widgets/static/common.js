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

/** A set of radio buttons with a group name, shown as one row of segments. */
function segments(legend, options, onChoose) {
  const name = freshId();
  const inputs = options.map(({ value }) => h("input", { type: "radio", name, value }));
  inputs.forEach((input) => input.addEventListener("change", () => onChoose(input.value)));
  const labels = options.map(({ label }, i) => h("label", {}, inputs[i], h("span", {}, label)));
  const node = h("fieldset", { class: "bb-segments" }, h("legend", {}, legend), h("div", {}, ...labels));
  return { node, choose: (value) => inputs.forEach((input) => (input.checked = input.value === String(value))) };
}

/** The value of a text that certainly is a number, as the model keeps it: infinities and NaN as text. */
function plainNumber(text) {
  const word = text.trim().toLowerCase();
  if (/^([-+]?inf|nan)$/.test(word)) return word.replace("+", "");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(word) && Number.isFinite(Number(word)) ? Number(word) : null;
}

/**
 * A text field that holds what is typed, apart from the value that is in use: until Python has taken it, or until it
 * is corrected or Escape is pressed.
 */
function heldField(attributes, noticeId, { send, withdraw }) {
  const field = h("input", { class: "bb-field", autocomplete: "off", ...attributes });
  let typing = false;
  let refused = false;
  let value = "";
  const showValue = () => {
    if (!typing && !refused) field.value = value;
  };
  const release = () => {
    typing = false;
    if (refused) withdraw();
    refused = false;
  };
  field.addEventListener("input", () => (typing = true));
  field.addEventListener("change", () => send(field.value));
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") send(field.value); // also when nothing was changed; twice the same does no harm
    if (key !== "Escape") return;
    release();
    showValue();
  });
  return {
    node: field,
    show(shown) {
      value = String(shown);
      showValue();
    },
    /** Take a number that came another way, from a slider or an arrow key. */
    replace(shown) {
      release();
      field.value = value = String(shown);
    },
    complain(sentence) {
      refused = Boolean(sentence);
      setAll(field, { "aria-invalid": String(refused), "aria-describedby": refused && noticeId });
      showValue();
    },
    /** Python has dealt with `text`; if nothing was typed since, its value is shown again. */
    answered(text) {
      if (field.value === text) typing = false;
      showValue();
    },
  };
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

const PATIENCE = 3000; // ms until the page says that it still waits
const SILENT = "No answer from the kernel yet. It may be busy. If it was stopped or restarted, run this cell again.";
const RESTARTED = "The kernel was restarted: run this cell again.";
const SAVED = "This view was saved without its kernel: run this cell to use it.";

/**
 * Notice when the kernel is gone. Jupyter marks all models as dead when a kernel is restarted, but not when it is shut
 * down, so a change that stays without an answer is told as well. `say` gets the sentence, or "", and whether it is sure.
 */
function watchKernel(model, child, say) {
  let timer = null;
  let gone = false;
  let wasThere = false;
  const answered = () => {
    clearTimeout(timer);
    timer = null;
    if (!gone) say("", false);
  };
  const asked = () => {
    if (!gone) timer ??= setTimeout(() => say(SILENT, false), PATIENCE);
  };
  const look = () => {
    gone = !child.comm_live;
    if (gone) clearTimeout(timer);
    say(gone ? (wasThere ? RESTARTED : SAVED) : "", gone);
    wasThere ||= child.comm_live;
  };
  // The model that a view gets does not tell whether it is alive; that of a widget inside it does.
  child.on("comm_live_update", look);
  model.on("msg:custom", answered);
  look();
  const free = () => {
    clearTimeout(timer);
    child.off("comm_live_update", look);
  };
  return { asked, free };
}

/** The model of a widget that a trait of `model` refers to. */
const childModel = (model, name) => model.widget_manager.get_model(model.get(name).replace("IPY_MODEL_", ""));

/** Put the view of another widget (such as HTMLMath, which typesets formulas) into `host`. */
async function placeWidget(child, host) {
  const view = await child.widget_manager.create_view(child);
  host.replaceChildren(view.el);
  // A widget typesets once it is told that it is on the page; boxes of ipywidgets say so to their children too.
  view.trigger("displayed");
  return () => view.remove();
}
