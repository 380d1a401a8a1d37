/** True for a selected row if others are selected, too. */
export const isOneOfSeveral = (selected: ReadonlySet<string>, id: string | undefined): boolean =>
  id !== undefined && selected.size > 1 && selected.has(id);
