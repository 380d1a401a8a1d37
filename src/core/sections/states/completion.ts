/** The transition that happens when enough people have made a transition with `needs`. */
export const toCompletionName = (transition: string): string => `${transition}_complete`;
