import { useMutation, useQuery } from "@tanstack/react-query";
import type { MailTokenKind } from "../../core/wire/accounts/mail-token.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useDelayed } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { FrontMessage } from "./front-message.tsx";
import { SignInProblem } from "./sign-in-fields.tsx";

/** The texts for each kind of email, before and after the press. */
const texts = {
  notifications: { before: "stop.words", after: "stop.done.words" },
  reports: { before: "stop.reports", after: "stop.done.reports" },
  report: { before: "stop.report", after: "stop.done.report" },
  named: { before: "stop.report.named", after: "stop.done.report.named" },
} as const satisfies Record<MailTokenKind | "named", { before: string; after: string }>;

/** Ends emails after one press: mail scanners follow links. */
export const StopMails = ({ token, onDone }: { token: string; onDone: () => void }) => {
  const { calls } = useClient();
  const { name } = useApplication();
  const { say } = useWords();
  // A text in a link is shown only once the server has said that it wrote it.
  const link = useQuery({
    queryKey: keys.mailsOfLink(token),
    queryFn: ({ signal }) => calls.mailsOfLink(token, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const loading = useDelayed(link.isPending);
  const stop = useMutation({ mutationFn: (all: boolean) => calls.stopMails(token, all), retry: false });
  const press = (all: boolean) => stop.isPending || stop.mutate(all);
  if (link.error) {
    const failure = toFailure(link.error);
    return (
      <FrontMessage title={say("stop.title")}>
        <SignInProblem failure={failure} title={say("stop.failed")} />
        {failure.kind === "refused" ? (
          <Button look="primary" className="large" onClick={onDone}>
            {say("stop.done.open", { name })}
          </Button>
        ) : (
          <Button look="primary" className="large" busy={link.isFetching} onClick={() => void link.refetch()}>
            {say("broken.retry")}
          </Button>
        )}
      </FrontMessage>
    );
  }
  if (link.data === undefined)
    return (
      <div className="front-form" aria-busy="true">
        <h1>{say("stop.title")}</h1>
        {loading && <SkeletonLine width="60%" />}
        {loading && <SkeletonLine width="40%" />}
      </div>
    );
  const { kind } = link.data;
  const title = link.data.title ?? "";
  const about = kind === "report" && title !== "" ? "named" : kind;
  if (stop.isSuccess)
    return (
      <FrontMessage title={say("stop.done.title")} isNew>
        <p className="front-words">{say(texts[stop.variables ? "reports" : about].after, { name, title })}</p>
        <Button look="primary" className="large" onClick={onDone}>
          {say("stop.done.open", { name })}
        </Button>
      </FrontMessage>
    );
  return (
    <FrontMessage title={say("stop.title")}>
      <p className="front-words">{say(texts[about].before, { name, title })}</p>
      <SignInProblem failure={stop.error ? toFailure(stop.error) : null} title={say("stop.failed")} />
      <Button look="primary" className="large" busy={stop.isPending && !stop.variables} onClick={() => press(false)}>
        {say("stop.do")}
      </Button>
      {kind === "report" && (
        <Button look="quiet" className="large" busy={stop.isPending && stop.variables} onClick={() => press(true)}>
          {say("stop.all")}
        </Button>
      )}
    </FrontMessage>
  );
};
