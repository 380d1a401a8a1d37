import { type RefObject, useCallback, useEffect, useMemo, useRef } from "react";
import { keys as queryKeys } from "../../api/query-keys.ts";
import { useApplication, useClient, useKeys } from "../../app/app-context.tsx";
import { createAnnouncement } from "../../app/app-state.ts";
import { editAddress, findSubject } from "../../routing/routes.ts";
import type { EditCell } from "./list-row.tsx";

/** The link of the focused row. In tables of tiles, a row can be continued below. */
export const rowInFocus = (): HTMLElement | null => {
  let row = document.activeElement?.closest("tr, li");
  while (row?.matches(CONTINUED)) row = row.previousElementSibling;
  return row?.querySelector<HTMLElement>("[data-row]") ?? null;
};

/** A row of a table that continues the one above it. */
const CONTINUED = "tr.tile-below";

/** The acts of the keys that select rows, in lists and in tiles. */
export interface SelectionActs {
  readonly select: (id: string, extend: boolean) => void;
  /** Selects all rows that are shown, or none if all are selected. */
  readonly selectAll: () => void;
  readonly last: () => string | null;
  /** True if at least one row is selected. */
  readonly isSelecting: () => boolean;
  readonly clear: () => void;
  /** Goes to the bar with the acts on the selected rows, if the row in focus is one of several or no row is in focus. */
  readonly toBar: (id: string | undefined) => boolean;
  readonly editSelected: () => void;
}

interface RowActs extends SelectionActs {
  /** Opens the menu of a row beside its link. */
  readonly menu: (id: string, beside: HTMLElement) => void;
  readonly edit: EditCell;
  /** Edits all selected rows, if this row is one of several: they can share another field than that of its first cell. */
  readonly editSeveral: (id: string) => boolean;
}

/** The cells of a row that can be edited. */
const cellsOf = (row: Element | null | undefined): readonly HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>("td[data-field]") ?? []),
];

interface Edit {
  readonly field: string;
  readonly cell: HTMLElement;
}

/** The values of a row that can be edited: its cells, and those that only the head of its group shows, beside its link. */
export const editsOf = (link: HTMLElement): readonly Edit[] => {
  const row = link.closest("tr");
  const inHead = row?.dataset.inHead?.split(" ") ?? [];
  return [
    ...cellsOf(row).map((cell) => ({ field: cell.dataset.field ?? "", cell })),
    ...inHead.map((field) => ({ field, cell: link })),
  ];
};

/** The focused cell, among those that can be edited. */
const cellInFocus = (): HTMLElement | null => {
  const { activeElement } = document;
  return activeElement instanceof HTMLTableCellElement && activeElement.dataset.field !== undefined
    ? activeElement
    : null;
};

/** A step to the next or previous row, or to the end of all rows on that side. */
interface Step {
  readonly by: 1 | -1;
  readonly toEnd?: boolean;
}

/** The row that a step leads to; the first one if none is in focus. The end of the rows needs one: Home and End scroll. */
const findNextRow = (region: HTMLElement | null, row: HTMLElement | null, step: Step): HTMLElement | undefined => {
  const all = [...(region?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const at = row ? all.indexOf(row) : -1;
  if (at < 0) return step.by === 1 && !step.toEnd ? all[0] : undefined;
  return step.toEnd ? all.at(step.by === 1 ? -1 : 0) : all[at + step.by];
};

const stepKeys = <Act>(move: (step: Step) => Act) => ({
  ArrowDown: move({ by: 1 }),
  ArrowUp: move({ by: -1 }),
  Home: move({ by: -1, toEnd: true }),
  End: move({ by: 1, toEnd: true }),
});

const goTo = (element: HTMLElement | undefined): void => {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "nearest", inline: "nearest" });
};

/** The next stop of a row, in the direction of an arrow key on the screen; its ends hold. */
const findNextStop = (stops: readonly HTMLElement[], current: HTMLElement, by: 1 | -1): HTMLElement | undefined => {
  const step = document.documentElement.dir === "rtl" ? -by : by;
  return stops[Math.max(0, stops.indexOf(current) + step)];
};

/** A row, and the rows that continue it. */
const partsOf = (row: Element | null): readonly Element[] => {
  const parts: Element[] = [];
  for (let part = row; part !== null; ) {
    parts.push(part);
    const next: Element | null = part.nextElementSibling;
    part = next?.matches(CONTINUED) ? next : null;
  }
  return parts;
};

/** The buttons of a row in a tile, without those of an open menu. */
const buttonsOf = (row: HTMLElement): readonly HTMLElement[] =>
  partsOf(row.closest("tr, li"))
    .flatMap((part) => [...part.querySelectorAll<HTMLElement>("button")])
    .filter((button) => button.offsetParent !== null && button.closest("[popover], dialog") === null);

/** The row at the height of this one in the next tile on that side of the screen. */
const findRowBeside = (region: HTMLElement | null, row: HTMLElement, by: 1 | -1): HTMLElement | undefined => {
  const isOnRight = (by === 1) === (document.documentElement.dir !== "rtl");
  const { top } = row.getBoundingClientRect();
  const tile = row.closest("section")?.getBoundingClientRect();
  if (tile === undefined) return undefined;
  const aside = [...(region?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].flatMap((other) => {
    const place = other.closest("section")?.getBoundingClientRect();
    if (place === undefined) return [];
    const gap = isOnRight ? place.left - tile.right : tile.left - place.right;
    return gap < 0 ? [] : [{ other, gap, height: Math.abs(other.getBoundingClientRect().top - top) }];
  });
  return aside.toSorted((one, other) => one.gap - other.gap || one.height - other.height)[0]?.other;
};

/** Opens the menu of a row in a tile below its link, as the right button of a mouse does. */
const openMenuOf = (_: string, row: HTMLElement): void => {
  const { left: clientX, bottom: clientY } = row.getBoundingClientRect();
  row.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX, clientY }));
};

/** Opens the form of the row in focus, or says why this person cannot edit its record: rows do not know that. */
const useFormKey = () => {
  const { navigation, calls, queries, toast } = useClient();
  const { screens, entities } = useApplication();
  return useCallback(async (): Promise<void> => {
    const { entity: name = "", record: id } = findSubject(screens, rowInFocus()?.getAttribute("href") ?? "") ?? {};
    const entity = entities[name];
    const form = entity?.update === undefined || id == null ? null : editAddress(screens, name, id);
    if (entity === undefined || form === null || id == null) return;
    const { visit } = navigation.get();
    const may = await queries
      .fetchQuery({
        queryKey: queryKeys.record(entity.calls, id),
        queryFn: ({ signal }) => calls.record(entity.calls, id, signal),
      })
      .then(
        (record) => record.may,
        () => undefined,
      );
    if (navigation.get().visit !== visit) return;
    if (may?.update.length === 0 && may.updateRefused !== undefined)
      toast.set({ ...createAnnouncement(may.updateRefused.because), icon: "lock" });
    // A form that cannot be loaded says so itself.
    else if (may?.update.length !== 0) navigation.go(form);
  }, [screens, entities, navigation, calls, queries, toast]);
};

/** The tile of a row; null in a list. */
export const findTileOfRow = (row: Element | null): string | null =>
  row?.closest<HTMLElement>("[data-tile]")?.dataset.tile ?? null;

/**
 * Arrow keys move between rows, Home and End to the first and last row, with Shift they select within a list or a tile; X
 * toggles the selection, Shift+X that of all rows, a full stop opens the menu or goes to the bar of the selected rows, E edits
 * the record or the selected ones, Escape clears the selection.
 */
const buildSelectionKeys = (
  region: RefObject<HTMLElement | null>,
  latest: RefObject<Omit<RowActs, "edit" | "editSeveral">>,
  openForm: () => Promise<void>,
) => {
  const move = (step: Step) => (event: KeyboardEvent) => {
    const row = rowInFocus();
    const to = findNextRow(region.current, row, step);
    if (!to) return;
    event.preventDefault();
    const goal = to.dataset.row;
    const { select, last } = latest.current;
    if (event.shiftKey && goal) {
      if (row !== null && findTileOfRow(row) !== findTileOfRow(to)) return;
      if (last() === null && row?.dataset.row) select(row.dataset.row, false);
      select(goal, true);
    }
    const column = cellInFocus()?.dataset.field;
    goTo(cellsOf(to.closest("tr")).find(({ dataset }) => dataset.field === column) ?? to);
  };
  return {
    ...stepKeys(move),
    e: () => (latest.current.isSelecting() ? latest.current.editSelected() : void openForm()),
    x: () => {
      const id = rowInFocus()?.dataset.row;
      if (id) latest.current.select(id, false);
    },
    X: () => latest.current.selectAll(),
    ".": (event: KeyboardEvent) => {
      const row = rowInFocus();
      if (latest.current.toBar(row?.dataset.row)) return event.preventDefault();
      if (!row?.dataset.row) return;
      event.preventDefault();
      latest.current.menu(row.dataset.row, row);
    },
    Escape: () => latest.current.clear(),
  };
};

/**
 * In tiles, left and right move between a row and its buttons, and on to the tile beside. A presses the main button of the
 * row, which is the first one: if it is locked, it says why.
 */
export const useTileRowKeys = (region: RefObject<HTMLElement | null>, acts: SelectionActs): void => {
  const latest = useRef({ ...acts, menu: openMenuOf });
  latest.current = { ...acts, menu: openMenuOf };
  const openForm = useFormKey();
  const keys = useMemo(() => {
    const across = (by: 1 | -1) => (event: KeyboardEvent) => {
      const row = rowInFocus();
      if (row === null || document.activeElement === null) return;
      event.preventDefault();
      const buttons = buttonsOf(row);
      const current = document.activeElement as HTMLElement;
      // The first way leads to what can be pressed: the row says why another button is locked, which the way back passes.
      const first = buttons.find((button) => button.ariaDisabled !== "true");
      const next = current === row && by === 1 && first !== undefined ? first : undefined;
      const stop = next ?? findNextStop([row, ...buttons], current, by);
      goTo(stop === undefined || stop === current ? findRowBeside(region.current, row, by) : stop);
    };
    const act = () => {
      const row = rowInFocus();
      const button = row === null ? undefined : buttonsOf(row)[0];
      button?.focus({ preventScroll: true });
      button?.click();
    };
    return { ...buildSelectionKeys(region, latest, openForm), a: act, ArrowRight: across(1), ArrowLeft: across(-1) };
  }, [region, openForm]);
  useKeys(keys);
};

/** In lists, left and right move between the cells of a row, and F2 edits one. */
export const useRowKeys = (region: RefObject<HTMLElement | null>, acts: RowActs): void => {
  const latest = useRef(acts);
  latest.current = acts;
  const openForm = useFormKey();
  const keys = useMemo(() => {
    const across = (by: 1 | -1) => (event: KeyboardEvent) => {
      const row = rowInFocus();
      if (row === null || row.closest("tr") === null) return;
      event.preventDefault();
      goTo(findNextStop([row, ...cellsOf(row.closest("tr"))], cellInFocus() ?? row, by));
    };
    const edit = (event: KeyboardEvent) => {
      const id = rowInFocus()?.dataset.row;
      const isOfRow = cellInFocus() === null && event.key === "F2";
      if (isOfRow && id !== undefined && latest.current.editSeveral(id)) return event.preventDefault();
      const cell = isOfRow ? cellsOf(rowInFocus()?.closest("tr"))[0] : cellInFocus();
      if (id === undefined || cell?.dataset.field === undefined) return;
      event.preventDefault();
      latest.current.edit({ id, field: cell.dataset.field, cell });
    };
    return {
      ...buildSelectionKeys(region, latest, openForm),
      ArrowRight: across(1),
      ArrowLeft: across(-1),
      F2: edit,
      Enter: edit,
    };
  }, [region, openForm]);
  useKeys(keys);
};

/** Frames to wait until a row is rendered after returning to a list, including scrolling. */
const frames = 10;

/** The row of a record. Of several tiles that have it, the one from which it was opened. */
const findRow = (id: string, tile: string | undefined): HTMLElement | null => {
  const row = `[data-row="${CSS.escape(id)}"]`;
  const ofTile =
    tile === undefined ? null : document.querySelector<HTMLElement>(`[data-tile="${CSS.escape(tile)}"] ${row}`);
  return ofTile ?? document.querySelector<HTMLElement>(row);
};

/** Focuses the row of the record that the user returns from, once there are rows. */
export const useReturnRow = (hasRows: boolean): void => {
  const { navigation, lastRecord, trail } = useClient();
  const first = useRef(true);
  useEffect(() => {
    const id = lastRecord.get();
    if (!first.current || !hasRows) return;
    first.current = false;
    if (navigation.scrolled() === null || id === null) return;
    let frame = 0;
    const seek = (left: number) => {
      const row = findRow(id, trail.get()?.tile);
      if (row) row.focus({ preventScroll: true });
      else if (left > 0) frame = requestAnimationFrame(() => seek(left - 1));
    };
    seek(frames);
    return () => cancelAnimationFrame(frame);
  }, [hasRows, navigation, lastRecord, trail]);
};
