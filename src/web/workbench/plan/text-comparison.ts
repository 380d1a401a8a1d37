import type { BehaviourLine } from "../../../core/change/behaviour-line.ts";
import { findLikelyRenames, type LikelyRename } from "../../../core/change/likely-renames.ts";
import { buildPlan, type PlanJson } from "../../../core/change/plan.ts";
import type { Compile, Compiled } from "../../../core/compile.ts";
import { collectClauses } from "../../../core/model/clauses.ts";
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

/** The clauses that the lines name, by id. */
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
  return {
    renames: findLikelyRenames(before.model, after.model).flatMap((rename): readonly SuggestedRename[] => {
      const written = writeWas(after.sources, rename, compile)?.find((one) => !after.sources.includes(one));
      return written === undefined ? [] : [{ rename, ...written }];
    }),
    behaviour,
    open,
    clauses: { before: listTexts(before, named("before")), after: listTexts(after, named("after")) },
  };
};

const listTexts = ({ model, sources }: Compiled, ids: ReadonlySet<string>): ClauseTexts => {
  const at = placesIn(sources);
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  return Object.fromEntries(
    (model === undefined ? [] : collectClauses(model)).flatMap(({ id, span }): (readonly [string, ClauseText])[] => {
      const text = texts.get(span.file);
      if (text === undefined || !ids.has(id)) return [];
      const end = text.indexOf("\n", span.start);
      const line = text.slice(text.lastIndexOf("\n", span.start - 1) + 1, end < 0 ? undefined : end);
      return [[id, { span, line: at(span).line, text: line.trim() }]];
    }),
  );
};
