import { useMutation, useQuery } from "@tanstack/react-query";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { FailureNote } from "../ui/page/problem-note.tsx";

/** Messages held after a restore, with buttons that send all of them, or only the new ones. */
export const OutboundHold = () => {
  const { calls, queries } = useClient();
  const { say, show } = useWords();
  const { preview } = useApplication();
  const query = useQuery({ queryKey: keys.outboundHold, queryFn: ({ signal }) => calls.outboundHold(signal) });
  const release = useMutation({
    mutationFn: (old: boolean) => calls.releaseHeld(old),
    retry: false,
    onSettled: () => reload(queries, { queryKey: keys.outboundHold }),
  });
  const hold = query.data ?? null;
  if (hold === null) return null;
  const { since, from, old, fresh, mails } = hold;
  return (
    <section className="people-part held" aria-labelledby="held">
      <h2 id="held">{say("held.title")}</h2>
      <FailureNote title={say("person.failed")} error={release.error} />
      <p className="help-words">
        {preview === undefined
          ? say("held.words", { since: show.moment(since), from: show.moment(from) })
          : say("preview.held")}
      </p>
      <p className="small-words">{say("held.waiting", { old: `${old}`, fresh: `${fresh}`, mails: `${mails}` })}</p>
      {preview === undefined && (
        <div className="held-ways">
          <Button look="primary" busy={release.isPending} onClick={() => release.isPending || release.mutate(false)}>
            {say("held.fresh")}
          </Button>
          {old > 0 && (
            <Button busy={release.isPending} onClick={() => release.isPending || release.mutate(true)}>
              {say("held.old")}
            </Button>
          )}
        </div>
      )}
    </section>
  );
};
