import {
  type ConditionTrace,
  type GrantTrace,
  isUndecided,
  type RequirementTrace,
  traceOnRecord,
} from "../../../core/derive/authorization/access-trace.ts";
import { disclose } from "../../../core/derive/authorization/disclosure.ts";
import { isAutomatic } from "../../../core/derive/authorization/grants.ts";
import { findExcludedPerson, findHolders } from "../../../core/explain/role-holders.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Field } from "../../../core/model/field.ts";
import type { StepJson, WhyJson } from "../../../core/wire/why.ts";
import type { Row } from "../../../postgres/database.ts";
import { readColumn } from "../result-columns.ts";
import { labelText } from "../row/labels.ts";
import { visibilityColumn } from "../row/read-scope.ts";
import { referenceLabelColumn } from "../row/record-columns.ts";
import {
  collectFieldsRead,
  conditionColumn,
  type ExplainContext,
  foundColumn,
  requirementColumn,
  STATE,
} from "./explain-context.ts";
import { findRepresentedName, isRoleDisclosed, permittedPeople, permittedPeopleText } from "./people.ts";
import { readSelectedRecords } from "./selected-records.ts";
import { conditionText, denialText, dependencyText, holdersSentence, stateText, stateTitle } from "./sentences.ts";

/* Builds answers to “why?”: the clauses, their conditions, the outcome, and the values found. */

/** The answer if it is equal for all records, so that no record is needed. */
export const answerForAllRecords = (explainContext: ExplainContext): WhyJson | undefined => {
  const { request, known, phrasing } = explainContext;
  const { entity, operation, field, id } = request;
  const { sentences } = phrasing.phrases;
  const open = known.trace.grants.filter(({ mayApply }) => mayApply);
  if (field !== null && operation.kind === "action" && operation.action !== "read") {
    if (isAutomatic(entity, field.name))
      return explainClauses(explainContext, "no", sentences.isSet(phrasing.phrases.say(field.title)), field.clause.id);
    if (field.once && operation.action === "update")
      return explainClauses(explainContext, "no", sentences.isOnce(phrasing.phrases.say(field.title)), field.clause.id);
  }
  if (open.length === 0) return explainClauses(explainContext, "no", holdersSentence(explainContext));
  const isCreation = operation.kind === "action" && operation.action === "create";
  if (id !== null && !isCreation) return undefined;
  const isFree = open.some(({ conditions }) => conditions.length === 0) && known.trace.from === null;
  if (isFree) return explainClauses(explainContext, "yes", sentences.mayBeDone);
  return isCreation ? explainClauses(explainContext, "depends", dependencyText(explainContext)) : undefined;
};

/** The clauses and their conditions without outcomes. */
export const explainClauses = (
  explainContext: ExplainContext,
  answer: WhyJson["answer"],
  because: string,
  decided: string | null = null,
): WhyJson => ({
  answer,
  because,
  could:
    answer === "no" && decided === null
      ? permittedPeopleText(explainContext.phrasing.phrases, explainContext.grantees)
      : null,
  ...(answer === "no" && isUndecided(explainContext.request.entity, explainContext.request.operation)
    ? { undecided: true as const }
    : {}),
  ways: explainContext.known.trace.grants
    .filter((trace) => isRoleDisclosed(trace, explainContext.reader))
    .map((trace) => ({
      clause: trace.clause,
      role: trace.role,
      title: explainContext.phrasing.phrases.role(trace.role, explainContext.request.entity),
      held: trace.mayApply,
      open: trace.mayApply ? null : false,
      needs: trace.conditions.map((condition) => toStep(explainContext, condition, null, undefined)),
    })),
  musts: decided === null ? [] : [{ clause: decided, says: because.replace(/\.$/u, ""), holds: null, found: [] }],
});

const toStep = (
  explainContext: ExplainContext,
  condition: ConditionTrace | RequirementTrace,
  holds: boolean | null,
  shown: Row | undefined,
): StepJson => ({
  clause: condition.clause,
  says: conditionText(condition, explainContext),
  holds,
  ...("isDecidable" in condition && !condition.isDecidable ? { later: true as const } : {}),
  found: shown === undefined || !condition.isDisclosed || holds === null ? [] : found(explainContext, condition, shown),
});

/** The clauses and their conditions on a record, with the outcomes and values that the reader can know. */
export const explainOnRecord = (general: ExplainContext, row: Row, shown: Row): WhyJson => {
  const { known, request, phrasing } = general;
  const sees = (field: string): boolean => readColumn(shown, visibilityColumn(field)) !== false;
  const trace = traceOnRecord(known.trace, sees);
  const grantees = permittedPeople(general.peopleContext, trace, shown);
  const explainContext = { ...general, grantees };
  const { entity, operation } = request;
  const { phrases } = phrasing;
  const state = readColumn(row, STATE);
  const holds = trace.grants.map((grant, i) =>
    grant.conditions.map((_, k) => readColumn(row, conditionColumn(i, k)) === true),
  );
  const disclosed = disclose(trace, {
    grants: holds,
    isFrom: trace.from === null || trace.from.states.includes(state),
    requirements: trace.requirements.map((_, i) => readColumn(row, requirementColumn(i)) === true),
  });
  // If a condition on the record alone fails, nobody has the permission.
  const isShutToAll =
    disclosed.isFrom === false ||
    trace.requirements.some(
      (requirement, i) => disclosed.requirements[i] === false && !readsUser(requirement.condition),
    );
  const others = isShutToAll
    ? []
    : grantees.filter((_, i) => {
        const [grant, holds] = [trace.grants[i], disclosed.grants[i]?.needs ?? []];
        const isShut =
          grant?.conditions.some(({ condition }, k) => holds[k] === false && !readsUser(condition)) === true;
        return !isShut && !isThemselves(grant, holds);
      });
  const stateStep = (): readonly StepJson[] => {
    if (trace.from === null || operation.kind !== "transition" || entity.states === null) return [];
    const title = phrases.say(entity.fields.get(entity.states.field)?.title ?? entity.states.field);
    return [
      {
        clause: operation.transition.clause.id,
        says: stateText(entity, operation, trace.from, phrases),
        holds: disclosed.isFrom,
        found: disclosed.isFrom === null ? [] : [{ field: title, value: phrases.say(stateTitle(entity, state)) }],
      },
    ];
  };
  const represented =
    disclosed.answer && phrasing.who === null
      ? findRepresentedName(
          general.peopleContext,
          trace,
          trace.grants.map(({ mayApply }, i) => ({
            isOpen: mayApply && holds[i]?.every((one) => one) === true,
            known: disclosed.grants[i]?.isOpen ?? null,
          })),
          sees,
          shown,
        )
      : undefined;
  return {
    answer: disclosed.answer ? "yes" : "no",
    because:
      represented === undefined
        ? denialText(explainContext, disclosed, trace.from?.isDisclosed === true ? state : null, row, shown)
        : phrases.sentences.mayAsDeputy(
            represented,
            known.trace.requirements.some(({ isDecidable }) => !isDecidable),
          ),
    could: disclosed.answer ? null : permittedPeopleText(phrases, others),
    ways: trace.grants.flatMap((grant, i) => {
      const of = disclosed.grants[i];
      return of === undefined || !isRoleDisclosed(grant, explainContext.reader)
        ? []
        : [
            {
              clause: grant.clause,
              role: grant.role,
              title: phrases.role(grant.role, entity),
              held: grant.mayApply,
              open: of.isOpen,
              needs: grant.conditions.map((condition, k) =>
                toStep(explainContext, condition, of.needs[k] ?? null, shown),
              ),
            },
          ];
    }),
    musts: [
      ...stateStep(),
      ...trace.requirements.map((requirement, i) => {
        const records = readSelectedRecords(explainContext, requirement, i, shown);
        const step = toStep(explainContext, requirement, disclosed.requirements[i] ?? null, shown);
        return records === undefined ? step : { ...step, records };
      }),
    ],
  };
};

/** True if the condition depends on the user, so that another person might meet it. */
const readsUser = (condition: Expr): boolean => collectReadSet(condition).user;

/** True if the clause applies to the asking person and fails for a reason other than their identity. */
const isThemselves = (grant: GrantTrace | undefined, holds: readonly (boolean | null)[]): boolean =>
  grant?.mayApply === true &&
  grant.conditions.every(({ role, condition }, k) => {
    const isWho = role !== null || findHolders(condition).length > 0 || findExcludedPerson(condition) !== undefined;
    return !isWho || holds[k] === true;
  });

const found = (
  explainContext: ExplainContext,
  condition: ConditionTrace | RequirementTrace,
  shown: Row,
): StepJson["found"] => {
  const { known, phrasing } = explainContext;
  const read = collectFieldsRead(condition);
  return known.fields
    .filter(({ name }) => read.has(name) && readColumn(shown, foundColumn(name)) !== undefined)
    .map((field) => ({
      field: phrasing.phrases.say(field.title),
      value: readFoundValue(field, shown, explainContext),
    }));
};

const readFoundValue = (
  field: Field,
  row: Row,
  { request: { entity }, context: { model }, phrasing: { phrases }, format }: ExplainContext,
): string => {
  const value = readColumn(row, foundColumn(field.name));
  if (value === null || value === undefined) return "…";
  if (field.type === "reference") {
    const target = model.entities.get(field.entity ?? "");
    const words = readColumn(row, referenceLabelColumn(field.name));
    const quote = (one: unknown) =>
      target === undefined || one === null || one === undefined ? "…" : labelText(target.label, one, format);
    return field.many && Array.isArray(words) ? words.map(quote).join(", ") : quote(words);
  }
  if (field.type === "state") return phrases.say(stateTitle(entity, String(value)));
  return format(value, field.ruleType);
};
