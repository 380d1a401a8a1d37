import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { WhyNot } from "../../core/wire.ts";
import { keys } from "../client/queries.ts";
import { buttonClass, IconButton } from "../part/button.tsx";
import { useClient } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { type Popup, PopupPanel, usePopup } from "../part/popup.tsx";
import { useToast } from "../part/spoken.tsx";
import { useWords } from "../words/words.tsx";
import { ClauseLink, WhySteps } from "./why-steps.tsx";

/** What is asked: something that can be done, `Request.grant`, and with which record. */
export interface Question {
  readonly what: string;
  readonly record: string;
}

/** The clauses that decide it, one by one: asked for when somebody wants to know. */
const Steps = ({ question, said }: { question: Question; said: string }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const query = useQuery({
    queryKey: keys.why(question.what, question.record),
    queryFn: ({ signal }) => calls.why({ do: question.what, record: question.record }, signal),
    staleTime: 0,
    retry: false,
  });
  const { data } = query;
  if (data === undefined || data.answer !== "no") return null;
  return (
    <div className="why-path">
      {data.because !== said && <p className="why-because">{data.because}</p>}
      <h3>{say("why.steps")}</h3>
      <WhySteps why={data} />
    </div>
  );
};

/** Why something is refused: the question, the sentence, the steps, the clause that decides. */
const WhyPanel = ({
  popup,
  label,
  why,
  question,
}: {
  popup: Popup;
  label: string;
  why: WhyNot;
  question: Question | undefined;
}) => {
  const { say } = useWords();
  const toast = useToast();
  const heading = useId();
  const title = say("why.title", { action: label });
  const copy = async () => {
    await navigator.clipboard.writeText(`${title}\n${why.because}\n${why.clause} ${why.code}`);
    toast(say("why.copied"));
  };
  return (
    <PopupPanel popup={popup} side="end" labelledBy={heading} className="why" focus="panel">
      <div className="why-top">
        <h2 id={heading}>{title}</h2>
        <p>{why.because}</p>
        {question && <Steps question={question} said={why.because} />}
      </div>
      <div className="why-foot">
        <span className="why-decides">{say("why.decides")}</span>
        <ClauseLink of={why.clause} />
        <span className="grow" />
        {"clipboard" in navigator && (
          <IconButton icon="copy" label={say("why.copy")} small onClick={() => void copy()} />
        )}
        <IconButton icon="close" label={say("close")} small onClick={popup.close} />
      </div>
    </PopupPanel>
  );
};

/** A control that may not be used stays in its place, can be reached, and says why when it is pressed. */
export const RefusedButton = ({
  label,
  why,
  question,
  className = "",
}: {
  label: string;
  why: WhyNot;
  question?: Question;
  className?: string;
}) => {
  const popup = usePopup();
  const reason = useId();
  return (
    <>
      <button
        type="button"
        {...popup.control}
        className={buttonClass("plain", `refused ${className}`.trim())}
        aria-disabled="true"
        aria-haspopup="dialog"
        aria-describedby={reason}
      >
        <Icon name="lock" size={14} />
        <span className="button-words">{label}</span>
      </button>
      <span id={reason} hidden>
        {why.because}
      </span>
      <WhyPanel popup={popup} label={label} why={why} question={question} />
    </>
  );
};
