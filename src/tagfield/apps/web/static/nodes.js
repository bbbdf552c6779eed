// Elements and numbers of all pages. Text is set as text, never as HTML.

export const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
export const shape = (name, attributes = {}, ...children) => // of a picture
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export function meter(share) {
  const node = make("span", { class: "meter", "aria-hidden": "true" });
  node.style.setProperty("--p", share);
  return node;
}

// A bar from the middle to the right for what speaks for something, to the left for what speaks against it.
export function beam(amount, top) {
  const node = make("span", { class: "beam", "aria-hidden": "true" });
  const share = Math.abs(amount) / top;
  node.style.setProperty("--p", share);
  node.style.setProperty("--way", amount < 0 ? "var(--bad)" : "var(--good)");
  // A background at x % leaves (100 − x) % of the free width at its right: this puts its edge on the middle.
  node.style.setProperty("--from", `${((amount < 0 ? 0.5 - share / 2 : 0.5) / (1 - share / 2)) * 100}%`);
  return node;
}

export const signed = (amount) => `${amount < 0 ? "−" : "+"}${Math.abs(amount).toFixed(2)}`;

export function percent(share) {
  if (share >= 0.9995) return "100\u202f%";
  if (share === 0) return "0\u202f%";
  if (share < 0.0005) return "<\u202f0.1\u202f%";
  return `${(share * 100).toFixed(1)}\u202f%`;
}
