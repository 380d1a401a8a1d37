import { useRef, useState } from "react";
import { limitPage } from "../../core/derive/http/list-query.ts";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { listFollowing } from "../routing/record-pager.ts";
import { findState } from "../workflow/workflow.ts";

/** Maximum number of candidates to check. */
const LOOKED_THROUGH = 20;

export interface NextWaiting {
  /** Another record on which the user can make the transition that was made; null if there is none. */
  readonly record: { readonly id: string; readonly label: string } | null;
}

/** After a transition, suggests another record on which the user can make the same one. Null if it is unknown. */
export const useNextWaiting = (entity: EntityJson) => {
  const { calls, trail } = useClient();
  const { screens } = useApplication();
  const [next, setNext] = useState<NextWaiting | null>(null);
  // The answer of an earlier transition can come after that of a later one.
  const looks = useRef(0);
  const look = async (from: RecordJson, transition: TransitionJson): Promise<void> => {
    looks.current += 1;
    const nth = looks.current;
    setNext(null);
    const state = findState(entity, from);
    if (state === null || entity.states === null || isOwn(entity, transition)) return;
    const query = new URLSearchParams({
      [entity.states.field]: state.name,
      may: "true",
      label: "true",
      limit: String(limitPage(screens, LOOKED_THROUGH)),
    });
    // Failing to find a suggestion is not an error.
    const found = await calls.list(entity.calls, query).catch(() => null);
    if (nth !== looks.current) return;
    const others = found?.items.filter(({ id, may }) => id !== from.id && may?.transitions.includes(transition.name));
    // The list that the reader works through has an order of its own.
    const [following] = listFollowing(trail.get(), entity.name, from.id).flatMap(
      (one) => others?.find(({ id }) => id === one) ?? [],
    );
    const waiting = following ?? others?.[0];
    const record = waiting === undefined ? null : { id: waiting.id, label: waiting._label ?? entity.one };
    if (record !== null || found?.next === null) setNext({ record });
  };
  return { next, look };
};

/** True for transitions of people on their own records, such as submitting a draft: no next record is suggested. */
const isOwn = (entity: EntityJson, { by }: TransitionJson): boolean =>
  by.length > 0 &&
  by.every(({ role }) => entity.fields.find(({ name }) => name === entity.holders?.[role])?.maker === true);
