import { type KeyboardEvent, type ReactNode, type RefObject, useRef } from "react";
import type { GroupFieldJson } from "../../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { FiguresJson, PivotJson, PivotLineJson } from "../../../core/wire/groups.ts";
import { useWords } from "../../i18n/words.tsx";
import { Link } from "../../ui/link.tsx";
import { GroupName } from "../groups/group-head.tsx";
import { describeFigures, nameLine, type PivotFields, showFigure } from "./pivot-lines.ts";
import "./pivot.css";

interface PivotTableProps {
  readonly title: string;
  readonly entity: EntityJson;
  readonly fields: PivotFields;
  readonly pivot: PivotJson;
  /** The address of the records of a row, a column, a cell, or all; null if no list shows them. */
  readonly addressOf: (row: PivotLineJson | null, column: PivotLineJson | null) => string | null;
  /** True in a tile, which has less space. */
  readonly isSmall?: boolean;
}

/** Places of the headings and the totals, beside those of the cells from 0. */
const HEAD = -1;

/**
 * The figures of two fields as a table with totals. Each figure and each heading opens its records. The table is one stop
 * of the Tab key; the arrow keys move inside it.
 */
export const PivotTable = ({ title, entity, fields, pivot, addressOf, isSmall = false }: PivotTableProps) => {
  const words = useWords();
  const { say } = words;
  const grid = useRef<HTMLTableElement>(null);
  const { rows, columns, cells } = pivot;
  const what = describeFigures(words, entity, fields);
  const caption = say("pivot.caption", { title, rows: fields.rows.label, columns: fields.columns.label });

  /** A link to records, or plain text. Only the first place of the grid is a stop of the Tab key until focus moves. */
  const place = (at: readonly [row: number, column: number], to: string | null, label: string, shown: ReactNode) => {
    const stop = { "data-at": at.join(), tabIndex: at[0] === 0 && at[1] === 0 ? 0 : -1 };
    return to === null ? (
      <span {...stop}>{shown}</span>
    ) : (
      <Link href={to} aria-label={label} {...stop}>
        {shown}
      </Link>
    );
  };
  const figureCell = (
    at: readonly [row: number, column: number],
    figures: FiguresJson | null,
    row: PivotLineJson | null,
    column: PivotLineJson | null,
  ) => {
    if (figures === null) return place(at, null, "", "");
    const figure = showFigure(words, fields, figures);
    const names = [
      row && nameLine(words, fields.rows, row),
      column && nameLine(words, fields.columns, column),
    ] as const;
    const [line] = names.filter((name) => name !== null);
    const label =
      names[0] !== null && names[1] !== null
        ? say("pivot.cell", { row: names[0], column: names[1], figure })
        : line === undefined
          ? say("pivot.all", { figure })
          : say("pivot.line", { line, figure });
    return place(at, addressOf(row, column), label, figure);
  };
  const heading = (
    at: readonly [row: number, column: number],
    field: GroupFieldJson,
    line: PivotLineJson,
    to: string | null,
    year?: boolean,
  ) => {
    const name = nameLine(words, field, line);
    const hasMark =
      line.others === undefined && line.key !== null && (field.type === "state" || field.type === "choice");
    // The name of a control has the words that are seen, so that they can be spoken to press it.
    const seen = nameLine(words, field, line, year);
    return place(
      at,
      to,
      say("pivot.line", { line: seen === name ? name : `${seen} (${name})`, figure: showFigure(words, fields, line) }),
      hasMark ? <GroupName field={field} group={line} /> : <bdi title={name}>{seen}</bdi>,
    );
  };

  const stops = useStops(grid);

  return (
    <div className={isSmall ? "pivot-wrap small" : "pivot-wrap"}>
      <table ref={grid} className="pivot" {...stops}>
        <caption className="hidden-words">{`${caption}. ${what}`}</caption>
        <thead>
          <tr>
            <th scope="col" rowSpan={2} className="corner">
              {fields.rows.label}
            </th>
            <th scope="colgroup" colSpan={columns.length + 1} className="pivot-by">
              <span>
                {fields.columns.label} · {what}
              </span>
            </th>
          </tr>
          <tr>
            {columns.map((column, nth) => (
              <th key={lineKey(column)} scope="col">
                {heading(
                  [HEAD, nth],
                  fields.columns,
                  column,
                  addressOf(null, column),
                  isSmall ? isNewYear(columns, nth) : undefined,
                )}
              </th>
            ))}
            <th scope="col" className="total">
              {say("groups.total")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={lineKey(row)}>
              <th scope="row">{heading([at, HEAD], fields.rows, row, addressOf(row, null))}</th>
              {columns.map((column, nth) => (
                <td key={lineKey(column)}>{figureCell([at, nth], cells[at]?.[nth] ?? null, row, column)}</td>
              ))}
              <td className="total">{figureCell([at, columns.length], row, row, null)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{say("groups.total")}</th>
            {columns.map((column, nth) => (
              <td key={lineKey(column)}>{figureCell([rows.length, nth], column, null, column)}</td>
            ))}
            <td className="total">{figureCell([rows.length, columns.length], pivot, null, null)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
};

/** Moves the focus inside the table, which is one stop of the Tab key. */
const useStops = (grid: RefObject<HTMLTableElement | null>) => {
  const move = (event: KeyboardEvent) => {
    const goal = grid.current && findGoal(grid.current, event);
    if (!goal) return;
    event.preventDefault();
    goal.focus({ preventScroll: true });
    goal.closest("td, th")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  /** The place in focus becomes the stop of the Tab key. */
  const keepStop = ({ target }: { readonly target: EventTarget }) => {
    if (!(target instanceof HTMLElement) || target.dataset.at === undefined) return;
    for (const stop of grid.current?.querySelectorAll<HTMLElement>('[data-at][tabindex="0"]') ?? []) stop.tabIndex = -1;
    target.tabIndex = 0;
  };
  return { onKeyDown: move, onFocus: keepStop };
};

/** True if the year of a period is needed, because it differs from that of the period before. */
const isNewYear = (lines: readonly PivotLineJson[], nth: number): boolean => {
  const yearOf = (line: PivotLineJson | undefined) => (typeof line?.key === "string" ? line.key.slice(0, 4) : null);
  return nth > 0 && yearOf(lines[nth]) !== yearOf(lines[nth - 1]);
};

const lineKey = ({ key, others }: PivotLineJson): string => (others === undefined ? JSON.stringify(key) : "others");

/** The place that an arrow key, Home or End leads to. */
const findGoal = (grid: HTMLElement, { key, target }: KeyboardEvent): HTMLElement | null => {
  const [row, column] = (target instanceof HTMLElement ? (target.dataset.at ?? "") : "").split(",").map(Number);
  if (row === undefined || column === undefined) return null;
  const forward = document.documentElement.dir === "rtl" ? -1 : 1;
  const at = (to: readonly number[]) => grid.querySelector<HTMLElement>(`[data-at="${to.join()}"]`);
  switch (key) {
    case "ArrowDown":
      return at([row + 1, column]);
    case "ArrowUp":
      return at([row - 1, column]);
    case "ArrowRight":
      return at([row, column + forward]);
    case "ArrowLeft":
      return at([row, column - forward]);
    case "Home":
    case "End": {
      const places = grid.querySelectorAll<HTMLElement>(`[data-at^="${row},"]`);
      return places[key === "Home" ? 0 : places.length - 1] ?? null;
    }
    default:
      return null;
  }
};
