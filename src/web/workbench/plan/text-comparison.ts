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
}

/** The clauses that the lines name, by their keys. */
type ClauseTexts = { readonly [id: string]: ClauseText };

/** One thing under two names, and the file that says so. */
export interface SuggestedRename extends Source {
  readonly rename: LikelyRename;
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
      const written = writeWas(after.sources, rename, compile)?.find((one) => !after.sources.includes(one));
      return written === undefined ? [] : [{ rename, ...written }];
    }),
    behaviour,
    open,
    clauses: {
      before: listTexts(before, named("before"), placed("before")),
      after: listTexts(after, named("after"), placed("after")),
    },
  };
};

/** The key of a clause of a line: its id, and its place if other clauses have that id too. */
export const getClauseKey = (line: BehaviourLine, of: "before" | "after"): string | null => {
  const span = line.spans?.[of];
  return span == null ? line[of] : `${line[of]} ${span.file} ${span.start}`;
};

const listTexts = ({ model, sources }: Compiled, ids: ReadonlySet<string>, placed: readonly Clause[]): ClauseTexts => {
  const at = placesIn(sources);
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  return Object.fromEntries(
    [...(model === undefined ? [] : collectClauses(model)).filter(({ id }) => ids.has(id)), ...placed].flatMap(
      ({ id, span }): (readonly [string, ClauseText])[] => {
        const text = texts.get(span.file);
        if (text === undefined) return [];
        const end = text.indexOf("\n", span.start);
        const line = text.slice(text.lastIndexOf("\n", span.start - 1) + 1, end < 0 ? undefined : end);
        return [[id, { span, line: at(span).line, text: line.trim() }]];
      },
    ),
  );
};
