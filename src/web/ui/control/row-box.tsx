import { type ReactNode, useId } from "react";
import { useWords } from "../../i18n/words.tsx";

interface RowBoxProps {
  readonly id: string;
  /** The name of the row. */
  readonly label: string;
  readonly isSelected: boolean;
  /** `extend`: Shift was held, which selects the range from the last selected row. */
  readonly onTurn: (id: string, extend: boolean) => void;
  /** For a label around it. */
  readonly inputId?: string;
}

/** The checkbox that selects a row. */
export const RowBox = ({ id, label, isSelected, onTurn, inputId }: RowBoxProps) => {
  const { say } = useWords();
  return (
    <input
      id={inputId}
      type="checkbox"
      className="select"
      aria-label={say("bulk.select", { label })}
      checked={isSelected}
      data-select={id}
      onChange={({ nativeEvent }) => onTurn(id, (nativeEvent as MouseEvent).shiftKey === true)}
    />
  );
};

/** A row that is selected by a press anywhere in it, as on a phone. */
export const BoxedRow = ({ children, ...box }: Omit<RowBoxProps, "inputId"> & { readonly children: ReactNode }) => {
  const inputId = useId();
  return (
    <label className="selecting" htmlFor={inputId}>
      <RowBox {...box} inputId={inputId} />
      {children}
    </label>
  );
};

interface SelectAllBoxProps {
  readonly selection: { readonly selected: ReadonlySet<string>; readonly selectAll: (on: boolean) => void };
  /** Number of rows that are shown, or that their groups contain. */
  readonly shown: number;
  /** True if it also selects rows of groups that are not loaded yet. */
  readonly isOfGroups?: boolean;
  /** For a label beside it. */
  readonly id?: string;
}

/** The checkbox that selects all rows that are shown, or none. */
export const SelectAllBox = ({
  selection: { selected, selectAll },
  shown,
  isOfGroups = false,
  id,
}: SelectAllBoxProps) => {
  const { say } = useWords();
  const all = shown > 0 && selected.size === shown;
  return (
    <input
      id={id}
      type="checkbox"
      className="select"
      aria-label={isOfGroups ? say("bulk.all", { count: shown }) : say("bulk.select.all")}
      checked={all}
      ref={(box) => {
        if (box) box.indeterminate = !all && selected.size > 0;
      }}
      onChange={() => selectAll(!all)}
    />
  );
};
