import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { WhyNot } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { buttonClass } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { type Popup, PopupPanel, usePopup } from "../ui/overlay/popup.tsx";
import { WhyFoot } from "../ui/overlay/why-sentence.tsx";
import { lazyComponent, PageNotLoaded } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import type { TransitionAct } from "../workflow/record-acts.ts";

const ExplainSteps = lazyComponent(
  async () => ({ default: (await import("./explain-steps.tsx")).ExplainSteps }),
  PageNotLoaded,
);
const ActsInstead = lazyComponent(
  async () => ({ default: (await import("../workflow/acts-instead.tsx")).ActsInstead }),
  PageNotLoaded,
);

/** The possible acts in the place of the refused one, and a function that performs one of them. */
interface WayOn {
  readonly acts: readonly TransitionAct[];
  readonly perform: (act: TransitionAct) => void;
}

/** The action, `Request.grant`, the record, and the field that it is about. */
export interface TransitionQuestion {
  readonly what: string;
  readonly record: string;
  readonly field?: string;
}

/** Explains a refusal: the question, a sentence, the steps, and the deciding clause. */
const WhyPanel = ({
  popup,
  side,
  label,
  why,
  question,
  instead,
}: {
  popup: Popup;
  side: "start" | "end";
  label: string;
  why: WhyNot;
  question: TransitionQuestion | undefined;
  instead: WayOn | undefined;
}) => {
  const { calls } = useClient();
  const { say } = useWords();
  const heading = useId();
  const title = say("why.title", { action: label });
  // The individual steps, loaded when the panel opens.
  const { what = "", record = "", field = "" } = question ?? {};
  const { data, isPending } = useQuery({
    queryKey: keys.why(what, record, field),
    queryFn: ({ signal }) => calls.why({ do: what, record, field }, signal),
    enabled: question !== undefined && popup.open,
    staleTime: 0,
    retry: false,
  });
  const known = data?.answer === "no" ? data : undefined;
  // The explanation for this record is more specific than the general one.
  const because = known?.because ?? why.because;
  return (
    <PopupPanel popup={popup} side={side} labelledBy={heading} className="why" focus="panel">
      <div className="why-top" aria-busy={question !== undefined && isPending}>
        <h2 id={heading}>{title}</h2>
        <p>{because}</p>
        {instead !== undefined && instead.acts.length > 0 && (
          <LoadingBoundary fallback={null}>
            <ActsInstead
              acts={instead.acts}
              choose={(act) => {
                popup.close();
                instead.perform(act);
              }}
            />
          </LoadingBoundary>
        )}
        {known && known.ways.length + known.musts.length > 0 && (
          <div className="why-path">
            <h3>{say("why.steps")}</h3>
            <LoadingBoundary fallback={null}>
              <ExplainSteps why={known} around={[why.clause]} />
            </LoadingBoundary>
          </div>
        )}
      </div>
      <WhyFoot clause={why.clause} copied={`${title}\n${because}\n${why.clause} ${why.code}`} close={popup.close} />
    </PopupPanel>
  );
};

/** A refused control: it stays in its place, is focusable, and explains itself when pressed. */
export const RefusedButton = ({
  label,
  name,
  why,
  question,
  instead,
  side = "end",
  className = "",
}: {
  label: string;
  /** Its accessible name, if its label alone does not say what it is about. */
  name?: string;
  why: WhyNot;
  question?: TransitionQuestion;
  /** Offered in the explanation. */
  instead?: WayOn;
  /** The side of the button at which the explanation is aligned. */
  side?: "start" | "end";
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
        aria-label={name}
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
      <WhyPanel popup={popup} side={side} label={label} why={why} question={question} instead={instead} />
    </>
  );
};
