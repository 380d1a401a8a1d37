import { type PointerEvent, useState } from "react";
import { grown, letters } from "../app/font-scale.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { clockOf, type MakeAt } from "./create-at.ts";
import { hourHeight } from "./hour-height.ts";

/** What is made by a press begins at such minutes. */
const step = 30;

/**
 * The free time of a day under the pointer: a press begins one there. The day's figure offers the same by keyboard, and so this
 * is for the pointer alone.
 */
export const FreeHour = ({
  day,
  from,
  to,
  makeAt,
}: {
  readonly day: string;
  /** The hours that are drawn. */
  readonly from: number;
  readonly to: number;
  readonly makeAt: MakeAt;
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
            insetBlockStart: grown(((minutes - from * 60) / 60) * hourHeight),
            blockSize: grown(hourHeight - 2),
          }}
        >
          <Icon name="plus" size={13} />
          {show.clock(clockOf(minutes))}
        </Link>
      )}
    </div>
  );
};
