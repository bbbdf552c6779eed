// The palette: labels as buttons with number keys, a brush, and a field for new labels.
import { make } from "../web/nodes.js";

export class Palette {
  // onChoose(label): a label was chosen; onAdd(name): a new one is wanted
  constructor(root, { onChoose, onAdd }) {
    Object.assign(this, { root, onChoose, onAdd, names: [], brush: null });
    this.field = make("input", { "aria-label": "New label", placeholder: "New label", maxlength: "60", autocomplete: "off", spellcheck: "false" });
    this.form = make("form", {}, this.field, make("button", { type: "submit" }, "Add"));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = this.field.value.trim();
      if (name) this.onAdd(name);
      this.field.value = "";
    });
  }

  show(names, colours) {
    this.names = names;
    if (!names.includes(this.brush)) this.brush = names[0] ?? null;
    const buttons = names.map((name, k) => {
      const key = k < 9 ? [make("kbd", { "aria-hidden": "true" }, String(k + 1))] : [];
      const button = make("button", { type: "button", "aria-pressed": String(name === this.brush), "aria-label": `Label ${name}` }, ...key, name);
      button.addEventListener("click", () => this.choose(name));
      return colours.paint(button, name);
    });
    const focused = document.activeElement === this.field;
    this.root.replaceChildren(...buttons, this.form);
    if (focused) this.field.focus();
  }

  choose(name) {
    this.brush = name;
    for (const button of this.root.querySelectorAll("[aria-pressed]")) {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-label") === `Label ${name}`));
    }
    this.onChoose(name);
  }

  key(key) { // 1 to 9; false for other keys and missing labels
    const name = /^[1-9]$/.test(key) ? this.names[Number(key) - 1] : undefined;
    if (name === undefined) return false;
    this.choose(name);
    return true;
  }
}
