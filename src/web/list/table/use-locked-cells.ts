import { type PointerEvent as ReactPointerEvent, useEffect, useRef } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";

/** Milliseconds that the pointer stays on a row before its record is read. */
const DWELL = 120;
/** Milliseconds that an answer is used again. */
const FRESH = 10_000;

/**
 * Reads the record under the pointer, and marks its locked cells with `data-locked`: their pointer says that a press opens
 * the row. The rows of a list have no permissions of their own, because all of them would cost more than this one.
 */
export const useLockedCells = (entity: EntityJson): ((event: ReactPointerEvent) => void) => {
  const { calls, queries } = useClient();
  const waiting = useRef({ timer: 0, row: null as Element | null });
  useEffect(() => () => clearTimeout(waiting.current.timer), []);
  return ({ target, pointerType }) => {
    const row = target instanceof Element ? target.closest("tr") : null;
    if (row === waiting.current.row || pointerType === "touch") return;
    clearTimeout(waiting.current.timer);
    waiting.current.row = row;
    const id = row?.querySelector<HTMLElement>("[data-row]")?.dataset.row;
    const cells = [...(row?.querySelectorAll<HTMLElement>("td[data-field]") ?? [])];
    if (id === undefined || cells.length === 0) return;
    const mark = async () => {
      const record = await queries.fetchQuery({
        queryKey: keys.record(entity.calls, id),
        queryFn: ({ signal }) => calls.record(entity.calls, id, signal),
        staleTime: FRESH,
      });
      for (const cell of cells)
        if (record.may?.update.includes(cell.dataset.field ?? "")) delete cell.dataset.locked;
        else cell.dataset.locked = "";
    };
    waiting.current.timer = window.setTimeout(() => void mark().catch(() => undefined), DWELL);
  };
};
