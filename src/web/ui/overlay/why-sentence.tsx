import { type ReactNode, useId } from "react";
import { useWords } from "../../i18n/words.tsx";
import { ClauseLink } from "../clause.tsx";
import { IconButton } from "../control/button.tsx";
import { PopupPanel, usePopup } from "./popup.tsx";
import { useToast } from "./toast.tsx";

/** The last line of an explanation: the deciding clause, and buttons that copy the explanation and close it. */
export const WhyFoot = ({ clause, copied, close }: { clause: string; copied: string; close: () => void }) => {
  const { say } = useWords();
  const toast = useToast();
  const copy = async () => {
    await navigator.clipboard.writeText(copied);
    toast(say("why.copied"));
  };
  return (
    <div className="why-foot">
      <span className="why-decides">{say("why.decides")}</span>
      <ClauseLink of={clause} />
      <span className="grow" />
      {"clipboard" in navigator && <IconButton icon="copy" label={say("why.copy")} small onClick={() => void copy()} />}
      <IconButton icon="close" label={say("close")} small onClick={close} />
    </div>
  );
};

/** "Why?": opens a panel that repeats the words and names the deciding clause. */
export const WhyButton = ({ words, clause, describedBy }: { words: string; clause: string; describedBy: string }) => {
  const { say } = useWords();
  const popup = usePopup();
  const heading = useId();
  return (
    <>
      <button
        type="button"
        {...popup.control}
        className="why-ask"
        aria-haspopup="dialog"
        aria-describedby={describedBy}
      >
        {say("why.ask")}
      </button>
      <PopupPanel popup={popup} labelledBy={heading} className="why" focus="panel">
        <div className="why-top">
          <h2 id={heading}>{words}</h2>
        </div>
        <WhyFoot clause={clause} copied={`${words}\n${clause}`} close={popup.close} />
      </PopupPanel>
    </>
  );
};

/**
 * The sentence of a refusal, followed by "Why?", which names the deciding clause. Contains block elements: not for
 * paragraphs.
 */
export const WhySentence = ({
  words,
  clause,
  children = words,
}: {
  words: string;
  clause: string | null | undefined;
  /** The sentence as shown, such as a link; by default the plain words. */
  children?: ReactNode;
}) => {
  const sentence = useId();
  if (!clause) return <span>{children}</span>;
  return (
    <>
      <span id={sentence}>{children}</span> <WhyButton words={words} clause={clause} describedBy={sentence} />
    </>
  );
};
