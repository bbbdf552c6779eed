// Colours of labels: one hue for each name. Hues that are easy to tell apart come first; more names take the golden angle.
import { make } from "./nodes.js";

const HUES = [250, 70, 155, 350, 305, 110, 205, 30, 275, 130, 330, 90, 180];

export class Colours {
  constructor(names) {
    this.hues = new Map([...new Set(names)].map((name, place) => [name, HUES[place] ?? (40 + place * 137.5) % 360]));
  }

  hue(label) { // of a name, or of a label such as B-NAME
    return this.hues.get(label) ?? this.hues.get(label.replace(/^[BIESLUM[\]]-/, ""));
  }

  paint(node, label) {
    const hue = this.hue(label);
    if (hue === undefined) node.classList.add("plain");
    else node.style.setProperty("--h", hue);
    return node;
  }

  chip(label, text = label) {
    return this.paint(make("span", { class: "chip" }, text), label);
  }

  tag(label, ...more) { // beside the words that have it
    return this.paint(make("span", { class: "tag", "aria-hidden": "true" }, label, ...more), label);
  }
}
