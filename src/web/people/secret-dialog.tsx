import { type ReactNode, useId, useRef, useState } from "react";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";

interface SecretDialogProps {
  readonly title: string;
  readonly words: string;
  readonly label: string;
  readonly secret: string;
  readonly after?: ReactNode;
  readonly onClose: () => void;
}

interface SecretLineProps {
  readonly secret: string;
  /** The id of the input, for a label elsewhere; `label` names it without one. */
  readonly id?: string;
  readonly label?: string;
  readonly small?: boolean;
}

/** A secret in one line, with a button that copies it. */
export const SecretLine = ({ secret, id, label, small = false }: SecretLineProps) => {
  const { say } = useWords();
  const box = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const words = say(copied ? "link.copied" : "link.copy");
  const copy = async () => {
    box.current?.select();
    // Without HTTPS there is no clipboard API; the text can be selected and copied.
    await navigator.clipboard?.writeText(secret).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <div className="link-line">
      <div className="box">
        <input
          ref={box}
          id={id}
          aria-label={label}
          readOnly
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <Button
        small={small}
        icon={copied ? "check" : "copy"}
        // Several secrets can be in one dialog.
        aria-label={label === undefined ? undefined : say("label.value", { label: words, value: label })}
        onClick={() => void copy()}
      >
        {words}
      </Button>
    </div>
  );
};

/** Shows a secret once, to be copied: a link, a token. It is not dismissed by a click outside. */
export const SecretDialog = ({ title, words, label, secret, after, onClose }: SecretDialogProps) => {
  const { say } = useWords();
  const id = useId();
  return (
    <Dialog title={title} onClose={onClose} firm>
      <div className="dialog-form">
        <p className="help-words">{words}</p>
        <div className="form-field">
          <div className="form-label">
            <label htmlFor={id}>{label}</label>
          </div>
          <SecretLine id={id} secret={secret} />
          {after}
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
