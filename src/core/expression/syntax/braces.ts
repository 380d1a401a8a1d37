/** `{ {`, or a brace with its content, whose string literals can contain braces. */
export const bracePattern = /\{ \{|\{(?<inside>(?:[^{}"']|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*)\}?/gsu;

/** The contents of the braces in a text, in order. */
export const findBraces = (text: string): readonly string[] =>
  [...text.matchAll(bracePattern)].flatMap(({ groups }) => groups?.inside ?? []);

/** The contents of the braces in a text, and what stands before, between and after them. */
export const splitBraces = (text: string): readonly (string | { readonly place: string })[] => {
  const parts: (string | { readonly place: string })[] = [];
  let plain = "";
  let at = 0;
  for (const { index, 0: brace, groups } of text.matchAll(bracePattern)) {
    plain += text.slice(at, index);
    at = index + brace.length;
    if (groups?.inside === undefined) plain += "{";
    else {
      parts.push(plain, { place: groups.inside });
      plain = "";
    }
  }
  return [...parts, plain + text.slice(at)];
};

/** Replaces each pair of braces in a text by a value. */
export const fillBraces = (text: string, value: (place: string) => string): string =>
  splitBraces(text)
    .map((part) => (typeof part === "string" ? part : value(part.place)))
    .join("");
