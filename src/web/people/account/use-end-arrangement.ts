import { useMutation } from "@tanstack/react-query";
import type { Application } from "../../../core/wire/application.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { type Body, newKey } from "../../api/requests.ts";
import { useClient, useLocale } from "../../app/app-context.tsx";
import { isReference } from "../../format/value-shapes.ts";
import { useWords } from "../../i18n/words.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { useFailureWords } from "../../ui/page/problem-note.tsx";
import { getNames, isAwayIn } from "./deputy-form.ts";

/** The sentences after an arrangement has ended, about the user and about somebody else. */
const OWN = { ended: "deputies.ended.own", removed: "deputies.removed.own" } as const;
const OTHERS = { ended: "deputies.ended", removed: "deputies.removed" } as const;

/** True for an arrangement that the user can name again, so that its end can be undone. */
export const canNameAgain = (entity: EntityJson, record: RecordJson, user: string | null): boolean =>
  user !== null && entity.create !== null && isAwayIn(record, user);

/**
 * Ends an arrangement, or removes one that has not begun. Deputies are not kept in the trash, so Undo names the same deputy
 * again, which only the person who is away can do. `user`: the user, on their own account page.
 */
export const useEndArrangement = (entity: EntityJson, user: string | null) => {
  const { calls, queries } = useClient();
  const { say, show } = useWords();
  const toast = useToast();
  const failureWords = useFailureWords();
  const { today } = useLocale();
  const namesIn = (record: RecordJson) => getNames(record, show);

  /** Takes the arrangement off the page and the frame at once, so that nothing contradicts the message. */
  const takeOff = ({ id }: RecordJson): void => {
    queries.setQueriesData<readonly RecordJson[]>({ queryKey: [...keys.of(entity.calls), "of"] }, (known) =>
      known?.filter((one) => one.id !== id),
    );
    queries.setQueryData<Application>(
      keys.application,
      (now) => now && { ...now, standIns: (now.standIns ?? []).filter((one) => one.id !== id) },
    );
  };

  /** With its key, the server knows what is tried again after an answer was lost. */
  const nameAgain = async (record: RecordJson, key = newKey()): Promise<void> => {
    const values = Object.fromEntries(
      (entity.create ?? []).flatMap((field) => {
        const value = record[field];
        return value === undefined ? [] : [[field, isReference(value) ? value.id : value]];
      }),
    ) as Body;
    try {
      await calls.nameDeputy(values, [], key);
    } catch (thrown) {
      const failure = toFailure(thrown);
      const text = say("deputies.not.undone", { ...namesIn(record), why: failureWords(failure) });
      toast(text, failure.kind === "refused" ? undefined : () => void nameAgain(record, key), {
        undoLabel: say("broken.retry"),
        icon: "lock",
      });
      return;
    }
    await Promise.all([
      reload(queries, { queryKey: keys.of(entity.calls) }),
      reload(queries, { queryKey: keys.application }),
    ]);
    const hasBegun = String(record.first_day) <= today;
    toast(say(hasBegun ? "deputies.changed.own" : "deputies.undone", namesIn(record)));
  };

  return useMutation({
    mutationFn: (record: RecordJson) => calls.remove(entity.calls, record.id, record.version),
    onSuccess: (_, record) => {
      takeOff(record);
      const isOwn = user !== null && isAwayIn(record, user);
      const hasBegun = String(record.first_day) <= today;
      toast(
        say((isOwn ? OWN : OTHERS)[hasBegun ? "ended" : "removed"], namesIn(record)),
        canNameAgain(entity, record, user) ? () => void nameAgain(record) : undefined,
      );
    },
    onError: (thrown, record) => {
      if (canNameAgain(entity, record, user))
        toast(`${say("deputies.failed")}. ${failureWords(toFailure(thrown))}`, undefined, { icon: "lock" });
    },
    onSettled: () => reload(queries, { queryKey: keys.of(entity.calls) }),
  });
};
