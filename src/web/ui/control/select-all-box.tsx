import { useWords } from "../../i18n/words.tsx";

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
