import { type Cursor, endsWord, report } from "./cursor.ts";
import { beginsLiteral } from "./scalar.ts";

/** The effect of a value's first character, if the value is not quoted. */
export type Leading =
  /** A YAML feature that the language does not have; `length` characters are skipped. */
  | { readonly kind: "feature"; readonly length: number }
  /** A text that needs quotes. */
  | { readonly kind: "text"; readonly message: string };

const signs: Readonly<Record<string, string>> = {
  "!": "an exclamation mark",
  "&": "an ampersand",
  "*": "a star",
  "%": "a percent sign",
  "@": "an at sign",
  "`": "a backtick",
  "|": "a bar",
  ">": "an angle bracket",
  "#": "#",
  ",": "a comma",
  "]": "a bracket",
  "}": "a brace",
};

/** A YAML tag rather than a condition: `!name` before a word, a quote or the end of the line, `!!name`, or `!<…>`. */
const tag = /^!(?:![\w:-]*|<[^>]*>|[A-Za-z][\w:/.-]*)(?=[ \t]+(?:[\p{L}\p{N}"'{[]|[|>][+-]?\d?[ \t]*$))/u;
const anchor = /^&[\w-]+(?=[ \t]|$|[,\]}])/u;
const alias = /^\*(?<name>[\w-]+)(?=[ \t]*(?:$|#|[,\]}]))/u;

/** The names that a block defines with `&`, searched for once. */
const getAnchors = (cursor: Cursor): ReadonlySet<string> => {
  if (cursor.anchors === undefined) {
    const { lines, text } = cursor;
    const fullText = text.slice(lines[0]?.start ?? 0, lines[lines.length - 1]?.end ?? 0);
    cursor.anchors = new Set(Array.from(fullText.matchAll(/(?:^|[\s[{,])&([\w-]+)/gu), ([, name]) => name ?? ""));
  }
  return cursor.anchors;
};

/** Maximum length of a tag or name. */
const LONGEST = 200;

/** Classifies text at the cursor that is not a plain scalar. `opens`: more deeply indented lines follow. */
export const classifyIndicator = (cursor: Cursor, inBlock: boolean, opens = false): Leading | undefined => {
  const { text, at, end } = cursor;
  const sign = text[at] ?? "";
  if (sign === "?" && (endsWord(cursor, at + 1) || (!inBlock && ",[]{}".includes(text[at + 1] ?? ""))))
    return { kind: "feature", length: 1 };
  const name = signs[sign];
  if (name === undefined || (inBlock && beginsLiteral(cursor))) return undefined;
  const written = text.slice(at, Math.min(end, at + LONGEST));
  const feature =
    sign === "!" ? (tag.exec(written) ?? (opens ? /^![\w:/.-]*$/u.exec(written) : null)) : anchor.exec(written);
  if (feature !== null) return { kind: "feature", length: feature[0].length };
  const reference = alias.exec(written);
  if (reference !== null && getAnchors(cursor).has(reference.groups?.name ?? ""))
    return { kind: "feature", length: reference[0].length };
  return { kind: "text", message: `A value that begins with ${name} needs quotes.` };
};

/** Reports an unsupported YAML feature at the cursor and skips it. */
export const skipFeature = (cursor: Cursor, length: number): void => {
  const { at } = cursor;
  const written = cursor.text.slice(at, at + length);
  const [message, hint] = written.startsWith("?")
    ? ["A key can’t begin with a question mark.", "Write the key, a colon and the value."]
    : written.startsWith("!")
      ? [
          `The tag “${written}” is not allowed.`,
          "Remove it, or put a text that begins with an exclamation mark in quotes.",
        ]
      : [`“${written}” is not allowed.`, "Write the value itself in each place."];
  report(cursor, { code: "YAML_FEATURE", start: at, end: at + length, message, hint });
  cursor.at += length;
};
