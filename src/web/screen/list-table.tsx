import { useLayoutEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson, FieldTypeName, ListScreenJson, RecordJson } from "../../core/wire.ts";
import { columnWidths, leastOf, shareOut } from "../client/columns.ts";
import type { ListSearch } from "../client/search.ts";
import { valueIn } from "../client/values.ts";
import { fields } from "../field/fields.ts";
import { Shown } from "../field/shown.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { Bone } from "../part/region.tsx";
import type { WordId } from "../words/languages.ts";
import { useWords } from "../words/words.tsx";

export interface RowsProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly items: readonly RecordJson[];
  readonly search: ListSearch;
  readonly sort: (field: string) => void;
  readonly addressOf: (id: string) => string | null;
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
const useWidths = (columns: readonly FieldJson[]) => {
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
  const wanted = columnWidths(columns);
  const least = leastOf(wanted);
  return { wrap, least, fits: room === null || room >= least, widths: room === null ? null : shareOut(wanted, room) };
};

export const ListTable = ({ screen, entity, items, search, sort, addressOf }: RowsProps) => {
  const columns = columnsOf(screen, entity);
  const { wrap, least, fits, widths } = useWidths(columns);
  const caption = useSortWords(screen, entity)(search.sort);
  return (
    <div ref={wrap} className={fits ? "table-wrap" : "table-wrap scrolls"}>
      <table className="grid" style={fits ? undefined : { width: least }}>
        <caption className="hidden-words">{caption}</caption>
        <Columns columns={columns} widths={widths} />
        <thead>
          <tr>
            {columns.map((field) => (
              <Heading key={field.name} field={field} sort={sort} by={search.sort[0]} />
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={item.id} item={item} columns={columns} address={addressOf(item.id)} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Columns = ({ columns, widths }: { columns: readonly FieldJson[]; widths: readonly number[] | null }) => (
  <colgroup>
    {columns.map(({ name }, at) => (
      <col key={name} style={widths === null ? undefined : { width: widths[at] }} />
    ))}
  </colgroup>
);

const Heading = ({ field, sort, by }: { field: FieldJson; sort: (field: string) => void; by: string | undefined }) => {
  const { say } = useWords();
  const order = by === field.name ? "ascending" : by === `-${field.name}` ? "descending" : undefined;
  const label = field.unit ? say("list.column.unit", { field: field.label, unit: field.unit }) : field.label;
  return (
    <th scope="col" aria-sort={order} className={fields[field.type].end ? "end" : undefined}>
      {field.sorts ? (
        <button type="button" onClick={() => sort(field.name)}>
          <span className="cut">{label}</span>
          {order && <Icon name={order === "ascending" ? "sortedUp" : "sortedDown"} size={13} />}
        </button>
      ) : (
        <span className="cut">{label}</span>
      )}
    </th>
  );
};

const Row = ({
  item,
  columns,
  address,
}: {
  item: RecordJson;
  columns: readonly FieldJson[];
  address: string | null;
}) => {
  const { show } = useWords();
  return (
    <tr>
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
