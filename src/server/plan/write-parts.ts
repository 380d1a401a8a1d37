import { deciderOf, type Gate } from "../../core/derive/access.ts";
import { liveIn } from "../../core/derive/environment.ts";
import { rulesAt } from "../../core/derive/rules.ts";
import { isConstraint } from "../../core/derive/tables/checks.ts";
import { collides, sameKey, togetherAt } from "../../core/derive/together.ts";
import { whoMay } from "../../core/explain/who.ts";
import { type Entity, type Field, isGiven, isWritten } from "../../core/model/model.ts";
import { toSql } from "../../core/rule/to-sql.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import type { Row } from "../../postgres/database.ts";
import type { RefusalAt } from "../refusal.ts";
import { auditLine, changesBetween, changesOfWhole, differs, generatedFrom, storedOf } from "./audit.ts";
import { candidateOf, columnTypeOf } from "./candidate.ts";
import { queryOf, signatureOf, slotsOf } from "./context.ts";
import { drawingsOfMany, drawnOfMany, freeSlug, seriesAt, seriesSlots } from "./drawn.ts";
import type { Following } from "./effects/following.ts";
import { environmentOf, tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { brokenFiles, fileFields, fileVerdicts, givenFile, isFile } from "./files.ts";
import type { GivenList, GivenPart } from "./given-parts.ts";
import {
  allHold,
  brokenReferences,
  brokenRules,
  CANDIDATE,
  CURRENT,
  DONE,
  gateColumns,
  referenceVerdicts,
  ruleVerdicts,
  ruleWords,
  toldTo,
  type Verdict,
  verdictColumns,
} from "./judge.ts";
import { seenWhereRead } from "./labels.ts";
import { goneColumns, goneWaves, partsGone } from "./parts.ts";
import { type Ordered, ordered, type Present } from "./places.ts";
import type { Steps } from "./steps.ts";
import { brokenTogether, togetherWords } from "./together.ts";
import { rowsWritten, type Written, type WrittenRow } from "./written.ts";

/*
 * The parts of a record as one request gives them: those that are not named go, those that are named change, the rest are
 * made. Each list is a few statements, however many parts it has: one that reads and locks what is there, and one each
 * for what goes, what changes and what comes. Each part is judged as its own calls would judge it.
 */

/** What came of the lists of a request. */
export interface PartsWritten {
  readonly waves: readonly Written[];
  /** Parts of which nothing but their own parts has changed: what reads those is judged of them. */
  readonly raised: readonly Written[];
  /** Where each part stands in what was sent, by its id. */
  readonly places: ReadonlyMap<string, string>;
  readonly broken: readonly RefusalAt[];
}

/** The record whose parts are written, and the line of its own write in the history. */
interface Whole {
  readonly id: string;
  readonly line: number;
  readonly isNew: boolean;
}

/** What is gathered while the lists are written, one after the other. */
interface Gathering {
  readonly following: Following;
  readonly line: number;
  readonly waves: Written[];
  readonly raised: Written[];
  readonly places: Map<string, string>;
  readonly broken: RefusalAt[];
}

/** Records that have parts, by where they stand in what was sent. */
type Wholes = ReadonlyMap<string, Pick<Whole, "id" | "isNew">>;

export function* writeParts(following: Following, whole: Whole, lists: readonly GivenList[]): Steps<PartsWritten> {
  const gathering = { following, line: whole.line, waves: [], raised: [], places: new Map(), broken: [] };
  for (const list of lists) yield* writeList(gathering, list, new Map([["", whole]]));
  return gathering;
}

/** Writes a list of all records that it was sent with; the ids of those of whose parts something has changed. */
function* writeList(gathering: Gathering, list: GivenList, wholes: Wholes): Steps<ReadonlySet<string>> {
  const { following, line, waves, places, broken } = gathering;
  const of = [...wholes].filter(([at]) => list.of.has(at));
  const there = of.filter(([, { isNew }]) => !isNew).map(([, { id }]) => id);
  const present = there.length === 0 ? [] : yield* presentParts(following, there, list);
  const found = of.map(([at, { id }]) => {
    const items = list.items.filter((item) => item.of === at);
    const own = present.filter(({ whole }) => whole === id);
    return { ...ordered({ ...list, items }, own), own, whole: id };
  });
  const items = found.flatMap(({ items, whole }) => items.map((item): Placed => ({ ...item, whole })));
  const refused = [
    ...found.flatMap(({ wrong }) => wrong),
    ...found.flatMap(({ own, items }) => refusedParts(following, list, own, items)),
  ];
  broken.push(...refused);
  if (refused.length > 0) return new Set();
  const named = new Set(list.items.map(({ id }) => id));
  const gone = present.filter(({ id }) => !named.has(id));
  const touched = new Set(gone.map(({ whole }) => whole));
  if (gone.length > 0)
    waves.push(
      ...(yield* remove(
        following,
        line,
        list,
        gone.map(({ id }) => id),
      )),
    );
  const own = new Map<string, Pick<Whole, "id" | "isNew">>();
  const written = new Set<string>();
  for (const { at, id } of items) if (id !== null) own.set(at, { id, isNew: false });
  for (const [parts, write] of [
    [items.filter(({ id, asked }) => id !== null && asked.length > 0), change],
    [items.filter(({ id }) => id === null), make],
  ] as const) {
    if (parts.length === 0) continue;
    const done = yield* write(following, line, list, parts);
    broken.push(...done.broken);
    const wholeAt = new Map(parts.map(({ at, whole }) => [at, whole]));
    for (const [id, at] of done.places) places.set(id, at);
    for (const { id } of done.wave.rows) {
      const at = places.get(id) ?? "";
      written.add(id);
      touched.add(wholeAt.get(at) ?? "");
      own.set(at, { id, isNew: write === make });
    }
    if (done.wave.rows.length > 0) waves.push(done.wave);
  }
  yield* writeBelow(gathering, list, own, written);
  for (const { id, whole } of items) if (id !== null && written.has(id)) touched.add(whole);
  return touched;
}

/** The parts of parts; of those that were not written themselves the version goes up, once for all that changed below. */
function* writeBelow(
  gathering: Gathering,
  { entity, lists }: GivenList,
  own: Wholes,
  written: Set<string>,
): Steps<void> {
  const { following, raised, places } = gathering;
  const below = new Set<string>();
  for (const list of lists) for (const id of yield* writeList(gathering, list, own)) below.add(id);
  if (below.size === 0) return;
  for (const [at, { id }] of own) places.set(id, at);
  const rows = [...below].filter((id) => !written.has(id));
  // What was made is judged with all its parts as it is.
  const stayed = [...own.values()].filter(({ id, isNew }) => !isNew && below.has(id));
  if (stayed.length > 0)
    raised.push({
      entity,
      moment: "update",
      changed: new Set(lists.map(({ list }) => list.name)),
      rows: stayed.map(({ id }) => ({ id, before: null, line: null })),
    });
  if (rows.length === 0) return;
  const raising = following.context.statements.get(`parts raise ${entity.name}`, () => ({
    more: undefined,
    sql: sql`UPDATE ${tableOf(entity)} SET "version" = "version" + 1, "updated_at" = ${slot("now", "timestamptz")} WHERE "id" = ANY(${slot("ids", "uuid[]")})`,
  }));
  yield queryOf(raising, { ...slotsOf(following.asker), ids: rows });
  for (const id of rows) written.add(id);
}

// What is there

/** The parts that are there, as far as this person sees them, locked, each with the gates that are open on it. */
function* presentParts(
  { context, asker }: Following,
  wholes: readonly string[],
  { entity, field, place, gates }: GivenList,
): Steps<readonly Present[]> {
  const reading = context.statements.get(`parts ${entity.name} ${signatureOf(asker.person)}`, () => {
    const eyes = eyesOf(context.model, entity, asker.person, "t");
    const columns = (["update", "delete"] as const).flatMap((action) =>
      gateColumns(gates[action], eyes.env).map(
        (column, i) =>
          sql`(SELECT "g".${identifier(`gate:${i}`)} FROM (SELECT ${column}) AS "g") AS ${identifier(`${action}:${i}`)}`,
      ),
    );
    const order = place === null ? sql`"t"."id"` : sql`"t".${identifier(place.name)}, "t"."id"`;
    const at = place === null ? sql`NULL::bigint` : sql`"t".${identifier(place.name)}`;
    return {
      more: undefined,
      sql: sql`SELECT ${join([sql`"t"."id"`, sql`"t"."version"`, sql`"t".${identifier(field.name)} AS "is:whole"`, sql`${at} AS "is:place"`, ...columns], ", ")} FROM ${tableOf(entity)} AS "t" WHERE "t".${identifier(field.name)} = ANY(${slot("wholes", "uuid[]")}) AND ${asCondition(eyes.rows)} ORDER BY ${order} FOR UPDATE`,
    };
  });
  const rows = yield queryOf(reading, { ...slotsOf(asker), wholes });
  const openOn = (row: Row, action: "update" | "delete"): readonly Gate[] =>
    gates[action].filter((_, i) => row[`${action}:${i}`] === true);
  return rows.map((row) => ({
    id: String(row.id),
    version: Number(row.version),
    whole: String(row["is:whole"]),
    place: row["is:place"] === null ? null : Number(row["is:place"]),
    update: openOn(row, "update"),
    delete: openOn(row, "delete"),
  }));
}

/** What this person may not do to the parts that are there: change, change in this field, take out. */
const refusedParts = (
  { asker }: Following,
  { list, entity, items: sent }: GivenList,
  present: readonly Present[],
  items: readonly Ordered[],
): readonly RefusalAt[] => {
  const byId = new Map(present.map((one) => [one.id, one]));
  const changes = items.flatMap(({ at, id, asked, lists }): readonly RefusalAt[] => {
    const part = id === null ? undefined : byId.get(id);
    if (part === undefined || asked.length + lists.length === 0) return [];
    const clause = deciderOf(entity, "update");
    if (part.update.length === 0)
      return [{ at, code: "FORBIDDEN", clause, values: {}, message: whoMay(asker.tongue, entity, "update") }];
    return [...asked, ...lists]
      .filter((name) => !part.update.some(({ fields }) => fields === null || fields.has(name)))
      .map((name) => notYours(entity, `${at}/${name}`, clause, name));
  });
  const kept = new Set(sent.map(({ id }) => id));
  const stays = present.some((part) => !kept.has(part.id) && part.delete.length === 0);
  return [
    ...changes,
    ...(stays
      ? [
          {
            at: `/${list.name}`,
            code: "FORBIDDEN",
            clause: deciderOf(entity, "delete"),
            values: {},
            message: whoMay(asker.tongue, entity, "delete"),
          },
        ]
      : []),
  ];
};

const notYours = (entity: Entity, at: string, clause: string, name: string): RefusalAt => ({
  at,
  code: "NOT_YOURS_TO_WRITE",
  clause,
  values: { field: entity.fields.get(name)?.title ?? name },
});

/** A part of the record whose id is known by now. */
interface Placed extends Ordered {
  readonly whole: string;
}

// What goes

function* remove(
  { context, asker }: Following,
  causing: number,
  { entity }: GivenList,
  ids: readonly string[],
): Steps<readonly Written[]> {
  const removing = context.statements.get(`parts remove ${entity.name}`, () => ({
    more: undefined,
    sql: sql`WITH "d" AS (DELETE FROM ${tableOf(entity)} AS "t" WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) RETURNING "t".*),
      "a" AS (${auditLine({ entity, action: "delete", clause: deciderOf(entity, "delete"), version: context.version, changes: changesOfWhole(entity, storedOf(entity), DONE, "before"), cause: sql`${slot("line", "bigint")}`, from: sql`FROM "d"` })} RETURNING "id", "record")${partsGone(context, entity, DONE, "a")}
      SELECT ${join([sql`"a"."record" AS "id"`, sql`"a"."id" AS "line"`, sql`to_jsonb("d")::text AS "before"`, ...goneColumns(context, entity, DONE, "a")], ", ")} FROM "a" JOIN "d" ON "d"."id" = "a"."record" ORDER BY "a"."id"`,
  }));
  const rows = yield queryOf(removing, { ...slotsOf(asker), ids, line: causing });
  const [first] = rows;
  return [
    { entity, moment: "delete", changed: null, rows: rowsWritten(rows) },
    ...(first === undefined ? [] : goneWaves(context, entity, first, DONE)),
  ];
}

// What changes and what comes

interface Done {
  readonly wave: Written;
  readonly places: readonly (readonly [id: string, at: string])[];
  readonly broken: readonly RefusalAt[];
}

/** The parts as they were sent: `p` has a row for each, and of each field what was given as text. */
const sentParts = (entity: Entity): Sql => {
  const columns = [...entity.fields.values()]
    .filter(isGiven)
    .flatMap((field) => [
      sql`${identifier(`v:${field.name}`)} ${field.many ? sql`text[]` : sql`text`}`,
      ...(field.type === "slug" ? [sql`${identifier(`slug:${field.name}`)} text`] : []),
    ]);
  return sql`"p" AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${slot("parts", "jsonb")}) AS "p"(${join([sql`"nth" integer`, sql`"id" uuid`, sql`"whole" uuid`, sql`"asked" text[]`, ...columns], ", ")}))`;
};

const sentSlot = (parts: readonly Placed[]): string =>
  JSON.stringify(
    parts.map(({ id, whole, asked, lists, values, slugs }, nth) => ({
      nth,
      id,
      whole,
      asked: [...asked, ...lists],
      ...Object.fromEntries([...values].map(([name, value]) => [`v:${name}`, value])),
      ...Object.fromEntries(Object.entries(slugs).map(([name, slug]) => [`slug:${name}`, slug])),
    })),
  );

const sentValue = (field: Field): Sql => sql`("p".${identifier(`v:${field.name}`)})::${columnTypeOf(field)}`;
const isAsked = (name: string, of = "p"): Sql => sql`${constant(name)} = ANY(${identifier(of)}."asked")`;

function* change(following: Following, causing: number, list: GivenList, parts: readonly Placed[]): Steps<Done> {
  const { context, asker } = following;
  const { model } = context;
  const { entity } = list;
  const asked = [...new Set(parts.flatMap((part) => part.asked))].sort();
  const kept = [...entity.fields.values()].filter(({ held }) => held.as === "kept").map(({ name }) => name);
  const changed = new Set([...asked, ...kept]);
  const judging = judgingOf(following, list, asked, "update", changed);
  const written = context.statements.get(
    `parts change ${entity.name} ${signatureOf(asker.person)} ${asked.join()}`,
    () => {
      const values = [...entity.fields.values()].filter(isGiven).map((field) => {
        const own = sql`"c".${identifier(field.name)}`;
        if (!asked.includes(field.name)) return sql`${own} AS ${identifier(field.name)}`;
        const given = isFile(field) ? givenFile(field, CURRENT, sentValue(field)) : sentValue(field);
        return sql`CASE WHEN ${isAsked(field.name)} THEN ${given} ELSE ${own} END AS ${identifier(field.name)}`;
      });
      const system = ["id", "version", "created_at", "updated_at"].map((name) => sql`"c".${identifier(name)}`);
      const candidate = candidateOf(
        model,
        entity,
        sql`SELECT ${join([...system, sql`"p"."nth" AS "is:nth"`, ...values], ", ")} FROM "p" JOIN "c" ON "c"."id" = "p"."id"`,
      );
      const assignments = [...changed].map((name) => sql`${identifier(name)} = "n".${identifier(name)}`);
      return {
        more: undefined,
        sql: sql`WITH ${sentParts(entity)},
          "c" AS MATERIALIZED (SELECT "t".* FROM ${tableOf(entity)} AS "t" WHERE "t"."id" IN (SELECT "p"."id" FROM "p")),
          "n" AS MATERIALIZED (${candidate}),
          ${judging.judged(verdictColumns([{ column: "is:other", condition: differs(entity, asked, CURRENT, CANDIDATE) }]))},
          "d" AS (UPDATE ${tableOf(entity)} AS "u" SET ${join([sql`"version" = "u"."version" + 1`, sql`"updated_at" = ${slot("now", "timestamptz")}`, ...assignments], ", ")} FROM "n" JOIN "j" ON "j"."is:nth" = "n"."is:nth" WHERE "u"."id" = "n"."id" AND "j"."is:other" AND ${judging.holds} RETURNING "u".*),
          "a" AS (${auditLine({ entity, action: "update", clause: deciderOf(entity, "update"), version: context.version, changes: changesBetween(entity, [...changed, ...generatedFrom(entity, changed)], CURRENT, DONE), cause: sql`${slot("line", "bigint")}`, from: sql`FROM "c" JOIN "d" ON "d"."id" = "c"."id"` })} RETURNING "id", "record")
          SELECT ${join([sql`"j".*`, ...judging.words(), sql`"n"."id"`, sql`"a"."id" AS "line"`, sql`to_jsonb("c")::text AS "before"`], ", ")} FROM "j" JOIN "n" ON "n"."is:nth" = "j"."is:nth" JOIN "c" ON "c"."id" = "n"."id" LEFT JOIN "a" ON "a"."record" = "n"."id" ORDER BY "j"."is:nth"`,
      };
    },
  );
  const rows = yield queryOf(written, { ...slotsOf(asker), parts: sentSlot(parts), line: causing });
  return doneOf({ entity, moment: "update", changed }, parts, rows, judging.broken);
}

function* make(following: Following, causing: number, list: GivenList, parts: readonly Placed[]): Steps<Done> {
  const { context, asker } = following;
  const { model } = context;
  const { entity, gates } = list;
  const asked = [...new Set(parts.flatMap((part) => part.asked))].sort();
  const named = [...asked, ...new Set(parts.flatMap(({ lists }) => lists))].sort();
  const series = seriesAt(entity, "create");
  const judging = judgingOf(following, list, asked, "create", new Set());
  const computed = [...list.computed.keys()].sort();
  const needed: readonly Verdict[] = computed.flatMap((name) =>
    entity.fields.get(name)?.optional === false
      ? [{ column: `needed:${name}`, condition: sql`"n".${identifier(name)} IS NOT NULL` }]
      : [],
  );
  const written = context.statements.get(
    `parts make ${entity.name} ${signatureOf(asker.person)} ${named.join()} ${computed.join()}`,
    () => {
      const env = environmentOf(model, entity, CANDIDATE);
      const fields = [...entity.fields.values()].filter(isWritten);
      const values = fields
        .filter(isGiven)
        .map((field) => sql`${madeValue(list, field, liveIn(model))} AS ${identifier(field.name)}`);
      const candidate = candidateOf(
        model,
        entity,
        sql`SELECT ${join([sql`uuidv7() AS "id"`, sql`1 AS "version"`, ...["created_at", "updated_at"].map((name) => sql`${slot("now", "timestamptz")} AS ${identifier(name)}`), sql`"p"."nth" AS "is:nth"`, ...values], ", ")} FROM (SELECT * FROM "p" ORDER BY "nth") AS "p"`,
      );
      const since = entity.states === null ? [] : [sql`"state_since"`];
      const system = ["id", "version", "created_at", "updated_at"].map(identifier);
      const names = join([...system, ...since, ...fields.map(({ name }) => identifier(name))], ", ");
      const drawn = fields.map((field) =>
        series.includes(field) ? drawnOfMany(field, "n", "is:nth") : sql`"n".${identifier(field.name)}`,
      );
      const from = [...system.map((name) => sql`"n".${name}`), ...since.map(() => sql`"n"."created_at"`), ...drawn];
      // As permitted as by its own call: some gate is open on it, and each field that was given goes through an open one.
      const open = (through: readonly Gate[]): Sql =>
        through.length === 0
          ? sql`FALSE`
          : sql`(${join(
              through.map((gate) => sql`"j".${identifier(`gate:${gates.create.indexOf(gate)}`)}`),
              " OR ",
            )})`;
      const permitted = [
        open(gates.create),
        ...named.map(
          (name) =>
            sql`(${open(gates.create.filter(({ fields: some }) => some === null || some.has(name)))} OR NOT (${isAsked(name)}))`,
        ),
      ];
      return {
        more: undefined,
        sql: sql`WITH ${sentParts(entity)},
          "n" AS MATERIALIZED (${candidate}),
          ${judging.judged([...gateColumns(gates.create, env), ...verdictColumns(needed)])},
          ${drawingsOfMany(entity, series, "n")}"d" AS (INSERT INTO ${tableOf(entity)} (${names}) SELECT ${join(from, ", ")} FROM "n" JOIN "j" ON "j"."is:nth" = "n"."is:nth" JOIN "p" ON "p"."nth" = "n"."is:nth" WHERE ${join([...permitted, allHold(needed), judging.holds], " AND ")} ORDER BY "n"."is:nth" RETURNING *),
          "a" AS (${auditLine({ entity, action: "create", clause: deciderOf(entity, "create"), version: context.version, changes: changesOfWhole(entity, storedOf(entity), DONE, "after"), cause: sql`${slot("line", "bigint")}`, from: sql`FROM "d"` })} RETURNING "id", "record")
          SELECT ${join([sql`"j".*`, ...judging.words(), sql`"n"."id"`, sql`"a"."id" AS "line"`], ", ")} FROM "j" JOIN "n" ON "n"."is:nth" = "j"."is:nth" LEFT JOIN "a" ON "a"."record" = "n"."id" ORDER BY "j"."is:nth"`,
      };
    },
  );
  const rows = yield queryOf(written, {
    ...slotsOf(asker),
    ...seriesSlots(series, asker.today),
    parts: sentSlot(parts),
    line: causing,
  });
  const clause = deciderOf(entity, "create");
  return doneOf({ entity, moment: "create", changed: null }, parts, rows, (row, part) => {
    const through = gates.create.filter((_, i) => row[`gate:${i}`] === true);
    if (through.length === 0)
      return [{ at: "", code: "FORBIDDEN", clause, values: {}, message: whoMay(asker.tongue, entity, "create") }];
    const shut = [...part.asked, ...part.lists].filter(
      (name) => !through.some(({ fields }) => fields === null || fields.has(name)),
    );
    return [
      ...shut.map((name) => notYours(entity, `/${name}`, clause, name)),
      ...needed.flatMap(({ column }): readonly RefusalAt[] => {
        const field = entity.fields.get(column.slice("needed:".length));
        return field === undefined || row[column] !== false
          ? []
          : [{ at: `/${field.name}`, code: "REQUIRED", clause: field.clause.id, values: { field: field.title } }];
      }),
      ...judging.broken(row, part),
    ];
  });
}

/** A field of a part that is to be made: the whole, what was given, or what the document computes. */
const madeValue = ({ entity, field: by, computed }: GivenList, field: Field, live: ReturnType<typeof liveIn>): Sql => {
  if (field.name === by.name) return sql`"p"."whole"`;
  const given = isFile(field) ? givenFile(field, null, sentValue(field)) : sentValue(field);
  const expr = computed.get(field.name);
  if (expr !== undefined)
    return sql`CASE WHEN ${isAsked(field.name)} THEN ${given} ELSE (${toSql(expr, { computed: live }).value})::${columnTypeOf(field)} END`;
  if (field.type !== "slug") return given;
  const base = sql`"p".${identifier(`slug:${field.name}`)}`;
  const among = sql`(SELECT count(*) FROM "p" AS "q" WHERE "q".${identifier(`slug:${field.name}`)} = ${base} AND "q"."nth" < "p"."nth")`;
  // Of those that would bear one word, each tries a word of its own.
  const own = sql`(${base} || CASE ${among} WHEN 0 THEN '' ELSE '-' || (${among} + 1) END)`;
  return sql`COALESCE(${given}, ${freeSlug(entity, field, own, sql`gen_random_uuid()`)})`;
};

const doneOf = (
  wave: Omit<Written, "rows">,
  parts: readonly Placed[],
  rows: readonly Row[],
  brokenIn: (row: Row, part: GivenPart) => readonly RefusalAt[],
): Done => {
  const done: WrittenRow[] = [];
  const places: (readonly [string, string])[] = [];
  const broken: RefusalAt[] = [];
  for (const row of rows) {
    const part = parts[Number(row["is:nth"])];
    if (part === undefined) continue;
    places.push([String(row.id), part.at]);
    if (row.line !== null && row.line !== undefined) done.push(...rowsWritten([row]));
    const wrong = brokenIn(row, part);
    broken.push(...wrong.map((one) => ({ ...one, at: `${part.at}${one.at}` })));
    if (wrong.length === 0 && row.line === null && row["is:other"] !== false)
      throw new Error(`a part of ${wave.entity.name} was judged right and not written`);
  }
  return { wave: { ...wave, rows: done }, places, broken };
};

// What is judged of each before it is written

/** What the tables hold anyway, so that it is told in the words of its clause and at its place. */
const judgingOf = (
  { context, asker, format }: Following,
  { entity, field: by }: GivenList,
  asked: readonly string[],
  moment: "create" | "update",
  changed: ReadonlySet<string>,
) => {
  const { model } = context;
  const rules = rulesAt(entity, moment, changed).filter((rule) => isConstraint(rule, entity));
  const references = asked.filter((name) => entity.fields.get(name)?.type === "reference" && name !== by.name);
  const files = fileFields(entity).filter(({ name }) => asked.includes(name));
  const together = togetherAt(entity, moment, changed);
  const unique = [...entity.fields.values()].filter(
    (field) => field.unique && isWritten(field) && (moment === "create" ? true : changed.has(field.name)),
  );
  const verdicts = (): readonly Verdict[] => [
    ...ruleVerdicts(rules, environmentOf(model, entity, CANDIDATE)),
    ...[
      ...referenceVerdicts(context, asker, entity, references, moment === "update" ? CURRENT : null),
      ...fileVerdicts(files, sentValue),
    ].map(({ column, condition }) => ({
      column,
      condition: sql`(NOT (${isAsked(column.slice(column.indexOf(":") + 1))}) OR ${condition})`,
    })),
    ...together.map((rule, i) => ({
      column: `together:${i}`,
      condition: alone(entity, (other) => collides(model, entity, rule, other, CANDIDATE)),
    })),
    ...unique.map((field) => ({
      column: `unique:${field.name}`,
      condition: alone(entity, (other) => {
        const [a, b] = [sameKey(field, other), sameKey(field, CANDIDATE)];
        return field.countsMissing ? sql`${a} IS NOT DISTINCT FROM ${b}` : sql`${a} = ${b}`;
      }),
    })),
  ];
  return {
    /** `j`: the verdicts on each candidate. */
    judged: (more: readonly Sql[] = []): Sql =>
      sql`"j" AS MATERIALIZED (SELECT ${join([sql`"n"."is:nth"`, ...more, ...verdictColumns(verdicts())], ", ")} FROM "n" JOIN "p" ON "p"."nth" = "n"."is:nth"${moment === "update" ? sql` JOIN "c" ON "c"."id" = "n"."id"` : sql``})`,
    holds: allHold(verdicts()),
    words: (): readonly Sql[] => {
      const seen = seenWhereRead(model, entity, asker.person, CANDIDATE, { given: asked });
      const isTold = () => toldTo(model, asker.person, entity, [], new Set());
      return [...ruleWords(rules, seen, isTold), ...togetherWords(together, seen)];
    },
    broken: (row: Row, { asked: own }: GivenPart): readonly RefusalAt[] => {
      const absent = brokenFiles(
        files.filter(({ name }) => own.includes(name)),
        row,
      );
      // A form gives all that it shows: what is as it was is no change, but a file that may not be given is told.
      if (row["is:other"] === false) return absent;
      // Nothing is judged by a record that they may not read: it would tell of that.
      const unseen = brokenReferences(
        entity,
        references.filter((name) => own.includes(name)),
        row,
      );
      if (unseen.length > 0) return unseen;
      return [
        ...absent,
        ...brokenRules(model, rules, row, format),
        ...brokenTogether(model, together, row, format),
        ...unique.flatMap((field): readonly RefusalAt[] =>
          row[`unique:${field.name}`] === false
            ? [{ at: `/${field.name}`, code: "TAKEN", clause: field.clause.id, values: { field: field.title } }]
            : [],
        ),
      ];
    },
  };
};

/** No record that stays as it is stands against the candidate, and none of those before it in the same list. */
const alone = (entity: Entity, against: (other: string) => Sql): Sql =>
  sql`NOT EXISTS (SELECT FROM ${tableOf(entity)} AS "o" WHERE "o"."id" <> "n"."id" AND "o"."id" NOT IN (SELECT "q"."id" FROM "p" AS "q" WHERE "q"."id" IS NOT NULL) AND ${against("o")}) AND NOT EXISTS (SELECT FROM "n" AS "o" WHERE "o"."is:nth" < "n"."is:nth" AND ${against("o")})`;
