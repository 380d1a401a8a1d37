import { EditorView } from "@codemirror/view";

/**
 * Replaces selected text by typed text. The browser would merge the selected lines and give the rest an inline style, which
 * the content security policy forbids.
 */
export const typeOverSelection = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data, isComposing }, view) => {
    const { state } = view;
    const isReplacing = inputType === "insertText" && data !== null && !isComposing;
    if (!isReplacing || state.selection.main.empty || state.readOnly) return false;
    view.dispatch(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});
