/** What the address of a list takes for its pages. */
export const pagingWords = { cursor: ["limit", "after"], offset: ["limit", "offset"], none: [] } as const;
