import type { WordId } from "../../core/i18n/catalogue.ts";
import { useClient, useStore } from "../app/app-context.tsx";
import { useWords, type Words } from "../i18n/words.tsx";
import { CheckBox } from "../ui/control/check-box.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";

/** The shortcuts, with the names of keys in the reader's language. */
const listShortcuts = ({ say }: Words): readonly { readonly keys: readonly string[]; readonly does: WordId }[] => {
  const [control, shift, enter] = [say("key.control"), say("key.shift"), say("key.enter")];
  return [
    { keys: ["↑", "↓"], does: "keys.rows" },
    { keys: [enter], does: "keys.open" },
    { keys: ["M"], does: "keys.move" },
    { keys: ["X"], does: "keys.select" },
    { keys: ["."], does: "keys.menu" },
    { keys: ["→"], does: "keys.width" },
    { keys: [`${shift} ←`, `${shift} →`], does: "keys.end" },
    { keys: ["/"], does: "keys.filter" },
    { keys: ["C"], does: "keys.create" },
    { keys: ["K", "J"], does: "keys.neighbours" },
    { keys: ["E"], does: "keys.edit" },
    { keys: [`${control} ${enter}`], does: "keys.save" },
    { keys: [`${control} K`], does: "keys.palette" },
    { keys: ["G", "…"], does: "keys.go" },
    { keys: ["W"], does: "keys.why" },
    { keys: ["?"], does: "keys.list" },
  ];
};

/** Keyboard shortcuts, with a switch for those of a printable character. */
const KeysDialog = ({ onClose }: { onClose: () => void }) => {
  const { preferences } = useClient();
  const words = useWords();
  const { say } = words;
  const on = useStore(preferences.singleKeys);
  return (
    <Dialog title={say("keys.title")} onClose={onClose} read>
      <dl className="keys">
        {listShortcuts(words).map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{say(does)}</dd>
          </div>
        ))}
      </dl>
      <CheckBox className="in-dialog" checked={on} onTurn={preferences.singleKeys.set}>
        {say("keys.single")}
      </CheckBox>
    </Dialog>
  );
};

export default KeysDialog;
