import { toldOf } from "../../../core/derive/authorization/disclosure.ts";
import {
  isUndecided,
  type Must,
  type Need,
  seenOn,
  type Way,
} from "../../../core/derive/authorization/explain-access.ts";
import { isAutomatic } from "../../../core/derive/authorization/grants.ts";
import { exceptedBy, holdersOf } from "../../../core/explain/role-holders.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { readsOf } from "../../../core/expression/inspect/read-set.ts";
import type { Field } from "../../../core/model/model.ts";
import type { StepJson, WhyJson } from "../../../core/wire/why.ts";
import type { Row } from "../../../postgres/database.ts";
import { labelText } from "../row/labels.ts";
import { fieldsOf, type Telling } from "./explain-context.ts";
import { couldIn, isToldTo, throughsOf } from "./people.ts";
import { dependsOn, says, sentence, stateSays, stateTitle, whoCan } from "./sentences.ts";

/* An answer to the question why: the clauses, what each needs, how it came out, and what was found. */

/** What can be answered before any record is looked at: it is the same on all of them. */
export const withoutRecord = (telling: Telling): WhyJson | undefined => {
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

/** The clauses, and what they need, without how it came out. */
export const inGeneral = (
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

/** The same on a record: how each came out, and what was found, as far as who is told may know it. */
export const onRecord = (general: Telling, row: Row, shown: Row): WhyJson => {
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
  // What holds of the record alone stands against everybody.
  const isShutToAll =
    told.isFrom === false || considered.musts.some((must, i) => told.musts[i] === false && !readsUser(must.condition));
  const others = isShutToAll
    ? []
    : through.filter((_, i) => {
        const [way, holds] = [considered.ways[i], told.ways[i]?.needs ?? []];
        const isShut = way?.needs.some(({ condition }, k) => holds[k] === false && !readsUser(condition)) === true;
        return !isShut && !isThemselves(way, holds);
      });
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

/** Whether somebody else could make it hold by asking: what reads nobody is the same for everybody. */
const readsUser = (condition: Expr): boolean => readsOf(condition).user;

/** Whether a clause is for who asks, and something else than who they are stands against it. */
const isThemselves = (way: Way | undefined, holds: readonly (boolean | null)[]): boolean =>
  way?.isHeld === true &&
  way.needs.every(({ role, condition }, k) => {
    const isWho = role !== null || holdersOf(condition).length > 0 || exceptedBy(condition) !== undefined;
    return !isWho || holds[k] === true;
  });

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
