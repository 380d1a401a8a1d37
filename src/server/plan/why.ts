import { gatesOf, isAutomatic, type Person } from "../../core/derive/access.ts";
import { type Told, toldOf } from "../../core/derive/told.ts";
import {
  type Considered,
  consideredFor,
  type Doing,
  isUndecided,
  type Must,
  type Need,
  seenOn,
  type Way,
} from "../../core/derive/why.ts";
import { exceptedBy, holdersOf, statesIn } from "../../core/explain/holders.ts";
import { isAlternative, type Phrasing, phraseOf } from "../../core/explain/phrase.ts";
import type { Tongue } from "../../core/explain/tongue.ts";
import {
  allThrough,
  onlyThese,
  otherState,
  otherStateFor,
  type Through,
  thingOf,
  whoMay,
  whoMayMake,
} from "../../core/explain/who.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity, Field, ValidationRule } from "../../core/model/model.ts";
import type { Expr } from "../../core/rule/expr.ts";
import { readsOf } from "../../core/rule/reads.ts";
import { filledIn } from "../../core/rule/template.ts";
import { toSql } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import type { StepJson, WhyJson } from "../../core/wire/why.ts";
import type { Query, Row } from "../../postgres/database.ts";
import { type Asker, type Context, queryOf, signatureOf, slotsOf } from "./context.ts";
import { environmentOf, tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { toldTo, wordsSql } from "./judge.ts";
import { labelText, referenceLabelOf, referenceLabelsOf, seenEnv, spokenValues } from "./labels.ts";
import { couldIn, isToldTo, peopleColumns, throughsOf } from "./why-people.ts";

/** A question: who would do what, with which record, and who is told. */
export interface WhyAsked {
  readonly entity: Entity;
  readonly doing: Doing;
  /** Null where it is asked without a record: what is made is none yet. */
  readonly id: string | null;
  /** The one field that it is about; null: any. */
  readonly field: Field | null;
  /** Who would do it, and what they are called; null where that is who asks. */
  readonly as: { readonly person: Person; readonly name: string } | null;
}

/** What explains an answer: how each condition came out for who would do it, and what who is told may see. */
export interface Explaining {
  /** Empty where no record has to be looked at. */
  readonly queries: readonly [] | readonly [judged: Query, seen: Query];
  explain(judged: Row | undefined, seen: Row | undefined): WhyJson;
}

const as = (piece: Sql, name: string): Sql => sql`${piece} AS ${identifier(name)}`;

/**
 * Every clause that decides it, judged one by one on the record by the same expressions as the answer itself. Who asks is
 * told what they may read: of a record that they may not see, no more than that. Without a record, what it depends on.
 */
export const planWhy = (context: Context, asked: WhyAsked, asker: Asker, format: Format): Explaining => {
  const { model } = context;
  const { entity, doing, id, field, as: other } = asked;
  const actor = other?.person ?? asker.person;
  const reader = asker.person;
  const what = `${entity.name} ${doing.kind} ${doing.kind === "action" ? doing.action : doing.transition.name} ${field?.name ?? ""}`;
  const both = `${signatureOf(actor)} ${signatureOf(reader)}`;
  const known = context.statements.find(`considered ${what} ${both}`, (): Known => {
    const all = consideredFor(model, entity, doing, actor, reader);
    const ways = all.ways.filter(({ fields }) => field === null || fields === null || fields.has(field.name));
    const considered = { ...all, ways };
    return { considered, fields: fieldsRead(entity, considered) };
  });
  const phrasing: Phrasing = {
    model,
    tongue: asker.tongue,
    format,
    who: other?.name ?? null,
    source: context.source,
  };
  const whose = { model, entity, reader, tongue: asker.tongue, format };
  const through = throughsOf(whose, known.considered, undefined);
  const told = { asked, known, phrasing, context, reader, format, whose, through };
  const settled = withoutRecord(told);
  if (settled !== undefined || id === null)
    return { queries: [], explain: () => settled ?? inGeneral(told, "depends", dependsOn(told)) };

  const { considered } = known;
  const where = sql`FROM ${tableOf(entity)} AS "t" WHERE "t"."id" = ${slot("id", "uuid")}`;
  const judged = context.statements.get(`why ${what} ${both}`, () => {
    const env = environmentOf(model, entity, "t");
    const truth = ({ condition }: Need): Sql => sql`(${toSql(condition, env).truth})`;
    const must = (one: Must): Sql =>
      one.when === null ? truth(one) : sql`(${toSql(one.when, env).falsehood}) OR ${truth(one)}`;
    const verdict = (holds: Sql, name: string): Sql => as(sql`COALESCE(${holds}, FALSE)`, name);
    const columns = [
      as(sql`"t"."id"`, "id"),
      ...(entity.states === null ? [] : [as(env.field(entity.states.field).sql, "is:state")]),
      ...considered.ways.flatMap((way, i) => way.needs.map((need, k) => verdict(truth(need), `way:${i}:${k}`))),
      ...considered.musts.flatMap((one, i) => (one.isJudged ? [verdict(must(one), `must:${i}`)] : [])),
    ];
    return { more: undefined, sql: sql`SELECT ${join(columns, ", ")} ${where}` };
  });
  const seen = context.statements.get(`why seen ${what} ${both}`, () => {
    const eyes = eyesOf(model, entity, reader, "t");
    const seenBy = seenEnv(model, entity, reader, "t");
    const isTold = () => toldTo(model, reader, entity, [gatesOf(model, entity, "read", reader)], new Set());
    const words = considered.musts.flatMap(({ rule, isJudged }, i) =>
      rule === null || !isJudged ? [] : [as(wordsSql(rule.message, seenBy, isTold), `words:${i}`)],
    );
    const people = peopleColumns(considered, reader, seenBy);
    const sights = [...sightsOf(considered)].flatMap((name) => {
      const sight = eyes.seen(name);
      return sight === undefined ? [] : [as(sql`COALESCE(${sight}, FALSE)`, `seen:${name}`)];
    });
    const columns = known.fields.flatMap((one) => {
      const column = eyes.column(one.name);
      if (column === undefined) return [];
      const target = one.type === "reference" ? model.entities.get(one.entity ?? "") : undefined;
      return [
        as(column, `found:${one.name}`),
        ...(target === undefined
          ? []
          : [
              as((one.many ? referenceLabelsOf : referenceLabelOf)(model, target, reader, column), `label:${one.name}`),
            ]),
      ];
    });
    return {
      more: undefined,
      sql: sql`SELECT ${join([as(sql`"t"."id"`, "id"), ...columns, ...sights, ...words, ...people], ", ")} ${where} AND ${asCondition(eyes.rows)}`,
    };
  });
  return {
    queries: [
      queryOf(judged, { ...slotsOf({ ...asker, person: actor }), id }),
      queryOf(seen, { ...slotsOf(asker), id }),
    ],
    explain: (row, shown) =>
      row === undefined || shown === undefined
        ? inGeneral(told, "unseen", asker.tongue.sentences.unseen)
        : onRecord(told, row, shown),
  };
};

interface Known {
  readonly considered: Considered;
  /** The fields of the record itself that the conditions read, in document order. */
  readonly fields: readonly Field[];
}

interface Telling {
  readonly asked: WhyAsked;
  readonly known: Known;
  readonly phrasing: Phrasing;
  readonly context: Context;
  readonly reader: Person;
  readonly format: Format;
  readonly whose: Parameters<typeof throughsOf>[0];
  /** Who could. */
  readonly through: readonly Through[];
}

/** The fields of which the record decides whether its reader sees them. */
const sightsOf = ({ ways, from, musts }: Considered): ReadonlySet<string> =>
  new Set(
    [...ways.flatMap(({ needs }) => needs), ...(from === null ? [] : [from]), ...musts].flatMap((one) => one.sights),
  );

const fieldsRead = (entity: Entity, { ways, musts }: Considered): readonly Field[] => {
  const read = new Set([...ways.flatMap(({ needs }) => needs), ...musts].flatMap((need) => [...fieldsOf(need)]));
  return [...entity.fields.values()].filter(({ name, held }) => read.has(name) && held.as !== "list");
};

const fieldsOf = (need: Need | Must): ReadonlySet<string> => {
  const { fields } = readsOf(need.condition);
  return "when" in need && need.when !== null ? new Set([...readsOf(need.when).fields, ...fields]) : fields;
};

/** What can be answered before any record is looked at: it is the same on all of them. */
const withoutRecord = (telling: Telling): WhyJson | undefined => {
  const { asked, known, phrasing } = telling;
  const { entity, doing, field, id } = asked;
  const { sentences } = phrasing.tongue;
  const open = known.considered.ways.filter(({ isHeld }) => isHeld);
  if (field !== null && doing.kind === "action" && doing.action !== "read") {
    if (isAutomatic(entity, field.name))
      return inGeneral(telling, "no", sentences.isSet(phrasing.tongue.say(field.title)), field.clause.id);
    if (field.once && doing.action === "update")
      return inGeneral(telling, "no", sentences.isOnce(phrasing.tongue.say(field.title)), field.clause.id);
  }
  if (open.length === 0) return inGeneral(telling, "no", whoCan(telling));
  const making = doing.kind === "action" && doing.action === "create";
  if (id !== null && !making) return undefined;
  const isFree = open.some(({ needs }) => needs.length === 0) && known.considered.from === null;
  if (isFree) return inGeneral(telling, "yes", sentences.mayBeDone);
  return making ? inGeneral(telling, "depends", dependsOn(telling)) : undefined;
};

/**
 * What it depends on, as one condition where it is short enough to be said: some way, and the state. Of more, the one that is
 * met most easily is said: that of a role that was granted, then the one that asks least.
 */
const dependsOn = (telling: Telling): string => {
  const {
    asked: { entity, doing },
    known: { considered },
    phrasing: { model, tongue },
  } = telling;
  const ways = considered.ways.filter(({ isHeld }) => isHeld);
  const isGranted = ({ held, role }: Way) => held === null && model.roles.get(role)?.members === "granted";
  const asks = ({ needs }: Way) => needs.reduce((sum, { condition }) => sum + leavesOf(condition), 0);
  const easiest = [...ways].sort((a, b) => Number(isGranted(b)) - Number(isGranted(a)) || asks(a) - asks(b));
  const alternatives = [...new Set(easiest.map(({ needs }) => allOf(needs, telling)))];
  const state = considered.from === null ? [] : [stateSays(entity, doing, considered.from, tongue)];
  const [first = "", ...others] = alternatives;
  if (alternatives.includes("")) return tongue.sentences.dependsOn(tongue.and(state), 0);
  if (ways.every(({ needs }) => needs.length === 1) && state.length === 0 && alternatives.length <= MOST_SAID)
    return tongue.sentences.dependsOn(tongue.or(alternatives), 0);
  return tongue.sentences.dependsOn(tongue.and([first, ...state]), others.length);
};

/** More alternatives are too long for one sentence. */
const MOST_SAID = 2;

const leavesOf = (condition: Expr): number =>
  condition.kind === "call" && (condition.row === "boolean && boolean" || condition.row === "boolean || boolean")
    ? condition.args.reduce((sum, part) => sum + leavesOf(part), 0)
    : 1;

/** Conditions that hold together; alternatives among them say where they begin. */
const allOf = (needs: readonly Need[], telling: Telling): string =>
  telling.phrasing.tongue.and([
    ...new Set(
      needs.map((need) => {
        const phrase = says(need, telling);
        return needs.length > 1 && need.isNamed && isAlternative(need.condition)
          ? telling.phrasing.tongue.either(phrase)
          : phrase;
      }),
    ),
  ]);

/** That the record is in a state from which the transition leads. */
const stateSays = (entity: Entity, doing: Doing, from: NonNullable<Considered["from"]>, tongue: Tongue): string => {
  if (!from.isTold) return tongue.atItsStage(doing.kind === "transition" ? tongue.say(doing.transition.title) : "");
  const title = tongue.say(entity.fields.get(entity.states?.field ?? "")?.title ?? "");
  return tongue.isOneOf(
    tongue.own(title),
    from.states.map((state) => tongue.named(tongue.say(stateTitle(entity, state)))),
    false,
  );
};

/** Who can, in a sentence; by their names where the record was looked at. */
const whoCan = ({ asked: { entity, doing, field, id }, phrasing: { tongue }, through }: Telling): string => {
  const here = id !== null && !(doing.kind === "action" && doing.action === "create");
  const isSaidElsewhere = isUndecided(entity, doing) || (entity.rows !== null && through.length === 0);
  if (doing.kind === "transition") {
    const { by, title } = doing.transition;
    if (isSaidElsewhere || by?.length === 0) return whoMayMake(tongue, entity, doing.transition, here);
    const { who, only } = allThrough(tongue, through);
    return tongue.sentences.whoMayMake(tongue.say(title), thingOf(tongue, entity, here), who, only);
  }
  if (isSaidElsewhere) return whoMay(tongue, entity, doing.action, here);
  if (field === null) return onlyThese(tongue, entity, doing.action, thingOf(tongue, entity, here), through);
  return tongue.sentences.onlyRolesFor(doing.action, tongue.say(field.title), allThrough(tongue, through).who);
};

/** The clauses, and what they need, without how it came out. */
const inGeneral = (
  telling: Telling,
  answer: WhyJson["answer"],
  because: string,
  decided: string | null = null,
): WhyJson => ({
  answer,
  because,
  could: answer === "no" && decided === null ? couldIn(telling.phrasing.tongue, telling.through) : null,
  ...(answer === "no" && isUndecided(telling.asked.entity, telling.asked.doing) ? { undecided: true as const } : {}),
  ways: telling.known.considered.ways
    .filter((way) => isToldTo(way, telling.reader))
    .map((way) => ({
      clause: way.clause,
      role: way.role,
      title: telling.phrasing.tongue.role(way.role, telling.asked.entity),
      held: way.isHeld,
      open: way.isHeld ? null : false,
      needs: way.needs.map((need) => stepOf(telling, need, null, undefined)),
    })),
  musts: decided === null ? [] : [{ clause: decided, says: because.replace(/\.$/u, ""), holds: null, found: [] }],
});

const stepOf = (telling: Telling, need: Need | Must, holds: boolean | null, shown: Row | undefined): StepJson => ({
  clause: need.clause,
  says: says(need, telling),
  holds,
  ...("isJudged" in need && !need.isJudged ? { later: true as const } : {}),
  found: shown === undefined || !need.isTold || holds === null ? [] : found(telling, need, shown),
});

/** A condition in words; of what the reader may not know by name, only that there is something. */
const says = (need: Need | Must, { asked: { entity }, phrasing }: Telling, not = false): string => {
  const { tongue } = phrasing;
  // The role is named in the clause; what it rests on may be nothing for everybody to know.
  if (!need.isNamed)
    return need.role === null ? tongue.something : tongue.hasRole(tongue.role(need.role, entity), phrasing.who, not);
  const phrase = phraseOf(need.condition, phrasing, not);
  return "when" in need && need.when !== null && !not ? tongue.where(phraseOf(need.when, phrasing), phrase) : phrase;
};

const onRecord = (general: Telling, row: Row, shown: Row): WhyJson => {
  const { known, asked, phrasing } = general;
  const considered = seenOn(known.considered, (field) => shown[`seen:${field}`] !== false);
  const through = throughsOf(general.whose, considered, shown);
  const telling = { ...general, through };
  const { entity, doing } = asked;
  const { tongue } = phrasing;
  const state = String(row["is:state"]);
  const told = toldOf(considered, {
    ways: considered.ways.map((way, i) => way.needs.map((_, k) => row[`way:${i}:${k}`] === true)),
    isFrom: considered.from === null || considered.from.states.includes(state),
    musts: considered.musts.map((_, i) => row[`must:${i}`] === true),
  });
  const others = through.filter((_, i) => !isThemselves(considered.ways[i], told.ways[i]?.needs ?? []));
  const stateStep = (): readonly StepJson[] => {
    if (considered.from === null || doing.kind !== "transition" || entity.states === null) return [];
    const title = tongue.say(entity.fields.get(entity.states.field)?.title ?? entity.states.field);
    return [
      {
        clause: doing.transition.clause.id,
        says: stateSays(entity, doing, considered.from, tongue),
        holds: told.isFrom,
        found: told.isFrom === null ? [] : [{ field: title, value: tongue.say(stateTitle(entity, state)) }],
      },
    ];
  };
  return {
    answer: told.answer ? "yes" : "no",
    because: sentence(telling, told, considered.from?.isTold === true ? state : null, row, shown),
    could: told.answer ? null : couldIn(tongue, others),
    ways: considered.ways.flatMap((way, i) => {
      const of = told.ways[i];
      return of === undefined || !isToldTo(way, telling.reader)
        ? []
        : [
            {
              clause: way.clause,
              role: way.role,
              title: tongue.role(way.role, entity),
              held: way.isHeld,
              open: of.isOpen,
              needs: way.needs.map((need, k) => stepOf(telling, need, of.needs[k] ?? null, shown)),
            },
          ];
    }),
    musts: [...stateStep(), ...considered.musts.map((must, i) => stepOf(telling, must, told.musts[i] ?? null, shown))],
  };
};

/** Whether a clause is for who asks, and something else than who they are stands against it. */
const isThemselves = (way: Way | undefined, holds: readonly (boolean | null)[]): boolean =>
  way?.isHeld === true &&
  way.needs.every(({ role, condition }, k) => {
    const isWho = role !== null || holdersOf(condition).length > 0 || exceptedBy(condition) !== undefined;
    return !isWho || holds[k] === true;
  });

/** What stands against it, in one sentence. */
const sentence = (telling: Telling, { lack }: Told, state: string | null, row: Row, shown: Row): string => {
  const { asked, known, phrasing } = telling;
  const { sentences } = phrasing.tongue;
  if (lack === undefined)
    return known.considered.musts.every(({ isJudged }) => isJudged) ? sentences.mayBeDone : sentences.mayBeTried;
  switch (lack.kind) {
    case "role":
      return whoCan(telling);
    case "need":
      return lacking(telling, lack.need, row);
    case "must": {
      const { must } = lack;
      // A rule is broken in the words of the document's own error.
      const words = shown[`words:${known.considered.musts.findIndex(({ rule }) => rule === must.rule)}`];
      if (must.rule !== null) return inTheWordsOf(must.rule, words, telling);
      return must.isNamed ? sentences.because(says(must, telling, true)) : sentences.hidden;
    }
    case "state":
      return asked.doing.kind === "transition"
        ? otherState(phrasing.tongue, asked.entity, asked.doing.transition, state)
        : sentences.hidden;
    case "hidden":
      return sentences.hidden;
  }
};

/** That somebody is not who may is said by who may; another condition by what it asks. */
const lacking = (telling: Telling, need: Need, row: Row): string => {
  const { asked, phrasing } = telling;
  const { entity, doing } = asked;
  const { tongue } = phrasing;
  const isAboutThem = holdersOf(need.condition).length > 0;
  const isExcept = exceptedBy(need.condition) !== undefined;
  const itself = () => tongue.sentences.because(says(need, telling, true));
  if (isExcept && need.isNamed) return `${itself()} ${whoCan(telling)}`;
  if (need.role !== null || isAboutThem) return whoCan(telling);
  const states = statesIn(entity, need.condition);
  const isSaid = states !== undefined && need.isTold && doing.kind === "action" && asked.field === null;
  if (!isSaid) return itself();
  return otherStateFor(tongue, entity, doing.action, states, { state: String(row["is:state"]), who: phrasing.who });
};

const inTheWordsOf = (rule: ValidationRule, words: unknown, { context, phrasing, format }: Telling): string => {
  const values = spokenValues(context.model, rule, words, format);
  const message = context.model.errors.get(rule.error)?.message ?? "";
  return filledIn(phrasing.tongue.say(message), (place) => values[place] ?? "…");
};

const found = (telling: Telling, need: Need | Must, shown: Row): StepJson["found"] => {
  const { known, phrasing } = telling;
  const read = fieldsOf(need);
  return known.fields
    .filter(({ name }) => read.has(name) && `found:${name}` in shown)
    .map((field) => ({
      field: phrasing.tongue.say(field.title),
      value: foundValue(field, shown, telling),
    }));
};

const stateTitle = (entity: Entity, state: string): string =>
  entity.states?.states.find(({ name }) => name === state)?.title ?? state;

const foundValue = (
  field: Field,
  row: Row,
  { asked: { entity }, context: { model }, phrasing: { tongue }, format }: Telling,
): string => {
  const value = row[`found:${field.name}`];
  if (value === null || value === undefined) return "…";
  if (field.type === "reference") {
    const target = model.entities.get(field.entity ?? "");
    const words = row[`label:${field.name}`];
    const said = (one: unknown) =>
      target === undefined || one === null || one === undefined ? "…" : labelText(target.label, one, format);
    return field.many && Array.isArray(words) ? words.map(said).join(", ") : said(words);
  }
  if (field.type === "state") return tongue.say(stateTitle(entity, String(value)));
  return format(value, field.ruleType);
};
