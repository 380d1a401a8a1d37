/** How high an hour of a week's days is drawn, in the pixels of letters of the usual size. */
export const hourHeight = 44;
