import { useId } from "react";
import type { WhyNot } from "../../core/wire.ts";
import { buttonClass, IconButton } from "../part/button.tsx";
import { Clause } from "../part/clause.tsx";
import { Icon } from "../part/icon.tsx";
import { type Popup, PopupPanel, usePopup } from "../part/popup.tsx";
import { useToast } from "../part/spoken.tsx";
import { useWords } from "../words/words.tsx";

/** Why something is refused: the question, the sentence, the clause that decides. */
const WhyPanel = ({ popup, label, why }: { popup: Popup; label: string; why: WhyNot }) => {
  const { say } = useWords();
  const toast = useToast();
  const heading = useId();
  const question = say("why.title", { action: label });
  const copy = async () => {
    await navigator.clipboard.writeText(`${question}\n${why.because}\n${why.clause} ${why.code}`);
    toast(say("why.copied"));
  };
  return (
    <PopupPanel popup={popup} side="end" labelledBy={heading} className="why" focus="panel">
      <div className="why-top">
        <h2 id={heading}>{question}</h2>
        <p>{why.because}</p>
      </div>
      <div className="why-foot">
        <span className="why-decides">{say("why.decides")}</span>
        <Clause of={why.clause} />
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
export const RefusedButton = ({ label, why, className = "" }: { label: string; why: WhyNot; className?: string }) => {
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
      <WhyPanel popup={popup} label={label} why={why} />
    </>
  );
};
