import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { canBeRetried } from "../api/api-error.ts";
import { reloadRecords } from "../api/reload.ts";
import { type Body, newKey } from "../api/requests.ts";
import { useAddress, useApplication, useClient, usePhone } from "../app/app-context.tsx";
import { useReadAfterAct } from "../app/use-notifications.ts";
import { findProgress } from "../format/approval-progress.ts";
import { shortenLabel } from "../format/record-summary.ts";
import { useWords } from "../i18n/words.tsx";
import { recordAddress } from "../routing/routes.ts";
import { useToast } from "../ui/overlay/toast.tsx";
import { useEffectsPreview } from "./effects-preview.ts";
import { findCompletion, findReachedState, findWaysBack, opensDialog } from "./workflow.ts";

/** Makes transitions of an entity's records, one at a time, and refetches data afterwards in any case. */
export const useTransition = (entity: EntityJson) => {
  const { calls, queries, wayBack } = useClient();
  const { say, show } = useWords();
  const toast = useToast();
  const followsOf = useEffectsPreview();
  const { screens } = useApplication();
  const { path } = useAddress();
  const phone = usePhone();
  const readAfterAct = useReadAfterAct();
  const busy = useRef(false);
  const make = useMutation({
    mutationFn: (sent: { record: RecordJson; transition: TransitionJson; body: Body; key: string }) =>
      calls.transition(entity.calls, sent.record.id, {
        name: sent.transition.name,
        version: sent.record.version,
        body: sent.body,
        key: sent.key,
      }),
  });
  /** The record with the user's permissions now. A failure here does not affect the transition. */
  const findCurrent = (id: string): Promise<RecordJson | null> => calls.record(entity.calls, id).catch(() => null);
  /** Makes a transition that takes the last one back. Until the server has answered, it can be tried again. */
  const takeBack = (record: RecordJson, back: TransitionJson, key = newKey()): Promise<void> =>
    makeTransition(record, back, {}, { key }).catch((thrown: unknown) =>
      toast(
        say("record.not.made", { transition: back.label }),
        canBeRetried(thrown) ? () => void takeBack(record, back, key) : undefined,
        { undoLabel: say("broken.retry"), icon: "lock" },
      ),
    );
  /** Makes a transition, or throws. `opens`: the record’s page is opened next, so that the note has no link to it. */
  const makeTransition = async (
    record: RecordJson,
    transition: TransitionJson,
    body: Body,
    { opens = false, key = newKey() }: { readonly opens?: boolean; readonly key?: string } = {},
  ): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    let announce: () => void;
    try {
      const updated = await make.mutateAsync({ record, transition, body, key });
      readAfterAct([updated.id]);
      const waysBack = findWaysBack(entity, record, updated);
      // Undo is offered only if it is permitted, and in one press if a transition allows that.
      const written = updated._label ?? record._label;
      const current = waysBack.length === 0 && written !== undefined ? null : await findCurrent(updated.id);
      const back = waysBack
        .filter(({ name }) => current?.may?.transitions.includes(name))
        .toSorted(
          (one, other) =>
            one.asks.length - other.asks.length ||
            // An undo tells nobody, if there is such a way.
            Number(followsOf(one, [updated]) !== null) - Number(followsOf(other, [updated]) !== null),
        )[0];
      const label = written ?? current?._label ?? entity.one;
      const moved = { ...updated, _label: label };
      const name = shortenLabel(entity, moved, show) ?? label;
      const reached = findReachedState(entity, [{ before: record, after: updated }]);
      const completion = reached === null ? undefined : findCompletion(entity, transition);
      // A phone has no room for what a dialog has said before.
      const isSaid = phone && opensDialog(entity, transition);
      const follows = isSaid ? null : followsOf(completion ?? transition, [updated], true);
      const progress = findProgress(updated, transition);
      const state =
        reached?.label ??
        (progress === null
          ? transition.label
          : say("transition.made.by", {
              transition: transition.label,
              made: show.number(progress.people.length),
              needed: show.number(progress.needed),
            }));
      // A decided record may leave the list or tile that showed it.
      const address = recordAddress(screens, entity.name, updated.id);
      announce = () =>
        toast(
          follows === null
            ? say("record.moved", { state, label: name })
            : say("record.moved.then", { state, label: name, follows }),
          back &&
            (() => {
              if (back.asks.length > 0)
                wayBack.set({ entity: entity.name, record: current ?? moved, transition: back });
              else void takeBack(moved, back);
            }),
          {
            // A check beside “Declined” would look like a success.
            mark: reached?.mark,
            href: opens || address === null || address === path ? undefined : address,
            // It says that it opens a dialog.
            undoLabel: back && back.asks.length > 0 ? say("record.asks", { transition: back.label }) : undefined,
          },
        );
    } finally {
      busy.current = false;
      await reloadRecords(queries, entity.calls);
    }
    // With what has changed in sight, and as the dialog closes: before, it would contradict both.
    announce();
  };
  const pending = make.isPending ? (make.variables ?? null) : null;
  return { transit: makeTransition, pending };
};
