import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { StepJson, WayJson, WhyJson, WhyNot } from "../../core/wire.ts";
import { keys } from "../client/queries.ts";
import { buttonClass, IconButton } from "../part/button.tsx";
import { Clause } from "../part/clause.tsx";
import { useClient, usePerson } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { type Popup, PopupPanel, usePopup } from "../part/popup.tsx";
import { useToast } from "../part/spoken.tsx";
import { useWords } from "../words/words.tsx";

/** What is asked: something that can be done, `Request.grant`, and with which record. */
export interface Question {
  readonly what: string;
  readonly record: string;
}

const stepWords = { holds: "why.holds", fails: "why.fails", unknown: "why.unknown" } as const;

/** A step that holds, does not, or is not for everybody to know. */
const StepLine = ({ step }: { step: StepJson }) => {
  const { say } = useWords();
  const how = step.holds === null ? "unknown" : step.holds ? "holds" : "fails";
  return (
    <li className={`why-step ${how}`}>
      <span role="img" aria-label={say(stepWords[how])}>
        <Icon name={how === "holds" ? "check" : how === "fails" ? "close" : "hide"} size={14} />
      </span>
      <span>
        {step.says}
        {step.holds === false && step.found.length > 0 && (
          <span className="why-found">
            {step.found.map(({ field, value }) => say("why.found", { field, value })).join(", ")}
          </span>
        )}
      </span>
    </li>
  );
};

const WayBlock = ({ way }: { way: WayJson }) => {
  const { say } = useWords();
  return (
    <li className="why-way">
      <p>
        {say(way.held ? "why.as" : "why.as.not", { role: way.role })} <ClauseLink of={way.clause} />
      </p>
      {way.held && way.needs.length > 0 && (
        <ul>
          {way.needs.map((need) => (
            <StepLine key={need.says} step={need} />
          ))}
        </ul>
      )}
    </li>
  );
};

/** An administrator follows a clause to its line; to others it is a name. */
const ClauseLink = ({ of }: { of: string }) =>
  usePerson()?.administrator ? (
    <Link href={`/workbench/document?clause=${encodeURIComponent(of)}`}>
      <Clause of={of} />
    </Link>
  ) : (
    <Clause of={of} />
  );

/** The clauses that decide it, one by one: asked for when somebody wants to know. */
const Steps = ({ question }: { question: Question }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const query = useQuery({
    queryKey: keys.why(question.what, question.record),
    queryFn: ({ signal }) => calls.why(question.what, question.record, signal),
    staleTime: 0,
    retry: false,
  });
  const { data } = query;
  if (data === undefined || data.answer !== "no") return null;
  return <WhySteps why={data} title={say("why.steps")} />;
};

const WhySteps = ({ why, title }: { why: WhyJson; title: string }) => {
  const { say } = useWords();
  return (
    <div className="why-steps">
      <p className="why-because">{why.because}</p>
      <h3>{title}</h3>
      <ul>
        {why.ways.map((way) => (
          <WayBlock key={`${way.clause} ${way.role} ${way.needs.map(({ says }) => says).join()}`} way={way} />
        ))}
        {why.musts.length > 0 && (
          <li className="why-way">
            <p>{say("why.musts")}</p>
            <ul>
              {why.musts.map((must) => (
                <StepLine key={`${must.clause} ${must.says}`} step={must} />
              ))}
            </ul>
          </li>
        )}
      </ul>
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
        {question && <Steps question={question} />}
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
