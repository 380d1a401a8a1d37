import { useQuery } from "@tanstack/react-query";
import { limitPage } from "../../core/derive/http/list-query.ts";
import type { EntityJson, OverlapRuleJson, TransitionJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { RecordValue } from "../field/record-value.tsx";
import { useShortTexts } from "../field/short-texts.ts";
import { overlapQueries } from "../form/state/collisions.ts";
import { getValue } from "../format/record-values.ts";
import { isNothing, isReference } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { useReadFailureWords } from "../ui/page/problem-note.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { StateWord } from "../ui/state-mark.tsx";
import { useHeldWhile } from "../util/use-held-while.ts";
import { useDecisionFacts } from "../workflow/decision-facts.ts";
import { findState } from "../workflow/workflow.ts";
import "./decision-facts.css";

interface FactsProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly transition: TransitionJson;
  /** Fields that the dialog shows elsewhere. */
  readonly besides: readonly string[];
  /** True if it is one of several records: in few lines, and without a word about nothing. */
  readonly isBrief?: boolean;
  /** While the decision is being sent, the values stay what they were when it was made. */
  readonly isSent?: boolean;
}

/**
 * The record of a dialog with all its fields: a row of a list has those of its columns only. Until it is loaded, and if that
 * fails, the row.
 */
export const useWholeRecord = (entity: EntityJson, record: RecordJson, enabled = true): RecordJson => {
  const { calls } = useClient();
  const { data } = useQuery({
    queryKey: keys.record(entity.calls, record.id),
    queryFn: ({ signal }) => calls.record(entity.calls, record.id, signal),
    enabled,
  });
  return data === undefined || data.version < record.version ? record : data;
};

/** The values on which the decision depends, and who else has something at the same time. */
export const DecisionFacts = (props: FactsProps) => {
  const { entity, record, transition, besides, isBrief = false, isSent = false } = props;
  const { say } = useWords();
  const latest = useDecisionFacts(
    entity,
    (transition.shows ?? []).filter(({ field, of }) => of !== undefined || !besides.includes(field)),
    record,
  );
  // The decision itself can change them, such as what is left of a budget.
  const facts = useHeldWhile(isSent, latest);
  const rules = entity.overlaps?.filter((rule) => isDecidedBy(rule, transition)) ?? [];
  const shown = facts.filter((fact) => fact.in === undefined || !isNothing(getValue(fact.in, fact.field.name)));
  return (
    <>
      {shown.length > 0 && (
        <dl className={isBrief ? "decision-facts brief" : "decision-facts"}>
          {shown.map(({ key, field, owner, in: record }) => (
            <div key={key} className={field.type.endsWith(" text") ? "wide" : undefined}>
              <dt>{owner === null || isBrief ? field.label : say("transition.fact", { field: field.label, owner })}</dt>
              <dd>
                {record === undefined ? (
                  <SkeletonLine width="72px" />
                ) : (
                  <RecordValue field={field} record={record} cell={field.type === "reference"} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {rules.map((rule) => (
        <AtTheSameTime key={rule.clause} {...props} rule={rule} />
      ))}
    </>
  );
};

/** True if the transition decides about a record that then takes its time, or that has taken it until now. */
const isDecidedBy = ({ concurrent = [] }: OverlapRuleJson, { from, to }: TransitionJson): boolean =>
  [...from, ...to].some((state) => concurrent.includes(state));

/** So many are named. */
const MOST = 3;

/** Those of other people that this person can read, with an ordinary list. */
const AtTheSameTime = ({ entity, record, rule, isBrief = false }: FactsProps & { readonly rule: OverlapRuleJson }) => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const { say, show } = useWords();
  const texts = useShortTexts(entity);
  const endless = entity.fields.some(({ name, optional }) => name === rule.to && optional);
  const valueAt = (name: string) => getValue(record, name) as Json | undefined;
  const queries = overlapQueries({ ...rule, same: [] }, valueAt, { limit: limitPage(screens, MOST * 4), endless });
  for (const query of queries)
    for (const state of rule.concurrent ?? []) query.append(entity.states?.field ?? "", state);
  const query = useQuery({
    queryKey: keys.overlapped(entity.calls, queries.join(" ")),
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(queries.map((one) => calls.list(entity.calls, one, signal)));
      return { items: lists.flatMap(({ items }) => items), isPart: lists.some(({ next }) => next !== null) };
    },
    enabled: queries.length > 0,
  });
  const failureWords = useReadFailureWords();
  const failure = query.data === undefined ? toFailureOf(query) : null;
  if (queries.length === 0 || (isBrief && failure === null && query.data === undefined)) return null;
  const people = (other: RecordJson) => rule.same.map((name) => getValue(other, name)).filter(isReference);
  const own = people(record).map(({ id }) => id);
  const others = query.data?.items.filter(
    (other) => other.id !== record.id && people(other).some(({ id }) => !own.includes(id)),
  );
  if (isBrief && others?.length === 0) return null;
  const fields = [rule.from, rule.to].flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);
  return (
    <div className={isBrief ? "at-the-same-time brief" : "at-the-same-time"}>
      <p>{say("transition.same.time")}</p>
      {failure !== null ? (
        <p className="small-words">{failureWords(failure)}</p>
      ) : others === undefined ? (
        <div className="bones">
          <SkeletonLine width="60%" />
        </div>
      ) : others.length === 0 ? (
        <p className="small-words">{say("transition.same.time.none", { things: entity.many })}</p>
      ) : (
        <ul>
          {others.slice(0, MOST).map((other) => {
            const state = findState(entity, other);
            return (
              <li key={other.id}>
                <bdi>{show.list(people(other).map(({ label }) => label))}</bdi>
                <span className="figures">
                  {texts(fields, other)
                    .map(({ shown }) => shown)
                    .join(", ")}
                </span>
                {state && <StateWord state={state} />}
              </li>
            );
          })}
          {others.length > MOST && (
            <li>
              {say("transition.same.time.more", {
                count: `${show.number(others.length - MOST)}${query.data?.isPart ? "+" : ""}`,
              })}
            </li>
          )}
        </ul>
      )}
    </div>
  );
};
