import type { RefObject } from "react";
import type { Failure } from "../api/api-error.ts";
import { ProblemNote } from "../ui/page/problem-note.tsx";

/** A move that was refused or failed. */
export interface FailedMove {
  /** The record that stays where it was. */
  readonly id: string;
  readonly what: string;
  readonly failure: Failure;
}

interface FailedMoveProps extends FailedMove {
  readonly board: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

/** A note after the columns, over their last cards: above, it would move the cards under the pointer. */
export const FailedMoveNote = ({ id, what, failure, board, onClose }: FailedMoveProps) => {
  /** The focus was in the note: it goes to the card that the note is about. */
  const close = () => {
    onClose();
    board.current?.querySelector<HTMLElement>(`[data-row="${id}"]`)?.focus();
  };
  return (
    <div className="note-over">
      <ProblemNote title={what} failure={failure} onClose={close} />
    </div>
  );
};
