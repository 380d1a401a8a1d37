import type { ReactNode } from "react";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../control/button.tsx";

interface WhyTopProps {
  readonly title?: string;
  readonly busy?: boolean;
  readonly close: () => void;
  readonly children: ReactNode;
}

/**
 * An explanation, with the button that closes it where each dialog has it. It is the last stop, because Escape closes too:
 * Tab leads to what is offered first.
 */
export const WhyTop = ({ title, busy = false, close, children }: WhyTopProps) => (
  <div className="why-top" aria-busy={busy}>
    {title !== undefined && <h2>{title}</h2>}
    {children}
    <WhyClose close={close} />
  </div>
);

export const WhyClose = ({ close }: { close: () => void }) => (
  <IconButton className="why-close" icon="close" label={useWords().say("close")} small onClick={close} />
);
