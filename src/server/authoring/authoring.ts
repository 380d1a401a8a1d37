import type { Compiled } from "../../core/compile.ts";
import type { Source } from "../../core/source-text.ts";
import { identifier, render, sql } from "../../core/sql.ts";
import type {
  AppliedJson,
  ChangeJson,
  DocumentJson,
  DraftJson,
  StateCountsJson,
} from "../../core/wire/authoring/document.ts";
import type { RestoreJson, VersionsJson, VersionTextJson } from "../../core/wire/authoring/versions.ts";
import { type ConnectOptions, connect, type Database } from "../../postgres/database.ts";
import {
  type Applied,
  applyDocument,
  CHANGE_TIMEOUT,
  ChangeRefused,
  Superseded,
} from "../../postgres/schema/apply-document.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { isRefusal, type Refusal, type RefusalAt, refuse, refuseAt } from "../refusal.ts";
import { type DraftAnswer, type DraftAsked, tryDraft } from "./check-draft.ts";
import { listVersions, readVersion } from "./versions.ts";

/** The document cannot be written to its files. */
export class DocumentFixed extends Error {
  override readonly name = "DocumentFixed";
}

/** The storage of the document's text, and the connection that may change tables. */
export interface Desk {
  /** The owner of the tables; connected only while a change is planned or applied. */
  readonly owner: ConnectOptions["connection"];
  /** The reason why the text cannot be changed here; null if it can. */
  readonly fixed: string | null;
  /** Replaces changed files, all or none. Throws `DocumentFixed` if that fails. */
  write(before: readonly Source[], after: readonly Source[]): Promise<void>;
}

/** The document in force, and changes to it. */
export interface Authoring {
  document(): DocumentJson;
  stateCounts(): Promise<StateCountsJson>;
  /** With `signal`, the trial ends as soon as nobody waits for its result. */
  plan(draft: DraftJson, signal?: AbortSignal): Promise<ChangeJson | Refusal>;
  apply(draft: DraftJson, person: string): Promise<AppliedJson | Refusal>;
  versions(before: number | null): Promise<VersionsJson>;
  version(number: number): Promise<VersionTextJson | Refusal>;
  /** The plan of making the text of an earlier version the newest version. */
  planRestore(number: number, asked: RestoreJson): Promise<ChangeJson | Refusal>;
  restore(number: number, asked: RestoreJson, person: string): Promise<AppliedJson | Refusal>;
}

/** Serialises changes. A later one then finds that its base is outdated. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export const oneAfterTheOther = (): InTurn => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
};

/** The document in force; always replaced as a whole. */
export interface InForce {
  readonly compiled: Compiled;
  readonly applied: Applied;
}

const invalid = (at: readonly RefusalAt[]): Refusal => ({ ...refuse("DOCUMENT_INVALID"), at });

const refused = (error: ChangeRefused): Refusal =>
  refuseAt(
    error.refused.map(
      ({ clause, says }): RefusalAt => ({ at: "", code: "CHANGE_REFUSED", clause, values: {}, message: says }),
    ),
  );

/**
 * Changes the document at run time: the new text is compiled, tried on the tables, and applied as a whole or not at
 * all. `enforce` puts the result in force; requests in progress finish under the previous version.
 */
export const authoringOf = (
  desk: Desk,
  database: Database,
  current: () => InForce,
  enforce: (next: InForce) => Promise<void>,
  inTurn: InTurn,
  attempt: (asked: DraftAsked, signal?: AbortSignal) => Promise<DraftAnswer> = tryDraft,
): Authoring => {
  const asOwner = async <T>(work: (owner: Database) => Promise<T>): Promise<T> => {
    const owner = connect({ connection: desk.owner, max: 1, statementTimeout: CHANGE_TIMEOUT });
    try {
      return await work(owner);
    } finally {
      await owner.end();
    }
  };

  /** Checks a draft before anything is done. */
  const tried = async (
    { base, files }: DraftJson,
    owner: Desk["owner"] | null,
    signal?: AbortSignal,
  ): Promise<Exclude<DraftAnswer, { readonly kind: "invalid" }> | Refusal> => {
    if (base !== current().applied.hash) return refuse("DOCUMENT_CHANGED");
    const answer = await attempt({ files, owner }, signal);
    return answer.kind === "invalid" ? invalid(answer.at) : answer;
  };

  const plan = async (draft: DraftJson, signal?: AbortSignal): Promise<ChangeJson | Refusal> => {
    const planned = await tried(draft, desk.owner, signal);
    if (planned.kind === "runs") throw new Error("a draft was not planned");
    return planned.kind === "plan" ? planned.change : planned;
  };

  const apply = (draft: DraftJson, person: string, restores?: number): Promise<AppliedJson | Refusal> =>
    inTurn(async () => {
      if (desk.fixed !== null) return refuse("DOCUMENT_FIXED", undefined, { detail: desk.fixed });
      const checked = await tried(draft, null);
      if (checked.kind === "refusal") return checked;
      if (checked.kind === "plan") throw new Error("a draft was planned that is to be applied");
      const { compiled } = checked;
      const { model } = compiled;
      if (model === undefined) throw new Error("a draft that runs does not run");
      const before = current().compiled;
      try {
        const applied = await asOwner((owner) =>
          applyDocument(owner, model, compiled.source, {
            person,
            ...(draft.note === undefined ? {} : { note: draft.note }),
            ...(restores === undefined ? {} : { restores }),
            base: { hash: draft.base, model: before.model ?? null },
            together: () => desk.write(before.sources, compiled.sources),
          }),
        );
        await enforce({ compiled, applied });
        return { version: applied.version, hash: applied.hash, steps: applied.done };
      } catch (error) {
        if (error instanceof ChangeRefused) return refused(error);
        if (error instanceof Superseded) return refuse("DOCUMENT_CHANGED");
        if (error instanceof DocumentFixed) return refuse("DOCUMENT_FIXED", undefined, { detail: error.message });
        throw error;
      }
    });

  const version = async (number: number): Promise<VersionTextJson | Refusal> =>
    (await readVersion(database, number)) ?? refuse("NOT_FOUND", MANAGES_CLAUSE);

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
    plan,
    apply: (draft, person) => apply(draft, person),
    versions: (before) => listVersions(database, before),
    version,
    planRestore: async (number, { base }) => {
      const earlier = await version(number);
      return isRefusal(earlier) ? earlier : plan({ base, files: earlier.files });
    },
    restore: async (number, { base, note }, person) => {
      const earlier = await version(number);
      return isRefusal(earlier) ? earlier : apply({ base, files: earlier.files, note }, person, number);
    },
  };
};
