// Words that the mouse, a finger and the arrow keys move through and select; one of them can be reached with Tab.
//
// A page's own class has press(index), a click on a word; drop(), the end of a drag; select(range), the selection is another.
const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8, Home: -Infinity, End: Infinity };

export class Picking {
  // still: the page does not scroll to the word that gets the focus
  constructor(root, { still = false } = {}) {
    Object.assign(this, { root, still, nodes: [], focus: 0, anchor: null, range: null, drag: null, dragged: false });
    root.addEventListener("pointerdown", (event) => this.down(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", () => this.up());
    root.addEventListener("pointercancel", () => { this.drag = null; this.select(null); });
    root.addEventListener("click", (event) => { // from assistive technology, which has no pointer
      const index = this.indexOf(event.target);
      if (event.detail === 0 && index !== null) this.press(index);
    });
  }

  indexOf(node) {
    const found = node instanceof Element ? node.closest(".token") : null;
    return found && this.root.contains(found) ? Number(found.dataset.index) : null;
  }

  rove(index, move = true) { // roving focus
    if (!this.nodes.length) return;
    for (const node of this.nodes) node.tabIndex = -1;
    this.focus = Math.max(0, Math.min(index, this.nodes.length - 1));
    this.nodes[this.focus].tabIndex = 0;
    if (move) this.nodes[this.focus].focus({ preventScroll: this.still });
  }

  light(first, last) { // [first, last] are picked, and no other words
    this.nodes.forEach((node, k) => node.classList.toggle("picked", k >= first && k <= last));
  }

  steps(key) {
    return key in STEPS;
  }

  // An arrow key. With `extend` the selection goes on from the anchor; returns whether it did.
  step(key, extend) {
    const from = this.focus;
    this.rove(this.focus + STEPS[key]);
    this.anchor = extend ? this.anchor ?? from : null;
    if (extend) this.stretch(this.anchor, this.focus);
    return extend;
  }

  stretch(from, to) {
    this.select([Math.min(from, to), Math.max(from, to)]);
  }

  down(event) {
    const index = this.indexOf(event.target);
    if (index === null || event.button !== 0) return;
    this.drag = index;
    this.dragged = false;
    this.rove(index);
    event.preventDefault(); // no selection of text
  }

  move(event) {
    if (this.drag === null) return;
    const index = this.indexOf(document.elementFromPoint(event.clientX, event.clientY));
    if (index === null || (index === this.drag && !this.dragged)) return;
    this.dragged = true;
    this.stretch(this.drag, index);
  }

  up() {
    if (this.drag === null) return;
    const index = this.drag;
    this.drag = null;
    if (this.dragged) this.drop();
    else this.press(index);
  }
}
