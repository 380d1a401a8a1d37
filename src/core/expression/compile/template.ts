import { type Finding, finding, type WithFindings } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { Expr } from "../expr.ts";
import { bracePattern } from "../syntax/braces.ts";
import { type ReadOptions, readRule } from "../type-check/type-check.ts";
import type { Scope, Type } from "../values/type.ts";
import type { JsEnv, JsRecord, Value } from "../values/value.ts";
import { type Evaluator, toJs } from "./to-js.ts";

/** Text with expressions in braces: `{employee.name}, from {first_day}`. */
export interface Template {
  readonly parts: readonly (string | Expr)[];
}

/**
 * Parses a text with expressions in braces; `{ {` is a literal brace. An invalid expression is left out and reported
 * with its position.
 */
export const readTemplate = (
  text: string,
  span: Span,
  scope: Scope,
  options: Pick<ReadOptions, "locate"> = {},
): WithFindings<Template> => {
  if (!text.includes("{")) return { value: { parts: text === "" ? [] : [text] }, findings: [] };
  const locate = options.locate ?? ((offset: number) => span.start + offset);
  const findings: Finding[] = [];
  const parts: (string | Expr)[] = [];
  let plain = "";
  let at = 0;
  for (const { index, 0: brace, groups } of text.matchAll(bracePattern)) {
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

/** The expressions of a template, in order. */
export const templateExpressions = (template: Template): readonly Expr[] =>
  template.parts.filter((part) => typeof part !== "string");

/** Formats a value for users: a date in their format, a record by its label, a missing value as the caller chooses. */
export type FormatValue = (value: Value, type: Type) => string;

/** Compiles the template to a function. */
export const renderTemplate = ({
  parts,
}: Template): ((record: JsRecord, env: JsEnv, format: FormatValue) => string) => {
  const compiled = parts.map((part) => (typeof part === "string" ? () => part : formatPart(toJs(part), part.type)));
  return (record, env, format) => compiled.map((part) => part(record, env, format)).join("");
};

const formatPart = (evaluate: Evaluator, type: Type) => (record: JsRecord, env: JsEnv, format: FormatValue) =>
  format(evaluate(record, env), type);
