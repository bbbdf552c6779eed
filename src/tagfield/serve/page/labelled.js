// The labelled text: words as buttons that one Tab stop, the arrow keys and the mouse move through.
import { make, Offsets, percent } from "./words.js";

export class Labelled {
  // onExplain(index), onPin(first, last, box): what the page does when words are chosen
  constructor(root, { onExplain, onPin, onLeave }) {
    Object.assign(this, { root, onExplain, onPin, onLeave });
    this.nodes = [];
    this.tokens = [];
    this.focus = 0;
    this.anchor = null; // the first word of a selection
    this.chosen = null;
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("pointerdown", (event) => this.down(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", (event) => this.up(event));
    root.addEventListener("pointercancel", () => { this.drag = null; this.pick(null); });
    root.addEventListener("click", (event) => { // from assistive technology, which has no pointer
      const index = this.indexOf(event.target);
      if (event.detail === 0 && index !== null) this.onExplain(index);
    });
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
    const share = probability === undefined ? [] : [make("i", {}, percent(probability))];
    return colours.paint(make("span", { class: "tag", "aria-hidden": "true" }, label, ...share), label);
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

  // Roving focus: one word can be reached with Tab.
  rove(index, move = true) {
    if (!this.nodes.length) return;
    for (const node of this.nodes) node.tabIndex = -1;
    this.focus = Math.max(0, Math.min(index, this.nodes.length - 1));
    this.nodes[this.focus].tabIndex = 0;
    if (move) this.nodes[this.focus].focus();
  }

  pick(range) {
    this.range = range;
    this.nodes.forEach((node, k) => node.classList.toggle("picked", range !== null && k >= range[0] && k <= range[1]));
  }

  key(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8, Home: -Infinity, End: Infinity };
    if (event.altKey || event.ctrlKey || event.metaKey || this.indexOf(event.target) === null) return;
    if (event.key in steps) {
      const from = this.focus;
      this.rove(this.focus + steps[event.key]);
      if (event.shiftKey) {
        this.anchor ??= from;
        this.pick([Math.min(this.anchor, this.focus), Math.max(this.anchor, this.focus)]);
      } else {
        this.anchor = null;
        this.pick(null);
      }
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.range && this.range[0] !== this.range[1]) this.pin(...this.range);
      else this.onExplain(this.focus);
    } else if (event.key === "p" || event.key === "P") {
      this.pin(...(this.range ?? [this.focus, this.focus]));
    } else if (event.key === "Escape") {
      this.anchor = null;
      this.pick(null);
      this.onLeave();
    } else return;
    event.preventDefault();
  }

  pin(first, last) {
    this.pick([first, last]);
    this.onPin(first, last, this.nodes[last].getBoundingClientRect());
  }

  indexOf(node) {
    const found = node instanceof Element ? node.closest(".token") : null;
    return found && this.root.contains(found) ? Number(found.dataset.index) : null;
  }

  down(event) {
    const index = this.indexOf(event.target);
    if (index === null || event.button !== 0) return;
    this.drag = index;
    this.rove(index);
    this.pick(null);
  }

  move(event) {
    if (this.drag === null || this.drag === undefined) return;
    const index = this.indexOf(document.elementFromPoint(event.clientX, event.clientY));
    if (index !== null && (index !== this.drag || this.range)) {
      this.pick([Math.min(this.drag, index), Math.max(this.drag, index)]);
    }
  }

  up() {
    if (this.drag === null || this.drag === undefined) return;
    const first = this.drag;
    this.drag = null;
    if (this.range && this.range[0] !== this.range[1]) this.pin(...this.range);
    else this.onExplain(first);
  }
}
