import { type Finding, finding } from "../../findings.ts";
import type { YamlBlock } from "./cursor.ts";

/** Control characters, lone surrogates, marks that change the direction of text, and characters without width. */
export const hidden = /[^\P{Cc}\t\n\r\u0085]|\p{Cs}|[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;
/** Unicode spaces in indentation that YAML does not treat as spaces. */
const otherSpaces = /(?<=^|\n)[ \t]*(?<spaces>[\u00a0\u2000-\u200a\u202f\u205f\u3000][\s\u00a0]*)/gu;

const getName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/**
 * Reports invisible characters, which would make a block run differently from how it reads. Returns true if its lines
 * contain any.
 */
export const reportInvisibleCharacters = (
  { file, text, lines }: YamlBlock,
  report: (finding: Finding) => void,
): boolean => {
  const from = lines[0]?.start ?? 0;
  const fullText = text.slice(from, lines[lines.length - 1]?.end ?? from);
  // Fast path: most blocks are ASCII.
  if (!/[^\t\n\r -~]/u.test(fullText)) return false;
  let found = false;
  for (const { 0: character, index } of fullText.matchAll(hidden)) {
    found = true;
    const span = { file, start: from + index, end: from + index + character.length };
    const message = `There is an invisible character here (${getName(character)}).`;
    report(finding("BAD_CHARACTER", span, message, "Remove it.", { fix: [{ span, text: "" }] }));
  }
  for (const { 0: indentation, index, groups } of fullText.matchAll(otherSpaces)) {
    const end = from + index + indentation.length;
    const spaces = (groups?.spaces ?? "").replace(/\n.*$/su, "");
    const start = end - (groups?.spaces ?? "").length;
    const span = { file, start, end: start + spaces.length };
    const message = `This line is indented with an unusual space (${getName(spaces)}).`;
    report(
      finding("BAD_CHARACTER", span, message, "Indent with plain spaces.", {
        fix: [{ span, text: " ".repeat(spaces.length) }],
      }),
    );
  }
  return found;
};
