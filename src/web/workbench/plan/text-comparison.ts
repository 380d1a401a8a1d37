import type { BehaviourLine } from "../../../core/change/behaviour-line.ts";
import { findLikelyRenames, type LikelyRename } from "../../../core/change/likely-renames.ts";
import { buildPlan, type PlanJson } from "../../../core/change/plan.ts";
import type { Compile, Compiled } from "../../../core/compile.ts";
import type { Clause } from "../../../core/model/clause.ts";
import { collectClauses } from "../../../core/model/facts/collect-clauses.ts";
import { placesIn, type Source, type Span } from "../../../core/source-text.ts";
import { writeWas } from "../../../core/write-was.ts";

/** A clause with its text. */
export interface ClauseText {
  readonly span: Span;
  /** Counted from 1. */
  readonly line: number;
  /** The first line of the clause, without indentation. */
  readonly text: string;
  /** The lines with which the clause begins, if the first one says too little: `- with:`, `pages:`. */
  readonly opening?: string;
  /** The lines that only this version has, if the clause begins with the same line in both. */
  readonly changed?: string;
}

/** The clauses that the lines name, by their keys. */
type ClauseTexts = { readonly [id: string]: ClauseText };

/** An entity or a field under two names, and the file with its `was`. */
export interface SuggestedRename extends Source {
  readonly rename: LikelyRename;
}

/** Two texts to compare. */
export interface ComparedTexts {
  readonly before: readonly Source[];
  readonly after: readonly Source[];
}

/** The differences between two texts of a document, as far as the texts alone show them. Plain data. */
export interface TextComparison {
  /** Names that probably became others, each with the file as it is with `was`. */
  readonly renames: readonly SuggestedRename[];
  /** Null if one of the texts has errors, so that it has no behaviour to compare. */
  readonly behaviour: readonly BehaviourLine[] | null;
  readonly open: PlanJson["open"];
  readonly clauses: { readonly before: ClauseTexts; readonly after: ClauseTexts };
}

export const sameTexts: TextComparison = {
  renames: [],
  behaviour: [],
  open: { opened: [], closed: [] },
  clauses: { before: {}, after: {} },
};

/** Compares two compiled texts. `compile` tries the later one with `was`. */
export const compareCompiled = (before: Compiled, after: Compiled, compile: Compile): TextComparison => {
  if (before.model === undefined || after.model === undefined) return { ...sameTexts, behaviour: null };
  const { behaviour, open } = buildPlan(
    { model: before.model, file: "", hash: "" },
    { model: after.model, file: "", hash: "" },
  );
  const named = (of: "before" | "after") => new Set(behaviour.flatMap((line) => line[of] ?? []));
  const placed = (of: "before" | "after"): readonly Clause[] =>
    behaviour.flatMap((line) => {
      const [id, span] = [getClauseKey(line, of), line.spans?.[of]];
      return id === null || span == null ? [] : [{ id, span }];
    });
  return {
    renames: findLikelyRenames(before.model, after.model).flatMap((rename): readonly SuggestedRename[] => {
      const written = writeWas(after.sources, rename, compile)?.find((source) => !after.sources.includes(source));
      return written === undefined ? [] : [{ rename, ...written }];
    }),
    behaviour,
    open,
    clauses: withChangedLines(
      behaviour,
      {
        before: listTexts(before, named("before"), placed("before")),
        after: listTexts(after, named("after"), placed("after")),
      },
      { linesBefore: linesOf(before), linesAfter: linesOf(after) },
    ),
  };
};

const linesOf = ({ sources }: Compiled): ReadonlySet<string> =>
  new Set(sources.flatMap(({ text }) => text.split("\n").map((line) => line.trim())));

/** A clause with all its lines, without indentation. */
interface WholeClause extends ClauseText {
  readonly lines: readonly string[];
}

type WholeClauses = { readonly [id: string]: WholeClause };

/** More lines that differ, or that follow a key, are not shown. */
const MOST_LINES = 3;

/** Lines of an item of a list. A rule can begin with its error, so that more than the next lines are shown. */
const MOST_ITEM_LINES = 8;

/** Clauses of several lines, with those that differ: the first line says only what they are about. */
const withChangedLines = (
  behaviour: readonly BehaviourLine[],
  { before, after }: { readonly before: WholeClauses; readonly after: WholeClauses },
  { linesBefore, linesAfter }: { readonly linesBefore: ReadonlySet<string>; readonly linesAfter: ReadonlySet<string> },
): TextComparison["clauses"] => {
  const changed = new Map<WholeClause, string>();
  const show = (own: WholeClause, known: ReadonlySet<string>, most: number) => {
    const lines = own.lines.filter((candidate) => !known.has(candidate));
    if (lines.length > 0) changed.set(own, joinLines(lines, most));
  };
  for (const line of behaviour) {
    // Without a place of its own, a line is about the whole list, not about its first item.
    const find = (of: "before" | "after") =>
      line.spans?.[of] === null ? undefined : { before, after }[of][getClauseKey(line, of) ?? ""];
    const [was, is] = [find("before"), find("after")];
    // Calls follow from other points: what differs in the entity need not concern them.
    if (line.point === 7 && (line.after ?? line.before)?.startsWith("3.") === true) continue;
    if (was !== undefined && is !== undefined) {
      const isItem = [was, is].every(({ text }) => text.startsWith("- "));
      if (was.text !== is.text && !isItem && line.point !== 1) continue;
      const most = isItem ? MOST_ITEM_LINES : MOST_LINES;
      show(was, new Set(is.lines), most);
      show(is, new Set(was.lines), most);
    } else if (was !== undefined && linesAfter.has(was.text)) show(was, linesAfter, MOST_LINES);
    else if (is !== undefined && linesBefore.has(is.text)) show(is, linesBefore, MOST_LINES);
  }
  const toTexts = (clauses: WholeClauses): ClauseTexts =>
    Object.fromEntries(
      Object.entries(clauses).map(([key, clause]) => {
        const { lines: _, ...rest } = clause;
        const own = changed.get(clause);
        return [key, own === undefined ? rest : { ...rest, changed: own }];
      }),
    );
  return { before: toTexts(before), after: toTexts(after) };
};

const joinLines = (lines: readonly string[], most: number): string =>
  [...lines.slice(0, most), ...(lines.length > most ? ["…"] : [])].join("\n");

const findOpening = (lines: readonly string[]): string | undefined => {
  const [first = ""] = lines;
  if (lines.length === 1) return undefined;
  if (first.startsWith("- ")) return joinLines(lines, MOST_ITEM_LINES);
  return isKeyAlone.test(first) ? joinLines(lines, MOST_LINES + 1) : undefined;
};

/** `pages:`, `rule: |`, perhaps with a comment. */
const isKeyAlone = /:(?:\s+[|>][-+\d]*)?(?:\s+#.*)?$/u;

/** The key of a clause of a line: its id, and its place if other clauses have that id too. */
export const getClauseKey = (line: BehaviourLine, of: "before" | "after"): string | null => {
  const span = line.spans?.[of];
  return span == null ? line[of] : `${line[of]} ${span.file} ${span.start}`;
};

const listTexts = ({ model, sources }: Compiled, ids: ReadonlySet<string>, placed: readonly Clause[]): WholeClauses => {
  const at = placesIn(sources);
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  return Object.fromEntries(
    [...(model === undefined ? [] : collectClauses(model)).filter(({ id }) => ids.has(id)), ...placed].flatMap(
      ({ id, span }): (readonly [string, WholeClause])[] => {
        const source = texts.get(span.file);
        if (source === undefined) return [];
        const [first = "", ...rest] = source.slice(source.lastIndexOf("\n", span.start - 1) + 1).split("\n");
        const outer = getIndentation(first);
        // Translations have the clause of their language, which is at the first of them.
        const least = id.startsWith("1.translations.") ? outer - 1 : outer;
        const end = rest.findIndex((line) => line.trim() !== "" && getIndentation(line) <= least);
        const inner = rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim());
        const text = first.trim();
        const lines = [text, ...inner.filter((line) => line !== "")];
        const opening = findOpening(lines);
        return [[id, { span, line: at(span).line, text, lines, ...(opening !== undefined && { opening }) }]];
      },
    ),
  );
};

const getIndentation = (line: string): number => line.search(/\S|$/u);
