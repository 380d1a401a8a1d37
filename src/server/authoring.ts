import { type Compiled, compile } from "../core/compile.ts";
import { identifier, render, sql } from "../core/sql.ts";
import { placesIn, type Source } from "../core/text.ts";
import type { AppliedJson, ChangeJson, DocumentJson, DraftJson, StateCountsJson } from "../core/wire.ts";
import { type Applied, applyDocument, ChangeRefused, planDocument } from "../postgres/apply.ts";
import { type ConnectOptions, connect, type Database } from "../postgres/database.ts";
import { type Refusal, type RefusalAt, refuse, refuseAt } from "./refusal.ts";

/** The document's text cannot be written where it is kept. */
export class DocumentFixed extends Error {
  override readonly name = "DocumentFixed";
}

/** Where the text of the document is kept, and who may change the tables. */
export interface Desk {
  /** As the role that owns the tables; connected to only while a change is planned or made. */
  readonly owner: ConnectOptions["connection"];
  /** Why the text cannot be changed here; null where it can. */
  readonly fixed: string | null;
  /** Replaces the texts of files that differ, all or none. Throws `DocumentFixed` with a sentence where it cannot. */
  write(before: readonly Source[], after: readonly Source[]): Promise<void>;
}

/** The document that is in force, and the way to the next one. */
export interface Authoring {
  document(): DocumentJson;
  stateCounts(): Promise<StateCountsJson>;
  plan(draft: DraftJson): Promise<ChangeJson | Refusal>;
  apply(draft: DraftJson, person: string): Promise<AppliedJson | Refusal>;
}

/** What is in force: replaced as a whole, and never in part. */
export interface InForce {
  readonly compiled: Compiled;
  readonly applied: Applied;
}

const MOST_ERRORS = 50;

/** An author's mistakes, each with its line: the browser finds the same ones itself. */
const invalid = ({ findings, sources }: Compiled): Refusal => {
  const at = placesIn(sources);
  const names = sources.map(({ file }) => file);
  return {
    ...refuse("DOCUMENT_INVALID"),
    at: findings
      .filter(({ severity }) => severity === "error")
      .slice(0, MOST_ERRORS)
      .map(({ span, clause, message }) => ({
        at: `/files/${Math.max(names.indexOf(span.file), 0)}`,
        code: "DOCUMENT_INVALID",
        clause: clause ?? "",
        values: {},
        message: `${span.file}:${at(span).line}: ${message}`,
      })),
  };
};

const refused = (error: ChangeRefused): Refusal =>
  refuseAt(
    error.refused.map(
      ({ clause, says }): RefusalAt => ({ at: "", code: "CHANGE_REFUSED", clause, values: {}, message: says }),
    ),
  );

/**
 * Changes the document from within the program: an edit of its text, checked by the compiler, tried on the tables, and
 * applied whole or not at all. `enforce` puts what was applied in force; requests in flight finish under what was.
 */
export const authoringOf = (
  desk: Desk,
  database: Database,
  current: () => InForce,
  enforce: (next: InForce) => Promise<void>,
): Authoring => {
  /** One change at a time; another waits, and then meets a base that is no more. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  const asOwner = async <T>(work: (owner: Database) => Promise<T>): Promise<T> => {
    const owner = connect({ connection: desk.owner, max: 1, statementTimeout: 60_000 });
    try {
      return await work(owner);
    } finally {
      await owner.end();
    }
  };

  const read = ({ base, files }: DraftJson): Compiled | Refusal => {
    const { applied } = current();
    if (base !== applied.hash) return refuse("DOCUMENT_CHANGED");
    const compiled = compile(files);
    return compiled.model === undefined ? invalid(compiled) : compiled;
  };

  return {
    document: () => {
      const { compiled, applied } = current();
      return { version: applied.version, hash: applied.hash, files: compiled.sources, fixed: desk.fixed };
    },
    stateCounts: async () => {
      const { model } = current().compiled;
      const entities: Record<string, Record<string, number>> = {};
      for (const entity of model?.entities.values() ?? []) {
        if (entity.states === null) continue;
        const { text } = render(
          sql`SELECT ${identifier(entity.states.field)} AS "state", count(*)::integer AS "count" FROM "app".${identifier(entity.table)} GROUP BY 1`,
        );
        const rows = await database.query({ text, values: [] });
        entities[entity.name] = Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
      }
      return { entities };
    },
    plan: async (draft) => {
      const compiled = read(draft);
      if ("kind" in compiled) return compiled;
      const { model } = compiled;
      if (model === undefined) return invalid(compiled);
      const { done, refused } = await asOwner((owner) => planDocument(owner, model, compiled.source));
      return { steps: done, refused };
    },
    apply: (draft, person) =>
      inTurn(async () => {
        if (desk.fixed !== null) return refuse("DOCUMENT_FIXED", undefined, { detail: desk.fixed });
        const compiled = read(draft);
        if ("kind" in compiled) return compiled;
        const { model } = compiled;
        if (model === undefined) return invalid(compiled);
        const before = current().compiled.sources;
        try {
          const applied = await asOwner((owner) =>
            applyDocument(owner, model, compiled.source, {
              person,
              together: () => desk.write(before, compiled.sources),
            }),
          );
          await enforce({ compiled, applied });
          return { version: applied.version, hash: applied.hash, steps: applied.done };
        } catch (error) {
          if (error instanceof ChangeRefused) return refused(error);
          if (error instanceof DocumentFixed) return refuse("DOCUMENT_FIXED", undefined, { detail: error.message });
          throw error;
        }
      }),
  };
};
