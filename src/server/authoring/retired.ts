import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import type { Compiled } from "../../core/compile.ts";
import { grantsFor, isUnconditional, type Principal } from "../../core/derive/authorization/grants.ts";
import { findWholeReaders, isReader } from "../../core/derive/authorization/whole-readers.ts";
import type { Model } from "../../core/model/model.ts";
import type {
  DeletedRetiredJson,
  RetiredKey,
  RetiredListJson,
  RetiredSampleJson,
  RetiredValuesJson,
} from "../../core/wire/authoring/retired.ts";
import type { Json } from "../../core/wire/json.ts";
import { type ConnectOptions, connect, type Database, type Query, type Row } from "../../postgres/database.ts";
import { findUnfinishedJob } from "../../postgres/job/job-store.ts";
import {
  deleteRetired,
  exportRetired,
  lastVersionWith,
  listRetired,
  type RetiredData,
  sampleRetired,
  wasRenamedSince,
} from "../../postgres/schema/retired-data.ts";
import { retrySlow, withRetries } from "../../postgres/with-retries.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { findReadable } from "./readable-examples.ts";

/** Retired data, for administrators. */
export interface RetiredAccess {
  list(person: Administrator): Promise<RetiredListJson>;
  /** The first records with values, and the values if the administrator can read them all. */
  sample(key: RetiredKey, person: Administrator): Promise<RetiredSampleJson | Refusal>;
  /**
   * Returns the values as lines of JSON, for an administrator who can read them all. Records the export in the audit.
   */
  export(key: RetiredKey, person: Administrator): Promise<Readable | Refusal>;
  /** Deletes the values permanently. Records the deletion in the audit. */
  delete(key: RetiredKey, person: Administrator): Promise<DeletedRetiredJson | Refusal>;
}

type Administrator = Principal & { readonly id: string };

/** Counting stops here: a page that lists retired data must not read millions of records. */
const MAX_COUNTED = 10_000;

/** Time limit of a statement. */
const STATEMENT_TIMEOUT_MS = 20_000;

/**
 * A deletion waits for a table lock only this long, so that others do not wait behind it, and tries this many times.
 */
const LOCK_TIMEOUT_MS = 300;
const ATTEMPTS = 12;

/** Number of records in a sample. */
const SAMPLED = 20;

/** Maximum number of cached results of `findWholeReaders`. */
const MAX_READERS = 1_000;

class Publishing extends Error {}

/** Compiles a stored text; undefined for one with errors. */
type CompileStored = (packed: { readonly file: string; readonly text: string }) => Promise<Compiled | undefined>;

type FindReaders = (database: Database, retired: RetiredData) => Promise<ReturnType<typeof findWholeReaders>>;

/** Finds the roles that could read all values of a retired field or entity. Caches them by its name and version. */
const createReaderLookup = (compile: CompileStored): FindReaders => {
  const readers = new LRUCache<string, ReturnType<typeof findWholeReaders>>({ max: MAX_READERS });
  return async (database, retired) => {
    const key = `${retired.version} ${retired.entity} ${retired.field ?? ""}`;
    const known = readers.get(key);
    if (known !== undefined) return known;
    const last = await lastVersionWith(database, retired);
    const compiled = last && (await compile(last));
    const found = compiled?.model === undefined ? [] : findWholeReaders(compiled.model, retired.entity, retired.field);
    readers.set(key, found);
    return found;
  };
};

/** `version`: the number of the live version. */
export const createRetiredAccess = (
  owner: ConnectOptions["connection"],
  compile: CompileStored,
  current: () => { readonly model: Model | undefined; readonly version: number },
): RetiredAccess => {
  const withOwner = async <T>(work: (owner: Database) => Promise<T>): Promise<T> => {
    const connection = connect({ connection: owner, max: 1, statementTimeout: STATEMENT_TIMEOUT_MS });
    try {
      return await work(connection);
    } finally {
      await connection.end();
    }
  };

  const findReaders = createReaderLookup(compile);

  /**
   * True if the person can read all values under the last version that had them. For a field of a live entity, they
   * must also be able to read all its records today. Nobody can if names have changed since.
   */
  const mayExport = async (database: Database, retired: RetiredData, person: Administrator): Promise<boolean> => {
    const { model } = current();
    const entity = model?.entities.get(retired.entity);
    if (retired.field !== null && (model === undefined || entity === undefined)) return false;
    if (model !== undefined && entity !== undefined && !isUnconditional(grantsFor(model, entity, "read", person)))
      return false;
    return !(await wasRenamedSince(database, retired)) && isReader(await findReaders(database, retired), person);
  };

  const audit = (action: string, { name }: RetiredData, records: number, person: Administrator): Query => ({
    text: `insert into ninefold.audit (person, entity, record, action, clause, document, changes)
           values ($1, 'Account', $1, $2, $3, $4, $5)`,
    values: [person.id, action, MANAGES_CLAUSE, current().version, JSON.stringify({ retired: name, records })],
  });

  const find = async (database: Database, { name, version }: RetiredKey): Promise<RetiredData | undefined> =>
    (await listRetired(database, MAX_COUNTED)).find((retired) => retired.name === name && retired.version === version);

  return {
    list: (person) =>
      withOwner(async (database) => {
        const items = [];
        for (const retired of await listRetired(database, MAX_COUNTED))
          items.push({ ...retired, exportable: await mayExport(database, retired, person) });
        return { items };
      }),
    sample: (key, person) =>
      withOwner(async (database) => {
        const retired = await find(database, key);
        if (retired === undefined) return refuse("NOT_FOUND", MANAGES_CLAUSE);
        const rows = await sampleRetired(database, key, SAMPLED);
        const { model } = current();
        const entity = retired.field === null ? undefined : model?.entities.get(retired.entity);
        const ids = rows.map(({ id }) => id);
        const readable =
          model === undefined || entity === undefined
            ? undefined
            : await findReadable(database, model, entity, ids, person, new Date());
        return {
          records:
            readable === undefined
              ? null
              : { entity: retired.entity, count: retired.records, ids: ids.filter((id) => readable.has(id)) },
          values: (await mayExport(database, retired, person)) ? rows.map((row) => toValues(row, retired)) : null,
        };
      }),
    export: async (key, person) => {
      const connection = connect({ connection: owner, max: 1, statementTimeout: STATEMENT_TIMEOUT_MS });
      const lines = async function* () {
        try {
          for await (const page of exportRetired(connection, key)) yield page.map((line) => `${line}\n`).join("");
        } finally {
          await connection.end();
        }
      };
      try {
        const retired = await find(connection, key);
        const refusal =
          retired === undefined
            ? refuse("NOT_FOUND", MANAGES_CLAUSE)
            : (await mayExport(connection, retired, person))
              ? null
              : refuse("FORBIDDEN", MANAGES_CLAUSE);
        if (retired === undefined || refusal !== null) {
          await connection.end();
          return refusal ?? refuse("NOT_FOUND", MANAGES_CLAUSE);
        }
        await connection.query(audit("export_retired", retired, retired.records, person));
        return Readable.from(lines());
      } catch (error) {
        await connection.end();
        throw error;
      }
    },
    delete: (key, person) =>
      withOwner(async (database) => {
        const within = async (
          query: (query: Query) => Promise<readonly Row[]>,
          retired: RetiredData,
        ): Promise<void> => {
          await query({ text: `set local lock_timeout = ${LOCK_TIMEOUT_MS}`, values: [] });
          if ((await findUnfinishedJob(query)) !== undefined) throw new Publishing();
          await query(audit("delete_retired", retired, retired.records, person));
        };
        const deletion = () => deleteRetired(database, key, { most: MAX_COUNTED, within });
        try {
          const deleted = await withRetries([retrySlow(ATTEMPTS)], deletion);
          return deleted === undefined
            ? refuse("NOT_FOUND", MANAGES_CLAUSE)
            : { name: key.name, records: deleted.records };
        } catch (error) {
          if (error instanceof Publishing) return refuse("ALREADY_PUBLISHING", MANAGES_CLAUSE);
          throw error;
        }
      }),
  };
};

const toValues = (
  { id, line }: { readonly id: string; readonly line: string },
  { field }: RetiredData,
): RetiredValuesJson => {
  const parsed = JSON.parse(line) as { readonly [column: string]: Json };
  if (field !== null) return { id, values: { [field]: parsed.value ?? null } };
  const { id: _, ...values } = parsed;
  return { id, values };
};

/** Parses the key of retired data in a query or a body; undefined if it is invalid. */
export const parseRetiredKey = (value: unknown): RetiredKey | undefined => {
  if (typeof value !== "object" || value === null || !("name" in value) || !("version" in value)) return undefined;
  const version = Number(value.version);
  const isKey = typeof value.name === "string" && !value.name.includes("\0") && Number.isSafeInteger(version);
  return isKey ? { name: String(value.name), version } : undefined;
};
