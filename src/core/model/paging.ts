/** The query parameters of a list for each kind of paging. */
export const pagingWords = { cursor: ["limit", "after"], offset: ["limit", "offset"], none: [] } as const;

/** The query parameter of a list whose caller chooses the order. */
export const SORT_WORD = "sort";
