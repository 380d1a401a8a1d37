import { EditorSelection } from "@codemirror/state";
import type { Command } from "@codemirror/view";
import { isInBlock } from "./highlight-lines.ts";

const ITEM = /^(\s*)(?:([-*+])|(\d{1,9})([.)]))(\s+)/u;

/** The item after another one in a list. */
interface NextItem {
  /** Its beginning: `2. ` after `1. Buy`. */
  readonly mark: string;
  /** The length of the beginning of the line before. */
  readonly after: number;
  /** True if the line before has no words. */
  readonly isEmpty: boolean;
}

/** The item after this line; undefined if the line is none. */
export const findNextItem = (line: string): NextItem | undefined => {
  const [own, indent = "", bullet, number, sign = "", space = ""] = ITEM.exec(line) ?? [];
  if (own === undefined) return undefined;
  const mark = `${indent}${bullet ?? `${Number(number) + 1}${sign}`}${space}`;
  return { mark, after: own.length, isEmpty: own.length === line.length };
};

/** Begins the next item of a list in prose, or ends the list after an item without words. Lists of blocks are left alone. */
export const continueList: Command = ({ state, dispatch }) => {
  const { main, ranges } = state.selection;
  const line = state.doc.lineAt(main.from);
  const next = findNextItem(line.text);
  const isAfterMark = next !== undefined && main.from - line.from >= next.after;
  if (state.readOnly || ranges.length > 1 || !main.empty || !isAfterMark || isInBlock(state, main.from)) return false;
  const changes = next.isEmpty
    ? { from: line.from, to: line.to }
    : { from: main.from, insert: `${state.lineBreak}${next.mark}` };
  const at = next.isEmpty ? line.from : main.from + state.lineBreak.length + next.mark.length;
  dispatch(state.update({ changes, selection: EditorSelection.cursor(at), scrollIntoView: true, userEvent: "input" }));
  return true;
};
