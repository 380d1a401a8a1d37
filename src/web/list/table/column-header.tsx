import { type KeyboardEvent, type ReactNode, useRef } from "react";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { letters } from "../../app/font-scale.ts";
import { fields } from "../../field/fields.ts";
import { namesUnit } from "../../format/format.ts";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";

/** A column header: sorts by the column, and resizes it at its edge. */
export const ColumnHeader = ({
  field,
  sort,
  by,
  width,
  pull,
  box,
}: {
  field: FieldJson;
  sort: (field: FieldJson) => void;
  by: string | undefined;
  width: number | undefined;
  pull: (width: number) => void;
  box: ReactNode;
}) => {
  const { say } = useWords();
  const order = by === field.name ? "ascending" : by === `-${field.name}` ? "descending" : undefined;
  const label =
    field.unit && !namesUnit(field) ? say("list.column.unit", { field: field.label, unit: field.unit }) : field.label;
  return (
    <th scope="col" aria-sort={order} className={fields[field.type].end ? "end" : undefined}>
      <div className="head-cell">
        {box}
        {field.sorts ? (
          <button type="button" onClick={() => sort(field)} onKeyDown={toWidth}>
            <span className="cut">{label}</span>
            {order && <Icon name={order === "ascending" ? "sortedUp" : "sortedDown"} size={13} />}
          </button>
        ) : (
          <span className="cut" title={say("list.column.unsorted", { column: field.label })}>
            {label}
          </span>
        )}
      </div>
      <WidthHandle
        label={say("columns.width", { column: field.label })}
        width={width}
        pull={pull}
        stop={!field.sorts}
      />
    </th>
  );
};

const step = 16;

/** An arrow key moves from the header to its resize handle, so each column has a single tab stop. */
const toWidth = (event: KeyboardEvent<HTMLElement>) => {
  if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
  event.preventDefault();
  event.currentTarget.closest("th")?.querySelector<HTMLElement>("[role=separator]")?.focus();
};

/** The resize handle of a column, by pointer or arrow keys, following the ARIA window splitter pattern. */
const WidthHandle = ({
  label,
  width,
  pull,
  stop,
}: {
  label: string;
  width: number | undefined;
  pull: (width: number) => void;
  /** True if it is a tab stop. */
  stop: boolean;
}) => {
  const dragStart = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const across = () => (document.documentElement.dir === "rtl" ? -1 : 1);
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved
    <span
      role="separator"
      className="width-handle"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width === undefined ? 0 : Math.round(width)}
      aria-valuemin={64}
      aria-valuemax={1200}
      tabIndex={stop ? 0 : -1}
      onKeyDown={(event) => {
        const by = event.key === "ArrowRight" ? across() : event.key === "ArrowLeft" ? -across() : 0;
        if (by === 0 || width === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        pull(width + by * step);
      }}
      onPointerDown={(event) => {
        if (width === undefined) return;
        dragStart.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (dragStart.current)
          pull(dragStart.current.width + ((event.clientX - dragStart.current.x) / letters()) * across());
      }}
      onPointerUp={() => {
        dragStart.current = null;
      }}
    />
  );
};
