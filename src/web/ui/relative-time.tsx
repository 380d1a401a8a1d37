import { useStore } from "../app/app-context.tsx";
import { whenWords } from "../format/relative-time.ts";
import { useWords } from "../i18n/words.tsx";

const every = 30_000;

/** The current time, updated while something displays it. */
const clock = (() => {
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const followers = new Set<() => void>();
  return {
    get: () => now,
    subscribe: (follower: () => void) => {
      if (followers.size === 0) {
        now = Date.now();
        timer = setInterval(() => {
          now = Date.now();
          for (const item of followers) item();
        }, every);
      }
      followers.add(follower);
      return () => {
        followers.delete(follower);
        if (followers.size === 0) clearInterval(timer);
      };
    },
  };
})();

/** The current time in milliseconds, updated every half minute. */
export const useNow = (): number => useStore(clock);

/** A relative time, with the full date and time on hover. */
export const RelativeTime = ({ at }: { at: string }) => {
  const { say, show, locale, timezone } = useWords();
  const now = useNow();
  const join = (day: string, time: string) => say("when.at", { day, time });
  return (
    <time dateTime={at} title={show.moment(at)}>
      {whenWords(at, Math.max(now, Date.parse(at)), { locale, timezone, join })}
    </time>
  );
};
