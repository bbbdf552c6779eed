// The page: text ─▶ /v1/tag ─▶ labelled text; a word ─▶ /v1/explain ─▶ why; words and a label ─▶ a pin ─▶ /v1/tag again.
import { Colours } from "../web/colours.js";
import { byId, make, meter, percent } from "../web/nodes.js";
import { call } from "../web/service.js";
import { COPIES, copy } from "./copies.js";
import { Labelled } from "./labelled.js";
import { Menu } from "./menu.js";
import { Why } from "./why.js";
import { movePins } from "./words.js";

const PAUSE = 120; // milliseconds after the last key
const PATHS = 6;
const EXAMPLE = "Anna Strand moved from Oslo to New York in May 2024. She works for Atlas Clinic, 34 Meadow Lane, Lincoln LN4 2HF, and likes it.";
const ADDRESSES = "Atlas Clinic, Ms Anna Strand, 34 Meadow Lane, Lincoln LN4 2HF\nVia Torino 11, scala 8, 40127 Bologna BO, Italia"; // for models of addresses

const state = { models: [], model: null, colours: null, text: "", result: null, pins: [], chosen: null, expected: null };
const menu = new Menu(byId("menu"));
const why = new Why({ onExpect: (label) => { state.expected = label; explain(); } });
const labelled = new Labelled(byId("tokens"), { onExplain: choose, onPin: pin, onLeave: leave });
let timer = 0;
let running = null; // the request under way
let asking = null;

function fail(error) {
  if (error.name === "AbortError") return;
  byId("error").textContent = error.message;
  byId("error").hidden = false;
}

// Text of several lines: each by itself, as `tagfield tag --text` reads it, unless the reader says that lines go on.
function tokenizer() {
  const choice = state.model.tokenizer === "words" && state.text.trim().includes("\n");
  byId("apart").hidden = !choice;
  return choice && byId("lines").checked ? "lines" : null;
}

async function tag() {
  running?.abort();
  const now = running = new AbortController();
  const { text, pins, model } = state;
  if (!model?.text) return;
  byId("tokens").classList.add("stale");
  const began = performance.now();
  try {
    const body = { model: model.name, text, tokenizer: tokenizer(), known: pins.length ? pins : null, n_best: PATHS };
    const result = await call("v1/tag", body, now.signal);
    if (running !== now) return;
    state.result = result;
    byId("error").hidden = true;
    show(performance.now() - began);
  } catch (error) {
    if (running !== now) return;
    fail(error);
  }
  byId("tokens").classList.remove("stale");
}

function show(milliseconds) {
  const { result, text, colours, pins } = state;
  labelled.show(text, result, colours, pins);
  const counts = new Map();
  for (const sentence of result.sentences) for (const span of sentence.spans) counts.set(span.label, (counts.get(span.label) ?? 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1]).map(([label, count]) => colours.paint(make("li", { class: "chip" }, label, make("span", {}, String(count))), label));
  byId("legend").replaceChildren(...rows);
  byId("unpin").hidden = pins.length === 0;
  const tokens = labelled.tokens.length;
  byId("result").classList.toggle("bare", tokens === 0);
  byId("status").textContent = tokens ? `${tokens} words · ${Math.max(1, Math.round(milliseconds))} ms` : "";
  const share = result.sentences.reduce((product, sentence) => product * sentence.probability, 1);
  byId("sure").replaceChildren(...(tokens ? ["All labels right:", meter(share), percent(share)] : []));
  if (state.chosen !== null && state.chosen >= tokens) leave();
  alternatives();
  if (state.chosen !== null) explain();
}

function alternatives() {
  const { result, colours } = state;
  const s = state.chosen === null ? 0 : labelled.tokens[state.chosen].sentence;
  const sentence = result.sentences[s];
  byId("alternatives").hidden = !sentence || sentence.n_best.length < 2;
  if (byId("alternatives").hidden) return;
  byId("which").textContent = result.sentences.length > 1 ? `of sentence ${s + 1} of ${result.sentences.length}` : "";
  const best = sentence.n_best[0].labels;
  const rows = sentence.n_best.map((path, rank) => {
    const changes = make("span", {});
    if (rank === 0) changes.append(make("span", { class: "quiet" }, "the labels above"));
    path.labels.forEach((label, t) => {
      if (label === best[t]) return;
      const chip = colours.chip(label);
      changes.append(make("span", { class: "change" }, sentence.tokens[t].text, chip), " ");
    });
    return make("li", {}, make("span", { class: "percent" }, percent(path.probability)), meter(path.probability), changes);
  });
  byId("paths").replaceChildren(...rows);
}

function choose(index) {
  if (state.chosen !== index) state.expected = null;
  state.chosen = index;
  labelled.mark_chosen(index);
  alternatives();
  explain(true);
}

async function explain(reveal = false) {
  asking?.abort();
  const now = asking = new AbortController();
  const { text, pins, model, chosen, expected } = state;
  if (chosen === null) return;
  const wanted = expected === labelled.tokens[chosen]?.label ? null : expected;
  try {
    const body = { model: model.name, text, tokenizer: tokenizer(), known: pins.length ? pins : null, token: chosen, expected: wanted };
    const found = await call("v1/explain", body, now.signal);
    if (asking !== now || state.text !== text) return;
    why.show(found, model, state.colours);
    const narrow = window.matchMedia("(max-width: 62rem)").matches;
    if (reveal && narrow) byId("why").scrollIntoView({ block: "nearest", behavior: "smooth" });
  } catch (error) {
    if (asking === now) fail(error);
  }
}

function leave() {
  state.chosen = state.expected = null;
  asking?.abort();
  labelled.mark_chosen(null);
  why.clear();
  if (state.result) alternatives();
}

async function pin(first, last, box) {
  const { model, colours } = state;
  const [start, end] = [labelled.tokens[first].start, labelled.tokens[last].end];
  const touched = (each) => each.start < end && each.end > start;
  const names = model.spans.length ? model.spans : model.labels.filter((label) => label !== "O");
  const choices = names.map((name) => ({ name, label: name }));
  if (model.labels.includes("O")) choices.push({ name: "O · no label", label: "O" });
  if (state.pins.some(touched)) choices.unshift({ name: "Remove the pin", remove: true });
  const words = labelled.tokens.slice(first, last + 1).map((token) => token.text).join(" ");
  const choice = await menu.open(`Pin “${words.length > 60 ? `${words.slice(0, 58)}…` : words}” as`, choices, colours, box);
  labelled.select(null);
  if (!choice) return;
  const before = state.pins;
  state.pins = before.filter((each) => !touched(each));
  if (!choice.remove) state.pins.push({ start, end, label: choice.label });
  await tag();
  if (!byId("error").hidden) { // the service refused it, and says why
    state.pins = before;
    byId("unpin").hidden = before.length === 0;
  }
}

function useModel(name) {
  state.model = state.models.find((model) => model.name === name) ?? state.models[0];
  const { model } = state;
  state.colours = new Colours(model.spans.length ? model.spans : model.labels.filter((label) => label !== "O"));
  state.pins = [];
  leave();
  byId("problem").textContent = model.problem ?? "";
  byId("problem").hidden = !model.problem;
  byId("text").disabled = !model.text;
  if (model.text) tag();
  else {
    state.result = null;
    byId("result").classList.add("bare");
    byId("tokens").replaceChildren(model.reads === "words"
      ? "This model reads more than words, such as parts of speech. Send it words with their columns: see API."
      : "This model reads attributes, not text. Send it attributes: see API.");
  }
}

function setText(text) {
  byId("text").value = text;
  byId("text").dispatchEvent(new Event("input"));
}

byId("text").addEventListener("input", () => {
  const text = byId("text").value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
  state.pins = movePins(state.pins, state.text, text);
  state.text = text;
  leave();
  clearTimeout(timer);
  timer = setTimeout(tag, PAUSE);
});
byId("model").addEventListener("change", (event) => useModel(event.target.value));
byId("example").addEventListener("click", () => setText(state.model?.labels.some((label) => /street|postcode/i.test(label)) ? ADDRESSES : EXAMPLE));
byId("lines").addEventListener("change", () => { leave(); tag(); });
byId("clear").addEventListener("click", () => { setText(""); byId("text").focus(); });
byId("unpin").addEventListener("click", () => { state.pins = []; tag(); });
byId("leave").addEventListener("click", () => { leave(); labelled.rove(labelled.focus); });
byId("pin").addEventListener("click", (event) => pin(state.chosen, state.chosen, event.currentTarget.getBoundingClientRect()));
byId("why").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  leave();
  labelled.rove(labelled.focus);
});
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    if (!state.result) return;
    const done = await copy(COPIES[button.dataset.copy](state.result, state.text));
    button.focus();
    byId("status").textContent = done ? `Copied as ${button.textContent}` : "The browser did not allow copying";
  });
}

try {
  const { models } = await call("v1/models");
  state.models = models;
  byId("model").replaceChildren(...models.map((model) => make("option", { value: model.name }, model.name)));
  byId("model").disabled = models.length < 2;
  state.text = byId("text").value; // a browser may fill it in again
  useModel(models[0].name);
  byId("text").focus({ preventScroll: true });
} catch (error) {
  fail(error);
}
