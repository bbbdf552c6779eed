// Marks: {start, end, label} over words, end exclusive, none overlaps another. All functions return new lists.

const touches = (mark, start, end) => mark.start < end && mark.end > start;

export const markAt = (marks, word) => marks.find((mark) => touches(mark, word, word + 1)) ?? null;

export const without = (marks, start, end) => marks.filter((mark) => !touches(mark, start, end));

export const put = (marks, start, end, label) =>
  [...without(marks, start, end), { start, end, label }].sort((a, b) => a.start - b.start);

// The mark with its end moved by a word, as far as the sentence goes; what is in the way makes room.
export function resized(marks, mark, by, length) {
  const end = Math.min(length, Math.max(mark.start + 1, mark.end + by));
  return put(without(marks, mark.start, mark.end), mark.start, end, mark.label);
}

// What a person should look at, the least sure first: marks, and single words without one.
export function doubtful(marks, sure, below = 0.95) {
  if (!sure) return [];
  const units = marks.map(({ start, end }) => ({ start, end, sure: Math.min(...sure.slice(start, end)) }));
  sure.forEach((p, word) => { if (!markAt(marks, word)) units.push({ start: word, end: word + 1, sure: p }); });
  return units.filter((unit) => unit.sure < below).sort((a, b) => a.sure - b.sure).slice(0, 12);
}
