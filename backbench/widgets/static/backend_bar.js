// The choice of backend, precision and device: a row that each view with numbers has. BackendBar is this row alone.

const BIT_WIDTHS = [16, 32, 64, "exact"];

/**
 * `node` holds the row and, below it, the place of the alert; a view may also place the two itself. The callbacks hear
 * what was chosen; `show` takes what Python has agreed to.
 */
function backendControls({ onBackend, onPrecision, onDevice }) {
  const labelled = (text, control) => h("label", { class: "bb-choice" }, h("span", {}, text), control);
  const backend = h("select", { class: "bb-backend" });
  const precision = segments("Precision", BIT_WIDTHS.map((value) => ({ value, label: String(value) })), onPrecision);
  const device = h("select", { class: "bb-device" });
  backend.addEventListener("change", () => {
    const option = options.find(({ name }) => name === backend.value);
    if (option?.installed && option.devices.length === 0) { // not loaded yet, which takes a second or two
      told = "loading";
      alert.replaceChildren(`Loading ${option.name}…`);
    }
    onBackend(backend.value);
  });
  device.addEventListener("change", () => onDevice(device.value));

  const message = h("span");
  const command = h("code");
  const copy = h("button", { type: "button", class: "bb-button", "aria-label": "Copy the command" }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command.textContent);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(command); // without https there is no clipboard
      copy.textContent = "Ctrl+C";
    }
    setTimeout(() => (copy.textContent = "Copy"), 2000);
  });
  const alert = h("div", { class: "bb-missing", role: "alert" });
  const row = h("div", { class: "bb-choices", role: "group", "aria-label": "Backend, precision, device" },
    labelled("Backend", backend), precision.node, labelled("Device", device));
  const node = h("div", {}, row, alert);

  let options = [];
  let offered = "";
  let told = "";
  const replace = (select, options) =>
    select.replaceChildren(...options.map(({ value, label }) => h("option", { value }, label)));
  const show = (shown) => {
    const { backends } = shown;
    options = backends;
    const chosen = backends.find(({ name }) => name === shown.backend) ?? { precisions: [], devices: [] };
    const list = JSON.stringify([backends, shown.backend, shown.device]);
    if (offered !== list) {
      offered = list; // a list that is open is not rebuilt for nothing
      replace(backend, backends.map(({ name, label }) => ({ value: name, label })));
      const { devices } = chosen;
      const single = devices.length < 2;
      replace(device, single
        ? [{ value: shown.device, label: devices[0] ?? "default" }]
        : [{ value: "", label: `default (${devices[0]})` }, ...devices.map((name) => ({ value: name, label: name }))]);
      setAll(device, { title: single ? "The only device of this backend" : "Where this backend computes" });
    }
    backend.value = shown.backend;
    device.value = shown.device;
    precision.choose(shown.precision);
    precision.node.querySelectorAll("input").forEach((input, i) => {
      input.disabled = !chosen.precisions.includes(BIT_WIDTHS[i]);
    });
    const news = JSON.stringify(shown.alert ?? {});
    const loads = told === "loading" && chosen.installed && chosen.devices.length === 0;
    if (told !== news && !loads) {
      told = news; // said once by a screen reader
      message.textContent = `${shown.alert.message ?? ""} `;
      command.textContent = shown.alert.command ?? "";
      alert.replaceChildren(...(shown.alert.message ? [message, command, copy, h("span", {}, " then restart the kernel.")] : []));
    }
  };
  return { node, row, alert, show };
}
