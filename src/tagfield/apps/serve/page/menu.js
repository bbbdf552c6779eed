// The menu of labels to pin; arrow keys move, Escape goes back to the words.
import { make } from "../web/nodes.js";

export class Menu {
  constructor(root) {
    this.root = root;
    root.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", (event) => {
      if (!root.hidden && !root.contains(event.target)) this.close(false);
    });
  }

  // choices: [{name, label, remove}]; resolves with the choice, or with null
  open(title, choices, colours, box) {
    this.close(false);
    this.before = document.activeElement;
    const items = choices.map((choice) => {
      const dot = make("span", { class: "dot", "aria-hidden": "true" });
      if (choice.label) colours.paint(dot, choice.label);
      else dot.classList.add("plain");
      const item = make("button", { type: "button", role: "menuitem", tabindex: "-1" }, dot, choice.name);
      item.addEventListener("click", () => this.done(choice));
      return item;
    });
    this.items = items;
    this.root.replaceChildren(make("p", {}, title), ...items);
    this.root.hidden = false;
    const { width, height } = this.root.getBoundingClientRect();
    const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8));
    const below = box.bottom + 8 + height <= window.innerHeight || box.top < height + 8;
    this.root.style.left = `${left + window.scrollX}px`;
    this.root.style.top = `${(below ? box.bottom + 8 : box.top - height - 8) + window.scrollY}px`;
    items[0].focus({ preventScroll: false });
    return new Promise((resolve) => { this.resolve = resolve; });
  }

  done(choice) {
    const resolve = this.resolve;
    this.resolve = null;
    this.close(true);
    resolve?.(choice);
  }

  close(back) {
    if (this.root.hidden) return;
    this.root.hidden = true;
    if (back && this.before?.isConnected) this.before.focus();
    this.resolve?.(null);
    this.resolve = null;
  }

  key(event) {
    const at = this.items.indexOf(document.activeElement);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.items.length - 1 };
    if (event.key in steps) this.items[(steps[event.key] + this.items.length) % this.items.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close(true);
    else if (event.key.length === 1) {
      const later = [...this.items.slice(at + 1), ...this.items.slice(0, at + 1)];
      later.find((item) => item.textContent.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
      if (event.key !== " ") return;
      return;
    } else return;
    event.preventDefault();
  }
}
