import type { WordId } from "../../../core/i18n/catalogue.ts";
import type { Words } from "../../i18n/words.tsx";
import type { EditorActions } from "./assist.ts";

interface EditorKey {
  readonly action: Exclude<keyof EditorActions, "focus">;
  readonly keys: readonly string[];
  readonly does: WordId;
  /** True if it changes the text. */
  readonly changes: boolean;
}

/** The actions of the text editor with their keys, in the reader's language. */
export const listEditorKeys = ({ say }: Words): readonly EditorKey[] => {
  const [control, shift] = [say("key.control"), say("key.shift")];
  return [
    { action: "complete", keys: [control, say("key.space")], does: "editor.complete", changes: true },
    { action: "explain", keys: ["F1"], does: "editor.explain", changes: false },
    { action: "goToDefinition", keys: ["F12"], does: "editor.definition", changes: false },
    { action: "showUses", keys: [shift, "F12"], does: "editor.uses", changes: false },
    { action: "goToName", keys: [control, shift, "O"], does: "editor.goto", changes: false },
    { action: "rename", keys: ["F2"], does: "editor.rename", changes: true },
    { action: "showFixes", keys: [control, "."], does: "editor.fixes", changes: true },
    { action: "undo", keys: [control, "Z"], does: "editor.undo", changes: true },
    { action: "redo", keys: [control, shift, "Z"], does: "editor.redo", changes: true },
    { action: "format", keys: [shift, "Alt", "F"], does: "editor.format", changes: true },
    { action: "fold", keys: [control, shift, "["], does: "editor.fold", changes: false },
    { action: "unfold", keys: [control, shift, "]"], does: "editor.unfold", changes: false },
  ];
};

/** Keys of the page around the text. */
export const listPageKeys = ({
  say,
}: Words): readonly { readonly keys: readonly string[]; readonly does: WordId }[] => [
  { keys: ["E"], does: "keys.edit.text" },
  { keys: ["F6", `${say("key.shift")} F6`], does: "keys.regions.both" },
  { keys: ["F8", `${say("key.shift")} F8`], does: "keys.findings" },
  { keys: [say("key.escape"), say("key.tab")], does: "keys.leave" },
];
