import { useRef } from "react";
import type { FieldJson, Json, RecordJson } from "../../core/wire.ts";
import { columnsOf } from "../client/columns.ts";
import { isReference } from "../client/entered.ts";
import { PEOPLE } from "../client/names.ts";
import type { Show } from "../client/show.ts";
import { valueIn } from "../client/values.ts";
import { fields } from "../field/fields.ts";
import { Shown } from "../field/shown.tsx";
import { Avatar } from "../part/avatar.tsx";
import { Link } from "../part/link.tsx";
import { Bone } from "../part/region.tsx";
import { useVirtualRows } from "../part/virtual.ts";
import { useWords } from "../words/words.tsx";
import { menuAt } from "./list-row.tsx";
import type { RowsProps } from "./list-table.tsx";

/** Which column stands where in a row of two lines: the first and the state above, a figure at the end below. */
const layOut = (columns: readonly FieldJson[]) => {
  const [title, ...rest] = columns;
  const state = rest.find(({ type }) => type === "state");
  const figure = rest.findLast((field) => fields[field.type].end);
  return { title, state, figure, others: rest.filter((field) => field !== state && field !== figure) };
};

/** A row of two lines, and the line below it, in pixels. */
const rowHeight = 65;

/** A list on the phone: two lines a row, and the whole row is the link; while one selects, it is the box. */
export const ListRows = ({ screen, entity, items, addressOf, selection, selecting = false, onMenu }: RowsProps) => {
  const { say } = useWords();
  const columns = columnsOf(screen, entity);
  const list = useRef<HTMLUListElement>(null);
  const rows = useVirtualRows(items.length, rowHeight, list);
  return (
    <ul ref={list} className="rows" style={{ paddingBlock: `${rows.above}px ${rows.below}px` }}>
      {items.slice(rows.from, rows.to).map((item) => (
        <li
          key={item.id}
          data-selected={selection?.selected.has(item.id) || undefined}
          onContextMenu={onMenu && menuAt(item.id, onMenu)}
        >
          {selecting && selection ? (
            <label className="selecting">
              <input
                type="checkbox"
                className="select"
                aria-label={say("bulk.select", { label: item._label ?? "" })}
                checked={selection.selected.has(item.id)}
                data-select={item.id}
                onChange={() => selection.select(item.id, false)}
              />
              <PhoneRow item={item} columns={columns} address={null} />
            </label>
          ) : (
            <PhoneRow item={item} columns={columns} address={addressOf(item.id)} />
          )}
        </li>
      ))}
    </ul>
  );
};

/** The person whom a field of a record names; null where it names nobody, or no person. */
export const personIn = ({ entity, name }: FieldJson, record: RecordJson): string | null => {
  const value = valueIn(record, name);
  return entity === PEOPLE && isReference(value) ? value.id : null;
};

/** The same where the words are not at hand. */
export const useShortly = () => {
  const { show } = useWords();
  return (field: FieldJson, value: Json | undefined): string | null => shortly(field, value, show);
};

/** Without heads of columns a yes says what it is about, a no says nothing, a figure says what it counts, and a date is short. */
const shortly = (field: FieldJson, value: Json | undefined, show: Show): string | null => {
  if (field.type === "boolean") return value === true ? field.label : null;
  if ((field.type === "integer" || field.type === "decimal") && !field.unit) {
    const figure = show.value(field, value);
    return figure === null ? null : `${field.label}: ${figure}`;
  }
  return field.type === "date" && typeof value === "string" ? show.shortDate(value) : show.value(field, value);
};

export const PhoneRow = ({
  item,
  columns,
  address,
}: {
  item: RecordJson;
  columns: readonly FieldJson[];
  address: string | null;
}) => {
  const { show } = useWords();
  const { title, state, figure, others } = layOut(columns);
  const value = (field: FieldJson) => valueIn(item, field.name);
  const words = title ? show.value(title, value(title)) : null;
  const name = words ?? item._label ?? "";
  const person = title ? personIn(title, item) : null;
  const second = others.flatMap((field) => {
    const shown = shortly(field, value(field), show);
    return shown === null ? [] : [{ key: field.name, shown }];
  });
  const inside = (
    <>
      {person !== null && <Avatar name={name} of={person} large />}
      <b className="cut row-title">
        <bdi>{name}</bdi>
      </b>
      <span className="row-state">{state && <Shown field={state} value={value(state)} cell />}</span>
      <span className="row-second cut figures">
        {second.map(({ key, shown }, at) => (
          <span key={key}>
            {at > 0 && " · "}
            <bdi>{shown}</bdi>
          </span>
        ))}
      </span>
      <span className="row-figure">{figure && shortly(figure, value(figure), show)}</span>
    </>
  );
  const className = person !== null ? "phone-row with-avatar" : "phone-row";
  return address === null ? (
    <div className={className}>{inside}</div>
  ) : (
    <Link className={className} href={address} data-row={item.id}>
      {inside}
    </Link>
  );
};

export const RowsSkeleton = () => {
  const { say } = useWords();
  return (
    <div className="skeleton">
      <p className="hidden-words" role="status">
        {say("loading")}
      </p>
      <ul className="rows" aria-hidden="true">
        {["52%", "38%", "60%", "44%", "56%", "40%", "48%"].map((width) => (
          <li key={width}>
            <div className="phone-row">
              <Bone width={width} />
              <Bone width="64px" />
              <Bone width="72%" />
              <span />
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
};
