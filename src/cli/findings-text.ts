import type { Compiled } from "../core/compile.ts";
import type { Finding, Severity } from "../core/findings.ts";
import { defaults } from "../core/model/defaults.ts";
import { placesIn, type Source } from "../core/text.ts";

const words: { readonly [S in Severity]: string } = {
  error: "error",
  warning: "warning",
  open: "open",
  "not executed": "not executed",
};

const colours: { readonly [S in Severity]: string } = { error: "31", warning: "33", open: "33", "not executed": "36" };

/** The findings of a document for a terminal: place, sentence, the line with a caret, what to do. */
export const findingsText = (source: Source, findings: readonly Finding[], colour: boolean): string => {
  const at = placesIn(source);
  const lines = source.text.split("\n");
  const paint = (code: string, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return findings
    .map((finding) => {
      const place = at(finding.span);
      const line = (lines[place.line - 1] ?? "").replace(/\r$/u, "");
      const end = place.endLine === place.line ? place.endColumn : line.length + 1;
      const caret = `${" ".repeat(place.column - 1)}${"^".repeat(Math.max(1, Math.min(end, line.length + 1) - place.column))}`;
      const number = String(place.line);
      const margin = " ".repeat(number.length);
      return [
        `${paint("1", `${place.file}:${place.line}:${place.column}`)} ${paint(colours[finding.severity], words[finding.severity])} ${finding.code}${finding.clause === undefined ? "" : ` ${finding.clause}`}`,
        `  ${finding.message} ${finding.hint}`,
        ...(line.length > 0 && line.length <= 200
          ? [`  ${number} │ ${line.replaceAll("\t", " ")}`, `  ${margin} │ ${paint(colours[finding.severity], caret)}`]
          : []),
      ].join("\n");
    })
    .join("\n\n");
};

/** The same as plain values, for machines. Lines and columns count from 1, columns in UTF-16 code units. */
export const findingsJson = ({ source, findings, open, model }: Compiled) => {
  const at = placesIn(source);
  return {
    file: source.file,
    runs: model !== undefined,
    findings: findings.map(({ span, ...finding }) => ({
      ...finding,
      fix: finding.fix?.map((edit) => ({ ...at(edit.span), text: edit.text })),
      ...at(span),
    })),
    open: open.map((point) => ({
      point: point.point,
      line: at(point.span).line,
      statement: point.statement,
      default: point.default,
      inForce: defaults[point.default].inForce,
    })),
    defaults: (model?.defaults ?? []).map((code) => ({ code, ...defaults[code], topics: undefined })),
  };
};
