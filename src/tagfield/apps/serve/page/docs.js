// Shows openapi.json: each path with its fields, its errors, and a form that sends the example.
import { make } from "../web/nodes.js";
import { call } from "../web/service.js";

const main = document.getElementById("api");

function kind(schema) {
  if (schema.oneOf) return [...new Set(schema.oneOf.map(kind))].join(" or ");
  if (schema.enum) return schema.enum.map(String).join(", ");
  if (schema.type === "array") {
    const items = kind(schema.items ?? {});
    return items.includes(" ") ? `(${items})[]` : `${items}[]`;
  }
  return [schema.type ?? "any"].flat().join(" or ");
}

function table(heads, rows) {
  const cells = (name, texts) => make("tr", {}, ...texts.map((text) => make(name, {}, text)));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": heads.join(", ") },
    make("table", {}, make("thead", {}, cells("th", heads)), make("tbody", {}, ...rows.map((row) => cells("td", row)))));
}

function form(path, example) {
  const area = make("textarea", { "aria-label": `Body for ${path}`, spellcheck: "false" });
  area.value = JSON.stringify(example, null, 2);
  area.rows = area.value.split("\n").length;
  const output = make("pre", { role: "status", tabindex: "0", "aria-label": `Answer of ${path}` });
  output.hidden = true;
  const send = make("button", { type: "button", class: "first" }, "Send");
  send.addEventListener("click", async () => {
    output.hidden = false;
    try {
      output.textContent = JSON.stringify(await call(path.slice(1), JSON.parse(area.value)), null, 2);
    } catch (error) {
      output.textContent = error.message;
    }
  });
  return [make("h3", {}, "Try it"), area, make("p", { class: "tools" }, send), output];
}

function operation(path, verb, found) {
  const card = make("section", { class: "card", "aria-label": `${verb} ${path}` },
    make("h2", { class: "path" }, make("span", { class: `verb ${verb}` }, verb.toUpperCase()), make("code", {}, path)),
    make("p", {}, found.summary));
  if (found.description) card.append(make("p", { class: "quiet" }, found.description));
  const body = found.requestBody?.content["application/json"];
  if (body) {
    const rows = Object.entries(body.schema.properties).map(([name, field]) => [make("code", {}, name), kind(field), field.description ?? ""]);
    card.append(make("h3", {}, "Fields"), table(["field", "type", "meaning"], rows));
    const errors = Object.entries(found.responses).filter(([status]) => status !== "200").map(([status, answer]) => [status, answer.description]);
    card.append(make("h3", {}, "Errors, as {\"error\": sentence}"), table(["status", "when"], errors), ...form(path, body.example));
  }
  return card;
}

try {
  const api = await call("openapi.json");
  const cards = Object.entries(api.paths).flatMap(([path, verbs]) => Object.entries(verbs).map(([verb, found]) => operation(path, verb, found)));
  main.replaceChildren(make("p", { class: "lead" }, api.info.description), ...cards);
} catch (error) {
  main.replaceChildren(make("p", { role: "alert" }, error.message));
}
main.setAttribute("aria-busy", "false");
