// Parts of charts: round numbers for the axes, grid lines with their numbers, and the line through points.
import { shape } from "./nodes.js";

export function ticks(low, high, count) { // [[value, its text], …]
  const raw = (high - low) / count;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * size).find((s) => s >= raw);
  const found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step) found.push(v);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return found.map((v) => [v, v.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })]);
}

export function logTicks(low, high) { // the same for logarithms to base 10
  const found = [];
  const dense = high - low < 2;
  for (let p = Math.floor(low); p <= Math.ceil(high); p += 1) {
    for (const n of dense ? [1, 2, 5] : [1]) {
      const v = p + Math.log10(n);
      if (v >= low && v <= high) found.push([v, Number((n * 10 ** p).toPrecision(3)).toString()]);
    }
  }
  return found.length > 1 ? found : [low, (low + high) / 2, high].map((v) => [v, (10 ** v).toPrecision(3)]);
}

export function line(points) { // [[x, y], …] in pixels, as the d of a path
  return `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
}

// Lines across a frame, and their numbers at its left and below it. px and py: pixels of values.
export function grid(svg, { left, right, top, bottom }, { across = [], up = [], px, py }) {
  for (const [x, text] of across) {
    svg.append(
      shape("line", { class: "grid", x1: px(x), x2: px(x), y1: top, y2: bottom }),
      shape("text", { x: px(x), y: bottom + 16, "text-anchor": "middle" }, text),
    );
  }
  for (const [y, text] of up) {
    svg.append(
      shape("line", { class: "grid", x1: left, x2: right, y1: py(y), y2: py(y) }),
      shape("text", { x: left - 6, y: py(y) + 4, "text-anchor": "end" }, text),
    );
  }
}
