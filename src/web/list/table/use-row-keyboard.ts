import { type RefObject, useEffect, useMemo, useRef } from "react";
import { useClient, useKeys } from "../../app/app-context.tsx";
import type { EditCell } from "./list-row.tsx";

/** The link of the focused row. */
export const rowInFocus = (): HTMLElement | null =>
  document.activeElement?.closest("tr, li")?.querySelector<HTMLElement>("[data-row]") ?? null;

interface RowActs {
  readonly select: (id: string, extend: boolean) => void;
  /** Selects all rows that are shown, or none if all are selected. */
  readonly selectAll: () => void;
  readonly last: () => string | null;
  readonly clear: () => void;
  /** Opens the menu of a row beside its link. */
  readonly menu: (id: string, beside: HTMLElement) => void;
  readonly edit: EditCell;
}

/** The cells of a row that can be edited. */
export const cellsOf = (row: Element | null | undefined): readonly HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>("td[data-field]") ?? []),
];

/** The focused cell, among those that can be edited. */
const cellInFocus = (): HTMLElement | null => {
  const { activeElement } = document;
  return activeElement instanceof HTMLTableCellElement && activeElement.dataset.field !== undefined
    ? activeElement
    : null;
};

/** The row before or after the one in focus; the first one if none is in focus. */
const findNextRow = (region: HTMLElement | null, row: HTMLElement | null, by: 1 | -1): HTMLElement | undefined => {
  const all = [...(region?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const at = row ? all.indexOf(row) : -1;
  return at < 0 ? (by === 1 ? all[0] : undefined) : all[at + by];
};

/** Up and down move between the rows of all lists in the region. */
export const useRowArrows = (region: RefObject<HTMLElement | null>): void => {
  const keys = useMemo(() => {
    const move = (by: 1 | -1) => (event: KeyboardEvent) => {
      const to = findNextRow(region.current, rowInFocus(), by);
      if (to === undefined) return;
      event.preventDefault();
      to.focus({ preventScroll: true });
      to.scrollIntoView({ block: "nearest" });
    };
    return { ArrowDown: move(1), ArrowUp: move(-1) };
  }, [region]);
  useKeys(keys);
};

/**
 * Arrow keys move between rows and cells, with Shift they select; X toggles the selection, Shift+X that of all rows, a
 * full stop opens the menu, F2 edits, Escape clears the selection.
 */
export const useRowKeys = (region: RefObject<HTMLElement | null>, acts: RowActs): void => {
  const latest = useRef(acts);
  latest.current = acts;
  const keys = useMemo(() => {
    const move = (by: 1 | -1) => (event: KeyboardEvent) => {
      const row = rowInFocus();
      const to = findNextRow(region.current, row, by);
      if (!to) return;
      event.preventDefault();
      const goal = to.dataset.row;
      const { select, last } = latest.current;
      if (event.shiftKey && goal) {
        if (last() === null && row?.dataset.row) select(row.dataset.row, false);
        select(goal, true);
      }
      const column = cellInFocus()?.dataset.field;
      const cell = cellsOf(to.closest("tr")).find(({ dataset }) => dataset.field === column);
      (cell ?? to).focus({ preventScroll: true });
      to.scrollIntoView({ block: "nearest" });
    };
    const across = (by: 1 | -1) => (event: KeyboardEvent) => {
      const row = rowInFocus();
      if (row === null || row.closest("tr") === null) return;
      const stops = [row, ...cellsOf(row.closest("tr"))];
      const step = document.documentElement.dir === "rtl" ? -by : by;
      const next = stops[Math.max(0, stops.indexOf(cellInFocus() ?? row) + step)];
      event.preventDefault();
      next?.focus({ preventScroll: true });
      next?.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    const edit = (event: KeyboardEvent) => {
      const id = rowInFocus()?.dataset.row;
      const cell = cellInFocus() ?? (event.key === "F2" ? cellsOf(rowInFocus()?.closest("tr"))[0] : undefined);
      if (id === undefined || cell?.dataset.field === undefined) return;
      event.preventDefault();
      latest.current.edit({ id, field: cell.dataset.field, cell });
    };
    return {
      ArrowDown: move(1),
      ArrowUp: move(-1),
      ArrowRight: across(1),
      ArrowLeft: across(-1),
      F2: edit,
      Enter: edit,
      x: () => {
        const id = rowInFocus()?.dataset.row;
        if (id) latest.current.select(id, false);
      },
      X: () => latest.current.selectAll(),
      ".": (event: KeyboardEvent) => {
        const row = rowInFocus();
        if (!row?.dataset.row) return;
        event.preventDefault();
        latest.current.menu(row.dataset.row, row);
      },
      Escape: () => latest.current.clear(),
    };
  }, [region]);
  useKeys(keys);
};

/** Frames to wait until a row is rendered after returning to a list, including scrolling. */
const frames = 10;

/** Focuses the row of the record that the user returns from. */
export const useReturnRow = (ids: readonly string[]): void => {
  const { navigation, lastRecord } = useClient();
  const first = useRef(true);
  const hasRows = ids.length > 0;
  useEffect(() => {
    const id = lastRecord.get();
    if (!first.current || !hasRows) return;
    first.current = false;
    if (navigation.scrolled() === null || id === null) return;
    let frame = 0;
    const seek = (left: number) => {
      const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
      if (row) row.focus({ preventScroll: true });
      else if (left > 0) frame = requestAnimationFrame(() => seek(left - 1));
    };
    seek(frames);
    return () => cancelAnimationFrame(frame);
  }, [hasRows, navigation, lastRecord]);
};
