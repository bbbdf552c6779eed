// Why a word has its label, and why not the one that you expected.
import { make, meter, percent } from "./words.js";

const byId = (id) => document.getElementById(id);
const MOST = 6; // labels with a bar
const TERMS = 14; // terms before "Show all"

export class Why {
  constructor({ onExpect }) {
    this.onExpect = onExpect;
    byId("expected").addEventListener("change", (event) => onExpect(event.target.value));
  }

  clear() {
    byId("nothing").hidden = false;
    byId("reasons").hidden = true;
    byId("leave").hidden = true;
  }

  show(found, model, colours) {
    byId("nothing").hidden = true;
    byId("reasons").hidden = false;
    byId("leave").hidden = false;
    byId("word").textContent = found.text;
    byId("label").textContent = found.label;
    byId("label").className = "chip";
    colours.paint(byId("label"), found.label);
    byId("chance").textContent = percent(found.probability);
    this.chances(found, colours);
    const others = model.labels.filter((label) => label !== found.label);
    byId("expected").replaceChildren(...others.map((label) => make("option", { value: label }, label)));
    byId("expected").value = found.compared_with ?? "";
    this.terms(found);
  }

  chances(found, colours) {
    const rows = found.labels.slice(0, MOST).map(({ label, probability }) => {
      const bar = colours.paint(meter(probability), label);
      const chosen = label === found.compared_with;
      const button = make("button", { type: "button", "aria-pressed": String(chosen), "aria-label": `${label}, ${percent(probability)}` },
        make("span", { class: "name" }, label), bar, make("span", { class: "percent" }, percent(probability)));
      if (label === found.label) button.disabled = true;
      else button.addEventListener("click", () => this.onExpect(label));
      return make("li", {}, button);
    });
    byId("chances").replaceChildren(...rows);
  }

  terms(found, all = false) {
    const amount = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
    if (found.compared_with === null) {
      byId("sum").textContent = "No other label is allowed here.";
      byId("terms").replaceChildren();
      return;
    }
    const ahead = found.difference >= 0 ? "ahead of" : "behind";
    byId("sum").textContent = `${found.label} is ${Math.abs(found.difference).toFixed(2)} ${ahead} ${found.compared_with}: green speaks for it, red against.`;
    const top = Math.max(...found.terms.map((term) => Math.abs(term.amount)), 1e-9);
    const shown = all ? found.terms : found.terms.slice(0, TERMS);
    const rows = shown.map((term) => {
      const beam = make("span", { class: "beam", "aria-hidden": "true" });
      const share = Math.abs(term.amount) / top;
      beam.style.setProperty("--p", share);
      beam.style.setProperty("--way", term.amount < 0 ? "var(--bad)" : "var(--good)");
      // A background at x % leaves (100 − x) % of the free width at its right: this puts its edge on the middle.
      const free = 1 - share / 2;
      beam.style.setProperty("--from", `${((term.amount < 0 ? 0.5 - share / 2 : 0.5) / free) * 100}%`);
      return make("li", {}, make("span", { class: "mono" }, term.name), make("span", { class: "amount" }, amount(term.amount)), beam);
    });
    if (found.terms.length > shown.length) {
      const more = make("button", { type: "button" }, `Show all ${found.terms.length}`);
      more.addEventListener("click", () => this.terms(found, true));
      rows.push(make("li", {}, more));
    } else if (Math.abs(found.other_terms) >= 0.005) {
      rows.push(make("li", {}, make("span", {}, "all other terms"), make("span", { class: "amount" }, amount(found.other_terms))));
    }
    byId("terms").replaceChildren(...rows);
  }
}
