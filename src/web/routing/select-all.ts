/** The end of an address that selects all rows of a list: a tile leads to the acts on several records. */
const SELECT_ALL = "#all";

export const withAllSelected = (address: string): string => `${address}${SELECT_ALL}`;

/** True if the page was opened to select all rows of its list. */
export const asksForAll = ({ hash }: Location): boolean => hash === SELECT_ALL;
