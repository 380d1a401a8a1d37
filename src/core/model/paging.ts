/** The query parameters of a list for each kind of paging. */
export const pagingWords = { cursor: ["limit", "after"], offset: ["limit", "offset"], none: [] } as const;

/** The query parameter of a list whose caller chooses the order. */
export const SORT_WORD = "sort";

/** The query parameter of a response whose caller chooses its members. */
export const FIELDS_WORD = "fields";
