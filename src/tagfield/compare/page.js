// Sortable tables, a chart with zoom, scores by label, and a confusion matrix.
const data = JSON.parse(byId("data").textContent);
const SHAPES = new Set(["svg", "path", "line", "text", "rect", "g", "clipPath", "defs"]);

function put(name, attributes = {}, parent = null, text = null) { // a new node at the end of another
  const node = (SHAPES.has(name) ? shape : make)(name, attributes);
  if (text !== null) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

// In dark mode, black lines take the text colour, and the others get lighter.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const colour = (style) => {
  if (style.colour === "#000000") return "var(--ink)";
  return dark.matches ? `color-mix(in srgb, ${style.colour} 72%, white)` : style.colour;
};
const dashes = (style) => style.dashes.map((part) => part * 1.7).join(" ");
const MARKS = {
  "o": "M-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z",
  "s": "M-3 -3h6v6h-6z",
  "^": "M0 -4L3.8 3H-3.8z",
  "v": "M0 4L3.8 -3H-3.8z",
  "D": "M0 -4.2L4.2 0L0 4.2L-4.2 0z",
  "P": "M-1.3 -3.8h2.6v2.5h2.5v2.6h-2.5v2.5h-2.6v-2.5h-2.5v-2.6h2.5z",
  "X": "M-3.6 -2L-2 -3.6L0 -1.6L2 -3.6L3.6 -2L1.6 0L3.6 2L2 3.6L0 1.6L-2 3.6L-3.6 2L-1.6 0z",
  "*": "M0 -4.8L1.3 -1.5L4.6 -1.5L2 0.6L2.9 4L0 2L-2.9 4L-2 0.6L-4.6 -1.5L-1.3 -1.5z",
};
function swatch(style, parent) {
  const svg = put("svg", { viewBox: "0 0 34 12", "aria-hidden": "true" }, parent);
  put("line", { x1: 1, x2: 33, y1: 6, y2: 6, stroke: colour(style), "stroke-width": 2, "stroke-dasharray": dashes(style) }, svg);
  put("path", { d: MARKS[style.marker], transform: "translate(17 6)", fill: colour(style) }, svg);
}
for (const place of document.querySelectorAll("[data-swatch]")) {
  const text = place.textContent;
  place.textContent = "";
  swatch(data.styles[place.dataset.swatch], place);
  put("span", {}, place, text);
}

// Sortable tables: a cell sorts by its data-value if it has one, else by its text.
function sortable(table) {
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = put("button", { type: "button" });
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending" || (!head.hasAttribute("aria-sort") && head.classList.contains("text"));
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => {
        const cell = row.cells[column];
        if (cell.dataset.value === undefined) return cell.textContent;
        return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
      };
      const order = (a, b) => {
        const [x, y] = [key(a), key(b)];
        if (typeof x === "string") return (up ? 1 : -1) * x.localeCompare(y);
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
        return up ? x - y : y - x;
      };
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
    });
  }
}
sortable(byId("summary-table"));

// The chart.
const state = { hidden: new Set(), zoom: null };
const chart = byId("chart");
const tip = byId("tip");
let view = null;

for (const kind of data.features) put("option", { value: kind.name }, byId("features"), kind.title);
const isPercent = () => byId("metric").value !== "objective";
const shown = () => data.groups.filter((g) => g.features === byId("features").value && g.curves && !state.hidden.has(g.recipe));
function points(group) {
  const metric = byId("metric").value;
  const factor = isPercent() ? 100 : 1;
  const seconds = byId("against").value === "seconds";
  return group.curves[metric].mean.map((mean, i) => ({
    epoch: i + 1,
    x: seconds ? Math.log10(Math.max(group.curves.seconds.mean[i], 1e-4)) : i + 1,
    y: factor * mean,
    sd: factor * group.curves[metric].sd[i],
  }));
}
function frame(groups) {
  // Shows everything, except the first iterations of L-BFGS and a collapse, which may leave the frame.
  const seconds = byId("against").value === "seconds";
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const group of groups) {
    const all = points(group);
    const kept = seconds || !group.by_iteration ? all : all.slice(0, data.epochs);
    left = Math.min(left, kept[0].x);
    right = Math.max(right, kept[kept.length - 1].x);
    const values = kept.map((p) => p.y);
    high = Math.max(high, isPercent() || !group.by_iteration ? Math.max(...values) : values[values.length - 1]);
    low = Math.min(low, isPercent() ? (group.by_iteration ? Math.max(...values) : Math.min(values[0], values[values.length - 1])) : Math.min(...values));
  }
  if (!Number.isFinite(left)) return [0, 1, 0, 1];
  if (isPercent()) low = Math.max(low, high - 15);
  const margin = Math.max(0.05 * (high - low), 0.01);
  if (!seconds) left = Math.min(left, 1) - 0.02 * (right - 1);
  return [left, right + 0.01 * (right - left) + 1e-9, low - margin, high + margin];
}
function draw() {
  const [width, height] = [chart.clientWidth, chart.clientHeight];
  const edge = { left: 58, right: 12, top: 12, bottom: 42 };
  const groups = shown();
  const [x0, x1, y0, y1] = state.zoom || frame(groups);
  const seconds = byId("against").value === "seconds";
  const px = (x) => edge.left + ((x - x0) / (x1 - x0)) * (width - edge.left - edge.right);
  const py = (y) => height - edge.bottom - ((y - y0) / (y1 - y0)) * (height - edge.top - edge.bottom);
  view = { edge, width, height, x0, x1, y0, y1, px, py, groups };
  chart.replaceChildren();
  chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const clip = put("clipPath", { id: "frame" }, put("defs", {}, chart));
  put("rect", { x: edge.left, y: edge.top, width: Math.max(0, width - edge.left - edge.right), height: height - edge.top - edge.bottom }, clip);
  const narrow = width < 480;
  const across = seconds ? logTicks(x0, x1) : ticks(x0, x1, narrow ? 5 : 10).filter(([v]) => Number.isInteger(Math.round(v * 1e6) / 1e6) && v > 0);
  const inner = { left: edge.left, right: width - edge.right, top: edge.top, bottom: height - edge.bottom };
  grid(chart, inner, { across, up: ticks(y0, y1, 8), px, py });
  const names = { objective: "objective" };
  const vertical = names[byId("metric").value] || byId("metric").selectedOptions[0].textContent + ", %";
  put("text", { x: (edge.left + width - edge.right) / 2, y: height - 8, "text-anchor": "middle" }, chart, seconds ? "seconds of training, one core" : "epoch (iteration for L-BFGS)");
  put("text", { transform: `translate(13 ${(height - edge.bottom + edge.top) / 2}) rotate(-90)`, "text-anchor": "middle" }, chart, vertical);
  const body = put("g", { "clip-path": "url(#frame)" }, chart);
  const lines = groups.map(points);
  for (const [i, group] of groups.entries()) {
    if (group.seeds < 2) continue;
    const style = data.styles[group.recipe];
    const up = lines[i].map((p) => [px(p.x), py(p.y + p.sd)]);
    const down = lines[i].map((p) => [px(p.x), py(p.y - p.sd)]).reverse();
    put("path", { d: `${line([...up, ...down])}z`, fill: colour(style), opacity: 0.13 }, body);
  }
  for (const [i, group] of groups.entries()) {
    const style = data.styles[group.recipe];
    const d = line(lines[i].map((p) => [px(p.x), py(p.y)]));
    put("path", { class: "curve", "data-recipe": group.recipe, d, fill: "none", stroke: colour(style), "stroke-width": 1.8, "stroke-linejoin": "round", "stroke-dasharray": dashes(style) }, body);
    const inside = lines[i].filter((p) => p.x >= x0 && p.x <= x1);
    const step = Math.max(1, Math.round(inside.length / 8));
    for (let k = Math.floor((i * step) / 6); k < inside.length; k += step) {
      put("path", { d: MARKS[style.marker], fill: colour(style), stroke: "var(--paper)", "stroke-width": 0.5, transform: `translate(${px(inside[k].x).toFixed(1)} ${py(inside[k].y).toFixed(1)})` }, body);
    }
  }
  view.cross = put("line", { class: "cross", y1: edge.top, y2: height - edge.bottom, visibility: "hidden" }, chart);
  view.box = put("rect", { class: "zoom", visibility: "hidden" }, chart);
}
function legend() {
  const place = byId("legend");
  place.replaceChildren();
  for (const group of data.groups.filter((g) => g.features === byId("features").value && g.curves)) {
    const button = put("button", { type: "button", "aria-pressed": String(!state.hidden.has(group.recipe)), "data-recipe": group.recipe }, place);
    swatch(data.styles[group.recipe], button);
    put("span", {}, button, data.styles[group.recipe].label);
    button.addEventListener("click", () => {
      if (!state.hidden.delete(group.recipe)) state.hidden.add(group.recipe);
      button.setAttribute("aria-pressed", String(!state.hidden.has(group.recipe)));
      draw();
    });
  }
}
const place = (event) => {
  const box = chart.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
const toX = (p) => view.x0 + ((p - view.edge.left) / (view.width - view.edge.left - view.edge.right)) * (view.x1 - view.x0);
const toY = (p) => view.y0 + ((view.height - view.edge.bottom - p) / (view.height - view.edge.top - view.edge.bottom)) * (view.y1 - view.y0);
function hover(event) {
  const [px, py] = place(event);
  if (px < view.edge.left || px > view.width - view.edge.right || !view.groups.length) return leave();
  const x = toX(px);
  const rows = [];
  for (const group of view.groups) {
    const near = points(group).reduce((a, b) => (Math.abs(b.x - x) < Math.abs(a.x - x) ? b : a));
    if (Math.abs(view.px(near.x) - px) < 40) rows.push([near, group]);
  }
  if (!rows.length) return leave();
  const [first] = rows.reduce((a, b) => (Math.abs(b[0].x - x) < Math.abs(a[0].x - x) ? b : a));
  rows.sort((a, b) => b[0].y - a[0].y);
  tip.replaceChildren();
  const seconds = byId("against").value === "seconds";
  put("div", {}, tip, seconds ? `about ${Number((10 ** first.x).toPrecision(3))} s` : `epoch ${first.epoch}`);
  const table = put("table", {}, tip);
  for (const [near, group] of rows) {
    const row = put("tr", {}, table);
    const name = put("span", { class: "swatch" }, put("td", {}, row));
    swatch(data.styles[group.recipe], name);
    put("span", {}, name, data.styles[group.recipe].label);
    const digits = isPercent() ? 2 : 0;
    const value = near.y.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    put("td", {}, row, group.seeds > 1 ? `${value} ± ${near.sd.toFixed(digits)}` : value);
  }
  for (const [name, value] of Object.entries({ x1: view.px(first.x), x2: view.px(first.x), visibility: "visible" })) view.cross.setAttribute(name, value);
  tip.hidden = false;
  const left = px + 16 + tip.offsetWidth > view.width ? Math.max(0, px - 16 - tip.offsetWidth) : px + 16;
  tip.style.transform = `translate(${left}px, ${Math.max(4, Math.min(py - 20, view.height - tip.offsetHeight - 4))}px)`;
}
function leave() {
  tip.hidden = true;
  if (view) view.cross.setAttribute("visibility", "hidden");
}
let drag = null;
chart.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  drag = place(event);
  if (event.pointerType === "mouse") chart.setPointerCapture(event.pointerId);
  hover(event);
});
chart.addEventListener("pointermove", (event) => {
  if (!drag || event.pointerType !== "mouse") return hover(event);
  leave();
  const [px, py] = place(event);
  const box = { x: Math.min(px, drag[0]), y: Math.min(py, drag[1]), width: Math.abs(px - drag[0]), height: Math.abs(py - drag[1]), visibility: "visible" };
  for (const [name, value] of Object.entries(box)) view.box.setAttribute(name, value);
});
chart.addEventListener("pointerup", (event) => {
  if (!drag) return;
  const [a, b] = [drag, place(event)];
  drag = null;
  if (event.pointerType === "mouse" && Math.abs(a[0] - b[0]) > 8 && Math.abs(a[1] - b[1]) > 8) {
    const xs = [toX(a[0]), toX(b[0])].sort((m, n) => m - n);
    const ys = [toY(a[1]), toY(b[1])].sort((m, n) => m - n);
    state.zoom = [xs[0], xs[1], ys[0], ys[1]];
    draw();
  } else if (view) view.box.setAttribute("visibility", "hidden");
});
chart.addEventListener("pointercancel", () => { drag = null; leave(); });
chart.addEventListener("pointerleave", (event) => { if (!drag && event.pointerType === "mouse") leave(); });
document.addEventListener("pointerdown", (event) => { if (!chart.contains(event.target)) leave(); });
chart.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return; // a touchpad pinch sets ctrlKey; the plain wheel scrolls the page
  event.preventDefault();
  const [px, py] = place(event);
  zoomAt(toX(px), toY(py), event.deltaY < 0 ? 0.8 : 1.25);
}, { passive: false });
function zoomAt(x, y, factor) {
  state.zoom = [x - (x - view.x0) * factor, x + (view.x1 - x) * factor, y - (y - view.y0) * factor, y + (view.y1 - y) * factor];
  draw();
}
const touches = new Map();
chart.addEventListener("touchstart", (event) => { if (event.touches.length === 2) { touches.set("from", span(event)); } }, { passive: true });
chart.addEventListener("touchmove", (event) => {
  if (event.touches.length !== 2 || !touches.has("from")) return;
  event.preventDefault();
  const now = span(event);
  const before = touches.get("from");
  if (Math.abs(now.size / before.size - 1) < 0.04) return;
  touches.set("from", now);
  leave();
  zoomAt(toX(now.x), toY(now.y), before.size / now.size);
}, { passive: false });
chart.addEventListener("touchend", () => touches.delete("from"));
function span(event) {
  const box = chart.getBoundingClientRect();
  const [a, b] = event.touches;
  return { size: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), x: (a.clientX + b.clientX) / 2 - box.left, y: (a.clientY + b.clientY) / 2 - box.top };
}
function resetZoom() { state.zoom = null; draw(); }
chart.addEventListener("dblclick", resetZoom);
byId("reset").addEventListener("click", resetZoom);
byId("features").addEventListener("change", () => { legend(); resetZoom(); });
byId("metric").addEventListener("change", resetZoom);
byId("against").addEventListener("change", resetZoom);
window.addEventListener("resize", () => draw());
dark.addEventListener("change", () => draw());

// Scores by label, and the confusion matrix, of one recipe on one feature set.
const scored = data.groups.filter((g) => g.labels);
for (const [i, group] of scored.entries()) put("option", { value: i }, byId("group"), `${data.styles[group.recipe].label}, ${group.features}`);
const share = (part, all) => (all ? ((100 * part) / all).toFixed(2) : "–");
function labels() {
  const group = scored[byId("group").value];
  const table = byId("label-table");
  table.replaceChildren();
  const head = put("tr", {}, put("thead", {}, table));
  for (const name of ["label", "precision", "recall", "F1", "gold", "predicted"]) put("th", name === "label" ? { class: "text" } : {}, head, name);
  const body = put("tbody", {}, table);
  for (const [label, gold, predicted, correct] of group.labels) {
    const row = put("tr", {}, body);
    put("td", { class: "text" }, row, label);
    for (const [part, all] of [[correct, predicted], [correct, gold], [2 * correct, gold + predicted]]) {
      put("td", { "data-value": all ? part / all : "" }, row, share(part, all));
    }
    put("td", { "data-value": gold }, row, gold.toLocaleString("en"));
    put("td", { "data-value": predicted }, row, predicted.toLocaleString("en"));
  }
  sortable(table);
}
function short(n) {
  if (n < 1000) return String(n);
  return n < 10000 ? `${(n / 1000).toFixed(1)}k` : n < 1e6 ? `${Math.round(n / 1000)}k` : `${(n / 1e6).toFixed(1)}M`;
}
function matrix() {
  const group = scored[byId("group").value];
  byId("confusion-of").textContent = `${data.styles[group.recipe].label}, ${group.features}`;
  const { labels: names, counts } = group.confusion;
  const table = byId("matrix");
  table.replaceChildren();
  const head = put("tr", {}, put("thead", {}, table));
  put("td", { style: "border:0;cursor:default" }, head);
  for (const name of names) put("th", { scope: "col", title: name }, head, name);
  const body = put("tbody", {}, table);
  for (const [r, name] of names.entries()) {
    const row = put("tr", {}, body);
    put("th", { scope: "row", title: name }, row, name);
    const sum = counts[r].reduce((a, b) => a + b, 0);
    for (const [c, n] of counts[r].entries()) {
      const shade = n ? 0.06 + 0.94 * Math.sqrt(n / sum) : 0;
      const text = `gold ${name}, predicted ${names[c]}: ${n.toLocaleString("en")} of ${sum.toLocaleString("en")} (${share(n, sum)} %)`;
      const cell = put("td", { class: "shade", title: text, style: `--p: ${shade.toFixed(3)}` }, row, n ? short(n) : "");
      if (shade > 0.55) cell.classList.add("strong");
      if (r === c) cell.classList.add("right");
      const select = () => {
        for (const other of table.querySelectorAll("[aria-selected]")) other.removeAttribute("aria-selected");
        cell.setAttribute("aria-selected", "true");
        byId("confusion-cell").textContent = text;
      };
      cell.addEventListener("click", select);
      cell.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") select(); });
    }
  }
  byId("confusion-cell").textContent = "\u00a0";
}
if (scored.length) {
  const start = scored.findIndex((g) => g.recipe === data.default);
  byId("group").value = Math.max(0, start);
  byId("group").addEventListener("change", () => { labels(); matrix(); });
  labels();
  matrix();
}
legend();
draw();
