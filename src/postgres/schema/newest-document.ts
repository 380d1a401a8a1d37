import { type Compiled, compile } from "../../core/compile.ts";
import { unpackSources } from "../../core/document/sources.ts";
import type { Message } from "../../core/i18n/message.ts";
import type { Model } from "../../core/model/model.ts";
import type { NamedThing, Past, RetiredName } from "../../core/model/renaming.ts";
import type { Source } from "../../core/source-text.ts";
import type { Database, Row, RunQuery } from "../database.ts";
import { readRetired } from "./introspect.ts";
import { otherIds } from "./seed-records.ts";
import { searchesIn } from "./trigram-indexes.ts";

export interface Applied {
  /** Number of the document's version in this database, counted from 1. */
  readonly version: number;
  readonly hash: string;
  /** The changes that were made, one sentence each in English; empty if nothing changed. */
  readonly done: readonly string[];
  /** The changes of `done` as messages. */
  readonly messages: readonly Message[];
  /** The live model. Its seed records have the ids that they have in this database. */
  readonly model: Model;
  /** Names that have changed since this database was created. */
  readonly past: Past;
  /** Fields and entities that the document no longer has, newest last. */
  readonly retired: readonly RetiredName[];
  /** The tables with a trigram index. */
  readonly searched: ReadonlySet<string>;
}

/**
 * The newest version, as applied by another server. `compileFiles` compiles its text; undefined if it has errors. Throws if
 * this release cannot read it.
 */
export const newestDocument = (
  database: Database,
  compileFiles: (files: readonly Source[]) => Promise<Compiled | undefined>,
): Promise<{ readonly compiled: Compiled; readonly applied: Applied }> =>
  database.transaction(async (query) => {
    const [last] = await query({
      text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    const packed: Source = { file: String(last?.file), text: String(last?.source) };
    const compiled = await compileFiles(unpackSources(packed));
    if (compiled?.model === undefined) throw new Error("this release cannot read the newest version of the document");
    const ids = await otherIds(query, compiled.model);
    const model = ids.size === 0 ? compiled.model : (compile(unpackSources(packed), ids).model ?? compiled.model);
    const past = await readPast(query);
    const { searched } = await searchesIn(query, model);
    const applied = {
      version: Number(last?.number),
      hash: String(last?.hash),
      done: [],
      messages: [],
      model,
      past,
      retired: await readRetired(query),
      searched,
    };
    return { compiled, applied };
  });

/** A version by its hash, with its model where somebody has compiled it; a null `hash` stands for a database without one. */
export interface KnownVersion {
  readonly hash: string | null;
  readonly model?: Model | null;
}

/**
 * The model of the newest version, if this release can still read it. Its text is compiled only if `known` is not that
 * version: compiling a large document holds up everything else in this process.
 */
export const findDocument = (last: Row | undefined, known?: KnownVersion): Model | null => {
  if (known?.model !== undefined && known.hash === (last?.hash ?? null)) return known.model;
  if (last === undefined) return null;
  return compile(unpackSources({ file: String(last.file), text: String(last.source) })).model ?? null;
};

/** The renamings that a database has carried out, oldest first. */
export const readPast = async (query: RunQuery): Promise<Past> => {
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
