import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson, TransitionTrialJson, WhyNot } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";

export type TransitionTrial = TransitionTrialJson["items"][number];
type Trial = readonly TransitionTrial[];

/** The reason in a refusal: that of its first error, if it has several. */
const toWhyNot = ({ refused: { errors: [first] = [], ...problem } }: TransitionTrial): WhyNot => ({
  code: first?.code ?? problem.code,
  clause: first?.clause ?? problem.clause ?? "",
  because: first?.message ?? problem.detail,
});

/**
 * Moves the transitions that a trial refuses from the possible ones to the refused ones. One stays possible if this person
 * can change what the rule reads: the refusal then leads to that field.
 */
const applyTrial = (record: RecordJson, trial: Trial): RecordJson => {
  const { may } = record;
  const found = trial.filter(
    ({ transition, mendable }) =>
      may?.transitions.includes(transition) && !mendable.some((field) => may.update.includes(field)),
  );
  if (may === undefined || found.length === 0) return record;
  return {
    ...record,
    may: {
      ...may,
      transitions: may.transitions.filter((name) => !found.some(({ transition }) => transition === name)),
      refused: { ...may.refused, ...Object.fromEntries(found.map((item) => [item.transition, toWhyNot(item)])) },
    },
  } as RecordJson;
};

const nothing: Trial = [];

/**
 * A record that somebody looks at, with the transitions that rules on other records would refuse among the refused ones.
 * The record itself does not tell them. `trial`: their refusals. A failure to find out is no refusal: the transition then
 * says why.
 */
export const useTriedRecord = (
  entity: EntityJson,
  record: RecordJson,
  enabled = true,
): { readonly record: RecordJson; readonly trial: Trial } => {
  const { calls } = useClient();
  const tried = entity.states?.transitions.filter(({ tried }) => tried === true) ?? [];
  const isTried = tried.some(({ name }) => record.may?.transitions.includes(name));
  const { data } = useQuery({
    queryKey: keys.trial(entity.calls, record.id, record.version),
    queryFn: ({ signal }) => calls.tryTransitions(entity.name, record.id, signal),
    enabled: enabled && isTried,
    retry: false,
    // For the feed of changes, also while the record itself says that these transitions are refused.
    meta: { readsOthers: tried.length > 0 },
  });
  const trial = data?.items ?? nothing;
  return useMemo(() => ({ record: applyTrial(record, trial), trial }), [record, trial]);
};
