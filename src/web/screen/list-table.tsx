import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson, FieldTypeName, ListScreenJson, RecordJson } from "../../core/wire.ts";
import { columnWidths, leastOf, shareOut } from "../client/columns.ts";
import type { ScreenPreference } from "../client/preferences.ts";
import type { ListSearch } from "../client/search.ts";
import { namesUnit } from "../client/show.ts";
import { valueIn } from "../client/values.ts";
import { fields } from "../field/fields.ts";
import { Shown } from "../field/shown.tsx";
import { useClient, useStore } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { Bone } from "../part/region.tsx";
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
  /** Changed by somebody else a moment ago. */
  readonly tinted?: ReadonlySet<string>;
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
const useWidths = (columns: readonly FieldJson[], pulled: ScreenPreference["widths"] = {}) => {
  const wrap = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<number | null>(null);
  useLayoutEffect(() => {
    const watched = wrap.current;
    if (!watched) return;
    const measure = () => setRoom(watched.clientWidth);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(watched);
    return () => watch.disconnect();
  }, []);
  const wanted = columnWidths(columns).map((one, at) => {
    const width = pulled[columns[at]?.name ?? ""];
    return width === undefined ? one : { least: width, share: 0.001 };
  });
  const least = leastOf(wanted);
  return { wrap, least, fits: room === null || room >= least, widths: room === null ? null : shareOut(wanted, room) };
};

export const ListTable = (props: RowsProps) => {
  const { screen, entity, items, search, sort, addressOf, selection, tinted } = props;
  const { preferences } = useClient();
  const { say } = useWords();
  const store = preferences.screen(screen.path);
  const preference = useStore(store);
  const roomy = useStore(preferences.roomy);
  const columns = columnsNamed(useChosenColumns(screen, entity), entity);
  const { wrap, least, fits, widths } = useWidths(columns, preference.widths);
  const caption = useSortWords(screen, entity)(search.sort);
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useVirtualRows(items.length, roomy ? 45 : 39, body);
  const pull = (name: string, width: number) =>
    store.set({ ...store.get(), widths: { ...store.get().widths, [name]: Math.max(64, Math.round(width)) } });
  const all = items.length > 0 && items.every(({ id }) => selection?.selected.has(id));
  return (
    <div ref={wrap} className={fits ? "table-wrap" : "table-wrap scrolls"}>
      <table
        className={roomy ? "grid roomy" : "grid"}
        style={fits ? undefined : { width: least }}
        aria-rowcount={rows.to - rows.from === items.length ? undefined : items.length + 1}
      >
        <caption className="hidden-words">{caption}</caption>
        <Columns columns={columns} widths={widths} />
        <thead>
          <tr>
            {columns.map((field, at) => (
              <Heading
                key={field.name}
                field={field}
                sort={sort}
                by={search.sort[0]}
                width={widths?.[at]}
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
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.above > 0 && <Room height={rows.above} columns={columns.length} />}
          {items.slice(rows.from, rows.to).map((item, at) => (
            <Row
              key={item.id}
              item={item}
              columns={columns}
              address={addressOf(item.id)}
              index={rows.to - rows.from === items.length ? undefined : rows.from + at + 2}
              selection={selection}
              tinted={tinted?.has(item.id) ?? false}
            />
          ))}
          {rows.below > 0 && <Room height={rows.below} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
};

/** The room of rows that are not drawn. */
const Room = ({ height, columns }: { height: number; columns: number }) => (
  <tr className="room">
    <td colSpan={columns} style={{ blockSize: height }} />
  </tr>
);

const Columns = ({ columns, widths }: { columns: readonly FieldJson[]; widths: readonly number[] | null }) => (
  <colgroup>
    {columns.map(({ name }, at) => (
      <col key={name} style={widths === null ? undefined : { width: widths[at] }} />
    ))}
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

const Row = ({
  item,
  columns,
  address,
  index,
  selection,
  tinted,
}: {
  item: RecordJson;
  columns: readonly FieldJson[];
  address: string | null;
  /** Its row in the whole table, where not all rows are drawn. */
  index: number | undefined;
  selection: Selection | undefined;
  tinted: boolean;
}) => {
  const selected = selection?.selected.has(item.id) ?? false;
  const { say, show } = useWords();
  return (
    <tr
      aria-rowindex={index}
      aria-selected={selected || undefined}
      data-selected={selected || undefined}
      data-tinted={tinted || undefined}
    >
      {columns.map((field, at) => {
        const value = valueIn(item, field.name);
        const words = show.value(field, value);
        const first = at === 0;
        const label = item._label ?? "";
        return (
          <td
            key={field.name}
            title={words ?? undefined}
            className={
              [fields[field.type].end ? "end" : "", first ? "first" : ""].filter(Boolean).join(" ") || undefined
            }
          >
            {first && selection && (
              <input
                type="checkbox"
                className="select"
                aria-label={say("bulk.select", { label })}
                checked={selected}
                data-select={item.id}
                onChange={(event) => selection.select(item.id, (event.nativeEvent as MouseEvent).shiftKey === true)}
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
    </tr>
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
