import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import type { EditorActions } from "./assist.ts";
import { listEditorKeys } from "./editor-keys.ts";

/** The actions at the cursor, each with its key. */
export const TextMenu = ({
  actions,
  canChange,
}: {
  readonly actions: EditorActions | null;
  readonly canChange: boolean;
}) => {
  const words = useWords();
  const { say } = words;
  const popup = usePopup();
  const items = listEditorKeys(words).flatMap(({ action, does, keys, changes }): readonly MenuItem[] =>
    changes && !canChange
      ? []
      : [{ key: action, label: say(does), note: keys.join(" "), act: () => actions?.[action]() }],
  );
  return (
    <>
      <IconButton small icon="more" label={say("editor.menu")} aria-haspopup="menu" {...popup.control} />
      <Menu popup={popup} label={say("editor.menu")} items={items} />
    </>
  );
};
