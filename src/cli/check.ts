import { parseArgs } from "node:util";
import { applyFixes, type FixedDocument } from "../core/autofix.ts";
import { type Compiled, compile } from "../core/compile.ts";
import type { Severity } from "../core/findings.ts";
import { type DefaultCode, defaults } from "../core/model/defaults.ts";
import { placesIn } from "../core/source-text.ts";
import { readDocumentFiles, writeDocumentFiles } from "./document-file.ts";
import { CommandFailed, exits } from "./exit-codes.ts";
import { findingsJson, findingsText, printable } from "./findings-text.ts";
import { usage } from "./usage.ts";

/**
 * Prints all findings and open points of a document. With --fix, first fixes each finding that has exactly one fix.
 * Exits with 1 if there is an error.
 */
export const check = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean", default: false }, fix: { type: "boolean", default: false } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file or folder.", usage.check);
  const files = await readDocumentFiles(path);
  const sources = files.map(({ source }) => source);
  const fixResult = values.fix && !files.some(({ lossy }) => lossy) ? applyFixes(sources) : undefined;
  const compiled = fixResult?.compiled ?? compile(sources);
  if (fixResult !== undefined)
    await writeDocumentFiles(
      files.flatMap((file, index) => {
        const text = compiled.sources[index]?.text ?? file.source.text;
        return text === file.source.text ? [] : [{ file, text }];
      }),
    );

  if (values.json) {
    const fixed = fixResult?.done.map(({ finding: { code, message }, place }) => ({ code, message, ...place }));
    const json = { ...findingsJson(compiled), ...(fixed === undefined ? {} : { fixed }) };
    process.stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
  } else {
    const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
    process.stdout.write(
      `${fixResult === undefined ? "" : fixedText(fixResult)}${checkText(compiled, colour, collectDefaults(compiled))}`,
    );
  }
  return compiled.model === undefined ? exits.badDocument : exits.done;
};

const count = (number: number, one: string, many: string): string =>
  number === 1 ? `1 ${one}` : `${number === 0 ? "no" : number} ${many}`;

/** Lists the applied fixes, one per line. */
const fixedText = ({ done }: FixedDocument): string => {
  const lines = done.map(
    ({ finding, place }) =>
      `${place.file}:${place.line}:${place.column} fixed ${finding.code}: ${printable(finding.message)}\n`,
  );
  return done.length === 0 ? "Nothing could be fixed automatically.\n\n" : `${lines.join("")}\n`;
};

/** The defaults in force, except those that an open point names. */
const collectDefaults = ({ model, open }: Compiled): readonly DefaultCode[] =>
  (model?.defaults ?? []).filter((code) => !open.some((point) => point.default === code));

/** Formats the report on a document for a terminal. The last line gives the totals. */
export const checkText = (
  { sources, source, findings, open }: Compiled,
  colour: boolean,
  silent: readonly DefaultCode[] = [],
): string => {
  const shown = findings.filter((finding) => finding.severity !== "open");
  const at = placesIn(sources);
  const points = open.map(
    ({ point, span, statement, default: code }) =>
      `${span.file || source.file}:${at(span).line} open, point ${point}: ${printable(statement) || "the specification says nothing"}\n  ${code}: ${defaults[code].inForce}\n`,
  );
  const countOf = (severity: Severity) => shown.filter((finding) => finding.severity === severity).length;
  const errors = countOf("error");
  const last = [
    count(errors, "error", "errors"),
    count(shown.length - errors, "other finding", "other findings"),
    count(open.length, "open point", "open points"),
    ...(silent.length === 0 ? [] : [count(silent.length, "default in use", "defaults in use")]),
  ];
  const inForce = silent.map((code) => `  ${code}, point ${defaults[code].point}: ${defaults[code].inForce}\n`);
  return [
    shown.length > 0 ? `${findingsText(sources, shown, colour)}\n\n` : "",
    ...points,
    open.length > 0 ? "\n" : "",
    ...(silent.length > 0 ? ["Defaults in use where the specification says nothing:\n", ...inForce, "\n"] : []),
    `${source.file}${sources.length > 1 ? ` (${sources.length} files)` : ""}: ${last.join(", ")}.\n`,
  ].join("");
};
