import type { Compiled } from "../core/compile.ts";
import type { Finding, Severity } from "../core/findings.ts";
import { defaults } from "../core/model/defaults.ts";
import { placesIn, type Source, toSources } from "../core/source-text.ts";
import { program } from "./program.ts";

const words: { readonly [S in Severity]: string } = {
  error: "error",
  warning: "warning",
  open: "open",
  "not executed": "not executed",
};

const colours: { readonly [S in Severity]: string } = { error: "31", warning: "33", open: "33", "not executed": "36" };

/** Maximum number of findings shown; the rest are counted. */
const MAX_FINDINGS = 1_000;

/** Longer source lines are not shown, only their position. */
const MAX_LINE_LENGTH = 200;

/**
 * Makes text from a document safe for a terminal: replaces control characters, which could move the cursor or change
 * colours, with spaces.
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ");

/** Formats findings for a terminal: position, message, source line with a caret, and hint. */
export const findingsText = (
  source: Source | readonly Source[],
  findings: readonly Finding[],
  colour: boolean,
): string => {
  const sources = toSources(source);
  const at = placesIn(sources);
  const lines = new Map(sources.map(({ file, text }) => [file, text.split("\n")]));
  const paint = (code: string, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const shown = findings.slice(0, MAX_FINDINGS).map((finding) => {
    const place = at(finding.span);
    const line = (lines.get(place.file)?.[place.line - 1] ?? "").replace(/\r$/u, "");
    const end = place.endLine === place.line ? place.endColumn : line.length + 1;
    const caret = `${" ".repeat(place.column - 1)}${"^".repeat(Math.max(1, Math.min(end, line.length + 1) - place.column))}`;
    const number = String(place.line);
    const margin = " ".repeat(number.length);
    const also = finding.also === undefined ? undefined : at(finding.also);
    return [
      `${paint("1", `${place.file}:${place.line}:${place.column}`)} ${paint(colours[finding.severity], words[finding.severity])} ${finding.code}${finding.clause === undefined ? "" : ` ${printable(finding.clause)}`}`,
      `  ${printable(finding.message)} ${printable(finding.hint)}`,
      ...witnessLines(finding),
      ...(also === undefined ? [] : [`  See also: ${also.file}:${also.line}:${also.column}`]),
      ...(line.length > 0 && line.length <= MAX_LINE_LENGTH
        ? [`  ${number} │ ${printable(line)}`, `  ${margin} │ ${paint(colours[finding.severity], caret)}`]
        : []),
    ].join("\n");
  });
  const more = findings.length - shown.length;
  return [...shown, ...(more > 0 ? [`And ${more.toLocaleString("en")} more.`] : [])].join("\n\n");
};

/** The counterexample, unless the message already contains it. */
const witnessLines = ({ message, witness = {} }: Finding): readonly string[] => {
  const { role, record = {}, steps = [] } = witness;
  const values = Object.entries(record).map(([path, value]) => `${path} is ${value}`);
  const parts = [
    ...(role === undefined || message.includes(role) ? [] : [`as ${role}`]),
    ...(values.every((value) => message.includes(value)) ? [] : [`where ${values.join(" and ")}`]),
    ...(steps.every((step) => message.includes(step)) ? [] : [`after ${steps.join(", then ")}`]),
  ];
  return parts.length === 0 ? [] : [`  Example: ${printable(parts.join(", "))}.`];
};

/** The findings as JSON. Lines and columns count from 1, columns in UTF-16 code units. */
export const findingsJson = ({ source, sources, findings, open, model }: Compiled) => {
  const at = placesIn(sources);
  return {
    file: source.file,
    files: sources.map(({ file }) => file),
    runs: model !== undefined,
    findings: findings.map(({ span, also, fix, open: _, ...finding }) => ({
      ...finding,
      ...(also === undefined ? {} : { also: at(also) }),
      ...(fix === undefined ? {} : { fix: fix.map((edit) => ({ ...at(edit.span), text: edit.text })) }),
      ...at(span),
    })),
    open: open.map((point) => ({
      point: point.point,
      file: point.span.file,
      line: at(point.span).line,
      statement: point.statement,
      default: point.default,
      inForce: defaults[point.default].inForce,
    })),
    defaults: (model?.defaults ?? []).map((code) => ({ code, ...defaults[code], topics: undefined })),
  };
};

/**
 * Lists features that are understood but have no effect yet, one line per kind. `run` prints these lines; `check` shows
 * each place.
 */
export const notExecutedText = (findings: readonly Finding[]): string => {
  const counts = new Map<string, number>();
  for (const finding of findings)
    if (finding.severity === "not executed")
      counts.set(getKindText(finding), (counts.get(getKindText(finding)) ?? 0) + 1);
  if (counts.size === 0) return "";
  const lines = [...counts].map(([kind, count]) => `  ${kind}${count === 1 ? "" : ` (${count} times)`}`);
  return [
    `These parts of the specification have no effect in this release (“${program} check” shows where):`,
    ...lines,
  ].join("\n");
};

/** The part before the colon in "Tiles of an overview: understood, but …". */
const getKindText = (finding: Finding): string => finding.message.split(":")[0] ?? finding.message;
