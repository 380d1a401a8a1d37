import { createHash } from "node:crypto";
import { type Compiled, compile } from "../../core/compile.ts";
import { tablesOf } from "../../core/derive/tables/tables.ts";
import { unpacked } from "../../core/document/sources.ts";
import { madeOf } from "../../core/migration/concurrent-indexes.ts";
import { letGo, type RefusedChange, type Step, stepsBetween } from "../../core/migration/diff.ts";
import { narrowed } from "../../core/migration/narrowed-bounds.ts";
import { renamed } from "../../core/migration/renames.ts";
import type { Model, Renaming } from "../../core/model/model.ts";
import type { NamedThing, Past } from "../../core/model/renaming.ts";
import type { Source } from "../../core/source-text.ts";
import { type Database, type Query, type Row, StoreRefusal, StoreSlow } from "../database.ts";
import { introspect } from "./introspect.ts";
import { followLists } from "./migrate-saved-views.ts";
import { keepRecords, nothingKept, otherIds } from "./seed-records.ts";
import { haltSearches, searchesIn, slowSearches, trigramsIn } from "./trigram-indexes.ts";

/** The document cannot be applied as it is: what is stored would be lost or would not fit. Nothing was changed. */
export class ChangeRefused extends Error {
  override readonly name = "ChangeRefused";
  readonly refused: readonly RefusedChange[];
  constructor(refused: readonly RefusedChange[]) {
    super(
      `${refused.length === 1 ? "One change" : `${refused.length} changes`} of the document cannot be made to the data that is stored.`,
    );
    this.refused = refused;
  }
}

export interface Applied {
  /** Counts the versions of the document that this database has run, from 1. */
  readonly version: number;
  readonly hash: string;
  /** What was done, a sentence each; empty when nothing changed. */
  readonly done: readonly string[];
  /** The model that is in force: of kept records it has the ids that they have here. */
  readonly model: Model;
  /** What bears other names than it did, since this database was made. */
  readonly past: Past;
  /** The tables whose texts are found by an index. */
  readonly searched: ReadonlySet<string>;
}

/** What names a version of a document: the SHA-256 of its text. */
const hashOf = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

export const LOCK = 9_090_010;

/** Where a new version is told of. */
export const VERSION_CHANNEL = "ninefold_version";

/** Another version came in the meantime; nothing was done. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

type Ask = (query: Query) => Promise<readonly Row[]>;

/** What is said of steps: of those that were counted when they were made, with their number. */
class Said {
  readonly #of: Map<Step, string>;
  constructor(steps: readonly Step[]) {
    this.#of = new Map(steps.map((step) => [step, step.says]));
  }

  says(step: Step, words: string): void {
    this.#of.set(step, words);
  }

  get words(): readonly string[] {
    return [...this.#of.values()].filter((one) => one !== "");
  }
}
const nothingSaid = new Said([]);

/**
 * Makes each step that no stored row stands against. Once one does, the others are only tried, so that an author is told
 * of all rows at once: what rests on a step that was not made cannot be tried, and then says nothing.
 */
const CONSTRAINT_VIOLATION = /^23/u;

const makeSteps = async (query: Ask, steps: readonly Step[], said: Said = new Said(steps)): Promise<Said> => {
  const say = (text: string) => query({ text, values: [] });
  const refused: RefusedChange[] = [];
  const counted = async (count: string): Promise<number> => Number((await say(count))[0]?.count ?? 0);
  const make = async (step: Step): Promise<void> => {
    const { run, unless, refusable, writes } = step;
    const rows = unless === undefined ? 0 : await counted(unless.count);
    if (writes !== undefined) said.says(step, writes.says(await counted(writes.count)));
    if (unless !== undefined && rows > 0) refused.push({ clause: unless.clause, says: unless.says(rows) });
    else if (run === "") return;
    else if (refusable === undefined) await say(run);
    else {
      await say("savepoint refusable");
      await say(run).catch(async (error: unknown) => {
        if (!(error instanceof StoreRefusal) || !CONSTRAINT_VIOLATION.test(error.code)) throw error;
        await say("rollback to savepoint refusable");
        refused.push(refusable);
      });
    }
  };
  for (const step of steps) {
    if (refused.length === 0) await make(step);
    else {
      await say("savepoint tried");
      await make(step).catch(async (error: unknown) => {
        if (!(error instanceof StoreRefusal)) throw error;
        await say("rollback to savepoint tried");
      });
    }
  }
  if (refused.length > 0) throw new ChangeRefused(refused);
  return said;
};

/** How long a statement may take that makes the database fit a document, in milliseconds: it may go through all records. */
export const CHANGE_TIMEOUT = 600_000;

/** Who brings a version, and what has to be done with it or not at all: nothing is committed before it is done. */
export interface Bringing {
  readonly person: string | null;
  /** The hash of the version that it was made from: where another one is the newest by now, nothing is done. */
  readonly base?: string;
  readonly together: () => Promise<void>;
  /** Whether the records that the document keeps are made; a backup brings them. */
  readonly keeps?: boolean;
}

const starting: Bringing = { person: null, together: () => Promise.resolve() };

/**
 * Makes the database fit the document, in one transaction: additions are made, anything else refuses the whole with
 * what changed. A text that the database has not run before becomes its next version.
 */
export const applyDocument = (
  owner: Database,
  wanted: Model,
  source: Source,
  { person, base, together, keeps = true }: Bringing = starting,
): Promise<Applied> =>
  owner.transaction(async (query) => {
    await query({ text: "select pg_advisory_xact_lock($1)", values: [LOCK] });
    const [last] = await query({
      text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    if (base !== undefined && last?.hash !== base) throw new Superseded();
    const model = await asHere(query, wanted, source);
    const { steps, renamings, searched } = await changesTo(query, model, source, last);
    // Who makes an index of a table keeps it from being changed.
    if (steps.length > 0) await haltSearches(query);
    const said = await makeSteps(query, steps);
    const hash = hashOf(source.text);
    const isNew = last?.hash !== hash;
    if (isNew) await followLists(query, model, () => documentOf(last), renamings);
    const version = Number(last?.number ?? 0) + (isNew ? 1 : 0);
    if (isNew)
      await query({
        text: "insert into ninefold.version (number, file, hash, source, person) values ($1, $2, $3, $4, $5)",
        values: [version, source.file, hash, source.text, person],
      });
    // Other servers hear of it when it is committed.
    if (isNew) await query({ text: "select pg_notify($1, $2)", values: [VERSION_CHANNEL, String(version)] });
    await remember(query, renamings, version);
    const kept = keeps ? await keepRecords(query, model, version, isNew) : nothingKept;
    if (kept.refused.length > 0) throw new ChangeRefused(kept.refused);
    const done = [...said.words, ...kept.done, ...(await slowSearches(query))];
    const past = await pastOf(query);
    await together();
    return { version, hash, done, model, past, searched };
  });

/** The same document with the ids that its kept records have in this database. */
const asHere = async (query: Ask, model: Model, source: Source): Promise<Model> => {
  const ids = await otherIds(query, model);
  return ids.size === 0 ? model : (compile(unpacked(source), ids).model ?? model);
};

/** All that has to be done for a document, in order: first its new names, so that nothing looks lost that is only renamed. */
const changesTo = async (
  query: Ask,
  model: Model,
  source: Source,
  last: Row | undefined,
): Promise<{
  readonly steps: readonly Step[];
  readonly renamings: readonly Renaming[];
  readonly searched: ReadonlySet<string>;
}> => {
  const wanted = tablesOf(model, await trigramsIn(query));
  const isNew = last !== undefined && String(last.source) !== source.text;
  const before = isNew || model.renamings.length > 0 ? documentOf(last) : null;
  const left = letGo(await introspect(query), wanted);
  const named = renamed(left.tables, wanted, model, before);
  const { steps, refused } = stepsBetween(named.tables, wanted);
  if (refused.length > 0) throw new ChangeRefused(refused);
  return {
    steps: [...left.steps, ...named.steps, ...steps, ...(isNew ? narrowed(named.tables, model, before) : [])],
    renamings: named.renamings,
    searched: madeOf(named.tables, wanted),
  };
};

/** The newest version, as another server brought it into force. It throws where this release cannot read it. */
export const newestDocument = (
  database: Database,
): Promise<{ readonly compiled: Compiled; readonly applied: Applied }> =>
  database.transaction(async (query) => {
    const [last] = await query({
      text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    const packed: Source = { file: String(last?.file), text: String(last?.source) };
    const compiled = compile(unpacked(packed));
    if (compiled.model === undefined) throw new Error("this release cannot read the newest version of the document");
    const model = await asHere(query, compiled.model, packed);
    const past = await pastOf(query);
    const { searched } = await searchesIn(query, model);
    const applied = { version: Number(last?.number), hash: String(last?.hash), done: [], model, past, searched };
    return { compiled, applied };
  });

/** The document that was in force before, where this release still reads it. */
const documentOf = (last: Row | undefined): Model | null =>
  last === undefined ? null : (compile(unpacked({ file: String(last.file), text: String(last.source) })).model ?? null);

const remember = async (query: Ask, renamings: readonly Renaming[], version: number): Promise<void> => {
  for (const { of, entity, field, old, now } of renamings)
    await query({
      text: `insert into ninefold.renaming (document, "of", entity, field, old, now) values ($1, $2, $3, $4, $5, $6)`,
      values: [version, of, entity, field, old, now],
    });
};

const pastOf = async (query: Ask): Promise<Past> => {
  const rows = await query({
    text: `select document, "of", entity, field, old, now from ninefold.renaming order by id`,
    values: [],
  });
  return rows.map((row) => ({
    document: Number(row.document),
    of: String(row.of) as NamedThing,
    entity: row.entity === null ? null : String(row.entity),
    field: row.field === null ? null : String(row.field),
    old: String(row.old),
    now: String(row.now),
  }));
};

/** Ends a transaction that was only tried. */
class OnlyTried extends Error {
  override readonly name = "OnlyTried";
}

/** What a document would do to what is stored, a sentence each, or why it cannot be applied. */
export interface Planned {
  readonly done: readonly string[];
  readonly refused: readonly RefusedChange[];
}

/** How long a try may keep those who work from a table, in seconds. */
const LONGEST_TRY = 3;

/** What is said of a change that keeps everybody waiting, instead of finding out by doing it how long. */
const TAKES_LONG = `This was not tried to its end: it takes longer than ${LONGEST_TRY} seconds, for there are many records or somebody else holds them. While it is made, nobody else reads or writes the records that it concerns.`;

/**
 * What `applyDocument` would do, or would refuse. It is tried, whole, and taken back; what would keep others waiting for
 * long is given up and said, because who only wants to know what a change does must not stop those who work.
 */
export const planDocument = async (owner: Database, wanted: Model, source: Source): Promise<Planned> => {
  let said: Said = nothingSaid;
  let kept: readonly string[] = [];
  try {
    return await owner.transaction(async (query) => {
      await query({ text: "select pg_advisory_xact_lock($1)", values: [LOCK] });
      const [last] = await query({
        text: "select number, file, source from ninefold.version order by number desc limit 1",
        values: [],
      });
      const model = await asHere(query, wanted, source);
      const { steps } = await changesTo(query, model, source, last);
      said = new Said(steps);
      await query({ text: `set local statement_timeout = '${LONGEST_TRY}s'`, values: [] });
      await makeSteps(query, steps, said);
      const { done, refused } = await keepRecords(query, model, Number(last?.number ?? 0) + 1, true);
      if (refused.length > 0) throw new ChangeRefused(refused);
      kept = done;
      throw new OnlyTried();
    });
  } catch (error) {
    if (error instanceof OnlyTried) return { done: [...said.words, ...kept], refused: [] };
    if (error instanceof ChangeRefused) return { done: [], refused: error.refused };
    if (error instanceof StoreSlow && said !== nothingSaid) return { done: [...said.words, TAKES_LONG], refused: [] };
    throw error;
  }
};
