// Why a word has its label, and why not the one that you expected.
import { beam, byId, make, meter, percent, signed } from "../web/nodes.js";
import { addUp } from "./words.js";

const MOST = 6; // labels with a bar
const TERMS = 10; // terms before "Show all"

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
    if (found.compared_with === null) {
      byId("sum").textContent = "No other label is allowed here.";
      byId("terms").replaceChildren();
      return;
    }
    const total = Math.abs(found.difference).toFixed(2);
    const ahead = found.difference >= 0 ? "ahead of" : "behind";
    const whole = (label) => make("span", { class: "whole" }, label);
    const [label, other] = [found.label, found.compared_with];
    byId("sum").replaceChildren(whole(label), ` is ${total} ${ahead} `, whole(other), ". Green speaks for ", whole(label), ", red for ", whole(other), ".");
    const most = all ? found.terms.length : TERMS;
    const shown = found.terms.slice(0, most).filter((term) => Math.abs(term.amount) >= 0.005);
    const more = found.terms.slice(most);
    const others = found.difference - shown.reduce((sum, term) => sum + term.amount, 0);
    const amounts = addUp([...shown.map((term) => term.amount), others], found.difference); // as shown, they add up
    const top = Math.max(...shown.map((term) => Math.abs(term.amount)), 1e-9);
    const row = (name, value, ...rest) => make("li", {}, name, make("span", { class: "amount" }, signed(value)), ...rest);
    const rows = shown.map((term, k) => row(make("span", { class: "mono" }, term.name), amounts[k], beam(term.amount, top)));
    const rest = amounts.at(-1);
    if (more.length || rest) {
      rows.push(row(make("span", {}, more.length ? `${more.length} more terms` : "smaller terms"), rest));
      rows.at(-1).className = "rest";
    }
    rows.push(row(make("span", {}, `sum: ${found.label} is ${found.difference >= 0 ? "ahead" : "behind"}`), found.difference));
    rows.at(-1).className = "sum";
    if (more.length) {
      const button = make("button", { type: "button" }, `Show all ${found.terms.length} terms`);
      button.addEventListener("click", () => this.terms(found, true));
      rows.push(make("li", {}, button));
    }
    byId("terms").replaceChildren(...rows);
  }
}
