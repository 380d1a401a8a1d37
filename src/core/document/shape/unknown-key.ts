import { type Finding, finding } from "../../findings.ts";
import { nearest, onlyNearest } from "../../source-text.ts";
import type { Parts } from "../shape.ts";
import type { Entry, Scalar, Tree } from "../tree.ts";

/** Synonyms of the language's keys. */
const keySynonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ if: "when", where: "when", condition: "when", guard: "when", effects: "after" },
    ...{ label: "title", name: "title", caption: "title", heading: "title", description: "help", hint: "help" },
    ...{ options: "values", choices: "values", enum: "values", length: "max", maximum: "max", minimum: "min" },
    ...{
      write: "update",
      edit: "update",
      change: "update",
      remove: "delete",
      view: "read",
      see: "read",
      add: "create",
    },
    ...{ role: "by", roles: "by", actor: "by", allowed: "by", ref: "type", references: "type", entity: "list" },
    ...{ table: "list", page: "record", detail: "record", email: "notify", mail: "notify", message: "else" },
    ...{ default_value: "default", initial: "default", foreign_key: "type", nullable: "type", optional: "type" },
    ...{ at: "on", date: "on", day: "on", reminders: "remind", reminder: "remind" },
    ...{ formula: "computed", value: "default", unique_with: "within", error: "else", code: "else", text: "message" },
  }),
);

/** The finding for an unknown key. The fix is certain if exactly one unused key is near and accepts the value. */
export const unknownKeyFinding = (
  key: Scalar,
  value: Tree,
  expected: string,
  parts: Parts,
  present: ReadonlySet<string>,
): Finding => {
  const written = key.text.toLowerCase();
  const synonym = keySynonyms.get(written) ?? keySynonyms.get(onlyNearest(written, keySynonyms.keys()) ?? "");
  const near =
    nearest(key.text, Object.keys(parts)) ?? (synonym !== undefined && synonym in parts ? synonym : undefined);
  const message = `“${key.text.slice(0, 60)}” is not a key of ${expected}.`;
  const optional = written === "optional" || written === "nullable";
  if (optional && "type" in parts)
    return finding("UNKNOWN_KEY", key.span, message, "Add a question mark to the type: “type: text?”.");
  if (near === undefined)
    return finding("UNKNOWN_KEY", key.span, message, `The keys are ${Object.keys(parts).join(", ")}.`);
  let fits = !present.has(near) && onlyNearest(key.text, Object.keys(parts)) === near;
  if (fits)
    parts[near]?.shape.read(value, (found) => {
      if (found.fix === undefined) fits = false;
    });
  return finding("UNKNOWN_KEY", key.span, message, `Did you mean “${near}”?`, {
    nearest: near,
    ...(fits ? { fix: [{ span: key.span, text: near }] } : {}),
  });
};

/** `{ values: small, large }`: `large` is not a key but belongs to the list before it. */
export const findItemsWithoutBrackets = (
  entries: readonly Entry[],
  index: number,
  parts: Parts,
): { readonly found: Finding; readonly end: number } | undefined => {
  const value = entries[index]?.value;
  if (value?.kind !== "scalar" || value.quoted || value.text === "" || !isLoneUnknownKey(entries[index + 1], parts))
    return undefined;
  let end = index + 1;
  while (isLoneUnknownKey(entries[end], parts)) end++;
  const span = { ...value.span, end: entries[end - 1]?.key.span.end ?? value.span.end };
  const insertion = (at: number, text: string) => ({ span: { ...span, start: at, end: at }, text });
  const fix = [insertion(span.start, "["), insertion(span.end, "]")];
  return {
    found: finding("WRONG_SHAPE", span, "A list is required here.", "Put the items in brackets.", { fix }),
    end,
  };
};

/** A lone key that its place does not know. */
export const isLoneUnknownKey = (entry: Entry | undefined, parts: Parts): boolean =>
  entry?.alone === true && !entry.key.quoted && !Object.hasOwn(parts, entry.key.text);

/**
 * `{ message: Hello, world }`: `world` is not a key but belongs to the text before it. One finding covers all pieces of
 * a text.
 */
export const findTextWithoutQuotes = (entries: readonly Entry[], index: number, parts: Parts): Finding | undefined => {
  const value = entries[index - 1]?.value;
  if (!isLoneUnknownKey(entries[index], parts) || value?.kind !== "scalar" || value.quoted || value.text === "")
    return undefined;
  let end = index;
  let isPlain = !/["\\]/u.test(value.text);
  for (; isLoneUnknownKey(entries[end], parts); end++) isPlain &&= !/["\\]/u.test(entries[end]?.key.text ?? "");
  const span = { ...value.span, end: entries[end - 1]?.key.span.end ?? value.span.end };
  const quote = (at: number) => ({ span: { ...span, start: at, end: at }, text: '"' });
  const fix = isPlain ? { fix: [quote(span.start), quote(span.end)] } : {};
  return finding(
    "NEEDS_QUOTES",
    span,
    "Without quotes, this value ends at the comma.",
    "Put the whole value in quotes.",
    fix,
  );
};
