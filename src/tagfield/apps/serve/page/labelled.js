// The labelled text: words as buttons that one Tab stop, the arrow keys and the mouse move through.
import { make, percent } from "../web/nodes.js";
import { Picking } from "../web/picking.js";
import { Offsets } from "./words.js";

export class Labelled extends Picking {
  // onExplain(index), onPin(first, last, box): what the page does when words are chosen
  constructor(root, { onExplain, onPin, onLeave }) {
    super(root);
    Object.assign(this, { onExplain, onPin, onLeave, tokens: [], chosen: null });
    root.addEventListener("keydown", (event) => this.key(event));
  }

  show(text, result, colours, pins) {
    const offsets = new Offsets(text);
    const focused = this.root.contains(document.activeElement);
    this.nodes = [];
    this.tokens = result.sentences.flatMap((sentence, s) => sentence.tokens.map((token) => ({ ...token, sentence: s })));
    const each = !result.sentences.some((sentence) => sentence.spans.length || sentence.tokens.some((t) => t.label === "O"));
    this.root.classList.toggle("each", each);
    const parts = [];
    let at = 0;
    for (const sentence of result.sentences) {
      const spans = [...sentence.spans];
      let open = null; // the mark of the span that the next words belong to
      for (const token of sentence.tokens) {
        const gap = offsets.slice(at, token.start);
        const held = pins.find((pin) => pin.start < token.end && pin.end > token.start);
        if (open) open.node.append(gap);
        else parts.push(gap);
        if (!open && spans[0]?.start === token.start) open = this.mark(spans.shift(), colours, held);
        const node = this.word(token, colours, held && !open, each);
        if (open) open.node.append(node);
        else parts.push(node);
        at = token.end;
        if (open && open.span.end === token.end) {
          open.node.append(this.tag(open.span.label, open.span.probability, colours));
          parts.push(open.node);
          open = null;
        }
      }
    }
    parts.push(offsets.slice(at, offsets.length));
    this.root.replaceChildren(...parts);
    this.focus = Math.min(this.focus, Math.max(0, this.nodes.length - 1));
    this.anchor = null;
    if (this.chosen !== null && this.chosen >= this.nodes.length) this.chosen = null;
    this.mark_chosen(this.chosen);
    this.rove(this.focus, focused);
  }

  mark(span, colours, held) {
    const node = colours.paint(make("mark", { class: held ? "span pinned" : "span" }), span.label);
    return { node, span };
  }

  tag(label, probability, colours) {
    return colours.tag(label, ...(probability === undefined ? [] : [make("i", {}, percent(probability))]));
  }

  word(token, colours, held, each) {
    const spoken = `${token.text}: ${token.label}${held ? ", pinned" : ""}, ${percent(token.probability)}`;
    const node = make("span", { class: held ? "token held" : "token", role: "button", tabindex: "-1", "aria-label": spoken });
    node.append(token.text);
    node.title = `${token.label} · ${percent(token.probability)}`;
    node.dataset.index = this.nodes.length;
    node.style.setProperty("--p", token.probability);
    const hue = colours.hue(token.label);
    if (hue !== undefined) {
      node.style.setProperty("--h", hue);
      node.classList.add("typed");
    }
    this.nodes.push(node);
    return each ? make("span", { class: "pair" }, node, this.tag(token.label, undefined, colours)) : node;
  }

  mark_chosen(index) {
    this.chosen = index;
    this.nodes.forEach((node, k) => node.setAttribute("aria-pressed", String(k === index)));
  }

  select(range) {
    this.range = range;
    this.light(...(range ?? [1, 0]));
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.indexOf(event.target) === null) return;
    if (this.steps(event.key)) {
      if (!this.step(event.key, event.shiftKey)) this.select(null);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.range && this.range[0] !== this.range[1]) this.pin(...this.range);
      else this.onExplain(this.focus);
    } else if (event.key === "p" || event.key === "P") {
      this.pin(...(this.range ?? [this.focus, this.focus]));
    } else if (event.key === "Escape") {
      this.anchor = null;
      this.select(null);
      this.onLeave();
    } else return;
    event.preventDefault();
  }

  pin(first, last) {
    this.select([first, last]);
    this.onPin(first, last, this.nodes[last].getBoundingClientRect());
  }

  press(index) {
    this.onExplain(index);
  }

  down(event) {
    super.down(event);
    if (this.drag !== null) this.select(null);
  }

  drop() {
    if (this.range[0] !== this.range[1]) this.pin(...this.range);
    else this.press(this.range[0]);
  }
}
