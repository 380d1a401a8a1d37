/** Height of an hour in the week view, in pixels before scaling. */
export const hourHeight = 44;
