import { type PointerEvent, useState } from "react";
import { useClient } from "../app/app-context.tsx";
import { letters, scaleLength } from "../app/font-scale.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import type { CreateAt } from "./create-at.ts";
import { toClock } from "./entry-layout.ts";
import { hourHeight } from "./hour-height.ts";

/** Granularity of start times, in minutes. */
const step = 30;
/** Pixels that the pointer moves before a press becomes a drag. */
const DRAG = 4;

/**
 * Free time of a day: a click creates a record at that time, a drag one over these hours. For the pointer only; the day's
 * button offers the same by keyboard.
 */
export const FreeSlot = ({
  day,
  from,
  to,
  makeAt,
}: {
  readonly day: string;
  /** The range of hours shown. */
  readonly from: number;
  readonly to: number;
  readonly makeAt: CreateAt;
}) => {
  const { show } = useWords();
  const { navigation } = useClient();
  const [minutes, setMinutes] = useState<number | null>(null);
  const [dragged, setDragged] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const minutesAt = (column: Element, clientY: number): number => {
    const within = (clientY - column.getBoundingClientRect().top) / (hourHeight * letters());
    const at = Math.floor((within * 60) / step) * step + from * 60;
    return Math.max(from * 60, Math.min(at, to * 60 - step));
  };
  const point = ({ clientY, currentTarget, pointerType }: PointerEvent<HTMLDivElement>) => {
    if (pointerType === "mouse") setMinutes(minutesAt(currentTarget, clientY));
  };
  const begin = ({ button, clientY: pressedAt, currentTarget: column, pointerType }: PointerEvent<HTMLDivElement>) => {
    if (pointerType !== "mouse" || button !== 0) return;
    const anchor = minutesAt(column, pressedAt);
    const over = new AbortController();
    const { signal } = over;
    let hours: typeof dragged = null;
    const end = () => {
      over.abort();
      setDragged(null);
    };
    const drag = ({ clientY }: globalThis.PointerEvent) => {
      if (hours === null && Math.abs(clientY - pressedAt) < DRAG) return;
      const at = minutesAt(column, clientY);
      hours = { from: Math.min(anchor, at), to: Math.max(anchor, at) + step };
      setDragged(hours);
    };
    const drop = () => {
      end();
      if (hours !== null) navigation.go(makeAt(day, hours.from, { day, minutes: hours.to }));
    };
    window.addEventListener("pointermove", drag, { signal });
    window.addEventListener("pointerup", drop, { signal });
    window.addEventListener("pointercancel", end, { signal });
    window.addEventListener("keydown", ({ key }) => key === "Escape" && end(), { signal });
  };
  const place = (start: number, length: number) => ({
    insetBlockStart: scaleLength(((start - from * 60) / 60) * hourHeight),
    blockSize: scaleLength((length / 60) * hourHeight - 2),
  });
  return (
    <div
      className="free-hours"
      aria-hidden="true"
      onPointerMove={point}
      onPointerLeave={() => setMinutes(null)}
      onPointerDown={begin}
    >
      {dragged !== null ? (
        // No link, so that the end of the drag is no click on one.
        <div className="free-hour dragged" style={place(dragged.from, dragged.to - dragged.from)}>
          {`${show.clock(toClock(dragged.from))}–${show.clock(toClock(dragged.to))}`}
        </div>
      ) : (
        minutes !== null && (
          <Link
            href={makeAt(day, minutes)}
            tabIndex={-1}
            draggable={false}
            className="free-hour"
            style={place(minutes, 60)}
          >
            <Icon name="plus" size={13} />
            {show.clock(toClock(minutes))}
          </Link>
        )
      )}
    </div>
  );
};
