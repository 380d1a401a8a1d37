import { deciderOf, gatesOf, type Person, writableThrough } from "../../core/derive/access.ts";
import { liveIn } from "../../core/derive/environment.ts";
import { guardsOn, reachesOn } from "../../core/derive/footprints.ts";
import { partListsOf } from "../../core/derive/parts.ts";
import { conditionedAt, rulesAt } from "../../core/derive/rules.ts";
import { isConstraint, uniqueName } from "../../core/derive/tables.ts";
import { togetherAt } from "../../core/derive/together.ts";
import { whoMay } from "../../core/explain/who.ts";
import type { Format } from "../../core/model/format.ts";
import { type Entity, type Field, isGiven, isWritten, type Model } from "../../core/model/model.ts";
import type { Expr } from "../../core/rule/expr.ts";
import { type SqlEnv, toSql } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import type { Row } from "../../postgres/database.ts";
import type { Intent } from "../ask.ts";
import { forbid, type Refusal, type RefusalAt, refuse, refuseAt } from "../refusal.ts";
import { type Action, type Reply, reply } from "./action.ts";
import { auditLine, changesOfWhole, storedOf } from "./audit.ts";
import { candidateOf, columnTypeOf } from "./candidate.ts";
import { constraintRefusal, goneIn, isTogether } from "./constraints.ts";
import {
  type Asker,
  type Context,
  entityOf,
  knownTo,
  NOBODY,
  queryOf,
  type Written as Statement,
  signatureOf,
  slotsWith,
} from "./context.ts";
import { drawings, drawnNumber, drawnValue, seriesAt, seriesSlots, slugSlots } from "./drawn.ts";
import { environmentOf, replacedRows, tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { brokenFiles, fileFields, fileVerdicts, givenFile, isFile } from "./files.ts";
import { type Among, followed, isFollowed } from "./follow.ts";
import { givenSlot, givenSlots, missingOf, readGiven } from "./given.ts";
import { readParts } from "./given-parts.ts";
import { initialOf } from "./initial.ts";
import {
  allHold,
  brokenFields,
  brokenReaches,
  brokenReferences,
  brokenRules,
  CANDIDATE,
  DONE,
  failingOf,
  fieldsRefused,
  fieldVerdicts,
  gateColumns,
  gatesHold,
  JUDGED,
  judgesOthers,
  reachVerdicts,
  reachWords,
  referenceVerdicts,
  ruleVerdicts,
  ruleWords,
  toldTo,
  type Verdict,
  verdictColumns,
} from "./judge.ts";
import { seenWhereRead } from "./labels.ts";
import { lockedBy, lockedColumn, lockingOf, lockRounds, type Touched, touchedLocks } from "./locks.ts";
import { planRead } from "./read.ts";
import { columnsOf, type Reader, readerOf } from "./record.ts";
import { brokenTogether, togetherVerdicts, togetherWords } from "./together.ts";
import { candidateEnvironment, eyesAfter, triedCreation } from "./tried.ts";
import { wholesLocked, wholesRaised } from "./wholes.ts";
import type { Written } from "./written.ts";

/** Makes a record, its audit line and the memory of its idempotency key, in one statement. `id` is the record's. */
export const planCreate = (
  context: Context,
  intent: Extract<Intent, { kind: "create" }>,
  asker: Asker,
  format: Format,
  id: string,
  among?: Among,
): Action | Refusal => {
  const { model, version } = context;
  const { person } = asker;
  const entity = entityOf(context, intent.entity);
  const who = `${entity.name} ${signatureOf(person)}`;
  const making = context.statements.find(`making ${who}`, () => makingOf(context, entity, person));
  const { gates, reaches: crossed, guards, together, series, fields } = making;
  const clause = deciderOf(entity, "create");
  if (gates.length === 0) return forbid(clause, whoMay(asker.tongue, entity, "create"));

  const parts = readParts({ context, asker, format }, entity, intent.values, gates, clause);
  const lists = parts.lists.map(({ list }) => list.name);
  const given = readGiven(
    entity,
    parts.own,
    { open: making.open, known: knownTo(context, entity, person), past: context.past },
    clause,
    format,
  );
  const closed = [...given.closed, ...parts.closed];
  if (closed.length > 0) return refuseAt(inOrder(entity, closed));
  const { values, computed, missing } = initialOf(entity, parts.own, given, asker);
  const wrong = [...given.wrong, ...missing, ...parts.wrong];
  // What the program writes of the person is missing where nobody is signed in.
  if (person.id === null && wrong.some((one) => entity.fields.get(one.at.slice(1))?.set != null))
    return refuse("NOT_SIGNED_IN", clause);
  if (wrong.length > 0) return refuseAt(inOrder(entity, wrong));

  const asked = [...given.values.keys()];
  const references = asked.filter((name) => entity.fields.get(name)?.type === "reference");
  const named = [...asked, ...lists];
  const follows = among !== undefined || lists.length > 0 || making.isFollowed;
  const wrote: Written[] = [];
  // What is needed where the record has such parts is judged when it has them.
  const conditioned = lists.length > 0 ? [] : making.conditioned;
  const rules = follows ? making.rules.filter((rule) => isConstraint(rule, entity)) : making.rules;
  const reaches = follows ? [] : crossed;
  const touched: Touched = {
    model,
    entity,
    changed: null,
    sides: { was: null, is: CANDIDATE },
    states: entity.states === null ? null : new Set([entity.states.initial]),
    single: true,
  };
  const wanted = { may: true, label: intent.label };
  const files = making.files.filter(({ name }) => asked.includes(name));
  const key = `create ${who} ${named.join(",")} ${follows}`;
  const candidateSelected = (): Sql =>
    candidateOf(
      model,
      entity,
      sql`SELECT ${join([sql`${slot("id", "uuid")} AS "id"`, sql`1 AS "version"`, ...["created_at", "updated_at"].map((name) => sql`${slot("now", "timestamptz")} AS ${identifier(name)}`), ...fields.filter(isGiven).map((field) => sql`${candidateValue(model, entity, field, computed.get(field.name))} AS ${identifier(field.name)}`)], ", ")} WHERE ${wholesLocked(model, entity, (name) => sql`${slot(`v:${name}`, "uuid")}`)}`,
    );
  const candidate = (): Sql => sql`${identifier(CANDIDATE)} AS MATERIALIZED (${candidateSelected()})`;
  const before = context.statements.list(`lock ${key}`, () =>
    judgesOthers(rules, reaches, guards)
      ? lockRounds(touched, rules, reaches, guards).map((rows) => sql`WITH ${candidate()} ${lockingOf(rows)}`)
      : [],
  );
  const verdictsOn = (env: SqlEnv): readonly Verdict[] => [
    ...firstVerdict(intent.key),
    ...neededVerdicts(entity, computed),
    ...ruleVerdicts(rules, env),
    ...referenceVerdicts(context, asker, entity, references, null),
    ...fileVerdicts(files),
    ...fieldVerdicts(model, entity, conditioned, CANDIDATE, env),
    ...togetherVerdicts(model, entity, together),
  ];
  const since = entity.states === null ? [] : ["state_since"];
  const remember = sql`, k AS (INSERT INTO ninefold.idempotency (person, key, record, request) SELECT ${slot("user", "uuid")}, ${slot("key", "text")}, "d"."id", ${slot("request", "bytea")} FROM ${identifier(DONE)})`;
  const more = () => sql`${wholesRaised(model, entity, DONE)}${intent.key === null ? sql`` : remember}`;
  const tries = context.statements.find(
    `tries ${key}`,
    () =>
      !follows &&
      reaches.length + series.length + computed.size === 0 &&
      [...entity.fields.values()].every(
        (field) => field.held.as !== "kept" && !isFile(field) && drawnValue(entity, field) === undefined,
      ) &&
      (judgesOthers(rules, reaches, guards) || touchedLocks(touched).length === 0),
  );
  const tried = () =>
    context.statements.get(`tried ${key} ${intent.key !== null} ${intent.label}`, () => {
      const after = eyesAfter(context, entity, person);
      const itself = (name: string) => [name, name] as const;
      const env = candidateEnvironment(context, entity);
      return {
        more: readerOf(context, person, after, wanted, format),
        sql: triedCreation({
          context,
          entity,
          clause,
          gates,
          named,
          candidate: candidateSelected(),
          written: [
            ...["id", "version", "created_at", "updated_at"].map(itself),
            ...since.map((name) => [name, "created_at"] as const),
            ...fields.map(({ name }) => itself(name)),
          ],
          env,
          verdicts: verdictsOn(env),
          more: more(),
          after,
          columns: columnsOf(context, person, after, DONE, wanted),
        }),
      };
    });
  const written = () =>
    context.statements.get(`${key} ${intent.key !== null} ${intent.label}`, () => {
      const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, CANDIDATE);
      const env = environmentOf(model, entity, CANDIDATE, { table: replaced.table });
      const reached = reaches.map((reach) => failingOf(model, entity, reach, touched.sides, replaced));
      const verdicts = [...verdictsOn(env), ...reachVerdicts(reached)];
      const seen = seenWhereRead(model, entity, person, CANDIDATE, { rows: replaced.table, given: asked });
      const words = [
        ...ruleWords(rules, seen, () => toldTo(model, person, entity, [gates], new Set())),
        ...togetherWords(together, seen),
        ...reachWords(model, person, reached, replaced),
      ];
      const locks = follows || judgesOthers(rules, reaches, guards) ? [] : touchedLocks(touched);
      const eyes = eyesOf(model, entity, person, DONE, replaced.table);
      const names = join(
        ["id", "version", "created_at", "updated_at", ...since, ...fields.map((field) => field.name)].map(identifier),
        ", ",
      );
      const drawn = fields.map((field) =>
        series.includes(field) ? drawnNumber(field) : sql`${identifier(CANDIDATE)}.${identifier(field.name)}`,
      );
      const system = ["id", "version", "created_at", "updated_at", ...since.map(() => "created_at")].map(
        (name) => sql`${identifier(CANDIDATE)}.${identifier(name)}`,
      );
      const holds = sql`FROM ${identifier(CANDIDATE)}, ${identifier(JUDGED)} WHERE ${gatesHold(gates, named)} AND ${allHold(verdicts)}`;
      return {
        more: readerOf(context, person, eyes, wanted, format),
        sql: sql`WITH ${candidate()},${lockedBy(locks)}
        ${identifier(JUDGED)} AS MATERIALIZED (SELECT ${join([...gateColumns(gates, env), ...verdictColumns(verdicts)], ", ")} FROM ${identifier(CANDIDATE)}),
        ${drawings(entity, series, () => holds)}${identifier(DONE)} AS (INSERT INTO ${tableOf(entity)} (${names}) SELECT ${join([...system, ...drawn], ", ")} ${holds} RETURNING *),
        a AS (${auditLine({ entity, action: "create", clause, version, changes: changesOfWhole(entity, storedOf(entity), DONE, "after"), from: sql`FROM ${identifier(DONE)}` })}${follows ? sql` RETURNING "id"` : sql``})${more()}
        SELECT ${join([sql`${identifier(JUDGED)}.*`, ...words, sql`${asCondition(eyes.rows)} AS "is:readable"`, columnsOf(context, person, eyes, DONE, wanted), ...lockedColumn(locks), ...(follows ? [sql`(SELECT "id" FROM "a") AS "is:line"`] : [])], ", ")} FROM ${identifier(JUDGED)} CROSS JOIN ${identifier(CANDIDATE)} LEFT JOIN ${identifier(DONE)} ON TRUE`,
      };
    });
  const slots = slotsWith(asker, givenSlots(values), slugSlots(entity, values), seriesSlots(series, asker.today), {
    id,
    key: intent.key,
    request: intent.key === null ? null : requestBytes(intent),
  });
  const query = (last: Statement<Reader>) => [...before, last].map((one) => queryOf(one, slots));
  const done = (row: Row, reader: Reader): Reply =>
    reply(201, row["is:readable"] === true ? reader.record(row, asker.tongue) : { id, version: 1 }, {
      location: `/api/${entity.path}/${id}`,
      etag: '"1"',
    });
  const always = {
    kind: "action",
    constraint: (name: string) => constraintRefusal(model, entity, name, goneIn(wrote)),
    again: (name: string) => isDrawnTwice(entity, name) || isTogether(entity, name),
    ...(intent.key === null ? {} : { repeated: repeatedOf(context, intent, asker, format) }),
  } as const;
  const judging = (): Action => {
    const last = written();
    return {
      ...always,
      queries: query(last),
      settle: (results) => {
        const row = results.at(-1)?.[0];
        if (row === undefined) throw new Error("a create answered no row");
        if (row["is:first"] === false) return "repeated";
        // Before anything that is judged by a record that they may not read: it would tell of that.
        const unseen = brokenReferences(entity, references, row);
        if (unseen.length > 0) return refuseAt(unseen);
        const refused = fieldsRefused(gates, named, row);
        if (refused === undefined) return forbid(clause, whoMay(asker.tongue, entity, "create"));
        if (refused.length > 0)
          return refuseAt(
            refused.map((name) => ({
              at: `/${name}`,
              code: "NOT_YOURS_TO_WRITE",
              clause,
              values: { field: entity.fields.get(name)?.title ?? name },
            })),
          );
        const broken = [
          ...neededMissing(entity, computed, row),
          ...brokenFiles(files, row),
          ...brokenFields(conditioned, row),
          ...brokenRules(model, rules, row, format),
          ...brokenTogether(model, together, row, format),
          ...brokenReaches(model, reaches, row, format),
        ];
        if (broken.length > 0) return refuseAt(broken);
        return done(row, last.more);
      },
      ...(follows
        ? followed(context, asker, format, {
            entity,
            moment: "create",
            changed: null,
            id,
            label: intent.label,
            lists: parts.lists,
            written: wrote,
            among,
          })
        : {}),
    };
  };
  if (!tries) return judging();
  const last = tried();
  return {
    ...always,
    queries: query(last),
    settle: (results) => {
      const row = results.at(-1)?.[0];
      return row === undefined ? "judged" : done(row, last.more);
    },
    judged: judging,
  };
};

/** What it takes to make a record, whatever is sent for it. */
const makingOf = ({ model }: Context, entity: Entity, person: Person) => {
  const gates = gatesOf(model, entity, "create", person);
  return {
    gates,
    open: writableThrough(entity, gates),
    fields: [...entity.fields.values()].filter(isWritten),
    files: fileFields(entity),
    series: seriesAt(entity, "create"),
    conditioned: conditionedAt(entity, null),
    rules: rulesAt(entity, "create", new Set()),
    reaches: reachesOn(model, entity),
    guards: guardsOn(model, entity, "create"),
    together: togetherAt(entity, "create", new Set()),
    isFollowed: isFollowed(model, entity, "create", null),
  };
};

/** What this key made before, read as it is now. The same key with another request is refused. */
const repeatedOf = (
  context: Context,
  intent: Extract<Intent, { kind: "create" }>,
  asker: Asker,
  format: Format,
): NonNullable<Action["repeated"]> => ({
  query: {
    name: "idempotency",
    text: "select record, request from ninefold.idempotency where person = $1 and key = $2",
    values: [asker.person.id ?? NOBODY, intent.key],
  },
  answer: (row) => {
    const request = row.request;
    if (!Buffer.isBuffer(request) || !request.equals(requestBytes(intent))) return refuse("KEY_REUSED");
    const id = String(row.record);
    const location = `/api/${entityOf(context, intent.entity).path}/${id}`;
    // Who made it may not be one who may see it.
    const unseen = reply(201, { id, version: 1 }, { location, etag: '"1"' });
    const parts = partListsOf(context.model, entityOf(context, intent.entity)).some(({ list }) =>
      Object.hasOwn(intent.values, list.name),
    );
    const read = planRead(
      context,
      { kind: "read", entity: intent.entity, id, label: intent.label, screen: null, parts },
      asker,
      format,
    );
    if (read.kind === "refusal")
      return { kind: "action", queries: [], settle: () => unseen, constraint: () => undefined };
    const settle: Action["settle"] = (results) => {
      const settled = read.settle(results);
      if (typeof settled === "string" || settled.kind === "refusal") return unseen;
      return { ...settled, status: 201, headers: { ...settled.headers, location } };
    };
    return { ...read, settle };
  },
});

/** A key that was used makes nothing again, whatever else would be judged. */
const firstVerdict = (key: string | null): readonly Verdict[] =>
  key === null
    ? []
    : [
        {
          column: "is:first",
          condition: sql`NOT EXISTS (SELECT FROM ninefold.idempotency WHERE person = ${slot("user", "uuid")} AND key = ${slot("key", "text")})`,
        },
      ];

const requestBytes = ({ entity, values }: Extract<Intent, { kind: "create" }>): Buffer =>
  Buffer.from(JSON.stringify([entity, values]));

/** The document's order, so that a person reads the mistakes as the form shows the fields. */
const inOrder = <T extends { readonly at: string }>(entity: Entity, wrong: readonly T[]): readonly T[] => {
  const order = [...entity.fields.keys()];
  const placeOf = ({ at }: T) => order.indexOf(at.split("/")[1] ?? "");
  return wrong.toSorted((a, b) => placeOf(a) - placeOf(b));
};

/** A field's value in the candidate: what was given, or what the document computes when a record is made. */
const candidateValue = (model: Model, entity: Entity, field: Field, expr: Expr | undefined): Sql => {
  if (expr !== undefined) return sql`(${toSql(expr, { computed: liveIn(model) }).value})::${columnTypeOf(field)}`;
  if (isFile(field)) return givenFile(field, null);
  const drawn = drawnValue(entity, field);
  return drawn === undefined ? givenSlot(field) : sql`COALESCE(${givenSlot(field)}, ${drawn})`;
};

/** Two records that are made at the same moment may find the same word free; the later one looks again. */
const isDrawnTwice = (entity: Entity, constraint: string): boolean =>
  [...entity.fields.values()].some(
    (field) => field.type === "slug" && constraint === uniqueName(entity.table, field.name),
  );

/** A required field that the document computes may come out missing. */
const neededVerdicts = (entity: Entity, computed: ReadonlyMap<string, Expr>): readonly Verdict[] =>
  [...computed.keys()].flatMap((name) =>
    entity.fields.get(name)?.optional === false
      ? [{ column: `needed:${name}`, condition: sql`${identifier(CANDIDATE)}.${identifier(name)} IS NOT NULL` }]
      : [],
  );

const neededMissing = (entity: Entity, computed: ReadonlyMap<string, Expr>, row: Row): readonly RefusalAt[] =>
  missingOf(entity, computed.keys(), (name) => row[`needed:${name}`] !== false);
