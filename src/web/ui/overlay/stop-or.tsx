import type { ReactNode } from "react";
import { useDelayed } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../control/button.tsx";
import "./stop-or.css";

/** How far an act on several records is. */
export interface RunningAct {
  readonly done: number;
  readonly count: number;
  /** Leaves those as they are that are not begun. */
  readonly stop: () => void;
  readonly isStopping: boolean;
}

/** Milliseconds for which a short act shows only that it is busy. */
export const SHORT = 500;

interface StopOrProps {
  /** The act on several records that is being performed; null if none is. */
  readonly running: RunningAct | null;
  /** The button that leaves the dialog, in whose place the act is stopped. */
  readonly children: ReactNode;
}

/** How far an act on several records is, and a button that stops it; without one, the way out of its dialog. */
export const StopOr = ({ running, children }: StopOrProps) => {
  const { say } = useWords();
  const isLong = useDelayed(running !== null, SHORT);
  if (running === null || !isLong) return children;
  const { done, count, stop, isStopping } = running;
  const words = say(isStopping ? "bulk.stopping" : "bulk.running", { done, count });
  return (
    <>
      <Button look="quiet" aria-disabled={isStopping || undefined} onClick={() => isStopping || stop()}>
        {say("bulk.stop")}
      </Button>
      <span className="running-act">
        <progress max={count} value={done} aria-label={words} />
        <span className="figures">{words}</span>
      </span>
    </>
  );
};
