// Confusions, filters, cards of sentences that are drawn as you scroll, decisions, keys. Data is set as text, never as HTML.
const data = JSON.parse(document.getElementById("data").textContent);
const STEP = 30; // cards drawn at a time
const PAIRS = 8; // confusions listed
const LABELS = 12; // labels of the matrix
const number = (n) => n.toLocaleString("en");
const likely = (p) => (p > 0.9995 ? ">\u00a099.9\u00a0%" : p < 0.0005 ? "<\u00a00.1\u00a0%" : `${(100 * p).toFixed(1)}\u00a0%`);
const plural = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

// Colours: the types with most errors first.
const typeOf = (label) => (data.types.length ? label.replace(/^[BIESLUM[\]]-/, "") : label);
const wrong = data.confusions.flatMap((pair) => pair.slice(0, 2).map((id) => typeOf(data.names[id])));
const colours = new Colours([...wrong, ...data.types].filter((type) => type && type !== "O"));
const nameOf = (id) => (id < 0 ? "—" : data.names[id]);
const chip = (ids) => {
  const runs = []; // labels with how often each follows itself: B-LOC, I-LOC × 3
  for (const name of ids.map(nameOf)) {
    if (runs.length && runs[runs.length - 1][0] === name) runs[runs.length - 1][1] += 1;
    else runs.push([name, 1]);
  }
  const shown = runs.slice(0, 6).map(([name, times]) => (times > 2 ? `${name} × ${times}` : Array(times).fill(name).join(" ")));
  if (runs.length > 6) shown.push("…");
  return colours.chip(typeOf(runs.find(([name]) => name !== "O")?.[0] ?? "O"), shown.join(" "));
};

// Sentences and places, with what filters ask for.
for (const [rank, sentence] of data.sentences.entries()) {
  sentence.rank = rank;
  sentence.kept ??= sentence.words.map((_, p) => p);
  sentence.index = new Map(sentence.kept.map((p, i) => [p, i]));
  const unseen = new Set(sentence.unseen ?? []);
  sentence.isUnseen = (p) => unseen.has(p);
  sentence.pairs = new Set();
  for (const place of sentence.places) {
    place.sentence = sentence;
    place.key = `${sentence.number}:${place.first}`;
    place.shown = sentence.kept.filter((p) => p >= place.first && p < place.end);
    place.pairs = new Set(place.shown.map((p) => `${at(sentence.gold, sentence, p)},${at(sentence.best, sentence, p)}`));
    for (const pair of place.pairs) sentence.pairs.add(pair);
    place.kinds = new Set(["all", place.kind]);
    if (place.shown.some((p) => unseen.has(p))) place.kinds.add("unseen");
  }
}
function at(list, sentence, p) { return list[sentence.index.get(p)]; }
const wordAt = (sentence, p) => at(sentence.words, sentence, p) ?? `token ${p + 1}`;
const text = (sentence) => (sentence.text ??= [
  sentence.words.join(data.joiner), sentence.at,
  ...sentence.places.flatMap((place) => place.shown.flatMap((p) => [nameOf(at(sentence.gold, sentence, p)), nameOf(at(sentence.best, sentence, p))])),
].join(" ").toLowerCase());

// Decisions stay in this browser.
const STORE = `tagfield-errors-${document.body.dataset.key}`;
let decisions = {};
try { decisions = JSON.parse(localStorage.getItem(STORE) ?? "{}"); } catch { decisions = {}; }
const DECISIONS = { gold: "gold is right", prediction: "prediction is right", unclear: "unclear" };
function decide(place, what) {
  if (decisions[place.key] === what) delete decisions[place.key];
  else decisions[place.key] = what;
  try { localStorage.setItem(STORE, JSON.stringify(decisions)); } catch { /* private windows keep them until they close */ }
  place.buttons?.forEach((button, name) => button.setAttribute("aria-pressed", String(decisions[place.key] === name)));
  kinds();
  status();
}
function download() {
  const rows = [["sentence", "place", "token", "words", "gold", "predicted", "probability", "decision"]];
  const clean = (cell) => String(cell).replace(/[\t\r\n]+/g, " ");
  for (const sentence of [...data.sentences].sort((a, b) => a.number - b.number)) {
    for (const place of sentence.places) {
      if (!(place.key in decisions)) continue;
      const of = (list) => place.shown.map((p) => nameOf(at(list, sentence, p))).join(" ");
      const words = place.shown.map((p) => wordAt(sentence, p)).join(data.joiner);
      rows.push([sentence.number, sentence.at, place.first + 1, words, of(sentence.gold), of(sentence.best), place.chance, DECISIONS[decisions[place.key]]]);
    }
  }
  const file = new Blob([rows.map((row) => row.map(clean).join("\t")).join("\n") + "\n"], { type: "text/tab-separated-values" });
  const link = make("a", { download: "decisions.tsv", href: URL.createObjectURL(file) });
  link.click();
  URL.revokeObjectURL(link.href);
}

// Filters.
const state = { kind: "all", pair: null, query: "" };
const KINDS = [["all", "All"], ["sure", "Likely annotation errors"], ["unsure", "Model unsure"], ["unseen", "Unseen words"], ["open", "Undecided"]];
const inKind = (place, kind) => (kind === "open" ? !(place.key in decisions) : place.kinds.has(kind));
let matching = [];
let drawn = 0;
function matches(sentence) {
  return sentence.places.some((place) => inKind(place, state.kind))
    && (state.pair === null || sentence.pairs.has(state.pair))
    && state.query.toLowerCase().split(/\s+/).every((word) => text(sentence).includes(word));
}
const least = (sentence) => Math.min(...sentence.places.map((place) => place.chance));
const ORDERS = { rank: (a, b) => a.rank - b.rank, file: (a, b) => a.number - b.number, unsure: (a, b) => least(a) - least(b) || a.rank - b.rank };
function apply() {
  matching = data.sentences.filter(matches).sort(ORDERS[byId("order").value]);
  here = null;
  drawn = 0;
  byId("list").replaceChildren();
  more();
  kinds();
  for (const button of document.querySelectorAll("[data-pair]")) button.setAttribute("aria-pressed", String(button.dataset.pair === state.pair));
  status();
}
function kinds() {
  const all = data.sentences.flatMap((sentence) => sentence.places);
  const decided = Object.keys(decisions).length > 0;
  const buttons = KINDS.filter(([kind]) => (kind !== "unseen" || data.unseen) && (kind !== "open" || decided || state.kind === "open")).map(([kind, title]) => {
    const count = all.filter((place) => inKind(place, kind)).length;
    const button = make("button", { type: "button", "data-kind": kind, "aria-pressed": String(state.kind === kind) }, title, make("i", {}, number(count)));
    button.addEventListener("click", () => { state.kind = kind; apply(); });
    return button;
  });
  byId("kinds").replaceChildren(...buttons);
}
function status() {
  const count = matching.length;
  const places = matching.flatMap((sentence) => sentence.places).filter((place) => inKind(place, state.kind) && (state.pair === null || place.pairs.has(state.pair))).length;
  const among = count === data.sentences.length ? plural(count, "sentence") : `${number(count)} of ${plural(data.sentences.length, "sentence")}`;
  const parts = [make("span", {}, `${plural(places, "place")} in ${among}`)];
  if (state.pair !== null) {
    const [gold, best] = state.pair.split(",").map(Number);
    parts.push(make("span", {}, "gold ", chip([gold]), " → predicted ", chip([best])));
  }
  if (filtered()) {
    const clear = make("button", { type: "button", id: "clear" }, "Clear filters");
    clear.addEventListener("click", reset);
    parts.push(clear);
  }
  const decided = data.sentences.flatMap((sentence) => sentence.places).filter((place) => place.key in decisions).length;
  if (decided) {
    const save = make("button", { type: "button", id: "download" }, "Download decisions");
    save.addEventListener("click", download);
    parts.push(make("span", {}, `${number(decided)} decided`), save);
  }
  byId("status").replaceChildren(...parts);
}
const filtered = () => state.kind !== "all" || state.pair !== null || state.query !== "";
function reset() {
  Object.assign(state, { kind: "all", pair: null, query: "" });
  byId("search").value = "";
  apply();
}

// Confusions: a list of the most frequent, and a matrix of the labels with most errors.
function choose(pair) {
  state.pair = state.pair === pair ? null : pair;
  apply();
  if (state.pair !== null) document.querySelector(".bar").scrollIntoView({ block: "start" });
}
function confusions() {
  const top = data.confusions[0][2];
  for (const [gold, best, count] of data.confusions.slice(0, PAIRS)) {
    const button = make("button", { type: "button", "data-pair": `${gold},${best}`, "aria-pressed": "false" },
      make("span", { class: "names" }, "gold ", chip([gold]), " → ", chip([best])), meter(count / top), make("span", { class: "count" }, number(count)));
    button.addEventListener("click", () => choose(button.dataset.pair));
    byId("pairs").append(make("li", {}, button));
  }
  const share = new Map();
  for (const [gold, best, count] of data.confusions) for (const id of [gold, best]) share.set(id, (share.get(id) ?? 0) + count);
  const byCount = [...share.keys()].sort((a, b) => share.get(b) - share.get(a));
  const chosen = new Set(); // the labels of the most frequent confusions, then those with most errors
  for (const pair of data.confusions.slice(0, PAIRS)) {
    const both = pair.slice(0, 2).filter((id) => !chosen.has(id));
    if (chosen.size + both.length <= LABELS) for (const id of both) chosen.add(id);
  }
  for (const id of byCount) if (chosen.size < LABELS) chosen.add(id);
  const key = (id) => { const name = nameOf(id); return name === "O" ? "\uffff" : `${typeOf(name)} ${name}`; };
  const ids = [...chosen].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const counts = new Map(data.confusions.map(([gold, best, count]) => [`${gold},${best}`, count]));
  const left = byCount.length - ids.length;
  const head = make("tr", {}, make("th"), ...ids.map((id) => make("th", { scope: "col", title: nameOf(id) }, nameOf(id))));
  const rows = ids.map((gold) => make("tr", {}, make("th", { scope: "row", title: nameOf(gold) }, nameOf(gold)), ...ids.map((best) => {
    const count = counts.get(`${gold},${best}`);
    if (gold === best) return make("td", { class: "same" });
    if (!count) return make("td");
    const what = `gold ${nameOf(gold)}, predicted ${nameOf(best)}: ${number(count)}`;
    const button = make("button", { type: "button", class: "shade", "data-pair": `${gold},${best}`, "aria-pressed": "false", "aria-label": what, title: what }, number(count));
    const shade = 0.1 + 0.8 * Math.sqrt(count / top);
    button.style.setProperty("--p", shade.toFixed(3));
    if (shade > 0.55) button.classList.add("strong");
    button.addEventListener("click", () => choose(button.dataset.pair));
    return make("td", {}, button);
  })));
  byId("matrix-note").textContent = `Rows: gold, columns: predicted.${left ? ` ${plural(left, "label")} with fewer errors left out.` : ""}`;
  byId("matrix").append(make("thead", {}, head), make("tbody", {}, ...rows));
}

// One side of a card: the words, with spans and wrong tokens marked.
function side(sentence, labels, spans) {
  const parts = [];
  let box = null; // the span that the next words belong to
  let before = -1;
  const starts = spans.map((span) => [...span]);
  const add = (part) => (box ? box.node.append(part) : parts.push(part));
  const close = () => {
    if (!box) return;
    box.node.append(make("span", { class: "tag" }, data.types[box.span[2]]));
    box = null;
  };
  for (const [i, p] of sentence.kept.entries()) {
    if (p !== before + 1) {
      close();
      parts.push(make("span", { class: "gap" }, `… ${number(p - before - 1)} tokens …`), " ");
    }
    while (starts.length && starts[0][1] <= p) starts.shift();
    if (!box && starts.length && starts[0][0] <= p) {
      box = { span: starts[0], node: colours.paint(make("mark", { class: "span" }), data.types[starts[0][2]]) };
      parts.push(box.node);
    }
    const wrong = sentence.gold[i] >= 0 && sentence.gold[i] !== sentence.best[i];
    const node = make("span", { "data-token": p, title: nameOf(labels[i]) }, sentence.words[i]);
    if (wrong) node.classList.add("wrong");
    if (sentence.isUnseen(p)) node.classList.add("unseen");
    const ends = box && (box.span[1] === p + 1 || i + 1 === sentence.kept.length);
    add(node);
    if (!data.types.length && wrong) add(colours.paint(make("span", { class: "tag" }, nameOf(labels[i])), nameOf(labels[i])));
    if (ends) close();
    add(data.joiner);
    before = p;
  }
  const rest = sentence.tokens - 1 - before;
  if (rest > 0) parts.push(make("span", { class: "gap" }, `… ${number(rest)} tokens`));
  return make("p", { class: "text" }, ...parts);
}

function card(sentence) {
  const id = `sentence-${sentence.number}`;
  const badges = [];
  if (sentence.places.some((place) => place.kinds.has("sure"))) badges.push(make("span", { class: "badge sure" }, "likely annotation error"));
  if (sentence.places.some((place) => place.kinds.has("unsure"))) badges.push(make("span", { class: "badge" }, "model unsure"));
  if (sentence.places.some((place) => place.kinds.has("unseen"))) badges.push(make("span", { class: "badge" }, "unseen word"));
  const places = make("ul", { class: "places" }, ...sentence.places.map((place) => placeNode(place)));
  if (sentence.left) places.append(make("li", { class: "quiet" }, `${plural(sentence.left, "more place")} in this sentence left out.`));
  sentence.node = make("li", { class: "card", id },
    make("div", { class: "head" }, make("a", { href: `#${id}` }, `Sentence ${number(sentence.number)}`), make("span", { class: "quiet" }, sentence.at), ...badges),
    make("div", { class: "sides" },
      make("div", {}, make("h3", {}, "Gold"), side(sentence, sentence.gold, sentence.spans[0])),
      make("div", {}, make("h3", {}, "Predicted"), side(sentence, sentence.best, sentence.spans[1]))),
    places);
  return sentence.node;
}

function placeNode(place) {
  const { sentence } = place;
  const words = place.shown.map((p) => wordAt(sentence, p));
  const shown = words.length > 8 ? `${words.slice(0, 8).join(data.joiner)} …` : words.join(data.joiner);
  const ids = (list) => place.shown.map((p) => at(list, sentence, p));
  const many = place.end - place.first > 1 ? ` at “${wordAt(sentence, place.top)}”` : "";
  const chances = `predicted ${likely(place.chance)}, gold ${likely(place.gold_chance)}${many}`;
  place.buttons = new Map(Object.entries(DECISIONS).map(([name, title]) => {
    const button = make("button", { type: "button", "data-decision": name, "aria-pressed": String(decisions[place.key] === name) }, title[0].toUpperCase() + title.slice(1));
    button.addEventListener("click", () => { go(place, false); decide(place, name); });
    return [name, button];
  }));
  const what = make("div", { class: "what" }, make("b", {}, `“${shown}”`),
    make("span", {}, "gold ", chip(ids(sentence.gold)), " → predicted ", chip(ids(sentence.best))),
    make("span", { class: "quiet" }, chances),
    make("span", { class: "decide", role: "group", "aria-label": "Your decision" }, ...place.buttons.values()));
  place.node = make("li", { class: "place", tabindex: "-1" }, what);
  place.node.addEventListener("click", () => go(place, false));
  if (place.say) place.node.append(make("p", { class: "quiet" }, place.say));
  else {
    const teaser = place.terms.slice(0, 3).map(([, name, amount]) => `${name} ${signed(amount)}`).join(" · ");
    place.details = make("details", {}, make("summary", {}, `Why: ahead by ${signed(place.sum)}`, teaser ? ` = ${teaser}${place.terms.length > 3 ? " …" : ""}` : ""));
    place.details.addEventListener("toggle", () => {
      if (place.details.open && place.details.children.length === 1) place.details.append(why(place));
      if (place.details.open && here === place) place.node.scrollIntoView({ block: "nearest" });
    });
    place.node.append(place.details);
  }
  return place.node;
}

// Why the model prefers its labels: terms that add up, and similar tokens of the training data.
function why(place) {
  const { sentence } = place;
  const top = Math.max(...place.terms.map((term) => Math.abs(term[2])), 1e-9);
  const single = place.end - place.first === 1;
  const rows = place.terms.map(([p, name, amount, times]) => {
    const where = (p < 0 || (single && p === place.first) ? "" : ` at “${wordAt(sentence, p)}”`) + (times > 1 ? ` × ${times}` : "");
    return make("tr", {}, make("td", { class: "amount" }, signed(amount)), make("td", { class: "way" }, beam(amount, top)),
      make("td", { class: "name" }, make("span", { class: "mono" }, name), make("span", { class: "quiet" }, where)));
  });
  if (place.others) rows.push(make("tr", {}, make("td", { class: "amount" }, signed(place.rest)), make("td"), make("td", { class: "quiet" }, plural(place.others, "other term"))));
  rows.push(make("tr", { class: "sum" }, make("td", { class: "amount" }, signed(place.sum)), make("td"), make("td", {}, "sum: the prediction is ahead by this much")));
  const left = make("div", {}, make("h3", {}, "What separates prediction and gold: green speaks for the prediction, red for gold"), make("table", {}, make("tbody", {}, ...rows)));
  if (place.by) {
    const sums = place.by.map(([p, amount]) => `${p < 0 ? "transitions" : `“${wordAt(sentence, p)}”`} ${signed(amount)}`);
    left.append(make("p", { class: "quiet" }, `By token: ${sums.join(" · ")}.`));
  }
  if (place.also) {
    const changes = place.also.map(([p, from, to]) => `“${wordAt(sentence, p)}” from ${nameOf(from)} to ${nameOf(to)}`);
    if (place.further) changes.push(`${number(place.further)} more`);
    left.append(make("p", { class: "quiet" }, `With the gold labels here, the best path also changes ${changes.join(", ")}.`));
  }
  return make("div", { class: "why" }, left, ...(place.seen ? [training(place)] : []));
}
function training(place) {
  const { sentence } = place;
  const gold = nameOf(at(sentence.gold, sentence, place.top));
  const best = nameOf(at(sentence.best, sentence, place.top));
  const box = make("div", { class: "train" }, make("h3", {}, "In the training data"));
  const seen = place.seen.filter(([, counts]) => counts.length).map(([name, counts]) => make("li", { class: "counts" },
    make("span", { class: "mono" }, name), ": ", ...counts.flatMap(([label, count], i) => [i ? ", " : "", make("span", { class: "count" }, colours.chip(typeOf(label), label), ` ${number(count)}`)])));
  const like = place.like.map((n) => data.examples[n]).map((example) => make("li", {},
    example.before, " ", make("b", {}, example.word), " ", colours.chip(typeOf(example.label), example.label || "no label"), " ", example.after, " ",
    make("span", { class: "quiet" }, `${example.at}${example.label === gold ? ", labelled like gold" : example.label === best ? ", labelled like the prediction" : ""}`)));
  if (!seen.length && !like.length) box.append(make("p", { class: "quiet" }, "No training token shares the attributes that speak for the prediction."));
  if (seen.length) box.append(make("ul", {}, ...seen));
  if (like.length) box.append(make("ul", {}, ...like));
  return box;
}

// Cards are drawn as you scroll, and up to a place that a link or a key asks for.
function more(count = STEP) {
  const next = matching.slice(drawn, drawn + count);
  byId("list").append(...next.map(card));
  drawn += next.length;
  byId("end").textContent = drawn < matching.length ? "" : matching.length ? "That is all." : "No sentence matches the filters.";
}
new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting) && drawn < matching.length) more(); }, { rootMargin: "1200px" }).observe(byId("end"));
window.addEventListener("beforeprint", () => more(matching.length));

let here = null; // the current place
function go(place, scroll = true) {
  if (here?.node) here.node.classList.remove("here");
  for (const node of document.querySelectorAll(".current")) node.classList.remove("current");
  here = place;
  while (drawn <= matching.indexOf(place.sentence)) more();
  place.node.classList.add("here");
  for (const node of place.sentence.node.querySelectorAll("[data-token]")) {
    const p = Number(node.dataset.token);
    if (p >= place.first && p < place.end) node.classList.add("current");
  }
  if (!scroll) return;
  const tall = place.sentence.node.offsetHeight > 0.7 * window.innerHeight;
  (tall ? place.node : place.sentence.node).scrollIntoView({ block: tall ? "center" : "nearest" });
  place.node.focus({ preventScroll: true });
  history.replaceState(null, "", `#sentence-${place.sentence.number}`);
}
function step(by) {
  const places = matching.flatMap((sentence) => sentence.places);
  if (!places.length) return;
  const now = here === null ? (by > 0 ? -1 : places.length) : places.indexOf(here);
  go(places[Math.max(0, Math.min(places.length - 1, now + by))]);
}
function follow() {
  const found = /^#sentence-(\d+)$/.exec(location.hash);
  if (!found) return;
  const sentence = data.sentences.find((each) => each.number === Number(found[1]));
  if (!sentence) {
    byId("status").append(make("span", {}, `Sentence ${found[1]} is not on this page: it has no error, or was left out.`));
    return;
  }
  if (!matching.includes(sentence)) reset();
  go(sentence.places[0]);
  for (const node of document.querySelectorAll(".linked")) node.classList.remove("linked");
  sentence.node.classList.add("linked");
  sentence.node.scrollIntoView({ block: "start" });
}

const help = byId("help");
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || help.open) return;
  const typing = event.target instanceof Element && event.target.closest("input, select");
  if (event.key === "Escape") {
    if (typing) typing.blur();
    if (filtered()) reset();
    return;
  }
  if (typing) return;
  const keys = {
    j: () => step(1), k: () => step(-1), "/": () => byId("search").focus(), "?": () => help.showModal(),
    g: () => here && decide(here, "gold"), p: () => here && decide(here, "prediction"), u: () => here && decide(here, "unclear"),
  };
  if (event.key === "Enter" && here?.details && !(event.target.closest("button, summary, a"))) here.details.open = !here.details.open;
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});
byId("help-button").addEventListener("click", () => help.showModal());
let waiting = 0;
byId("search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { state.query = byId("search").value.trim(); apply(); }, 120);
});
byId("order").addEventListener("change", apply);
window.addEventListener("hashchange", follow);
byId("whole").open = window.innerWidth > 800;
if (data.sentences.length) {
  document.querySelector("main").hidden = false;
  confusions();
  apply();
  follow();
}
