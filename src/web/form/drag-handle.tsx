import type { PointerEvent } from "react";
import { Icon } from "../ui/icon.tsx";

/** Moves a row by dragging, or with the arrow keys. */
export const DragHandle = ({
  label,
  describedBy,
  onKey,
  onOver,
}: {
  readonly label: string;
  readonly describedBy: string;
  readonly onKey: (by: number) => void;
  readonly onOver: (at: number) => void;
}) => {
  const drag = (event: PointerEvent<HTMLButtonElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const own = event.currentTarget.closest<HTMLElement>("[data-row]");
    let under = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-row]");
    // An element inside another row of the list stands for that row.
    while (under && under.parentElement !== own?.parentElement)
      under = under.parentElement?.closest<HTMLElement>("[data-row]");
    if (under) onOver(Number(under.dataset.row?.split(".").at(-1)) - 1);
  };
  return (
    <button
      type="button"
      className="move-handle"
      aria-label={label}
      aria-describedby={describedBy}
      title={label}
      onKeyDown={(event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        event.preventDefault();
        onKey(event.key === "ArrowUp" ? -1 : 1);
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    >
      <Icon name="move" />
    </button>
  );
};
