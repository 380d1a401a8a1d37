import { useRef, useState } from "react";
import type { LinkJson } from "../../core/wire/people.ts";
import { Button } from "../part/button.tsx";
import { Dialog } from "../part/dialog.tsx";
import { useWords } from "../words/words.tsx";

/** A link that is told this once, to be handed on. */
export const LinkDialog = ({ name, link, onClose }: { name: string; link: LinkJson; onClose: () => void }) => {
  const { say, show } = useWords();
  const box = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const address = new URL(link.link, location.origin).href;
  const copy = async () => {
    box.current?.select();
    // Without HTTPS a browser gives no clipboard; then what is selected can be copied by hand.
    await navigator.clipboard?.writeText(address).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <Dialog title={say("link.title", { name })} onClose={onClose} firm>
      <div className="dialog-form">
        <p className="help-words">
          {link.mailed === undefined
            ? say("link.words", { until: show.moment(link.until) })
            : say("link.mailed", { until: show.moment(link.until), email: link.mailed })}
        </p>
        <div className="form-field">
          <div className="form-label">
            <label htmlFor="link">{say("link.label")}</label>
          </div>
          <div className="link-line">
            <div className="box">
              <input ref={box} id="link" readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
            </div>
            <Button icon={copied ? "check" : "copy"} onClick={() => void copy()}>
              {say(copied ? "link.copied" : "link.copy")}
            </Button>
          </div>
        </div>
        <footer className="dialog-foot">
          <Button look="primary" onClick={onClose}>
            {say("link.done")}
          </Button>
        </footer>
      </div>
    </Dialog>
  );
};
