// The chart: a curve of shares, [[sentences, share], …], as SVG.
import { grid, line } from "../web/chart.js";
import { shape } from "../web/nodes.js";

const [WIDTH, HEIGHT] = [300, 170];
const FRAME = { left: 38, right: 292, top: 8, bottom: 148 };

export function drawChart(root, points, title) {
  if (points.length < 2) {
    root.replaceChildren();
    return;
  }
  const { left, right, top, bottom } = FRAME;
  const lowest = Math.min(...points.map(([, share]) => share));
  const floor = Math.max(0, Math.floor((lowest - 0.02) * 5) / 5); // 0, 20, 40, 60 or 80 %
  const last = points.at(-1)[0];
  const px = (count) => left + (count / last) * (right - left);
  const py = (share) => top + ((1 - share) / (1 - floor)) * (bottom - top);
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  grid(svg, FRAME, { up: [floor, (floor + 1) / 2, 1].map((share) => [share, `${Math.round(share * 100)}\u202f%`]), px, py });
  svg.append(
    shape("text", { x: left, y: HEIGHT - 5, "text-anchor": "middle" }, "0"),
    shape("text", { x: right, y: HEIGHT - 5, "text-anchor": "end" }, `${last} sentences`),
    shape("path", { class: "curve", d: line(points.map(([count, share]) => [px(count), py(share)])) }),
  );
  if (points.length <= 40) for (const [count, share] of points) svg.append(shape("circle", { cx: px(count), cy: py(share), r: 3 }));
  root.replaceChildren(svg);
}
