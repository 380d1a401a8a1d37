import { compile } from "../../core/compile.ts";
import { buildTables } from "../../core/derive/tables/tables.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { tablesWithIndexes } from "../../core/migration/concurrent-indexes.ts";
import type { MigrationStep } from "../../core/migration/migration-step.ts";
import { planMigration } from "../../core/migration/plan-migration.ts";
import { findReturnedNames } from "../../core/model/facts/returned-names.ts";
import type { Model, Renaming } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import { constant, definitionText, identifier, sql } from "../../core/sql.ts";
import type { Database, Row, RunQuery } from "../database.ts";
import { ChangeRefused } from "./apply-steps.ts";
import { introspect, readFormerColumns, readRetired } from "./introspect.ts";
import { findDocument, type KnownVersion, readPast } from "./newest-document.ts";
import { otherIds } from "./seed-records.ts";
import { trigramsIn } from "./trigram-indexes.ts";

/** The steps that would be made for a document now. */
export const stepsFor = (
  owner: Database,
  desired: Model,
  source: Source,
  base: KnownVersion,
): Promise<readonly MigrationStep[]> =>
  owner.transaction(async (query) => {
    const [last] = await query({
      text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    const before = once(() => findDocument(last, base));
    const { renaming } = await toLocalModel(query, desired, source, { last, before });
    return (await planMigrationSteps(query, renaming, source, { last, person: null, before })).steps;
  });

export const once = <T>(work: () => T): (() => T) => {
  let done: { readonly value: T } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
};

interface LocalModel {
  /** The model with the ids that its seed records have in this database. */
  readonly model: Model;
  /** The model including returned names, so that their renamings are carried out. */
  readonly renaming: Model;
}

export const toLocalModel = async (
  query: RunQuery,
  desired: Model,
  source: Source,
  { last, before }: { readonly last: Row | undefined; readonly before: () => Model | null },
): Promise<LocalModel> => {
  const isNew = last !== undefined && String(last.source) !== source.text;
  const past = isNew ? await readPast(query) : [];
  const former = past.length === 0 ? null : before();
  const returned = former === null ? [] : findReturnedNames(desired, former, past);
  const withReturned = (model: Model): Model =>
    returned.length === 0 ? model : { ...model, renamings: [...model.renamings, ...returned] };
  const ids = await otherIds(query, withReturned(desired));
  const model = ids.size === 0 ? desired : (compile(unpackSources(source), ids).model ?? desired);
  return { model, renaming: withReturned(model) };
};

/** All steps for a document, in order. */
export const planMigrationSteps = async (
  query: RunQuery,
  model: Model,
  source: Source,
  {
    last,
    person,
    before: documentBefore,
  }: { readonly last: Row | undefined; readonly person: string | null; readonly before: () => Model | null },
): Promise<{
  readonly steps: readonly MigrationStep[];
  readonly renamings: readonly Renaming[];
  readonly merged: readonly Renaming[];
  readonly searched: ReadonlySet<string>;
}> => {
  const desired = buildTables(model, await trigramsIn(query));
  const isNew = last !== undefined && String(last.source) !== source.text;
  const before = isNew || model.renamings.length > 0 ? documentBefore() : null;
  const { steps, refused, renamings, merged, tables } = planMigration({
    actual: await introspect(query),
    retired: await readRetired(query),
    desired,
    model,
    before,
    past: isNew ? await readPast(query) : [],
    former: isNew ? await readFormerColumns(query) : new Set(),
    isNew,
    next: { version: Number(last?.number ?? 0) + (isNew || last === undefined ? 1 : 0), person },
  });
  if (refused.length > 0) throw new ChangeRefused(refused);
  return { steps, renamings, merged, searched: tablesWithIndexes(tables, desired) };
};

/** The existing tables that steps change and that have more than this number of records. */
export const findLarge = async (
  query: RunQuery,
  steps: readonly MigrationStep[],
  large: number,
): Promise<readonly string[]> => {
  const names = steps.flatMap(({ run }) =>
    [...run.matchAll(/"app"\."((?:[^"]|"")+)"/gu)].map(([, name = ""]) => name.replaceAll('""', '"')),
  );
  const rows = await query({
    text: "select relname as name from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' and relname = any ($1)",
    values: [[...new Set(names)]],
  });
  const found: string[] = [];
  for (const { name } of rows) {
    const some = sql`select count(*)::int as "count" from (select from "app".${identifier(String(name))} limit ${constant(large + 1)}) "first"`;
    const [row] = await query({ text: definitionText(some), values: [] });
    if (Number(row?.count ?? 0) > large) found.push(String(name));
  }
  return found;
};
