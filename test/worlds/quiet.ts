import { grantsFor, type Principal, readableFieldsFor } from "../../src/core/derive/authorization/grants.ts";
import { canFindTrash } from "../../src/core/derive/authorization/trash.ts";
import { type Expr, subexpressions } from "../../src/core/expression/expr.ts";
import { collectReadSet } from "../../src/core/expression/inspect/read-set.ts";
import { isActValue } from "../../src/core/model/field.ts";
import type { Model } from "../../src/core/model/model.ts";
import { type Pair, UUID } from "./pair.ts";
import type { WorldPerson } from "./people.ts";
import { USED_KEY } from "./requests.ts";
import type { Moment, Rows } from "./rows.ts";
import { differences, learntBy, type Plant, planted, type Sight, sightOf } from "./sight.ts";

/* Selects the differences between two worlds that a person may not notice. */

/**
 * Differences that change neither the data that a person sees nor the person's capabilities. The document reveals the
 * others.
 */
export const quietOf = (
  pair: Pair,
  principal: Principal,
  sight: Sight,
  moment: Moment,
  { told, shown }: { readonly told: Map<string, string>; readonly shown: Map<string, string> },
  candidates: readonly Plant[],
  most: number,
): readonly Plant[] => {
  const quiet: Plant[] = [];
  const rows = new Set<string>();
  for (const one of spread(candidates)) {
    if (quiet.length >= most) break;
    if (rows.has(one.id)) continue;
    const otherwise = sightOf(pair.model, planted(pair.rows, [one]), principal, moment);
    const [seen] = differences(sight.seen, otherwise.seen);
    const [may] = differences(sight.may, otherwise.may);
    if (seen !== undefined) shown.set(seen.replace(/\/[^.]*/u, ""), one.what);
    else if (may !== undefined)
      told.set(learntBy(sight.may.get(may) ?? "", otherwise.may.get(may) ?? ""), `${may} by ${one.what}`);
    else {
      quiet.push(one);
      rows.add(one.id);
    }
  }
  // Records that another difference refers to stay.
  const named = new Set(quiet.flatMap(({ row }) => (row === null ? [] : Object.values(row).flat())));
  return combined(
    pair,
    principal,
    sight,
    moment,
    quiet.filter(({ row, id }) => row !== null || !named.has(id)),
  );
};

const sourcesIn = (model: Model): ReadonlySet<string> =>
  new Set(
    [...model.entities.values()].flatMap(({ rows: created }) =>
      (created?.sources ?? []).flatMap((source) => ("entity" in source ? [source.entity] : [])),
    ),
  );

export const leavesSources =
  (model: Model) =>
  ({ entity }: Plant): boolean =>
    !sourcesIn(model).has(entity);

/** True if a difference leaves the set of derived rows unchanged. */
export const leavesRows = (model: Model, rows: Rows) => {
  const sources = sourcesIn(model);
  const read = new Set<string>();
  const namesIn = (expr: Expr): void => {
    if (expr.kind === "field") read.add(expr.field.name);
    for (const part of subexpressions(expr)) namesIn(part);
  };
  for (const { rows: created } of model.entities.values()) {
    if (created?.where) namesIn(created.where);
    for (const source of created?.sources ?? []) if ("list" in source) namesIn(source.list);
  }
  return ({ entity, id, row }: Plant): boolean => {
    const was = rows.get(entity)?.get(id);
    if (!sources.has(entity)) return true;
    return was !== undefined && row !== null && [...read].every((name) => was[name] === row[name]);
  };
};

/** One difference of each kind, then a second of each, and so on. */
const spread = (plants: readonly Plant[]): readonly Plant[] => {
  const kinds = new Map<string, Plant[]>();
  for (const one of plants) {
    const kind = one.what.replaceAll(UUID, "");
    kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
  }
  const spread: Plant[] = [];
  for (let i = 0; spread.length < plants.length; i++)
    for (const own of kinds.values()) if (own[i] !== undefined) spread.push(own[i] as Plant);
  return spread;
};

/** As many differences as leave everything unchanged together. */
export const combined = (
  pair: Pair,
  principal: Principal,
  sight: Sight,
  moment: Moment,
  plants: readonly Plant[],
): readonly Plant[] => {
  const isQuiet = (some: readonly Plant[]) => {
    const otherwise = sightOf(pair.model, planted(pair.rows, some), principal, moment);
    return differences(sight.seen, otherwise.seen).length + differences(sight.may, otherwise.may).length === 0;
  };
  if (isQuiet(plants)) return plants;
  let stored: readonly Plant[] = [];
  for (let at = 0, step = plants.length; at < plants.length; ) {
    const more = [...stored, ...plants.slice(at, at + step)];
    if (isQuiet(more)) {
      stored = more;
      at += step;
      step *= 2;
    } else if (step > 1) step = Math.ceil(step / 2);
    else at++;
  }
  return stored;
};

/**
 * Differences outside the records: history lines on hidden fields, files, and other people's notifications and
 * settings.
 */
export const otherTables = async (
  { model, one: { store }, rows }: Pair,
  person: WorldPerson,
  sight: Sight,
): Promise<readonly { readonly text: string; readonly values?: readonly unknown[] }[]> => {
  const statements: { text: string; values?: readonly unknown[] }[] = [];
  const { rows: lines } = await store.query("select id::text, entity, record::text, changes from ninefold.audit");
  for (const line of lines) {
    const entity = model.entities.get(String(line.entity));
    const at = `${line.entity}/${line.record}`;
    if (entity === undefined || (person.granted.has("administrator") && entity.name === "User")) continue;
    const changes = line.changes as Record<string, unknown>;
    // The value that an act asked for is in no record, so `sight` lacks it; some grant may show it.
    const readable = readableFieldsFor(model, entity.name, person);
    const hidden = Object.keys(changes).filter((name) => {
      const field = entity.fields.get(name);
      if (field === undefined || sight.seen.has(`${at}.${name}`)) return false;
      return !isActValue(field) || !readable.has(name);
    });
    // Nobody can read a deleted record.
    for (const name of hidden.slice(0, 3)) {
      const field = entity.fields.get(name);
      if (field === undefined || (field.type !== "text" && field.type !== "long text")) continue;
      statements.push({
        text: "update ninefold.audit set changes = jsonb_set(changes, array[$2], '[null, \"Xyzzyq was here\"]') where id = $1::bigint",
        values: [line.id, name],
      });
    }
  }
  const readable = new Set<string>();
  for (const entity of model.entities.values())
    for (const row of rows.get(entity.name)?.values() ?? [])
      for (const field of entity.fields.values())
        if (
          (field.type === "file" || field.type === "image") &&
          sight.seen.has(`${entity.name}/${row.id}.${field.name}`)
        )
          for (const file of [row[field.name]].flat())
            if (typeof file === "object" && file !== null && "id" in file) readable.add(String(file.id));
  statements.push({
    text: "update ninefold.file set name = 'xyzzyq.txt', sha256 = decode(repeat('ab', 32), 'hex') where not (id::text = any($1)) and person is distinct from $2",
    values: [[...readable], person.id],
  });
  statements.push({
    text: "update ninefold.notification set text = 'Xyzzyq was told', read_at = now() where person is distinct from $1",
    values: [person.id],
  });
  for (const { text, values } of unreadableTrash(model, person)) statements.push({ text, values });
  const theirs = [
    // An administrator who views as a person has settings of their own.
    `insert into ninefold.preference (person, name, value) select id, 'language', '"xyzzyq"' from app."user"
     where id is distinct from $1 and not 'administrator' = any(roles) on conflict (person, name) do update set value = excluded.value`,
    "update ninefold.view set title = 'Xyzzyq', query = 'xyzzyq=1' where person is distinct from $1 and not shared",
    "delete from ninefold.view where person is distinct from $1 and not shared and id::text < '7'",
    "delete from ninefold.notification where person is distinct from $1 and ctid in (select ctid from ninefold.notification where person is distinct from $1 limit 3)",
    `insert into ninefold.idempotency (person, key, record, request, made_at)
     select id, '${USED_KEY}', id, '\\x00', now() from app."user" where id is distinct from $1`,
  ];
  const unmanaged = [
    "delete from ninefold.session where person is distinct from $1 and agent = 'kept'",
    "delete from ninefold.token where person is distinct from $1 and name = 'kept'",
    "delete from ninefold.credential where person is distinct from $1",
    `insert into ninefold.sign_up (email, token_hash, made_at, expires_at)
     select email, sha256(email::bytea), now(), now() + interval '1 day' from app."user" where $1::uuid is distinct from id limit 3`,
    `insert into ninefold.audit (person, entity, record, action, clause, document, changes)
     select id, 'Account', id, 'ask', '4.x', 1, '{"do": "x.y"}' from app."user" where id is distinct from $1 limit 3`,
  ];
  for (const text of [...theirs, ...(person.granted.has("administrator") ? [] : unmanaged)])
    statements.push({ text, values: [person.id] });
  return statements;
};

/** Differences in deleted records: those of entities that the person cannot delete, and hidden texts that nothing depends on. */
const unreadableTrash = (
  model: Model,
  person: WorldPerson,
): readonly { readonly text: string; readonly values: readonly unknown[] }[] =>
  [...model.entities.values()].flatMap((entity) => {
    const { name } = entity;
    if (!canFindTrash(model, entity, person))
      return [
        { text: "delete from ninefold.trash where entity = $1 and record::text < '8'", values: [name] },
        {
          text: "update ninefold.trash set at = at - interval '1 hour', person = null where entity = $1",
          values: [name],
        },
      ];
    const readable = readableFieldsFor(model, name, person);
    const grants = (["read", "delete"] as const).flatMap((action) => grantsFor(model, entity, action, person));
    const used = new Set([
      ...grants.flatMap(({ conditions }) => conditions.flatMap((one) => [...collectReadSet(one).fields])),
      ...[...entity.rules, ...entity.uniquenessRules].flatMap(({ reads }) => reads),
    ]);
    return [...entity.fields.values()]
      .filter(({ type, unique, many, storage }) => type === "text" && !unique && !many && storage.as === "column")
      .filter((field) => !readable.has(field.name) && !used.has(field.name) && field.max === null)
      .map((field) => ({
        text: `update ninefold.trash set stored = jsonb_set(stored, array[$2], '"Xyzzyq was here"') where entity = $1`,
        values: [name, field.name],
      }));
  });
