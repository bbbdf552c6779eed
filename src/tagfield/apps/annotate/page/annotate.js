// The page: /v1/next ─▶ a sentence with suggestions ─▶ corrections ─▶ /v1/label: it is on the disk ─▶ the next sentence.
import { Colours } from "../web/colours.js";
import { byId, make, percent } from "../web/nodes.js";
import { call } from "../web/service.js";
import { Board } from "./board.js";
import { drawChart } from "./chart.js";
import { Palette } from "./palette.js";

const POLL = 10_000; // milliseconds; it also keeps the sentence ours
const CLIENT = "tagfield-annotate";

function clientName() {
  const found = sessionStorage.getItem(CLIENT);
  if (found) return found;
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem(CLIENT, made);
  return made;
}

const client = clientName();
let state = { labels: [], spans: true };
let sentence = null;
let busy = false;
let names = null; // what the palette shows
const palette = new Palette(byId("palette"), { onChoose: choose, onAdd: add });
const board = new Board(byId("board"), { brush: () => palette.brush, onSelect: selected });

const HINTS = {
  spans: "Drag over words, or click one, to mark them with the chosen label. Click a span to select it, and again to remove it. A red line: the model is less than 80\u202f% sure.",
  tags: "Click a word, then choose its label. A red line: the model is less than 80\u202f% sure.",
};
const KEYS = [["Enter", "accepts"], ["Tab", "goes to the least sure word"], ["← →", "move"], ["Shift", "selects"], ["1–9", "label"],
  ["Space", "repeats the label"], ["⌫", "removes"], ["S", "skips"], ["U", "takes the last sentence back"]];

function fail(error) {
  byId("error").textContent = error?.message ?? "";
  byId("error").hidden = !error;
}

function note(text) {
  byId("note").textContent = text;
}

async function ask(path, body = {}) {
  if (busy) return null;
  busy = true;
  byId("board").classList.add("stale");
  try {
    const found = await call(`v1/${path}`, { client, ...body });
    fail(null);
    return found;
  } catch (error) {
    fail(error);
    return null;
  } finally {
    busy = false;
    byId("board").classList.remove("stale");
  }
}

function show(found) {
  sentence = found.sentence;
  showState(found.state);
  board.show(sentence, state, new Colours(state.labels));
  if (!sentence) {
    const done = state.left === 0;
    byId("board").replaceChildren(make("p", { class: "finished" }, done
      ? "Everything is labelled. Stop the command with Ctrl-C; it saves the model."
      : "The last sentences are open in other windows. Label them there, or reload this page in a few minutes."));
  }
  selected();
}

function showState(next) {
  state = next;
  const colours = new Colours(state.labels);
  if (state.labels.join("\n") !== names) {
    names = state.labels.join("\n");
    palette.show(state.labels, colours);
    board.paint(colours);
  }
  const number = (count) => count.toLocaleString("en");
  byId("counts").textContent = `${number(state.labelled)} labelled · ${number(state.left)} left`;
  byId("undo").disabled = !state.undo;
  for (const id of ["skip", "accept"]) byId(id).disabled = !sentence;
  byId("hint").replaceChildren(state.spans ? HINTS.spans : HINTS.tags, " ", make("span", { class: "keys" }, "Keys: ",
    ...KEYS.flatMap(([key, what], k) => [make("kbd", {}, key), ` ${what}${k + 1 < KEYS.length ? ", " : "."}`])));
  byId("trouble").textContent = state.trouble ?? "";
  byId("trouble").hidden = !state.trouble;
  showProgress(state.progress);
}

function showProgress({ kind, points, unchanged, spans, recent }) {
  if (kind === "unchanged") {
    byId("figure").textContent = unchanged === null ? "–" : percent(unchanged);
    byId("meaning").textContent = unchanged === null
      ? "Suggestions begin after the first sentence. Then this shows how many words you did not have to change."
      : `of the words you did not have to change, in the last ${recent === 1 ? "sentence" : `${recent} sentences`}.`;
  } else {
    const last = points.at(-1);
    byId("figure").textContent = last ? percent(last[1]) : "–";
    byId("meaning").textContent = last ? `${kind} on the held-out data, after ${last[0] === 1 ? "1 sentence" : `${last[0]} sentences`}.` : `${kind} on the held-out data: label a sentence first.`;
  }
  byId("figure").parentElement.hidden = byId("figure").textContent === "–"; // nothing to show yet
  const title = kind === "unchanged" ? "Words that did not change, by ten sentences" : `${kind} on the held-out data`;
  drawChart(byId("chart"), points, title);
  const lines = [];
  if (kind !== "unchanged" && unchanged !== null) lines.push(`Words that you left as suggested, in the last ${recent}: ${percent(unchanged)}.`);
  if (state.spans && spans !== null) lines.push(`F1 of the suggested spans in the last ${recent}: ${percent(spans)}.`);
  if (state.learned) lines.push(`The model has learned from ${state.learned} ${state.learned === 1 ? "sentence" : "sentences"}.`);
  byId("further").textContent = lines.join(" ");
}

function selected() {
  byId("edit").hidden = !(sentence && state.spans && board.selected());
  if (!sentence) note("");
  else if (!state.labels.length) note("Add a label to begin.");
  else if (board.missing() >= 0) note(`${sentence.words.length - board.marks.length} words have no label yet.`);
  else if (!sentence.suggested) note("No suggestion yet.");
  else note("");
}

function choose(label) {
  if (sentence) board.apply(label);
}

async function accept() {
  if (!sentence) return;
  const bare = board.missing();
  if (bare >= 0 && !state.labels.includes("O")) {
    board.rove(bare);
    board.select([bare, bare]);
    return;
  }
  const found = await ask("label", { key: sentence.key, marks: board.marks });
  if (found) show(found);
}

async function skip() {
  const found = sentence && await ask("skip", { key: sentence.key });
  if (found) show(found);
}

async function undo() {
  const found = state.undo && await ask("undo");
  if (!found) return;
  show(found);
  note("Taken back. Correct it and accept it again.");
}

async function add(name) {
  const found = await ask("labels", { name });
  if (!found) return;
  showState(found.state);
  selected();
  if (found.state.labels.includes(name)) palette.choose(name);
  board.rove(board.focus);
}

async function poll() {
  if (!busy && document.visibilityState === "visible") {
    try {
      showState((await call("v1/state", { client })).state);
    } catch { /* the next answer says it */ }
  }
  setTimeout(poll, POLL);
}

function key(event) {
  const typing = event.target instanceof HTMLInputElement;
  const pressed = event.target instanceof HTMLButtonElement;
  if (typing || byId("ask").open) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    if (!board.back()) undo();
  } else if (event.altKey || event.ctrlKey || event.metaKey) return;
  else if (event.key === "Enter" && !pressed) accept();
  else if (event.key === "s" || event.key === "S") skip();
  else if (event.key === "u" || event.key === "U") undo();
  else if (!sentence) return;
  else if (palette.key(event.key)) ;
  else if (board.steps(event.key)) board.step(event.key, event.shiftKey);
  else if (event.key === " " && !pressed) { if (palette.brush) board.apply(palette.brush); }
  else if (["Backspace", "Delete", "0"].includes(event.key)) board.remove();
  else if (event.key === "Escape") board.select(null);
  else if (event.key === "Tab" && !pressed) { if (!board.visit(event.shiftKey ? -1 : 1)) return; }
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", key);
byId("accept").addEventListener("click", accept);
byId("skip").addEventListener("click", skip);
byId("undo").addEventListener("click", undo);
byId("remove").addEventListener("click", () => { board.remove(); board.select(null); });
byId("longer").addEventListener("click", () => board.resize(1));
byId("shorter").addEventListener("click", () => board.resize(-1));

const first = await ask("next");
if (first) show(first);
setTimeout(poll, POLL);
