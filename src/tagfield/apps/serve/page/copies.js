// What the copy buttons put on the clipboard.

const bio = (result) => result.sentences
  .map((sentence) => sentence.tokens.map((token) => `${token.text}\t${token.label}\n`).join(""))
  .join("\n");

// Stand-off annotation of brat: T1 <TAB> TYPE START END <TAB> text. A label has no spaces there, and a text no line ends.
const brat = (result) => {
  const found = result.sentences.flatMap((sentence) => sentence.spans.length ? sentence.spans : outside(sentence));
  return found
    .map((span, k) => `T${k + 1}\t${span.label.replace(/\s/g, "_")} ${span.start} ${span.end}\t${span.text.replace(/\s/g, " ")}\n`)
    .join("");
};
const outside = (sentence) => sentence.tokens.some((token) => token.label === "O") ? [] : sentence.tokens;

export const COPIES = {
  json: (result, text) => `${JSON.stringify({ text, ...result }, null, 2)}\n`,
  bio,
  brat,
};

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Only secure pages have a clipboard; over plain HTTP from another machine, the old way still works.
    const area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("aria-hidden", "true");
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
