import { useId, useMemo, useRef } from "react";
import { filteredField } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { letters } from "../../app/font-scale.ts";
import { ApprovalCount, useApprovalWords } from "../../field/approval-count.tsx";
import { CommentMark } from "../../field/comment-count.tsx";
import { fields } from "../../field/fields.ts";
import { RecordValue } from "../../field/record-value.tsx";
import { useShortTexts } from "../../field/short-texts.ts";
import { findDateRangeFields } from "../../format/date-range-fields.ts";
import { PEOPLE } from "../../format/names.ts";
import { type FieldSummary, splitTitle } from "../../format/record-summary.ts";
import { getValue } from "../../format/record-values.ts";
import { isReference } from "../../format/value-shapes.ts";
import { useWords } from "../../i18n/words.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { BoxedRow, SelectAllBox } from "../../ui/control/row-box.tsx";
import { useVirtualRows } from "../../ui/dom/use-virtual-rows.ts";
import { classIfShort, Dotted } from "../../ui/dotted.tsx";
import { Link } from "../../ui/link.tsx";
import { SkeletonLine } from "../../ui/page/region-status.tsx";
import { type ActingSearch, addActingFields, addFoundFields, getSortField, isNarrowedToOne } from "./acting-fields.ts";
import { listColumns } from "./column-widths.ts";
import { handleMenu } from "./list-row.tsx";
import type { RowsProps } from "./list-table.tsx";

/**
 * Assigns columns to a two-line row: name and state above; at the end of the second line, where nothing is cut off, a
 * number, else a deadline, else the only date.
 */
const layOut = (columns: readonly FieldJson[]) => {
  const { title, rest } = splitTitle(columns);
  const state = rest.find(({ type }) => type === "state");
  const days = rest.filter(({ type }) => type === "date");
  const deadline = rest.find((field) => field.deadline !== undefined);
  const figure =
    rest.findLast((field) => fields[field.type].end) ?? deadline ?? (days.length === 1 ? days[0] : undefined);
  return { title, state, figure, others: rest.filter((field) => field !== state && field !== figure) };
};

const isSeries = (type: FieldJson["type"]): boolean => type === "sequence" || type === "integer sequence";

/** Height of a two-line row with its border, in pixels before scaling. */
const rowHeight = 65;

/** A list on a phone: two-line rows that are links, or checkboxes while selecting. */
export const CompactRows = (props: RowsProps & { readonly isGroup?: boolean }) => {
  const { screen, entity, search, items, addressOf, selection, selecting = false, onMenu, isGroup = false } = props;
  const columns = useMemo(() => {
    // The head of its group names the value.
    const shown = listColumns(screen, entity).filter(
      ({ name }, at) => !isGroup || at === 0 || !search.grouped.includes(name),
    );
    const acting = addActingFields(shown, screen, entity, search).filter(
      (field) => shown.includes(field) || !isNarrowedToOne(field, search),
    );
    return addFoundFields(acting, entity, search.words, items);
  }, [screen, entity, search, items, isGroup]);
  const list = useRef<HTMLUListElement>(null);
  const rows = useVirtualRows(items.length, rowHeight * letters(), list);
  return (
    <>
      {/* A group has a box of its own, below the row of all groups. */}
      {selecting && selection && !isGroup && <SelectAllRow selection={selection} shown={items.length} />}
      <ul
        ref={list}
        className={rows.isComplete ? "rows whole" : "rows"}
        style={{ paddingBlock: `${rows.above}px ${rows.below}px` }}
      >
        {items.slice(rows.from, rows.to).map((item) => (
          <li
            key={item.id}
            data-selected={selection?.selected.has(item.id) || undefined}
            onContextMenu={onMenu && handleMenu(item.id, onMenu)}
          >
            {selecting && selection ? (
              <BoxedRow
                id={item.id}
                label={item._label ?? ""}
                isSelected={selection.selected.has(item.id)}
                onTurn={selection.select}
              >
                <PhoneRow entity={entity} item={item} columns={columns} search={search} address={null} />
              </BoxedRow>
            ) : (
              <PhoneRow entity={entity} item={item} columns={columns} search={search} address={addressOf(item.id)} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
};

/** The checkbox that selects all rows, above them. */
export const SelectAllRow = (props: Omit<Parameters<typeof SelectAllBox>[0], "id">) => {
  const { selection, shown, isOfGroups = false } = props;
  const { say } = useWords();
  const id = useId();
  const areAllSelected = shown > 0 && selection.selected.size === shown;
  return (
    <label className="selecting select-all" htmlFor={id}>
      <SelectAllBox {...props} id={id} />
      <span aria-hidden="true">
        {areAllSelected ? say("bulk.none") : isOfGroups ? say("bulk.all", { count: shown }) : say("bulk.select.all")}
      </span>
    </label>
  );
};

/** The person referred to by a field; null if there is none. */
export const findPerson = ({ entity, name }: FieldJson, record: RecordJson): string | null => {
  const value = getValue(record, name);
  return entity === PEOPLE && isReference(value) ? value.id : null;
};

const unfiltered: ActingSearch = { filters: {}, sort: [] };

export const PhoneRow = ({
  entity,
  item,
  columns,
  search = unfiltered,
  address,
}: {
  entity: EntityJson;
  item: RecordJson;
  columns: readonly FieldJson[];
  /** The search whose rows these are. */
  search?: ActingSearch;
  address: string | null;
}) => {
  const { show } = useWords();
  const few = useShortTexts(entity);
  const { title, state, figure, others } = layOut(columns);
  const sortedBy = getSortField(search.sort);
  const acting = new Set([sortedBy, ...Object.keys(search.filters).map(filteredField)]);
  const value = (field: FieldJson) => getValue(item, field.name);
  const words = title ? show.value(title, value(title)) : null;
  const name = words ?? item._label ?? "";
  const person = title ? findPerson(title, item) : null;
  // The end of a range is shown with its beginning.
  const span = findDateRangeFields(entity);
  const rank = ({ field: { name, type }, late }: FieldSummary): number =>
    late ? 0 : acting.has(name) ? 1 : name === span?.from && acting.has(span.to) ? 2 : isSeries(type) ? 4 : 3;
  const last = figure ? few([figure], item)[0] : undefined;
  // The two days of a range are one text, unless the last one is overdue.
  const isOfRange = figure?.name === span?.to && !last?.late && others.some((field) => field.name === span?.from);
  const number = isOfRange ? undefined : last;
  // Late values come first, and then those by which the rows are sorted and filtered, so that they are never cut off. The
  // number of a series says least.
  const second = few(isOfRange && figure ? [...others, figure] : others, item)
    // The chip of the filter names the only value.
    .filter(({ field, late }) => late || !isNarrowedToOne(field, search))
    .toSorted((one, other) => rank(one) - rank(other));
  // The button that sorts names the field, unless another value could be taken for it.
  const isSure = ({ type }: FieldJson): boolean =>
    [...second, ...(number ? [number] : [])].filter(({ field }) => field.type === type).length === 1;
  const isStateShown = state !== undefined && !isNarrowedToOne(state, search);
  const approvalWords = useApprovalWords()(entity, item);
  // Beside a state, it says how many people are still needed.
  const approval = isStateShown ? null : approvalWords;
  const inside = (
    <>
      {person !== null && <Avatar name={name} of={person} large />}
      <span className="row-line">
        <b className="cut row-title">
          <bdi>{name}</bdi>
        </b>
        <CommentMark record={item} />
        <span className="row-state">
          {/* The chip of the filter names the only state. */}
          {isStateShown && <RecordValue field={state} record={item} cell />}
        </span>
      </span>
      <span className="row-line">
        <span className="row-second dotted one-line">
          {approval && (
            <Dotted at={0}>
              <ApprovalCount entity={entity} record={item} alone />
            </Dotted>
          )}
          {second.map(({ field, shown, bare, late, over }, at) => (
            <Dotted key={field.name} at={approval ? at + 1 : at}>
              <bdi className={`${late ? "overdue" : over ? "over" : ""} ${classIfShort(shown)}`.trim()}>
                {field.name === sortedBy && isSure(field) ? (bare ?? shown) : shown}
              </bdi>
            </Dotted>
          ))}
        </span>
        <span className={["row-figure", number?.late ? "overdue" : number?.over && "over"].filter(Boolean).join(" ")}>
          {number?.shown}
        </span>
      </span>
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

const widths = ["52%", "38%", "60%", "44%", "56%", "40%", "48%"];

export const RowsSkeleton = ({ count = widths.length }: { count?: number }) => {
  const { say } = useWords();
  return (
    <div className="skeleton">
      <p className="hidden-words" role="status">
        {say("loading")}
      </p>
      <ul className="rows" aria-hidden="true">
        {widths.slice(0, count).map((width) => (
          <li key={width}>
            <div className="phone-row">
              <span className="row-line">
                <SkeletonLine width={width} />
                <SkeletonLine width="64px" />
              </span>
              <SkeletonLine width="72%" />
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
};
