// The board: the words of a sentence, which the mouse, a finger and the arrow keys select and mark.
import { make, percent } from "../web/nodes.js";
import { Picking } from "../web/picking.js";
import { doubtful, markAt, put, resized, without } from "./marks.js";

export class Board extends Picking {
  // brush(): the label that dragging gives; onSelect(): the selection or the marks are others
  constructor(root, { brush, onSelect }) {
    super(root, { still: true });
    Object.assign(this, { brush, onSelect, sentence: null, colours: null, spans: true });
    this.clear();
  }

  clear() {
    Object.assign(this, { marks: [], sure: null, range: null, focus: 0, drag: null, before: [], nodes: [], anchor: null });
  }

  show(sentence, state, colours) {
    this.clear();
    Object.assign(this, { sentence, colours, spans: state.spans });
    if (!sentence) return;
    this.marks = sentence.marks;
    this.sure = sentence.sure;
    this.draw();
    this.rove(this.spans ? 0 : Math.max(0, this.missing()));
  }

  paint(colours) {
    this.colours = colours;
    if (this.sentence) this.draw();
  }

  missing() {
    return this.spans ? -1 : this.sentence.words.findIndex((_, word) => !markAt(this.marks, word));
  }

  draw() {
    const focused = this.root.contains(document.activeElement);
    this.nodes = this.sentence.words.map((text, word) => this.word(text, word));
    this.root.classList.toggle("each", !this.spans);
    const parts = [];
    for (let word = 0; word < this.nodes.length;) {
      const mark = markAt(this.marks, word);
      const end = mark ? mark.end : word + 1;
      if (parts.length) parts.push(" ");
      parts.push(this.spans ? this.span(mark, word, end) : this.pair(mark, word));
      word = end;
    }
    this.root.replaceChildren(...parts);
    this.show_selection();
    this.rove(this.focus, focused);
  }

  word(text, word) {
    const mark = markAt(this.marks, word);
    const chance = this.sure?.[word];
    const spoken = `${text}: ${mark ? mark.label : "no label"}${chance === undefined ? "" : `, ${percent(chance)}`}`;
    const node = make("span", { class: "token", role: "button", tabindex: "-1", "aria-label": spoken }, text);
    node.dataset.index = word;
    if (chance !== undefined) node.title = `the model is ${percent(chance)} sure`;
    if (chance < 0.8) node.classList.add("doubt");
    if (text.length <= 24) node.classList.add("whole"); // a finger finds a word that stays on one line
    return node;
  }

  span(mark, start, end) {
    if (!mark) return this.nodes[start];
    const inside = this.nodes.slice(start, end).flatMap((node, k) => (k ? [" ", node] : [node]));
    const node = this.colours.paint(make("mark", { class: "span" }, ...inside), mark.label);
    node.append(this.colours.tag(mark.label));
    node.dataset.start = start;
    return node;
  }

  pair(mark, word) {
    const missing = () => make("span", { class: "tag missing", "aria-hidden": "true" }, "?");
    return make("span", { class: "pair" }, this.nodes[word], mark ? this.colours.tag(mark.label) : missing());
  }

  // Selecting

  select(range) {
    this.range = range;
    this.show_selection();
    this.onSelect();
  }

  selected() { // the mark that is exactly the selection
    if (!this.range) return null;
    const mark = markAt(this.marks, this.range[0]);
    return mark && mark.start === this.range[0] && mark.end === this.range[1] + 1 ? mark : null;
  }

  show_selection() {
    const whole = this.spans && this.selected();
    this.light(...(whole || !this.range ? [1, 0] : this.range));
    for (const node of this.root.querySelectorAll(".span")) {
      node.classList.toggle("chosen", Boolean(whole) && Number(node.dataset.start) === whole.start);
    }
  }

  step(key, extend) {
    if (super.step(key, extend)) return;
    const mark = this.spans ? markAt(this.marks, this.focus) : null;
    this.select(mark ? [mark.start, mark.end - 1] : [this.focus, this.focus]);
  }

  // The next place that the model is unsure of; false after the last one, so that Tab leaves the words.
  visit(by) {
    const places = doubtful(this.marks, this.sure);
    const at = this.range ? places.findIndex(({ start, end }) => start === this.range[0] && end === this.range[1] + 1) : -1;
    const place = places[at < 0 && by < 0 ? -1 : at + by];
    if (!place) return false;
    this.rove(place.start);
    this.anchor = null;
    this.select([place.start, place.end - 1]);
    return true;
  }

  // Changing

  change(marks) {
    this.before.push(this.marks);
    this.marks = marks;
    this.draw();
    this.onSelect();
  }

  back() { // undo the last change of this sentence; false if there is none
    if (!this.before.length) return false;
    this.marks = this.before.pop();
    this.range = null;
    this.draw();
    this.onSelect();
    return true;
  }

  apply(label) { // give the selection a label; false if nothing is selected
    if (!this.range) return false;
    const [first, last] = this.range;
    if (this.spans) this.change(put(this.marks, first, last + 1, label));
    else {
      const words = Array.from({ length: last - first + 1 }, (_, k) => first + k);
      this.change(words.reduce((marks, word) => put(marks, word, word + 1, label), this.marks));
      this.rove(last + 1);
      this.select([this.focus, this.focus]);
    }
    return true;
  }

  remove() {
    if (!this.range) return;
    this.change(without(this.marks, this.range[0], this.range[1] + 1));
  }

  resize(by) {
    const mark = this.selected();
    if (!mark) return;
    this.range = [mark.start, Math.min(this.nodes.length, Math.max(mark.start + 1, mark.end + by)) - 1];
    this.change(resized(this.marks, mark, by, this.nodes.length));
  }

  press(index) { // a click: a new mark, or the selection of one; a second click removes it
    const mark = markAt(this.marks, index);
    const chosen = this.selected();
    if (!this.spans) this.select([index, index]);
    else if (!mark && this.brush()) {
      this.change(put(this.marks, index, index + 1, this.brush()));
      this.select(null);
    } else if (mark && chosen === mark) {
      this.remove();
      this.select(null);
    } else this.select(mark ? [mark.start, mark.end - 1] : [index, index]);
  }

  drop() {
    if (!this.spans || !this.brush()) return;
    this.apply(this.brush());
    this.select(null);
  }
}
