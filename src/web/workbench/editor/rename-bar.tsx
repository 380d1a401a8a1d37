import { type KeyboardEvent, useState } from "react";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import "./text-bars.css";

/** Asks for the new name of something, and says why another one is needed. */
export const RenameBar = ({
  name,
  onRename,
  onClose,
}: {
  readonly name: string;
  /** Renames it. The sentence says why that is not possible; undefined if it is done. */
  readonly onRename: (to: string) => Promise<string | undefined>;
  readonly onClose: () => void;
}) => {
  const { say } = useWords();
  const [to, setTo] = useState(name);
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const rename = async (): Promise<void> => {
    if (isBusy) return;
    if (to === name) {
      onClose();
      return;
    }
    setBusy(true);
    try {
      setRefusal(await onRename(to));
    } catch {
      setRefusal(say("editor.failed"));
    } finally {
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    } else if (event.key === "Enter") {
      event.preventDefault();
      void rename();
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the bar is no form of the page, and Enter must not send one
    <div className="find-bar" role="group" aria-label={say("editor.rename.of", { name })}>
      <div className="find-row">
        <span className="box">
          <SearchInput
            autoFocus
            aria-label={say("editor.rename.to")}
            aria-invalid={refusal !== undefined}
            aria-describedby={refusal === undefined ? undefined : "rename-refusal"}
            value={to}
            spellCheck={false}
            autoCapitalize="off"
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => {
              setTo(event.currentTarget.value.trim());
              setRefusal(undefined);
            }}
            onKeyDown={onKeyDown}
          />
        </span>
        <Button small look="primary" aria-disabled={isBusy || undefined} onClick={() => void rename()}>
          {say("editor.rename.do")}
        </Button>
        <IconButton small icon="close" label={say("close")} onClick={onClose} />
      </div>
      <p id="rename-refusal" className={refusal === undefined ? "pane-second" : "rename-refused"} role="status">
        {refusal ?? say("editor.rename.help")}
      </p>
    </div>
  );
};
