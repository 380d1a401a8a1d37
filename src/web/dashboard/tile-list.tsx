import { type RefObject, useCallback, useEffect, useEffectEvent, useState } from "react";
import { tileAddress } from "../../core/derive/client/list-address.ts";
import type { EntityJson, FieldJson, FieldTypeName } from "../../core/wire/entities.ts";
import type { TileDataJson } from "../../core/wire/overview.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { TileJson } from "../../core/wire/screens.ts";
import { useTriedRecords } from "../actions/use-tried-record.ts";
import { useAddress, useApplication, useClient, usePhone } from "../app/app-context.tsx";
import type { RefusedTransitionNote } from "../app/app-state.ts";
import { ApprovalCount, useApprovalWords } from "../field/approval-count.tsx";
import { CommentCounts, NamedWithComments, useCommentWords } from "../field/comment-count.tsx";
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
import { findColumns } from "../list/table/column-widths.ts";
import { PhoneRow } from "../list/table/compact-rows.tsx";
import { handleMenu, type OpenMenu } from "../list/table/list-row.tsx";
import type { PagerSource } from "../routing/record-pager.ts";
import { recordAddress } from "../routing/routes.ts";
import { findSelectionAddress } from "../routing/select-all.ts";
import { Link } from "../ui/link.tsx";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { findMissingAct, listTileActs } from "../workflow/record-acts.ts";
import { MissingAct, TileActions } from "./tile-actions.tsx";
import { isAsWideAsItsValue } from "./tile-lines.ts";
import { useTileLines } from "./use-tile-lines.ts";

const RowMenu = lazyDialog(() => import("../list/row-menu.tsx"));

type ListData = Extract<TileDataJson, { kind: "list" }>;

/** The records of a list tile: a table, or cards where that is too narrow. */
export const TileList = ({
  tile,
  entity,
  items: loaded,
  count,
}: {
  tile: TileJson & { kind: "list" };
  entity: EntityJson;
  items: ListData["items"];
  count: ListData["count"];
}) => {
  const { screens } = useApplication();
  const { say } = useWords();
  const phone = usePhone();
  const few = useShortTexts(entity);
  const columns = findColumns(tile.columns, entity);
  const span = findDateRangeFields(entity);
  const last = columns.find(({ name }) => name === span?.to);
  // Start and end of a record share a cell.
  const cells = columns.filter((field) => field !== last || !columns.some(({ name }) => name === span?.from));
  const items = useTriedRecords(entity, loaded).tried.map(({ record }) => record);
  const acts = entity.states !== null && items.some((item) => listTileActs(entity, item).length > 0);
  const { ref, lines } = useTileLines(entity, cells);
  const { menu, openMenu } = useTileMenu(entity, items, ref);
  const [refused, setRefused] = useState<RefusedTransitionNote | null>(null);
  const refusedNote = refused !== null && (
    <ProblemNote title={say("record.not.made", { transition: refused.transition.label })} failure={refused.failure} />
  );
  const address = (id: string) => recordAddress(screens, entity.name, id);
  useTileTrail(ref, tile, items, count);
  const more = typeof count === "number" ? count - items.length : null;
  const list = tileAddress(tile);
  // Several records are decided in the list, where the bar of the selection offers their acts.
  const waiting = items.filter((item) => listTileActs(entity, item)[0]?.refused === null).length;
  const selectable = findSelectionAddress(screens, tile) ?? undefined;
  const selection = waiting < 2 ? undefined : selectable;
  const rest = list !== null && (more !== 0 || selection !== undefined) && (
    <p className="tile-more">
      {more !== 0 && (
        <Link className="link" href={list}>
          {more === null ? say("tile.more.many") : say("tile.more", { count: more })}
        </Link>
      )}
      {selection !== undefined && (
        <Link className="link" href={selection} aria-label={say("tile.select.of", { title: tile.title })}>
          {say("tile.select")}
        </Link>
      )}
    </p>
  );
  if (phone || lines?.twoLines)
    return (
      <CommentCounts entity={entity} records={items}>
        <div ref={ref} data-tile={tile.clause} data-selection={selectable}>
          <ul className={phone ? "rows tile-rows" : "rows tile-rows beside"}>
            {items.map((item) => (
              <li key={item.id} onContextMenu={handleMenu(item.id, openMenu)}>
                <PhoneRow entity={entity} item={item} columns={columns} address={address(item.id)} />
                <TileActions
                  entity={entity}
                  record={item}
                  room={phone || lines === null ? null : lines.actsRoom}
                  onRefused={setRefused}
                />
                {findMissingAct(entity, item) && <MissingAct entity={entity} record={item} onRefused={setRefused} />}
                {refused?.record === item.id && refusedNote}
              </li>
            ))}
          </ul>
          {rest}
          {menu}
        </div>
      </CommentCounts>
    );
  return (
    <CommentCounts entity={entity} records={items}>
      <div ref={ref} data-tile={tile.clause} data-selection={selectable}>
        {lines !== null && (
          <table className="tile-table">
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
                <tr key={item.id} onContextMenu={handleMenu(item.id, openMenu)}>
                  <RowCells
                    entity={entity}
                    item={item}
                    cells={cells}
                    details={few(columns, item)}
                    to={address(item.id)}
                    shares={[lines.first, ...lines.others.slice(1)]}
                  />
                  {acts && (
                    <td className="tile-acts">
                      <TileActions entity={entity} record={item} room={lines.actsRoom} onRefused={setRefused} />
                    </td>
                  )}
                </tr>,
                findMissingAct(entity, item) && (
                  <tr key={`${item.id} replaced`} className="tile-below">
                    <td colSpan={cells.length + 1}>
                      <MissingAct entity={entity} record={item} onRefused={setRefused} />
                    </td>
                  </tr>
                ),
                refused?.record === item.id && (
                  <tr key={`${item.id} refused`} className="tile-below tile-refused">
                    <td colSpan={cells.length + 1}>{refusedNote}</td>
                  </tr>
                ),
              ])}
            </tbody>
          </table>
        )}
        {rest}
        {menu}
      </div>
    </CommentCounts>
  );
};

/** From a record that is opened here, the reader goes on through the rows of the tile, and back to its page. */
const useTileTrail = (
  region: RefObject<HTMLElement | null>,
  { entity, title, clause: tile }: TileJson,
  items: readonly RecordJson[],
  count: PagerSource["count"],
): void => {
  const { trail } = useClient();
  const { path: address } = useAddress();
  const keep = useEffectEvent(() => trail.set({ entity, title, address, ids: items.map(({ id }) => id), count, tile }));
  useEffect(() => {
    const { current } = region;
    // Links and the menu of a row open records; other presses do not use what is kept.
    current?.addEventListener("click", keep, { capture: true });
    return () => current?.removeEventListener("click", keep, { capture: true });
  }, [region]);
};

/** The menu of a row, as in lists. */
const useTileMenu = (entity: EntityJson, items: readonly RecordJson[], region: RefObject<HTMLElement | null>) => {
  const [opened, setOpened] = useState<{ readonly id: string; readonly anchor: HTMLElement | DOMRect } | null>(null);
  const openMenu = useCallback<OpenMenu>((id, anchor) => setOpened({ id, anchor }), []);
  const close = useCallback(() => setOpened(null), []);
  const row = items.find(({ id }) => id === opened?.id);
  const menu = opened !== null && row !== undefined && (
    <LoadingBoundary fallback={null}>
      <RowMenu key={opened.id} entity={entity} row={row} anchor={opened.anchor} region={region} onClose={close} />
    </LoadingBoundary>
  );
  return { menu, openMenu };
};

interface RowProps {
  readonly entity: EntityJson;
  readonly item: ListData["items"][number];
  readonly cells: readonly FieldJson[];
  /** Values with the words that they need without a column header. */
  readonly details: readonly FieldSummary[];
  readonly to: string | null;
  /** The widths of cells with a text or a name. */
  readonly shares: readonly (string | undefined)[];
}

/** The values of a record in a row; the first one opens it. */
const RowCells = ({ entity, item, cells, details, to, shares }: RowProps) => {
  const { show } = useWords();
  const comments = useCommentWords(item);
  const approval = useApprovalWords()(entity, item);
  // The name of the transition is on the button of the row.
  const count = approval !== null && !cells.some(({ type }) => type === "state") && (
    <ApprovalCount entity={entity} record={item} alone={!approval.isYours} />
  );
  return cells.map((field, at) => {
    const value = getValue(item, field.name);
    const detail = details.find((one) => one.field === field);
    const words = detail?.shown ?? null;
    return (
      <td
        key={field.name}
        title={words ?? undefined}
        className={cellClass(field, at)}
        style={isAsWideAsItsValue(field) ? undefined : { inlineSize: shares[at] }}
      >
        {at === 0 && to !== null ? (
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
        ) : (
          <span className={cutClass(field, detail)}>
            {inWords.includes(field.type) ? words : <RecordValue field={field} record={item} cell />}
          </span>
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
