import type { EntityJson, TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { toFailure } from "../../api/api-error.ts";
import { useApplication, useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { recordAddress } from "../../routing/routes.ts";
import { useToast } from "../../ui/overlay/toast.tsx";
import { useFailureWords } from "../../ui/page/problem-note.tsx";
import { useTransition } from "../../workflow/use-transition.ts";

/**
 * Returns a function that makes a transition with a saved record, and says if its outcome was announced. A refusal is
 * shown on the record's page, or at once if there is none.
 */
export const useTransitionAfterSaving = (
  entity: EntityJson,
): ((saved: RecordJson, transition: TransitionJson) => Promise<boolean>) => {
  const { unmade } = useClient();
  const { say } = useWords();
  const { screens } = useApplication();
  const toast = useToast();
  const { transit } = useTransition(entity);
  const failureWords = useFailureWords();
  return async (saved, transition) => {
    try {
      await transit(saved, transition, {}, { opens: recordAddress(screens, entity.name, saved.id) !== null });
      return true;
    } catch (thrown) {
      const failure = toFailure(thrown);
      // The user signs in over the page, where the record is already saved.
      if (failure.kind === "signed out") return false;
      if (recordAddress(screens, entity.name, saved.id) !== null) {
        unmade.set({ record: saved.id, transition, failure });
        return false;
      }
      toast(`${say("record.not.made", { transition: transition.label })}. ${failureWords(failure)}`);
      return true;
    }
  };
};
