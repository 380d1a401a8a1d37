import { useCallback, useState } from "react";
import { isOneOfSeveral } from "./selection/one-of-several.ts";
import type { CellToEdit } from "./table/list-row.tsx";

/**
 * The focus of the bar for the selected rows, which a key asks for at none or at one of them: the bar shows that key, also
 * with a single selected row. At the cell of one of several, a key edits its field in all of them.
 */
export const useBarFocus = (selected: ReadonlySet<string>) => {
  const [isWanted, setWanted] = useState(false);
  const [asked, setAsked] = useState<{ readonly cell: CellToEdit | null; readonly of: ReadonlySet<string> } | null>(
    null,
  );
  // Until permissions are loaded, somebody may select other rows: the key was not meant for those.
  const isMeant = asked?.of.size === selected.size && [...selected].every((id) => asked.of.has(id));
  const cell = isMeant ? asked.cell : null;
  const editFromRow = (edited: CellToEdit): boolean => {
    if (isOneOfSeveral(selected, edited.id)) setAsked({ cell: edited, of: selected });
    return isOneOfSeveral(selected, edited.id);
  };
  const editSelected = () => setAsked({ cell: null, of: selected });
  const editSeveral = (id: string): boolean => {
    if (isOneOfSeveral(selected, id)) editSelected();
    return isOneOfSeveral(selected, id);
  };
  const call = () => setWanted(true);
  const callFromRow = (id: string | undefined): boolean => {
    const isOffered = id === undefined ? selected.size > 0 : selected.has(id);
    if (isOffered) call();
    return isOffered;
  };
  const onReached = useCallback(() => {
    setWanted(false);
    setAsked(null);
  }, []);
  return {
    isWanted,
    isEditWanted: isMeant && asked.cell === null,
    call,
    callFromRow,
    cell,
    field: cell?.field ?? null,
    editFromRow,
    editSeveral,
    editSelected,
    onReached,
  };
};
