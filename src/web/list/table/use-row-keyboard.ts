import { type RefObject, useCallback, useEffect, useMemo, useRef } from "react";
import { keys as queryKeys } from "../../api/query-keys.ts";
import { useApplication, useClient, useKeys } from "../../app/app-context.tsx";
import { createAnnouncement } from "../../app/app-state.ts";
import { editAddress, findSubject } from "../../routing/routes.ts";
import { narrowSelection } from "../../routing/select-all.ts";
import type { EditCell } from "./list-row.tsx";

/** The link of the focused row. In tables of tiles, a row can be continued below. */
export const rowInFocus = (): HTMLElement | null => {
  let row = document.activeElement?.closest("tr, li");
  while (row?.matches(CONTINUED)) row = row.previousElementSibling;
  return row?.querySelector<HTMLElement>("[data-row]") ?? null;
};

/** A row of a table that continues the one above it. */
const CONTINUED = "tr.tile-below";

interface RowActs {
  readonly select: (id: string, extend: boolean) => void;
  /** Selects all rows that are shown, or none if all are selected. */
  readonly selectAll: () => void;
  readonly last: () => string | null;
  /** True if at least one row is selected. */
  readonly isSelecting: () => boolean;
  readonly clear: () => void;
  /** Opens the menu of a row beside its link. */
  readonly menu: (id: string, beside: HTMLElement) => void;
  /** Goes to the bar with the acts on the selected rows, if the row in focus is one of several or no row is in focus. */
  readonly toBar: (id: string | undefined) => boolean;
  readonly edit: EditCell;
  /** Edits all selected rows, if this row is one of several: they can share another field than that of its first cell. */
  readonly editSeveral: (id: string) => boolean;
  readonly editSelected: () => void;
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

/** Opens the menu of a row below its link, as the right button of a mouse does. */
const openMenuBelow = (row: HTMLElement): void => {
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
      toast.set({ ...createAnnouncement(may.updateRefused.because), isRefusal: true });
    // A form that cannot be loaded says so itself.
    else if (may?.update.length !== 0) navigation.go(form);
  }, [screens, entities, navigation, calls, queries, toast]);
};

/**
 * For tiles: up and down, Home and End move between the rows of all lists in the region, left and right between a row and
 * its buttons, and on to the tile beside. A full stop opens the menu of the row, and E its form. Several records are selected in the list of the tile:
 * Shift+X leads there with all of them, X with the row, and Shift with an arrow key with its neighbour as well.
 */
export const useTileRowKeys = (region: RefObject<HTMLElement | null>): void => {
  const { navigation, lastRecord } = useClient();
  const openForm = useFormKey();
  const keys = useMemo(() => {
    const select = (rows: readonly (HTMLElement | null | undefined)[] | "all") => {
      const address = rowInFocus()?.closest<HTMLElement>("[data-selection]")?.dataset.selection;
      if (address === undefined) return;
      const ids = rows === "all" ? [] : rows.flatMap((row) => row?.dataset.row ?? []);
      // The way back leads to it.
      lastRecord.set(rowInFocus()?.dataset.row ?? null);
      navigation.go(rows === "all" ? address : narrowSelection(address, ids));
    };
    const move = (step: Step) => (event: KeyboardEvent) => {
      const row = rowInFocus();
      const to = findNextRow(region.current, row, step);
      if (to === undefined) return;
      event.preventDefault();
      if (!event.shiftKey || row === null) return goTo(to);
      const ofTile = [...(row.closest("[data-selection]")?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
      const [from, until] = [ofTile.indexOf(row), ofTile.indexOf(to)].toSorted((one, other) => one - other);
      // Another tile has a list of its own.
      select(from === undefined || from < 0 ? [row] : ofTile.slice(from, (until ?? from) + 1));
    };
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
    const menu = (event: KeyboardEvent) => {
      const row = rowInFocus();
      if (row === null) return;
      event.preventDefault();
      openMenuBelow(row);
    };
    return {
      ...stepKeys(move),
      ArrowRight: across(1),
      ArrowLeft: across(-1),
      ".": menu,
      e: () => void openForm(),
      x: () => select([rowInFocus()]),
      X: () => select("all"),
    };
  }, [region, navigation, lastRecord, openForm]);
  useKeys(keys);
};

/**
 * Arrow keys move between rows and cells, Home and End to the first and last row, with Shift they select; X toggles the
 * selection, Shift+X that of all rows, a full stop opens the menu or goes to the bar of the selected rows, F2 edits the cell
 * and E the record, Escape clears the selection.
 */
export const useRowKeys = (region: RefObject<HTMLElement | null>, acts: RowActs): void => {
  const latest = useRef(acts);
  latest.current = acts;
  const openForm = useFormKey();
  const keys = useMemo(() => {
    const move = (step: Step) => (event: KeyboardEvent) => {
      const row = rowInFocus();
      const to = findNextRow(region.current, row, step);
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
      ...stepKeys(move),
      ArrowRight: across(1),
      ArrowLeft: across(-1),
      F2: edit,
      Enter: edit,
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
