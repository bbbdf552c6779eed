// Text, offsets, colours and small helpers that the other files share.

// The service counts characters; JavaScript counts UTF-16 units, and a character such as 😀 has two of them.
export class Offsets {
  constructor(text) {
    this.text = text;
    this.units = null;
    if (/[\ud800-\udfff]/.test(text)) {
      this.units = [0];
      for (const character of text) this.units.push(this.units.at(-1) + character.length);
    }
  }
  slice(start, end) {
    return this.units ? this.text.slice(this.units[start], this.units[end]) : this.text.slice(start, end);
  }
  get length() {
    return this.units ? this.units.length - 1 : this.text.length;
  }
}

// A pin moves with its words when the text before them is edited; an edit inside it removes it.
export function movePins(pins, before, after) {
  const [a, b] = [[...before], [...after]];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const shift = b.length - a.length;
  return pins.flatMap((pin) => {
    if (pin.end <= head) return [pin];
    if (pin.start >= a.length - tail) return [{ ...pin, start: pin.start + shift, end: pin.end + shift }];
    return [];
  });
}

// Hues that are easy to tell apart come first; more types than that take the golden angle.
const HUES = [250, 70, 155, 350, 305, 110, 205, 30, 275, 130, 330, 90, 180];
export class Colours {
  constructor(model) {
    this.hues = new Map();
    const names = model.spans.length ? model.spans : model.labels.filter((label) => label !== "O");
    names.forEach((name, place) => this.hues.set(name, HUES[place] ?? (40 + place * 137.5) % 360));
  }
  hue(label) {
    if (this.hues.has(label)) return this.hues.get(label);
    return this.hues.get(label.replace(/^[BIESLUM]-/, ""));
  }
  paint(node, label) {
    const hue = this.hue(label);
    if (hue === undefined) node.classList.add("plain");
    else node.style.setProperty("--h", hue);
    return node;
  }
}

export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export function meter(share) {
  const node = make("span", { class: "meter", "aria-hidden": "true" });
  node.style.setProperty("--p", share);
  return node;
}

// Amounts with two digits that add up to their rounded total: those with the largest remainders give way.
export function addUp(amounts, total) {
  const exact = amounts.map((amount) => amount * 100);
  const whole = exact.map(Math.round);
  const left = Math.round(total * 100) - whole.reduce((sum, amount) => sum + amount, 0);
  const step = Math.sign(left);
  const order = [...exact.keys()].sort((a, b) => step * (whole[a] - exact[a] - whole[b] + exact[b]));
  for (let k = 0; k < Math.abs(left); k += 1) whole[order[k % order.length]] += step;
  return whole.map((amount) => amount / 100);
}

export function percent(share) {
  if (share >= 0.9995) return "100\u202f%";
  if (share === 0) return "0\u202f%";
  if (share < 0.0005) return "<\u202f0.1\u202f%";
  return `${(share * 100).toFixed(1)}\u202f%`;
}
