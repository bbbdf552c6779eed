// The chart: a curve of shares, [[sentences, share], …], as SVG.
import { shape } from "../web/nodes.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [300, 170, 38, 22, 8, 8];

export function drawChart(root, points, title) {
  if (points.length < 2) {
    root.replaceChildren();
    return;
  }
  const lowest = Math.min(...points.map(([, share]) => share));
  const floor = Math.max(0, Math.floor((lowest - 0.02) * 5) / 5); // 0, 20, 40, 60 or 80 %
  const last = points.at(-1)[0];
  const x = (count) => LEFT + (count / last) * (WIDTH - LEFT - RIGHT);
  const y = (share) => TOP + ((1 - share) / (1 - floor)) * (HEIGHT - TOP - BOTTOM);
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  for (let k = 0; k <= 2; k += 1) {
    const share = floor + ((1 - floor) * k) / 2;
    svg.append(
      shape("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share) }),
      shape("text", { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" }, `${Math.round(share * 100)}\u202f%`),
    );
  }
  svg.append(
    shape("text", { x: LEFT, y: HEIGHT - 5, "text-anchor": "middle" }, "0"),
    shape("text", { x: WIDTH - RIGHT, y: HEIGHT - 5, "text-anchor": "end" }, `${last} sentences`),
    shape("polyline", { class: "curve", points: points.map(([count, share]) => `${x(count)},${y(share)}`).join(" ") }),
  );
  if (points.length <= 40) for (const [count, share] of points) svg.append(shape("circle", { cx: x(count), cy: y(share), r: 3 }));
  root.replaceChildren(svg);
}
