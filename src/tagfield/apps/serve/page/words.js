// Offsets of a text, pins that move with it, and amounts that add up.

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
