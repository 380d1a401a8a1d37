import type { BehaviourLine } from "../../core/change/behaviour-line.ts";
import { collectClauses } from "../../core/model/facts/collect-clauses.ts";
import { placesIn, type Span } from "../../core/source-text.ts";
import type { VersionRead } from "./planned-version.ts";

/** The place of a clause in the files of a version. */
interface ClausePlace {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** The clauses of one version that a plan names. */
export interface PlacedClauses {
  /** The place of a clause, or that of its own span if several have its id; null for a clause of the platform. */
  readonly find: (id: string, span?: Span | null) => ClausePlace | null;
  /** "6.Loan.read (line 103)" */
  readonly name: (id: string, span?: Span | null) => string;
}

export const placeClauses = ({ model, compiled: { sources } }: VersionRead): PlacedClauses => {
  // Of several clauses with one id, the first stands for all.
  const spans = new Map(
    collectClauses(model)
      .map(({ id, span }) => [id, span] as const)
      .toReversed(),
  );
  const at = placesIn(sources);
  const find: PlacedClauses["find"] = (id, span) => {
    const own = span ?? spans.get(id);
    if (own === undefined || own.file === "") return null;
    const { file, line } = at(own);
    return { file, line };
  };
  return {
    find,
    name: (id, span) => {
      const place = find(id, span);
      return place === null ? id : `${id} (${sources.length > 1 ? `${place.file}:` : "line "}${place.line})`;
    },
  };
};

/** The places of both clauses of a line. */
export const findLinePlaces = (
  { before, after, spans }: BehaviourLine,
  was: PlacedClauses,
  is: PlacedClauses,
): { readonly before: ClausePlace | null; readonly after: ClausePlace | null } => ({
  before: before === null ? null : was.find(before, spans?.before),
  after: after === null ? null : is.find(after, spans?.after),
});
