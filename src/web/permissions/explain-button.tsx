import { useId } from "react";
import type { WhyNot } from "../../core/wire/records.ts";
import { keepTogether } from "../format/format.ts";
import { useWords } from "../i18n/words.tsx";
import { buttonClass } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { type Popup, PopupPanel, usePopup } from "../ui/overlay/popup.tsx";
import { WhyTop } from "../ui/overlay/why-top.tsx";
import { lazyComponent } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import type { RefusalExplanationProps, TransitionQuestion, WayOn } from "./refusal-explanation.tsx";

/** The title and the sentence, which need no further code and no answer of the server. */
const ShortExplanation = ({ title, why, close }: Pick<RefusalExplanationProps, "title" | "why" | "close">) => (
  <WhyTop title={title} close={close}>
    <p>{why.because}</p>
  </WhyTop>
);

const RefusalExplanation = lazyComponent(
  async () => ({ default: (await import("./refusal-explanation.tsx")).RefusalExplanation }),
  ShortExplanation,
);

interface RefusalPanelProps extends Omit<RefusalExplanationProps, "close"> {
  readonly popup: Popup;
  /** The side of its anchor at which it is aligned. */
  readonly side?: "start" | "end";
}

/** The panel that explains a refusal, beside the control that asked. */
export const RefusalPanel = ({ popup, side = "end", ...explanation }: RefusalPanelProps) => {
  const { title, why } = explanation;
  return (
    <PopupPanel popup={popup} side={side} label={title} className="why" focus="panel">
      <LoadingBoundary fallback={<ShortExplanation title={title} why={why} close={popup.close} />}>
        <RefusalExplanation {...explanation} close={popup.close} />
      </LoadingBoundary>
    </PopupPanel>
  );
};

interface RefusedLineProps {
  readonly label: string;
  readonly words: string;
  readonly why: WhyNot;
  readonly question: TransitionQuestion;
  /** Offered in the explanation. */
  readonly instead?: WayOn;
}

/** A quiet line that says why an act is missing, because another takes its place. It explains itself when pressed. */
export const RefusedLine = ({ label, words, why, question, instead }: RefusedLineProps) => {
  const { say } = useWords();
  const popup = usePopup();
  const title = say("why.title", { action: label });
  return (
    <>
      <button type="button" {...popup.control} className="refused-line" aria-haspopup="dialog">
        <Icon name="lock" size={13} />
        <span>{keepTogether(words)}</span>
      </button>
      <RefusalPanel popup={popup} side="start" title={title} why={why} question={question} instead={instead} />
    </>
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
  const { say } = useWords();
  const popup = usePopup();
  const reason = useId();
  const title = say("why.title", { action: label });
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
        title={why.because}
      >
        <Icon name="lock" size={14} />
        <span className="button-words">{label}</span>
      </button>
      <span id={reason} hidden>
        {why.because}
      </span>
      <RefusalPanel popup={popup} side={side} title={title} why={why} question={question} instead={instead} />
    </>
  );
};
