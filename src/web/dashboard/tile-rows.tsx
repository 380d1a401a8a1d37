import type { ReactNode } from "react";
import type { EntityJson, FieldJson, FieldTypeName } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { TileJson } from "../../core/wire/screens.ts";
import { useApplication } from "../app/app-context.tsx";
import type { RefusedTransitionNote } from "../app/app-state.ts";
import { ApprovalCount, useApprovalWords } from "../field/approval-count.tsx";
import { NamedWithComments, useCommentWords, useCountedComments } from "../field/comment-count.tsx";
import { FieldValue } from "../field/field-value.tsx";
import { fields } from "../field/fields.ts";
import { RecordValue } from "../field/record-value.tsx";
import { useShortTexts } from "../field/short-texts.ts";
import { findDateRangeFields } from "../format/date-range-fields.ts";
import { calledInFull } from "../format/names.ts";
import type { FieldSummary } from "../format/record-summary.ts";
import { getValue } from "../format/record-values.ts";
import { isNothing } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { PhoneRow } from "../list/table/compact-rows.tsx";
import { handleMenu, type OpenMenu, type RowSelection } from "../list/table/list-row.tsx";
import { recordAddress } from "../routing/routes.ts";
import { BoxedRow, RowBox } from "../ui/control/row-box.tsx";
import { Link } from "../ui/link.tsx";
import { findMissingAct, listTileActs } from "../workflow/record-acts.ts";
import { MissingAct, TileActions } from "./tile-actions.tsx";
import { isAsWideAsItsValue, type TileLines } from "./tile-lines.ts";
import { useSteadyActs, useSteadyColumns } from "./use-steady-columns.ts";

/** The rows of a list tile. */
export interface TileRowsProps {
  readonly tile: TileJson;
  readonly entity: EntityJson;
  readonly items: readonly RecordJson[];
  readonly columns: readonly FieldJson[];
  readonly cells: readonly FieldJson[];
  /** Null while no row is selected: they have no boxes. */
  readonly selecting: Pick<RowSelection, "selected" | "select"> | null;
  readonly openMenu: OpenMenu;
  readonly onRefused: (refused: RefusedTransitionNote | null) => void;
  /** Why an act on a row was refused. */
  readonly refusedNote: (id: string) => ReactNode;
}

/** Rows of two lines. On a phone, they are boxes rather than links while selecting, and `lines` is null. */
export const TwoLineRows = ({ lines, ...props }: TileRowsProps & { readonly lines: TileLines | null }) => {
  const { entity, items, columns, selecting, openMenu, onRefused, refusedNote } = props;
  const { screens } = useApplication();
  const list = useSteadyActs();
  return (
    <ul ref={list} className={lines === null ? "rows tile-rows" : "rows tile-rows beside"}>
      {items.map((item) => {
        const isBox = selecting !== null && lines === null;
        const address = isBox ? null : recordAddress(screens, entity.name, item.id);
        const row = <PhoneRow entity={entity} item={item} columns={columns} address={address} />;
        const box = selecting && toBox(item, selecting);
        return (
          <li
            key={item.id}
            data-selected={selecting?.selected.has(item.id) || undefined}
            onContextMenu={handleMenu(item.id, openMenu)}
          >
            {box === null ? (
              row
            ) : isBox ? (
              <BoxedRow {...box}>{row}</BoxedRow>
            ) : (
              <div className="tile-selecting">
                <RowBox {...box} />
                {row}
              </div>
            )}
            <TileActions entity={entity} record={item} room={lines?.actsRoom ?? null} onRefused={onRefused} />
            {findMissingAct(entity, item) && <MissingAct entity={entity} record={item} onRefused={onRefused} />}
            {refusedNote(item.id)}
          </li>
        );
      })}
    </ul>
  );
};

const toBox = (item: RecordJson, { selected, select }: NonNullable<TileRowsProps["selecting"]>) => ({
  id: item.id,
  label: item._label ?? "",
  isSelected: selected.has(item.id),
  onTurn: select,
});

/** A table of one line for each row. */
export const TileTable = ({ lines, ...props }: TileRowsProps & { readonly lines: TileLines }) => {
  const { tile, entity, items, columns, cells, selecting, openMenu, onRefused, refusedNote } = props;
  const { screens } = useApplication();
  const { say } = useWords();
  const few = useShortTexts(entity);
  const table = useSteadyColumns();
  // Their marks come later than the rows, and need room, too.
  useCountedComments();
  const span = findDateRangeFields(entity);
  const last = columns.find(({ name }) => name === span?.to);
  const acts = entity.states !== null && items.some((item) => listTileActs(entity, item).length > 0);
  return (
    <table ref={table} className="tile-table">
      <caption className="hidden-words">{tile.title}</caption>
      <thead className="hidden-words">
        <tr>
          {cells.map((field) => (
            <th key={field.name} scope="col">
              {field.name === span?.from && last ? `${field.label} – ${last.label}` : field.label}
            </th>
          ))}
          {acts && <th scope="col">{say("tile.actions")}</th>}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => [
          <tr
            key={item.id}
            aria-selected={selecting?.selected.has(item.id) || undefined}
            data-selected={selecting?.selected.has(item.id) || undefined}
            onContextMenu={handleMenu(item.id, openMenu)}
          >
            <RowCells
              entity={entity}
              item={item}
              cells={cells}
              details={few(columns, item)}
              to={recordAddress(screens, entity.name, item.id)}
              shares={[lines.first, ...lines.others.slice(1)]}
              box={selecting && <RowBox {...toBox(item, selecting)} />}
            />
            {acts && (
              <td className="tile-acts">
                <TileActions entity={entity} record={item} room={lines.actsRoom} onRefused={onRefused} />
              </td>
            )}
          </tr>,
          findMissingAct(entity, item) && (
            <tr key={`${item.id} replaced`} className="tile-below">
              <td colSpan={cells.length + 1}>
                <MissingAct entity={entity} record={item} onRefused={onRefused} />
              </td>
            </tr>
          ),
          refusedNote(item.id) && (
            <tr key={`${item.id} refused`} className="tile-below tile-refused">
              <td colSpan={cells.length + 1}>{refusedNote(item.id)}</td>
            </tr>
          ),
        ])}
      </tbody>
    </table>
  );
};

interface RowProps {
  readonly entity: EntityJson;
  readonly item: RecordJson;
  readonly cells: readonly FieldJson[];
  /** Values with the words that they need without a column header. */
  readonly details: readonly FieldSummary[];
  readonly to: string | null;
  /** The widths of cells with a text or a name. */
  readonly shares: readonly (string | undefined)[];
  /** Before the first value; null while no row is selected. */
  readonly box: ReactNode;
}

/** The values of a record in a row; the first one opens it. */
const RowCells = ({ entity, item, cells, details, to, shares, box }: RowProps) => {
  const { show } = useWords();
  const comments = useCommentWords(item);
  const approval = useApprovalWords()(entity, item);
  const count = approval !== null && !cells.some(({ type }) => type === "state") && (
    <ApprovalCount entity={entity} record={item} alone />
  );
  return cells.map((field, at) => {
    const value = getValue(item, field.name);
    const detail = details.find((one) => one.field === field);
    const words = detail?.shown ?? null;
    const shown = (
      <span className={cutClass(field, detail)}>
        {inWords.includes(field.type) ? words : <RecordValue field={field} record={item} cell />}
      </span>
    );
    return (
      <td
        key={field.name}
        title={words ?? undefined}
        className={cellClass(field, at)}
        style={isAsWideAsItsValue(field) ? undefined : { inlineSize: shares[at] }}
      >
        {at === 0 ? (
          <div className="tile-named">
            {box}
            {to === null ? (
              shown
            ) : (
              <Link
                className="row-link cut"
                href={to}
                data-row={item.id}
                aria-label={calledInFull(show.value(field, value), item._label ?? "")}
                aria-description={comments ?? undefined}
              >
                <NamedWithComments record={item} count={count}>
                  {isNothing(value) ? (item._label ?? "") : <FieldValue field={field} value={value} cell />}
                </NamedWithComments>
              </Link>
            )}
          </div>
        ) : (
          shown
        )}
      </td>
    );
  });
};

/** Types whose values need a label, because there is no column header. */
const inWords: readonly FieldTypeName[] = ["integer", "decimal", "date", "datetime"];
const cutClass = ({ type }: FieldJson, detail: FieldSummary | undefined): string =>
  ["cut", inWords.includes(type) && "figures", detail?.late && "overdue", detail?.over && "over"]
    .filter(Boolean)
    .join(" ");

const cellClass = (field: FieldJson, at: number): string | undefined =>
  [
    isAsWideAsItsValue(field) ? (at === 0 ? "short first" : "short") : at === 0 ? "first" : "",
    fields[field.type].end ? "end" : "",
  ]
    .filter(Boolean)
    .join(" ") || undefined;
