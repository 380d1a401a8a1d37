/** The query parameters of a list for each kind of paging. */
export const pagingWords = { cursor: ["limit", "after"], offset: ["limit", "offset"], none: [] } as const;
