import { memo, type MouseEvent as ReactMouseEvent, type ReactNode, useMemo, useRef } from "react";
import type { ListSearch } from "../../core/derive/list-call.ts";
import type { Count, EntityJson, FieldJson, FieldTypeName, ListScreenJson, RecordJson } from "../../core/wire.ts";
import { columnWidths, leastOf, shareOut } from "../client/columns.ts";
import type { ScreenPreference } from "../client/preferences.ts";
import { namesUnit } from "../client/show.ts";
import { valueIn } from "../client/values.ts";
import { fields } from "../field/fields.ts";
import { Shown } from "../field/shown.tsx";
import { IconButton } from "../part/button.tsx";
import { useClient, useStore } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { Bone } from "../part/region.tsx";
import { useRoom } from "../part/room.ts";
import { useVirtualRows } from "../part/virtual.ts";
import type { WordId } from "../words/languages.ts";
import { useWords } from "../words/words.tsx";
import { useChosenColumns } from "./list-columns.tsx";

export interface RowsProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly items: readonly RecordJson[];
  readonly search: ListSearch;
  readonly sort: (field: string) => void;
  readonly addressOf: (id: string) => string | null;
  /** Absent where rows cannot be selected. */
  readonly selection?: Selection;
  /** Whether each row is a box to tick: where there is no room for both a box and a link. */
  readonly selecting?: boolean;
  /** How many there are, as far as that is known. */
  readonly count?: Count | undefined;
  /** Changed by somebody else a moment ago. */
  readonly tinted?: ReadonlySet<string>;
  /** Shows what may be done with a row, beside a control or at a place. */
  readonly onMenu?: (id: string, beside: HTMLElement | DOMRect) => void;
}

export interface Selection {
  readonly selected: ReadonlySet<string>;
  /** `extend` takes all rows from the one that was selected last. */
  readonly select: (id: string, extend: boolean) => void;
  readonly selectAll: (on: boolean) => void;
}

/** The fields that columns show, in their order. */
export const columnsNamed = (names: readonly string[], entity: EntityJson): readonly FieldJson[] =>
  names.flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);

/** The columns of a list, in document order. */
export const columnsOf = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  columnsNamed(screen.columns, entity);

/** How each type's order is said. */
const orders = {
  text: ["sort.words.up", "sort.words.down"],
  "long text": ["sort.words.up", "sort.words.down"],
  "rich text": ["sort.words.up", "sort.words.down"],
  email: ["sort.words.up", "sort.words.down"],
  url: ["sort.words.up", "sort.words.down"],
  phone: ["sort.words.up", "sort.words.down"],
  reference: ["sort.words.up", "sort.words.down"],
  integer: ["sort.figures.up", "sort.figures.down"],
  decimal: ["sort.figures.up", "sort.figures.down"],
  money: ["sort.figures.up", "sort.figures.down"],
  duration: ["sort.figures.up", "sort.figures.down"],
  position: ["sort.figures.up", "sort.figures.down"],
  sequence: ["sort.words.up", "sort.words.down"],
  slug: ["sort.words.up", "sort.words.down"],
  file: ["sort.words.up", "sort.words.down"],
  image: ["sort.words.up", "sort.words.down"],
  json: ["sort.words.up", "sort.words.down"],
  time: ["sort.dates.up", "sort.dates.down"],
  date: ["sort.dates.up", "sort.dates.down"],
  datetime: ["sort.dates.up", "sort.dates.down"],
  choice: ["sort.up", "sort.down"],
  state: ["sort.up", "sort.down"],
  boolean: ["sort.up", "sort.down"],
} satisfies Record<FieldTypeName, readonly [WordId, WordId]>;

/** "Loans, sorted by due day, latest first". */
export const useSortWords = (screen: ListScreenJson, entity: EntityJson) => {
  const { say } = useWords();
  return (sort: readonly string[]): string => {
    const by = sort[0];
    const field = entity.fields.find(({ name }) => name === by?.replace(/^-/, ""));
    if (by === undefined || !field) return screen.title;
    const order = orders[field.type][by.startsWith("-") ? 1 : 0];
    return say("list.sorted", { title: screen.title, column: field.label, order: say(order) });
  };
};

/** The columns' widths in the room there is; null until that is known. */
const useWidths = (columns: readonly FieldJson[], pulled: ScreenPreference["widths"] = {}, besides = 0) => {
  const { held: wrap, room: whole } = useRoom<HTMLDivElement>();
  const room = whole === null ? null : whole - besides;
  const wanted = columnWidths(columns).map((one, at) => {
    const width = pulled[columns[at]?.name ?? ""];
    return width === undefined ? one : { least: width, share: 0.001 };
  });
  const least = leastOf(wanted);
  return {
    wrap,
    least: least + besides,
    fits: room === null || room >= least,
    widths: room === null ? null : shareOut(wanted, room),
  };
};

/** A table as wide as the room it has: until that is known it has no rows, which would be laid out twice. */
export const ListTable = (props: RowsProps) => {
  const { screen, entity, onMenu } = props;
  const { widths: pulled } = useStore(useClient().preferences.screen(screen.path));
  const chosen = useChosenColumns(screen, entity).join(",");
  const columns = useMemo(() => columnsNamed(chosen.split(","), entity), [chosen, entity]);
  const { wrap, least, fits, widths } = useWidths(columns, pulled, onMenu ? menuWidth : 0);
  return (
    <div ref={wrap} className={fits ? "table-wrap" : "table-wrap scrolls"}>
      {widths && <Grid {...props} columns={columns} widths={widths} least={fits ? null : least} />}
    </div>
  );
};

interface GridProps extends RowsProps {
  readonly columns: readonly FieldJson[];
  readonly widths: readonly number[];
  /** What the table takes where there is less room than that; null where it fits. */
  readonly least: number | null;
}

const Grid = (props: GridProps) => {
  const { screen, entity, items, count, search, sort, addressOf, selection, tinted, onMenu } = props;
  const { columns, widths, least } = props;
  const { preferences } = useClient();
  const { say } = useWords();
  const store = preferences.screen(screen.path);
  const roomy = useStore(preferences.roomy);
  const caption = useSortWords(screen, entity)(search.sort);
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useVirtualRows(items.length, roomy ? 45 : 39, body);
  const pull = (name: string, width: number) =>
    store.set({ ...store.get(), widths: { ...store.get().widths, [name]: Math.max(64, Math.round(width)) } });
  const all = items.length > 0 && selection?.selected.size === items.length;
  const whole = rows.to - rows.from === items.length;
  return (
    <table
      className={roomy ? "grid roomy" : "grid"}
      style={least === null ? undefined : { width: least }}
      aria-rowcount={whole ? undefined : typeof count === "number" ? count + 1 : -1}
    >
      <caption className="hidden-words">{caption}</caption>
      <Columns columns={columns} widths={widths} menu={onMenu !== undefined} />
      <thead>
        <tr>
          {columns.map((field, at) => (
            <Heading
              key={field.name}
              field={field}
              sort={sort}
              by={search.sort[0]}
              width={widths[at]}
              pull={(width) => pull(field.name, width)}
              box={
                at === 0 && selection ? (
                  <input
                    type="checkbox"
                    className="select"
                    aria-label={say("bulk.select.all")}
                    checked={all}
                    ref={(box) => {
                      if (box) box.indeterminate = !all && selection.selected.size > 0;
                    }}
                    onChange={() => selection.selectAll(!all)}
                  />
                ) : null
              }
            />
          ))}
          {onMenu && (
            <th scope="col" className="row-end">
              <span className="hidden-words">{say("row.menus")}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody ref={body}>
        {rows.above > 0 && <Room height={rows.above} columns={columns.length + 1} />}
        {items.slice(rows.from, rows.to).map((item, at) => (
          <Row
            key={item.id}
            item={item}
            columns={columns}
            address={addressOf(item.id)}
            index={whole ? undefined : rows.from + at + 2}
            selected={selection?.selected.has(item.id) ?? false}
            select={selection?.select}
            tinted={tinted?.has(item.id) ?? false}
            onMenu={onMenu}
          />
        ))}
        {rows.below > 0 && <Room height={rows.below} columns={columns.length + 1} />}
      </tbody>
    </table>
  );
};

/** The room of rows that are not drawn. */
const Room = ({ height, columns }: { height: number; columns: number }) => (
  <tr className="room">
    <td colSpan={columns} style={{ blockSize: height }} />
  </tr>
);

/** What the column of the rows' menus takes, in pixels. */
const menuWidth = 52;

const Columns = ({
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
      <col key={name} style={widths === null ? undefined : { width: widths[at] }} />
    ))}
    {menu && <col className="row-end" style={{ width: menuWidth }} />}
  </colgroup>
);

const Heading = ({
  field,
  sort,
  by,
  width,
  pull,
  box,
}: {
  field: FieldJson;
  sort: (field: string) => void;
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
          <button type="button" onClick={() => sort(field.name)}>
            <span className="cut">{label}</span>
            {order && <Icon name={order === "ascending" ? "sortedUp" : "sortedDown"} size={13} />}
          </button>
        ) : (
          <span className="cut">{label}</span>
        )}
      </div>
      <WidthHandle label={say("columns.width", { column: field.label })} width={width} pull={pull} />
    </th>
  );
};

const step = 16;

/** The edge of a column: pulled by hand, or moved by arrows, after the ARIA practice for a splitter. */
const WidthHandle = ({
  label,
  width,
  pull,
}: {
  label: string;
  width: number | undefined;
  pull: (width: number) => void;
}) => {
  const begun = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const across = () => (document.documentElement.dir === "rtl" ? -1 : 1);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule of the page cannot be moved
    <span
      role="separator"
      className="width-handle"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width === undefined ? 0 : Math.round(width)}
      aria-valuemin={64}
      aria-valuemax={1200}
      tabIndex={0}
      onKeyDown={(event) => {
        const by = event.key === "ArrowRight" ? across() : event.key === "ArrowLeft" ? -across() : 0;
        if (by === 0 || width === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        pull(width + by * step);
      }}
      onPointerDown={(event) => {
        if (width === undefined) return;
        begun.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (begun.current) pull(begun.current.width + (event.clientX - begun.current.x) * across());
      }}
      onPointerUp={() => {
        begun.current = null;
      }}
    />
  );
};

interface RowProps {
  readonly item: RecordJson;
  readonly columns: readonly FieldJson[];
  readonly address: string | null;
  /** Its row in the whole table, where not all rows are drawn. */
  readonly index: number | undefined;
  readonly selected: boolean;
  readonly select: Selection["select"] | undefined;
  readonly tinted: boolean;
  readonly onMenu: RowsProps["onMenu"];
}

/** Scrolling draws the rows that come, and leaves those that are there. */
const Row = memo(({ item, columns, address, index, selected, select, tinted, onMenu }: RowProps) => {
  const { say, show } = useWords();
  const label = item._label ?? "";
  return (
    <tr
      aria-rowindex={index}
      aria-selected={selected || undefined}
      data-selected={selected || undefined}
      data-tinted={tinted || undefined}
      onContextMenu={onMenu && menuAt(item.id, onMenu)}
    >
      {columns.map((field, at) => {
        const value = valueIn(item, field.name);
        const words = show.value(field, value);
        const first = at === 0;
        return (
          <td
            key={field.name}
            title={words ?? undefined}
            className={
              [fields[field.type].end ? "end" : "", first ? "first" : ""].filter(Boolean).join(" ") || undefined
            }
          >
            {first && select && (
              <input
                type="checkbox"
                className="select"
                aria-label={say("bulk.select", { label })}
                checked={selected}
                data-select={item.id}
                onChange={(event) => select(item.id, (event.nativeEvent as MouseEvent).shiftKey === true)}
              />
            )}
            {first && address !== null ? (
              <Link className="row-link cut" href={address} data-row={item.id} title={label}>
                {words === null ? label : <Shown field={field} value={value} cell />}
              </Link>
            ) : (
              <span className="cut">
                <Shown field={field} value={value} cell />
              </span>
            )}
          </td>
        );
      })}
      {onMenu && (
        <td className="row-end">
          <IconButton
            icon="more"
            small
            className="row-more"
            label={say("row.menu", { label })}
            aria-haspopup="menu"
            onClick={(event) => onMenu(item.id, event.currentTarget)}
          />
        </td>
      )}
    </tr>
  );
});
Row.displayName = "Row";

/**
 * Pressed with the other button, or for long: the menu opens where that was, once it is let go, for letting go beside a menu
 * shuts it. With Shift, or over a text that is selected, the browser's own opens.
 */
export const menuAt =
  (id: string, onMenu: NonNullable<RowsProps["onMenu"]>) =>
  (event: ReactMouseEvent): void => {
    if (event.shiftKey || window.getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    const open = () => onMenu(id, new DOMRect(event.clientX, event.clientY, 0, 0));
    const touched = "pointerType" in event.nativeEvent && event.nativeEvent.pointerType === "touch";
    if (event.buttons === 0 && !touched) {
      open();
      return;
    }
    const over = new AbortController();
    for (const letGo of ["pointerup", "pointercancel"])
      window.addEventListener(
        letGo,
        () => {
          over.abort();
          setTimeout(open, 0);
        },
        { signal: over.signal },
      );
  };

/** Grey rows where the rows will be, in the same columns. */
export const TableSkeleton = ({ screen, entity }: { screen: ListScreenJson; entity: EntityJson }) => {
  const { say } = useWords();
  const columns = columnsOf(screen, entity);
  const { wrap, widths } = useWidths(columns);
  const bones = ["62%", "44%", "70%", "52%", "58%", "38%", "66%", "48%"];
  return (
    <div ref={wrap} className="table-wrap skeleton">
      <p className="hidden-words" role="status">
        {say("loading")}
      </p>
      <table className="grid" aria-hidden="true">
        <Columns columns={columns} widths={widths} />
        <thead>
          <tr>
            {columns.map((field) => (
              <th key={field.name} className={fields[field.type].end ? "end" : undefined}>
                <span className="cut">{field.label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bones.map((width, row) => (
            <tr key={width}>
              {columns.map((field, at) => (
                <td key={field.name} className={fields[field.type].end ? "end" : undefined}>
                  <Bone width={at === 0 ? width : (bones[(row + at) % bones.length] ?? "50%")} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
