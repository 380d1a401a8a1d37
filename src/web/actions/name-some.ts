import type { Words } from "../i18n/words.tsx";

/** At most this many records are named. */
const MOST_NAMED = 3;

/** "Lamp, Tripod, Cable and 4 more" */
export const nameSome = ({ say, show }: Words, names: readonly string[]): string => {
  const count = Math.max(0, names.length - MOST_NAMED);
  return show.list([...names.slice(0, MOST_NAMED), ...(count > 0 ? [say("bulk.left.more", { count })] : [])]);
};
