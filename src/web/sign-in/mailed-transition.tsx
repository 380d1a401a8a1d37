import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { MailedRecordJson, MailedTransitionJson } from "../../core/wire/mailed-transition.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useApplication, useClient, useLocale } from "../app/app-context.tsx";
import { SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import { getSiblingsOfForm } from "../field/siblings-of-form.ts";
import { ErrorSummary } from "../form/error-summary.tsx";
import { OneShotFields, useOneShotForm } from "../form/use-one-shot-form.tsx";
import { useWords } from "../i18n/words.tsx";
import { ClauseNote } from "../ui/clause.tsx";
import { Button } from "../ui/control/button.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { FrontMessage } from "./front-message.tsx";
import { SignInProblem } from "./sign-in-fields.tsx";

interface MailedTransitionProps {
  readonly token: string;
  /** Leaves the page of the link. */
  readonly onDone: () => void;
}

type Ready = Extract<MailedTransitionJson, { state: "ready" }>;

/** Asks once, and then makes the transition of a mail's link. Opening the link changes nothing. */
export const MailedTransition = ({ token, onDone }: MailedTransitionProps) => {
  const { calls, navigation } = useClient();
  const { name, person } = useApplication();
  const { say, show } = useWords();
  const [result, setResult] = useState<Ready | null>(null);
  const shown = useQuery({
    queryKey: keys.mailedTransition(token),
    queryFn: ({ signal }) => calls.mailedTransition(token, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const open = (path: string) => {
    onDone();
    navigation.go(path);
  };
  const toRecord = (path: string, look: "primary" | "quiet" = "primary") => (
    <Button look={look} className="large" onClick={() => open(path)}>
      {say("mailed.open")}
    </Button>
  );
  if (result)
    return (
      <FrontMessage title={say("mailed.done")} isNew>
        <p className="front-words">
          {result.becomes === null
            ? say("mailed.done.words", { transition: result.transition, label: result.label })
            : say("mailed.done.to", { transition: result.transition, label: result.label, state: result.becomes })}
        </p>
        {toRecord(result.path)}
      </FrontMessage>
    );
  if (shown.error)
    return (
      <FrontMessage title={say("mailed.page")}>
        <SignInProblem failure={toFailure(shown.error)} title={say("mailed.page")} />
        <Button look="primary" className="large" busy={shown.isFetching} onClick={() => void shown.refetch()}>
          {say("broken.retry")}
        </Button>
      </FrontMessage>
    );
  const { data } = shown;
  if (data === undefined)
    return (
      <div className="front-form" aria-busy="true">
        <h1>{say("mailed.page")}</h1>
        <SkeletonLine width="60%" />
        <SkeletonLine width="40%" />
      </div>
    );
  switch (data.state) {
    case "ready":
      return (
        <ReadyTransition
          key={data.version}
          token={token}
          ready={data}
          onMade={() => setResult(data)}
          onAgain={() => shown.refetch().then(({ data: now }) => now?.state === "ready")}
          onOpen={open}
        />
      );
    case "refused":
      return (
        <FrontMessage title={say("mailed.refused", { transition: data.transition })}>
          <p className="front-words">
            {data.why.because} <ClauseNote of={data.why.clause} />
          </p>
          {data.last && (
            <p className="front-words">
              {say("mailed.last", {
                transition: data.last.transition,
                by: data.last.person === null ? "program" : "person",
                person: data.last.person ?? "",
                at: show.moment(data.last.at),
              })}
            </p>
          )}
          <RecordFacts of={data} />
          {toRecord(data.path)}
        </FrontMessage>
      );
    case "used":
      return (
        <FrontMessage title={say("mailed.used")}>
          <p className="front-words">
            {say("mailed.used.words", { transition: data.transition, at: show.moment(data.at) })}
          </p>
          {toRecord(data.path)}
        </FrontMessage>
      );
    case "expired":
      return (
        <FrontMessage title={say("mailed.expired")}>
          <p className="front-words">
            {say("mailed.expired.words", { transition: data.transition, hours: data.hours })}
          </p>
          {toRecord(data.path)}
        </FrontMessage>
      );
    case "other":
      return (
        <FrontMessage title={say("mailed.other")}>
          <p className="front-words">{say("mailed.other.words", { person: person?.name ?? "" })}</p>
          {toRecord(data.path)}
        </FrontMessage>
      );
    case "hidden":
    case "gone":
      return (
        <FrontMessage title={say(data.state === "gone" ? "mailed.gone" : "mailed.hidden")}>
          <p className="front-words">{say(data.state === "gone" ? "mailed.gone.words" : "mailed.hidden.words")}</p>
          <Button look="primary" className="large" onClick={onDone}>
            {say("stop.done.open", { name })}
          </Button>
        </FrontMessage>
      );
  }
};

/** `isNamed`: the title of the page has the label already. */
const RecordFacts = ({ of: { label, facts }, isNamed = false }: { of: MailedRecordJson; isNamed?: boolean }) =>
  isNamed && facts.length === 0 ? null : (
    <section className="front-record" aria-label={label}>
      {!isNamed && <p>{label}</p>}
      {facts.length > 0 && (
        <dl>
          {facts.map(([title, value]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );

interface ReadyTransitionProps {
  readonly token: string;
  readonly ready: Ready;
  readonly onMade: () => void;
  /** Reads the link again; resolves to true if the transition can still be made. */
  readonly onAgain: () => Promise<boolean>;
  readonly onOpen: (path: string) => void;
}

const ReadyTransition = ({ token, ready, onMade, onAgain, onOpen }: ReadyTransitionProps) => {
  const { calls } = useClient();
  const queries = useQueryClient();
  const context = useLocale();
  const { say, show } = useWords();
  const { transition, label, person, becomes, asks, values, version, record: id } = ready;
  const record: RecordJson = { id, version, created_at: "", updated_at: "", ...values };
  const form = useOneShotForm("ask", asks, record, null, async (body) => {
    try {
      await calls.makeMailedTransition(token, body, version);
      onMade();
      await reload(queries, {
        predicate: ({ queryKey: [kind] }) => kind !== keys.application[0] && kind !== keys.mailedTransition(token)[0],
      });
    } catch (thrown) {
      const failure = toFailure(thrown);
      const isAtField = failure.kind === "refused" && (failure.problem.errors?.length ?? 0) > 0;
      // Otherwise the link or the record has changed, and the page shows how.
      if (!isAtField && failure.kind === "refused") await onAgain();
      throw thrown;
    }
  });
  const failed = say("mailed.failed", { transition });
  return (
    <SiblingValuesProvider value={{ ...getSiblingsOfForm(form.form, id, context), narrowed: {} }}>
      <form className="front-form front-fields" noValidate onSubmit={form.submit}>
        <h1>{say("mailed.ready", { transition, label })}</h1>
        <SignInProblem failure={form.failure} title={failed} />
        {form.form.errors.length > 0 && <ErrorSummary title={failed} node={form.form} draftStored={false} />}
        <RecordFacts of={ready} isNamed />
        {ready.signIn ? (
          <>
            <p className="front-words">
              {say("mailed.sign.in", { fields: show.list(asks.map((field) => field.label)) })}
            </p>
            <Button look="primary" className="large" onClick={() => onOpen(ready.path)}>
              {say("sign.in.do")}
            </Button>
          </>
        ) : (
          <>
            <OneShotFields oneShot={form} />
            <p className="front-words">
              {becomes === null ? say("mailed.as", { person }) : say("mailed.as.to", { person, state: becomes })}
            </p>
            <Button type="submit" look="primary" className="large" busy={form.busy}>
              {transition}
            </Button>
            <Button look="quiet" className="large" onClick={() => onOpen(ready.path)}>
              {say("mailed.open")}
            </Button>
          </>
        )}
      </form>
    </SiblingValuesProvider>
  );
};
