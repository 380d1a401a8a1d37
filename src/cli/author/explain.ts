import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Compiled, compile } from "../../core/compile.ts";
import { definitionAt } from "../../core/document/definition-text.ts";
import { getPhrasesFor } from "../../core/explain/language.ts";
import { withRoleTitles } from "../../core/explain/roles.ts";
import { permissionSentence, transitionSentence } from "../../core/explain/who-may.ts";
import { defaults } from "../../core/model/defaults.ts";
import { collectClauses } from "../../core/model/facts/collect-clauses.ts";
import type { Model } from "../../core/model/model.ts";
import { actions } from "../../core/model/permissions.ts";
import { nearest, placesIn } from "../../core/source-text.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";
import { usage } from "../usage.ts";

/** A clause, default or finding in words. */
interface Explanation {
  readonly clause: string;
  readonly file: string | null;
  readonly line: number | null;
  /** The lines of the document that say it. */
  readonly text: string | null;
  /** Sentences about its effect. */
  readonly says: readonly string[];
  /** Findings about it. */
  readonly findings: readonly { readonly severity: string; readonly code: string; readonly message: string }[];
}

/** Sentences about who has a permission or can make a transition, as a refusal says them. */
const sentencesFor = (model: Model, clause: string): readonly string[] => {
  const [point, name = "", part = ""] = clause.split(".");
  const entity = model.entities.get(name);
  if (entity === undefined) return [];
  const phrases = withRoleTitles(getPhrasesFor("en"), model);
  const transition = point === "4" ? entity.states?.transitions.get(part) : undefined;
  if (transition !== undefined) return [transitionSentence(phrases, entity, transition)];
  const chosen = actions.filter((action) => part === "" || part === action);
  return point === "6" ? chosen.map((action) => permissionSentence(phrases, entity, action)) : [];
};

/** The lines of a definition, from its key on: the place of a clause can be its value. */
const linesOf = (text: string, start: number): string => {
  const line = text.lastIndexOf("\n", start - 1) + 1;
  const own = text.slice(line).search(/\S/u);
  return definitionAt(text, line + Math.max(0, own));
};

const explainClause = ({ model, sources, findings }: Compiled, name: string): Explanation | undefined => {
  const clauses = model === undefined ? [] : collectClauses(model);
  const clause = clauses.find(({ id }) => id === name);
  const about = findings.filter((finding) => finding.clause === name);
  const span = clause?.span ?? about[0]?.span;
  const says = model === undefined ? [] : sentencesFor(model, name);
  if (span === undefined && says.length === 0) return undefined;
  const text = span === undefined ? undefined : sources.find(({ file }) => file === span.file)?.text;
  return {
    clause: name,
    file: span?.file ?? null,
    line: span === undefined ? null : placesIn(sources)(span).line,
    text: span === undefined || text === undefined ? null : linesOf(text, span.start),
    says,
    findings: about.map(({ severity, code, message }) => ({ severity, code, message })),
  };
};

const explainCode = async (name: string): Promise<Explanation | undefined> => {
  const row = Object.entries(defaults).find(([code]) => code === name)?.[1];
  const says = row === undefined ? await readErrorPage(name) : [row.inForce];
  return says.length === 0 ? undefined : { clause: name, file: null, line: null, text: null, says, findings: [] };
};

const errorPage = new URL("../../../docs/errors.md", import.meta.url);

/** Reads the section of a finding or an error on the page of errors, with its example. Empty if it has none. */
const readErrorPage = async (code: string): Promise<readonly string[]> => {
  if (!/^[A-Z][A-Z0-9_]*$/u.test(code)) return [];
  const page = await readFile(errorPage, "utf8");
  const [, section] = page.split(new RegExp(`^#{3,4} ${code}$`, "mu"));
  const read = `Read more in docs/errors.md#${section === undefined ? "errors-in-responses" : code.toLowerCase()}.`;
  if (section !== undefined) return [...toParagraphs(section.split(/^#{1,4} /mu)[0] ?? ""), read];
  const row = page.split("\n").find((line) => line.startsWith(`| \`${code}\` | `));
  if (row === undefined) return [];
  const [, status = "", message = "", todo = ""] = row.split(" | ").map((cell) => cell.replaceAll("|", "").trim());
  return [`${status}: ${message}`, ...toParagraphs(todo), read];
};

/** Paragraphs of Markdown as plain lines, with indented code blocks. */
const toParagraphs = (markdown: string): readonly string[] =>
  markdown
    .split(/^```[^\n]*\n/gmu)
    .flatMap((part, nth) =>
      nth % 2 === 1 ? [part.trimEnd().replaceAll(/^(?=.)/gmu, "  ")] : part.split(/\n{2,}/u).map(toPlainText),
    )
    .filter((paragraph) => paragraph !== "");

const toPlainText = (paragraph: string): string =>
  paragraph
    .trim()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/\*([^*]+)\*/gu, "$1")
    .replaceAll(/`([^`]+)`/gu, "“$1”")
    .replaceAll("\n", " ");

/** Explains a clause of a document, a default or the code of a finding. */
export const explain = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  const [path, name, ...more] = positionals;
  if (path === undefined || name === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name a specification and a clause: desk.md 6.Loan.read.", usage.explain);
  const compiled = compile(await readSources(path));
  const found = explainClause(compiled, name) ?? (await explainCode(name));
  if (found === undefined) {
    const known = compiled.model === undefined ? [] : collectClauses(compiled.model).map(({ id }) => id);
    const near = nearest(name, known);
    throw new CommandFailed(
      exits.badDocument,
      `${path} has no clause ${name}.`,
      compiled.model === undefined
        ? `The specification has errors, so its clauses are not known. Run “${program} check ${path}”.`
        : near === undefined
          ? "Clauses are named 3.Loan.due, 4.Loan.return, 5.Loan.TOO_LATE, 6.Loan.read (L0.10)."
          : `Did you mean ${near}?`,
    );
  }
  if (values.json) process.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
  else {
    const place = found.file === null ? "" : ` (${found.file}:${found.line})`;
    const lines = [
      `${found.clause}${place}`,
      ...(found.text === null ? [] : found.text.split("\n").map((line) => `  ${line}`)),
      ...found.says,
      ...found.findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return exits.done;
};
