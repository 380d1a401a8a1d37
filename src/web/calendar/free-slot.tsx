import { type PointerEvent, useState } from "react";
import { letters, scaleLength } from "../app/font-scale.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { type CreateAt, toClock } from "./create-at.ts";
import { hourHeight } from "./hour-height.ts";

/** Granularity of start times, in minutes. */
const step = 30;

/**
 * Free time of a day: a click creates a record at that time. For the pointer only; the day's button offers the same by
 * keyboard.
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
  const [minutes, setMinutes] = useState<number | null>(null);
  const point = ({ clientY, currentTarget, pointerType }: PointerEvent<HTMLDivElement>) => {
    if (pointerType !== "mouse") return;
    const within = (clientY - currentTarget.getBoundingClientRect().top) / (hourHeight * letters());
    const at = Math.floor((within * 60) / step) * step + from * 60;
    setMinutes(Math.max(from * 60, Math.min(at, to * 60 - step)));
  };
  return (
    <div className="free-hours" aria-hidden="true" onPointerMove={point} onPointerLeave={() => setMinutes(null)}>
      {minutes !== null && (
        <Link
          href={makeAt(day, minutes)}
          tabIndex={-1}
          className="free-hour"
          style={{
            insetBlockStart: scaleLength(((minutes - from * 60) / 60) * hourHeight),
            blockSize: scaleLength(hourHeight - 2),
          }}
        >
          <Icon name="plus" size={13} />
          {show.clock(toClock(minutes))}
        </Link>
      )}
    </div>
  );
};
