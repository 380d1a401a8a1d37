import { useMemo, useRef } from "react";
import { firstPage, type ListSearch } from "../../../core/derive/http/list-query.ts";
import { memoizeByKey } from "../../../core/util/memoize.ts";
import type { ListPreferenceJson } from "../../../core/wire/accounts/preferences.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Count } from "../../../core/wire/lists.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ListScreenJson, ScreenJson } from "../../../core/wire/screens.ts";
import { useApplication, useClient, useStore } from "../../app/app-context.tsx";
import { letters, scaleLength } from "../../app/font-scale.ts";
import { findEntityOfField, useApprovalWords } from "../../field/approval-count.tsx";
import { fields } from "../../field/fields.ts";
import { useDeadlineWords } from "../../field/record-value.tsx";
import { getValue } from "../../format/record-values.ts";
import { useWords } from "../../i18n/words.tsx";
import { fieldsOnEditForm } from "../../routing/routes.ts";
import { SelectAllBox } from "../../ui/control/row-box.tsx";
import { createTextRuler, useElementWidth, useFontLoaded } from "../../ui/dom/use-element-width.ts";
import { useVirtualRows } from "../../ui/dom/use-virtual-rows.ts";
import { SkeletonLine } from "../../ui/page/region-status.tsx";
import { addActingFields, addFoundFields } from "./acting-fields.ts";
import { ColumnHeader } from "./column-header.tsx";
import {
  type ColumnWidth,
  columnWidths,
  distributeWidth,
  type Edges,
  findColumns,
  getHead,
  INSET_EDGES,
  isCramped,
  isNeverCut,
  leaveRoomForMenus,
  listColumns,
  setColumnWidth,
  sumLeastWidths,
  sumScrolledWidths,
} from "./column-widths.ts";
import { type EditCell, ListRow, type OpenMenu, type RowSelection, showTruncatedText } from "./list-row.tsx";
import { useSortWords } from "./sort-text.ts";
import { useChosenColumns } from "./use-chosen-columns.ts";
import { useLockedCells } from "./use-locked-cells.ts";

export interface RowsProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly items: readonly RecordJson[];
  readonly search: ListSearch;
  readonly sort: (field: FieldJson) => void;
  readonly addressOf: (id: string) => string | null;
  /** Absent if rows cannot be selected. */
  readonly selection?: RowSelection;
  /** True if rows are checkboxes, where there is no room for both a checkbox and a link. */
  readonly selecting?: boolean;
  /** Total number of rows, if known. */
  readonly count?: Count | undefined;
  /** Rows just changed by somebody else. */
  readonly tinted?: ReadonlySet<string>;
  readonly onMenu?: OpenMenu;
  /** Absent if cells cannot be edited. */
  readonly onEdit?: EditCell;
  /** The expected width of the table, if it can be predicted. */
  readonly room?: () => number;
  /** True for a table within a page, whose margins are those of the page. */
  readonly isInset?: boolean;
  /** Identifies the search whose rows these are. */
  readonly answer?: string;
}

interface WidthsProps {
  readonly columns: readonly FieldJson[];
  /** Widths that the reader chose. */
  readonly pulled?: ListPreferenceJson["widths"];
  /** Space for other columns. */
  readonly besides?: number;
  /** The first rows, whose texts are measured. */
  readonly items?: readonly RecordJson[];
  readonly answer?: string | undefined;
  /** The column by which the rows are sorted, whose header has an arrow. */
  readonly by?: string | undefined;
  readonly guess?: (() => number) | undefined;
  readonly edges?: Edges | undefined;
}

/** At most this many rows are measured, so that columns do not move while more rows arrive. */
const MEASURED = 50;

/** Space for the arrow in the header of the column by which a list is sorted. */
const ARROW = 17;

/** The size of a header's letters in proportion to those of a cell. */
const HEAD_SIZE = 12.5 / 13.5;

const noRows: readonly RecordJson[] = [];

/**
 * The rows whose texts are measured. They stay while somebody edits or rows are added, so that columns do not move, until
 * the list shows the result of another search or mostly other rows.
 */
const useMeasuredRows = (rows: readonly RecordJson[], answer: string | undefined): readonly RecordJson[] => {
  const measured = useRef({ answer, rows });
  const known = new Set(measured.current.rows.map(({ id }) => id));
  const others = rows.filter(({ id }) => !known.has(id)).length;
  if (measured.current.answer !== answer || others * 2 > rows.length) measured.current = { answer, rows };
  return measured.current.rows;
};

/** Types of which digits have equal widths, because they are compared from row to row. */
const hasFigures = ({ type }: FieldJson): boolean =>
  fields[type].end || type === "date" || type === "time" || type === "datetime" || type === "duration";

/** Types whose values have two lines if there is too little room: no word of them is broken. */
const canFold = ({ type }: FieldJson): boolean => type === "choice" || type === "reference" || type === "state";

/** Column widths for the available space; null until it is known. */
export const useWidths = (props: WidthsProps) => {
  const { columns, pulled = {}, besides = 0, items = noRows, answer, by, guess, edges } = props;
  const { show } = useWords();
  const deadlineOf = useDeadlineWords();
  const approvalOf = useApprovalWords();
  const { entities } = useApplication();
  const { ref: wrap, width: pageWidth } = useElementWidth<HTMLDivElement>(guess);
  const room = pageWidth === null ? null : pageWidth - besides;
  const rows = items.slice(0, MEASURED);
  const measured = useMeasuredRows(rows, answer);
  const shown = rows.map(({ id, version }) => `${id} ${version}`).join();
  const sorted = by?.replace(/^-/u, "");
  const isFontLoaded = useFontLoaded();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same versions of the same records have the same texts
  const [usual, tight] = useMemo(() => {
    const rulerOf = memoizeByKey((font: string) =>
      memoizeByKey(createTextRuler(font.includes("strong"), font.includes("figures"))),
    );
    const texts = new Map(
      columns.map((field, at) => {
        const widthOf = rulerOf(`${at === 0 ? "strong" : ""} ${hasFigures(field) ? "figures" : ""}`);
        // A number that has become longer is not cut off.
        const of = isNeverCut(field) ? [...measured, ...rows] : measured;
        const owner = field.type === "state" ? findEntityOfField(field, entities) : undefined;
        const shownOf = (item: RecordJson) => {
          const count = owner && approvalOf(owner, item)?.count;
          const words =
            deadlineOf(field, item, Date.now())?.words ?? show.value(field, getValue(item, field.name)) ?? "";
          // The dot has margins, and the figures are of one width.
          return count ? `${words}\u2003·\u2003${count}` : words;
        };
        const shownTexts = of.map(shownOf);
        const words = canFold(field) ? shownTexts.flatMap((text) => text.split(" ")) : [];
        return [field.name, { all: shownTexts.map(widthOf), word: Math.max(0, ...words.map(widthOf)) }];
      }),
    );
    // The font of a header is a little smaller.
    const headOf = (field: FieldJson) =>
      rulerOf("strong")(getHead(field)) * HEAD_SIZE + (field.name === sorted ? ARROW : 0);
    const outer = besides > 0 ? leaveRoomForMenus(edges) : edges;
    const measures = {
      taken: ({ name }: FieldJson) => texts.get(name)?.all ?? [],
      wordOf: ({ name }: FieldJson) => texts.get(name)?.word ?? 0,
      headOf,
      ...(outer && { edges: outer }),
    };
    return [columnWidths(columns, measures), columnWidths(columns, { ...measures, isTight: true })] as const;
  }, [columns, measured, shown, sorted, show, edges, besides, isFontLoaded]);
  const pull = (widths: readonly ColumnWidth[]) =>
    widths.map((one, at) => {
      const width = pulled[columns[at]?.name ?? ""];
      return width === undefined
        ? one
        : ({
            least: width,
            shrunk: [width, width, width],
            title: 0,
            folded: 0,
            preferred: width,
            full: width,
            share: 0.001,
          } as const);
    });
  const isTight = room !== null && isCramped(pull(usual), room);
  const widths = pull(isTight ? tight : usual);
  const fits = room === null || room >= sumLeastWidths(widths);
  const least = fits ? sumLeastWidths(widths) : sumScrolledWidths(widths);
  return {
    wrap,
    room,
    /** The width that the table has if it does not fit. */
    least: least + besides,
    fits,
    isTight,
    widths: room === null ? null : distributeWidth(widths, fits ? room : least),
  };
};

/** Width of the page without its sidebar or rail (web/frame/frame.css). */
export const getPageWidth = (): number => {
  const width = document.documentElement.clientWidth / letters();
  return width - (width < 1100 ? 60 : 232);
};

/**
 * A table that fills the available width. Rows are rendered once it is known or predicted, to avoid a second layout.
 */
export const ListTable = (props: RowsProps) => {
  const { screen, entity, onMenu } = props;
  const { widths: pulled } = useStore(useClient().preferences.screen(screen.path));
  const chosen = useChosenColumns(screen, entity).join(",");
  const { search, items } = props;
  const columns = useMemo(() => {
    const acting = addActingFields(findColumns(chosen.split(","), entity), screen, entity, search);
    return addFoundFields(acting, entity, search.words, items.slice(0, MEASURED));
  }, [chosen, screen, entity, search, items]);
  const { wrap, least, fits, isTight, widths } = useWidths({
    columns,
    pulled,
    besides: onMenu ? MENU_WIDTH : 0,
    // Only rows of the first page, because those of others arrive while one scrolls.
    items: props.items.slice(0, firstPage(screen).limit),
    answer: props.answer,
    by: props.search.sort[0],
    guess: props.room,
    edges: props.isInset ? INSET_EDGES : undefined,
  });
  return (
    <div ref={wrap} className={fits ? "table-wrap" : "table-wrap scrolls"}>
      {widths && <Grid {...props} columns={columns} widths={widths} least={fits ? null : least} isTight={isTight} />}
    </div>
  );
};

interface GridProps extends RowsProps {
  readonly columns: readonly FieldJson[];
  readonly widths: readonly number[];
  /** The minimum width if the table must scroll; null if it fits. */
  readonly least: number | null;
  /** True if cells have less padding, because texts are cut off. */
  readonly isTight: boolean;
}

/** The classes of a table. */
export const gridClass = (states: Readonly<Record<string, boolean>>): string =>
  ["grid", ...Object.keys(states).filter((state) => states[state])].join(" ");

const Grid = (props: GridProps) => {
  const { screen, entity, items, count, search, sort, addressOf, selection, tinted, onMenu, onEdit } = props;
  const { columns, widths, least, isTight } = props;
  const { preferences } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const editable = useMemo(() => findEditableFields(screens, entity), [screens, entity]);
  const showLocks = useLockedCells(entity);
  const store = preferences.screen(screen.path);
  const roomy = useStore(preferences.roomy);
  const caption = useSortWords(screen, entity)(search.sort);
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useVirtualRows(items.length, (roomy ? 45 : 39) * letters(), body);
  return (
    <table
      className={gridClass({ roomy, tight: isTight, choosing: (selection?.selected.size ?? 0) > 0 })}
      style={least === null ? undefined : { width: scaleLength(least) }}
      aria-rowcount={rows.isComplete ? undefined : typeof count === "number" ? count + 1 : -1}
    >
      <caption className="hidden-words">{caption}</caption>
      <TableColumns columns={columns} widths={widths} menu={onMenu !== undefined} />
      <thead>
        <tr>
          {columns.map((field, at) => (
            <ColumnHeader
              key={field.name}
              field={field}
              sort={sort}
              by={search.sort[0]}
              width={widths[at]}
              pull={(width) => setColumnWidth(store, field.name, width)}
              box={at === 0 && selection ? <SelectAllBox selection={selection} shown={items.length} /> : null}
            />
          ))}
          {onMenu && (
            <th scope="col" className="row-end">
              <span className="hidden-words">{say("row.menus")}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody ref={body} onMouseMove={showTruncatedText} onPointerOver={onEdit && showLocks}>
        {rows.above > 0 && <Room height={rows.above} columns={columns.length + 1} />}
        {items.slice(rows.from, rows.to).map((item, at) => (
          <ListRow
            key={item.id}
            item={item}
            columns={columns}
            address={addressOf(item.id)}
            index={rows.isComplete ? undefined : rows.from + at + 2}
            selected={selection?.selected.has(item.id) ?? false}
            select={selection?.select}
            tinted={tinted?.has(item.id) ?? false}
            onMenu={onMenu}
            editable={onEdit && editable}
            onEdit={onEdit}
          />
        ))}
        {rows.below > 0 && <Room height={rows.below} columns={columns.length + 1} />}
      </tbody>
    </table>
  );
};

/** The fields that a form offers and this person can change on some records. */
export const findEditableFields = (
  screens: readonly ScreenJson[],
  { name, update = [] }: EntityJson,
): ReadonlySet<string> => {
  const offered = fieldsOnEditForm(screens, name);
  return new Set(update.filter((field) => offered.includes(field)));
};

/** Space for rows that are not rendered. */
const Room = ({ height, columns }: { height: number; columns: number }) => (
  <tr className="room">
    <td colSpan={columns} style={{ blockSize: height }} />
  </tr>
);

/** Width of the menu column in pixels before scaling. */
export const MENU_WIDTH = 52;

export const TableColumns = ({
  columns,
  widths,
  menu = false,
}: {
  columns: readonly FieldJson[];
  widths: readonly number[] | null;
  menu?: boolean;
}) => (
  <colgroup>
    {columns.map(({ name }, at) => (
      <col key={name} style={widths === null ? undefined : { width: scaleLength(widths[at] ?? 0) }} />
    ))}
    {menu && <col className="row-end" style={{ width: scaleLength(MENU_WIDTH) }} />}
  </colgroup>
);

/** Placeholder rows in the same columns. */
export const TableSkeleton = ({ screen, entity }: { screen: ListScreenJson; entity: EntityJson }) => {
  const { say } = useWords();
  const columns = useMemo(() => listColumns(screen, entity), [screen, entity]);
  const { wrap, room, fits, least, widths } = useWidths({ columns, besides: MENU_WIDTH });
  // Before the texts are known, a column may be too wide. A placeholder does not scroll.
  const shrunk = fits || room === null ? 1 : room / (least - MENU_WIDTH);
  const box = <input type="checkbox" className="select" tabIndex={-1} />;
  const bones = ["62%", "44%", "70%", "52%", "58%", "38%", "66%", "48%"];
  return (
    <div ref={wrap} className="table-wrap skeleton">
      <p className="hidden-words" role="status">
        {say("loading")}
      </p>
      <table className="grid" aria-hidden="true" inert>
        <TableColumns columns={columns} widths={widths?.map((width) => width * shrunk) ?? null} menu />
        <thead>
          <tr>
            {columns.map((field, at) => (
              <th key={field.name} className={fields[field.type].end ? "end" : undefined}>
                <div className="head-cell">
                  {at === 0 && box}
                  <span className="cut">{field.label}</span>
                </div>
              </th>
            ))}
            <th className="row-end" />
          </tr>
        </thead>
        <tbody>
          {bones.map((width, row) => (
            <tr key={width}>
              {columns.map((field, at) => (
                <td
                  key={field.name}
                  className={
                    [at === 0 && "first", fields[field.type].end && "end"].filter(Boolean).join(" ") || undefined
                  }
                >
                  {at === 0 && box}
                  <SkeletonLine width={at === 0 ? width : (bones[(row + at) % bones.length] ?? "50%")} />
                </td>
              ))}
              <td className="row-end" />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
