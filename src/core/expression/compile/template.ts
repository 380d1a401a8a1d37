import { type Finding, type Found, finding } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { Expr } from "../expr.ts";
import { type ReadOptions, readRule } from "../type-check/type-check.ts";
import type { Scope, Type } from "../values/type.ts";
import type { JsEnv, JsRecord, Value } from "../values/value.ts";
import { type Evaluator, toJs } from "./to-js.ts";

/** Text with values in it: `{employee.name}, from {first_day}`. */
export interface Template {
  readonly parts: readonly (string | Expr)[];
}

/**
 * Reads a text with expressions in braces; `{ {` stands for one brace. What cannot be read is left out, with a finding
 * at its place.
 */
export const readTemplate = (
  text: string,
  span: Span,
  scope: Scope,
  options: Pick<ReadOptions, "locate"> = {},
): Found<Template> => {
  const locate = options.locate ?? ((offset: number) => span.start + offset);
  const findings: Finding[] = [];
  const parts: (string | Expr)[] = [];
  let plain = "";
  let at = 0;
  for (const { index, 0: brace, groups } of text.matchAll(pattern)) {
    plain += text.slice(at, index);
    at = index + brace.length;
    const inside = groups?.inside;
    if (inside === undefined) {
      plain += "{";
      continue;
    }
    const start = index + 1;
    const end = start + inside.length;
    const part = { file: span.file, start: locate(start), end: locate(end) };
    if (at === end) {
      const message = "This brace is never closed.";
      findings.push(finding("BAD_EXPRESSION", part, message, "Close it with }, or write { { for a brace in the text."));
      continue;
    }
    const read = readRule(inside, part, scope, undefined, { locate: (offset) => locate(start + offset) });
    findings.push(...read.findings);
    if (plain !== "") parts.push(plain);
    plain = "";
    if (read.value) parts.push(read.value);
  }
  plain += text.slice(at);
  if (plain !== "") parts.push(plain);
  return { value: { parts }, findings };
};

/** `{ {`, or a brace with what it holds; in quotes it may hold braces. */
const pattern = /\{ \{|\{(?<inside>(?:[^{}"']|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*)\}?/gsu;

/** What stands in the braces of a text, in order. */
export const placesIn = (text: string): readonly string[] =>
  [...text.matchAll(pattern)].flatMap(({ groups }) => groups?.inside ?? []);

/** The text with something in the place of each of its braces. */
export const filledIn = (text: string, value: (place: string) => string): string =>
  text.replace(pattern, (brace: string, inside: string | undefined) =>
    inside === undefined ? (brace[0] ?? "") : value(inside),
  );

/** The expressions of a template, in the order they stand. */
export const expressionsOf = (template: Template): readonly Expr[] =>
  template.parts.filter((part) => typeof part !== "string");

/** Writes a value for people: a date in their order, a record by its label, a missing value as the place wants it. */
export type Format = (value: Value, type: Type) => string;

/** The template as a function, compiled once. */
export const renderTemplate = ({ parts }: Template): ((record: JsRecord, env: JsEnv, format: Format) => string) => {
  const compiled = parts.map((part) => (typeof part === "string" ? () => part : written(toJs(part), part.type)));
  return (record, env, format) => compiled.map((part) => part(record, env, format)).join("");
};

const written = (evaluate: Evaluator, type: Type) => (record: JsRecord, env: JsEnv, format: Format) =>
  format(evaluate(record, env), type);
