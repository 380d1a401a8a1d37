import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { failureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";
import { saying } from "../../app/app-state.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { ProblemNote } from "../../ui/page/problem-note.tsx";
import type { Drafting } from "./draft-session.ts";

/** Milliseconds after which progress is reported. */
const LONG = 4_000;

const useLong = (isPending: boolean): boolean => {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setLong(true), LONG);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [isPending]);
  return isLong;
};

/** Shows the effect of a draft on stored data before applying it. */
export const ApplyDialog = ({ drafting, onClose }: { drafting: Drafting; onClose: () => void }) => {
  const { calls, queries, polite, toast } = useClient();
  const { say } = useWords();
  const { inForce, files } = drafting.store.get();
  const draft = { base: inForce.hash, files };
  const plan = useQuery({
    queryKey: ["document", "plan", inForce.hash, files],
    queryFn: () => calls.planDocument(draft),
    gcTime: 0,
    retry: false,
  });
  const apply = useMutation({
    mutationFn: () => calls.applyDocument(draft),
    // A timeout would repeat itself.
    retry: false,
    onSuccess: async ({ version }) => {
      const words = say("workbench.applied", { version });
      toast.set(saying(words));
      polite.set(saying(words));
      drafting.drop();
      await Promise.all([
        queries.invalidateQueries({ queryKey: keys.document }),
        queries.invalidateQueries({ queryKey: keys.openPoints }),
        queries.invalidateQueries({ queryKey: keys.application }),
      ]);
      onClose();
    },
  });
  const isLong = useLong(apply.isPending);
  const refused = plan.data?.refused ?? [];
  return (
    <Dialog title={say("workbench.apply.title")} onClose={onClose}>
      <div className="dialog-words">
        {plan.data ? (
          refused.length > 0 ? (
            <>
              <p>{say("workbench.apply.refused")}</p>
              <ul className="plan-steps">
                {refused.map(({ clause, says }) => (
                  <li key={says}>
                    <Icon name="alert" />
                    <span>{says}</span>
                    <ClauseId of={clause} />
                  </li>
                ))}
              </ul>
            </>
          ) : plan.data.steps.length === 0 ? (
            <p>{say("workbench.apply.nothing")}</p>
          ) : (
            <>
              <p>{say("workbench.apply.steps")}</p>
              <ul className="plan-steps">
                {plan.data.steps.map((step) => (
                  <li key={step}>
                    <Icon name="plus" />
                    <span>{step}</span>
                  </li>
                ))}
              </ul>
            </>
          )
        ) : plan.error ? (
          <ProblemNote title={say("workbench.apply.unplanned")} failure={failureOf(plan.error)} />
        ) : (
          <p aria-busy="true">{say("workbench.apply.planning")}</p>
        )}
        {isLong && apply.isPending && (
          <p role="status" aria-busy="true">
            {say("workbench.apply.long")}
          </p>
        )}
        {apply.error && <ProblemNote title={say("workbench.apply.failed")} failure={failureOf(apply.error)} />}
      </div>
      <footer className="dialog-foot">
        {plan.data && refused.length === 0 && (
          <Button look="primary" busy={apply.isPending} onClick={() => apply.mutate()}>
            {say("workbench.apply.now")}
          </Button>
        )}
        <Button onClick={onClose}>{say("workbench.apply.not")}</Button>
      </footer>
    </Dialog>
  );
};
