import { type Announcement, createAnnouncement, type Toast } from "../../app/app-state.ts";
import type { Store } from "../../util/store.ts";

const PROGRESS_EVERY = 1_000;
const SPOKEN_EVERY = 5_000;

/**
 * A note about an act on several records that takes longer: says how far it is, at most once in a second, and to screen
 * readers less often. Closed, it does not come back, and it never takes the place of another note and its “Undo”. With
 * `atOnce`, it answers the press of a button that had no other answer, such as “Undo” in a note that is gone with it.
 */
export const createProgressNote = (
  toast: Store<Toast | null>,
  polite: Store<Announcement | null>,
  words: (done: number) => string,
  atOnce = false,
): ((done: number) => void) => {
  const { at } = createAnnouncement("");
  let [last, spoken, wasShown, isClosed] = [Date.now(), 0, false, false];
  const show = (done: number): void => {
    last = Date.now();
    const now = toast.get();
    isClosed ||= wasShown && now === null;
    wasShown = !isClosed && (now === null || now.at === at);
    if (!wasShown) return;
    // Its time stays, so the note is not drawn anew.
    toast.set({ text: words(done), at, isRunning: true });
    if (last - spoken < SPOKEN_EVERY) return;
    spoken = last;
    polite.set(createAnnouncement(words(done)));
  };
  if (atOnce) show(0);
  return (done) => {
    if (Date.now() - last >= PROGRESS_EVERY) show(done);
  };
};
