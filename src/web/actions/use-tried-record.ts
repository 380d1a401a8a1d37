import { type QueryClient, type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import { MOST_TRIED, type RecordJson, type TransitionRefusalJson, type WhyNot } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useClient, useDelayed } from "../app/app-context.tsx";
import { findState } from "../workflow/workflow.ts";

type Trial = readonly TransitionRefusalJson[];

/** The reason in a refusal: that of its first error, if it has several. */
const toWhyNot = ({ refused: { errors: [first] = [], ...problem } }: TransitionRefusalJson): WhyNot => ({
  code: first?.code ?? problem.code,
  clause: first?.clause ?? problem.clause ?? "",
  because: first?.message ?? problem.detail,
});

/** The refusals of a record that a trial does not repeat: its state, and who may act. */
const withoutTrial: ReadonlySet<string> = new Set(["FORBIDDEN", "GUARD", "WRONG_STATE"]);

/** True if the record says that a rule refuses the transition. Only a trial knows the values in the words of the rule. */
const isRefusedByRule = ({ may }: RecordJson, transition: string): boolean => {
  const refused = may?.refused?.[transition];
  return refused !== undefined && !withoutTrial.has(refused.code);
};

/**
 * Moves the transitions that a trial refuses from the possible ones to the refused ones. One stays possible if this person
 * can change what the rule reads: the refusal then leads to that field. Those that the record itself refuses by a rule get
 * the words of the trial.
 */
const applyTrial = <R extends RecordJson>(record: R, trial: Trial): R => {
  const { may } = record;
  const found = trial.filter(
    ({ transition, mendable }) =>
      isRefusedByRule(record, transition) ||
      (may?.transitions.includes(transition) && !mendable.some((field) => may.update.includes(field))),
  );
  if (may === undefined || found.length === 0) return record;
  return {
    ...record,
    may: {
      ...may,
      transitions: may.transitions.filter((name) => !found.some(({ transition }) => transition === name)),
      refused: { ...may.refused, ...Object.fromEntries(found.map((item) => [item.transition, toWhyNot(item)])) },
    },
  };
};

const nothing: Trial = [];

/**
 * The last answer about a record in this state. Until the new one is there, what refused a transition a moment ago is
 * likelier to refuse it still than not.
 */
const findLastTrial = (queries: QueryClient, key: ReturnType<typeof keys.trials>): Trial | undefined =>
  queries
    .getQueriesData<Trial>({ queryKey: key })
    .toSorted(([one], [other]) => Number(other.at(-1)) - Number(one.at(-1)))
    .find(([, trial]) => trial !== undefined)?.[1];

const combine = (results: readonly UseQueryResult<Trial>[]) => ({
  trials: results.map(({ data }) => data ?? nothing),
  isPending: results.some(({ isPending, fetchStatus }) => isPending && fetchStatus === "fetching"),
});

/** Milliseconds for which rows or menus wait for a trial, so that they do not change under the pointer. */
const AWAITED = 400;

const useAwaited = (isPending: boolean): boolean => {
  const isLate = useDelayed(isPending, AWAITED);
  return isPending && !isLate;
};

/** The queries that try the transitions of records. More than one call can ask about are not tried. */
const useTrialQueries = () => {
  const { trialOf, queries } = useClient();
  return (entity: EntityJson, records: readonly RecordJson[]) => {
    const transitions = entity.states?.transitions.filter(({ tried }) => tried !== undefined) ?? [];
    const alteredBy = transitions.map(({ tried }) => tried).filter((calls) => calls !== undefined);
    // Of a row that came without capabilities, they are being loaded.
    const isTried = (record: RecordJson) =>
      record.may === undefined ||
      transitions.some(({ name }) => record.may?.transitions.includes(name) || isRefusedByRule(record, name));
    const areTried = transitions.length > 0 && records.length <= MOST_TRIED;
    return (areTried ? records : []).map((record) => {
      const { id, version } = record;
      const state = findState(entity, record)?.name ?? "";
      return {
        queryKey: keys.trial(entity.calls, id, state, version),
        queryFn: () => trialOf(entity.name, id),
        enabled: isTried(record),
        placeholderData: () => findLastTrial(queries, keys.trials(entity.calls, id, state)),
        retry: false,
        // For the feed of changes, also while the record itself says that these transitions are refused.
        meta: { alteredBy: alteredBy.includes(true) ? true : alteredBy.flat() },
      };
    });
  };
};

/** True until the transitions of records have been tried, but not for long. */
export const useTrialsAwaited = (
  lists: readonly { readonly entity: EntityJson; readonly records: readonly RecordJson[] }[],
): boolean => {
  const ofRecords = useTrialQueries();
  // A record can be in several lists.
  const all = new Map(
    lists.flatMap(({ entity, records }) => ofRecords(entity, records)).map((one) => [one.queryKey.join(" "), one]),
  );
  const { isPending } = useQueries({ queries: [...all.values()], combine });
  return useAwaited(isPending);
};

interface TriedRecord<R extends RecordJson> {
  readonly record: R;
  readonly trial: Trial;
}

/**
 * Records that somebody looks at, with the transitions that rules on other records would refuse among the refused ones.
 * The records themselves do not tell them. `trial`: their refusals. A failure to find out is no refusal: the transition
 * then says why.
 */
export const useTriedRecords = <R extends RecordJson>(
  entity: EntityJson,
  records: readonly R[],
  enabled = true,
): { readonly tried: readonly TriedRecord<R>[]; readonly isAwaited: boolean } => {
  const ofRecords = useTrialQueries();
  const { trials, isPending } = useQueries({ queries: enabled ? ofRecords(entity, records) : [], combine });
  const isAwaited = useAwaited(isPending);
  const tried = useMemo(
    () =>
      records.map((record, at) => ({
        record: applyTrial(record, trials[at] ?? nothing),
        trial: trials[at] ?? nothing,
      })),
    [records, trials],
  );
  return { tried, isAwaited };
};

/** Tries a single record. */
export const useTriedRecord = <R extends RecordJson>(
  entity: EntityJson,
  record: R,
  enabled = true,
): TriedRecord<R> & { readonly isAwaited: boolean } => {
  const records = useMemo(() => [record], [record]);
  const { tried, isAwaited } = useTriedRecords(entity, records, enabled);
  return { ...(tried[0] ?? { record, trial: nothing }), isAwaited };
};
