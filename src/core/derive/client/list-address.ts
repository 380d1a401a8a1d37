/** Address of a list with a tile's condition. */
export const whereAddress = (path: string, clause: string): string => `${path}?where=${encodeURIComponent(clause)}`;
