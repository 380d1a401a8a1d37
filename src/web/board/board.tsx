import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { type Failure, toFailure, toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useDelayed, useKeys } from "../app/app-context.tsx";
import { cardsAtOnce, cardsQuery, rowsToCome } from "../list/filter/list-search.ts";
import { listColumns } from "../list/table/column-widths.ts";
import { recordAddress } from "../routing/routes.ts";
import { Button, IconButton } from "../ui/control/button.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { ProblemNote, useReadFailureWords } from "../ui/page/problem-note.tsx";
import { FailedRegion, SkeletonLine } from "../ui/page/region-status.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { type BoardColumn, boardColumns, type CardMove, findMove, isOpenMove } from "./board-moves.ts";
import "./board.css";
import { useWords } from "../i18n/words.tsx";
import { RecordCard } from "../list/record-card.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { useTransition } from "../workflow/use-transition.ts";
import { opensDialog } from "../workflow/workflow.ts";

const TransitionDialog = lazyDialog(() => import("../actions/transition-dialog.tsx"));

interface BoardProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly field: FieldJson;
  readonly search: ListSearch;
  /** Reports the total number of cards once all columns have been counted. */
  readonly onCount: (count: number | undefined) => void;
}

/** The dragged card's record. */
const getDragged = (data: Record<string | symbol, unknown>): RecordJson | null =>
  data.kind === "card" ? (data.record as RecordJson) : null;

/** The records of a list in columns by the value of a field. Moving a card makes a transition or changes the field. */
const Board = ({ screen, entity, field, search, onCount }: BoardProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const { transit } = useTransition(entity);
  const [dragged, setDragged] = useState<RecordJson | null>(null);
  const [transitionOf, setTransitionOf] = useState<{
    readonly record: RecordJson;
    readonly transition: TransitionJson;
  } | null>(null);
  const [failed, setFailed] = useState<FailedMove | null>(null);
  const board = useRef<HTMLElement>(null);
  const narrowed = search.filters[field.name];
  const columns = boardColumns(entity, field).filter(({ value }) => !narrowed || narrowed.includes(value));

  const [counts, setCounts] = useState<{ readonly [value: string]: number }>({});
  const count = columns.every(({ value }) => value in counts)
    ? columns.reduce((sum, { value }) => sum + (counts[value] ?? 0), 0)
    : undefined;
  useEffect(() => onCount(count), [onCount, count]);
  const countedIn = useCallback(
    (value: string, many: number) => setCounts((now) => (now[value] === many ? now : { ...now, [value]: many })),
    [],
  );

  const { failedIn, failure: unloaded, areAll, loadAgain } = useColumnFailures(entity, columns);

  const move = (record: RecordJson, column: BoardColumn) => {
    const to = findMove(entity, field, record, column.value);
    setFailed(null);
    const announceFailure = (what: string) => (thrown: unknown) => {
      const failure = toFailure(thrown);
      if (failure.kind !== "signed out") setFailed({ id: record.id, what, failure });
    };
    if (to.kind === "transition") {
      const { transition } = to;
      if (opensDialog(entity, transition)) setTransitionOf({ record, transition });
      else
        transit(record, transition, {}).catch(
          announceFailure(say("record.not.made", { transition: transition.label })),
        );
    }
    if (to.kind === "change")
      calls
        .change(entity.calls, record.id, record.version, { [field.name]: column.value })
        .then(() => toast(say("record.moved", { state: column.label, label: record._label ?? entity.one })))
        .catch(announceFailure(say("form.not.saved")))
        .finally(() => void queries.invalidateQueries({ queryKey: keys.of(entity.calls) }));
  };
  const moving = useRef(move);
  moving.current = move;

  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => getDragged(source.data) !== null,
        onDragStart: ({ source }) => setDragged(getDragged(source.data)),
        onDrop: ({ source, location }) => {
          setDragged(null);
          const record = getDragged(source.data);
          const column = location.current.dropTargets[0]?.data.column as BoardColumn | undefined;
          if (record && column) moving.current(record, column);
        },
      }),
    [],
  );
  useKeys(useCardKeys(board));

  return (
    <>
      {unloaded && <FailedRegion failure={unloaded} retry={loadAgain} />}
      <section
        ref={board}
        className="board"
        hidden={areAll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: horizontally scrolling content must be reachable by keyboard, even without cards
        tabIndex={0}
        aria-label={screen.title}
        data-dragged={dragged !== null || undefined}
      >
        {columns.map((column) => (
          <Column
            key={column.value}
            screen={screen}
            entity={entity}
            field={field}
            search={search}
            column={column}
            columns={columns}
            dragged={dragged}
            onMove={move}
            onCounted={countedIn}
            onFailed={failedIn}
          />
        ))}
      </section>
      {failed && <FailedMoveNote {...failed} board={board} onClose={() => setFailed(null)} />}
      {transitionOf && (
        <LoadingBoundary fallback={null}>
          <TransitionDialog
            entity={entity}
            record={transitionOf.record}
            label={transitionOf.record._label ?? entity.one}
            transition={transitionOf.transition}
            make={(transition, body) => transit(transitionOf.record, transition, body)}
            onClose={() => setTransitionOf(null)}
          />
        </LoadingBoundary>
      )}
    </>
  );
};

/** A move that was refused or failed. */
interface FailedMove {
  /** The record that stays where it was. */
  readonly id: string;
  readonly what: string;
  readonly failure: Failure;
}

interface FailedMoveProps extends FailedMove {
  readonly board: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

/** A note after the columns, over their last cards: above, it would move the cards under the pointer. */
const FailedMoveNote = ({ id, what, failure, board, onClose }: FailedMoveProps) => {
  /** The focus was in the note: it goes to the card that the note is about. */
  const close = () => {
    onClose();
    board.current?.querySelector<HTMLElement>(`[data-row="${id}"]`)?.focus();
  };
  return (
    <div className="note-over">
      <ProblemNote title={what} failure={failure} onClose={close} />
    </div>
  );
};

/** Why columns could not be loaded, said once for all of them. */
const useColumnFailures = (entity: EntityJson, columns: readonly BoardColumn[]) => {
  const { queries } = useClient();
  const [failures, setFailures] = useState<{ readonly [value: string]: Failure | null }>({});
  const failed = columns.flatMap(({ value }) => failures[value] ?? []);
  const failedIn = useCallback(
    (value: string, failure: Failure | null) =>
      setFailures((now) => ((now[value] ?? null) === failure ? now : { ...now, [value]: failure })),
    [],
  );
  const loadAgain = () =>
    void queries.refetchQueries({
      queryKey: keys.of(entity.calls),
      type: "active",
      predicate: ({ state }) => state.status === "error",
    });
  return { failedIn, failure: failed[0], areAll: failed.length > 0 && failed.length === columns.length, loadAgain };
};

/** Arrow keys move between cards, up and down a column and across to the next non-empty one. */
const useCardKeys = (board: RefObject<HTMLElement | null>) => {
  const cards = (column: Element) => [...column.querySelectorAll<HTMLElement>("[data-row]")];
  const go = (down: number, across: number) => (event: KeyboardEvent) => {
    const all = [...(board.current?.querySelectorAll("[data-column]") ?? [])].map(cards);
    const current = (document.activeElement as HTMLElement | null)?.closest("[data-card]")?.querySelector("[data-row]");
    const column = all.findIndex((some) => some.includes(current as HTMLElement));
    const row = column < 0 ? -1 : (all[column]?.indexOf(current as HTMLElement) ?? -1);
    let to: HTMLElement | undefined;
    if (column < 0) to = all.find((some) => some.length > 0)?.[0];
    else if (down !== 0) to = all[column]?.[row + down];
    else
      for (let at = column + across; at >= 0 && at < all.length && !to; at += across)
        to = all[at]?.[Math.min(row, (all[at]?.length ?? 1) - 1)];
    if (!to) return;
    event.preventDefault();
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const isRightToLeft = () => document.documentElement.dir === "rtl";
  return {
    ArrowDown: go(1, 0),
    ArrowUp: go(-1, 0),
    ArrowRight: (event: KeyboardEvent) => go(0, isRightToLeft() ? -1 : 1)(event),
    ArrowLeft: (event: KeyboardEvent) => go(0, isRightToLeft() ? 1 : -1)(event),
    m: (event: KeyboardEvent) => {
      const card = (document.activeElement as HTMLElement | null)?.closest("[data-card]");
      const control = card?.querySelector<HTMLElement>("[data-move]");
      if (!control) return;
      event.preventDefault();
      control.click();
    },
  };
};

interface ColumnProps extends Omit<BoardProps, "onCount"> {
  readonly column: BoardColumn;
  readonly columns: readonly BoardColumn[];
  readonly dragged: RecordJson | null;
  readonly onMove: (record: RecordJson, to: BoardColumn) => void;
  readonly onCounted: (value: string, count: number) => void;
  /** Reports why the column could not be loaded: the board says it once for all its columns. */
  readonly onFailed: (value: string, failure: Failure | null) => void;
}

const Column = (props: ColumnProps) => {
  const { screen, entity, field, search, column, columns, dragged, onMove, onCounted, onFailed } = props;
  const { calls } = useClient();
  const { say, show } = useWords();
  const failureWords = useReadFailureWords();
  const element = useRef<HTMLElement>(null);
  const [over, setOver] = useState(false);
  const query = useInfiniteQuery({
    queryKey: keys.drawn(entity.calls, cardsQuery(search, screen, field.name, column.value, null).toString()),
    queryFn: ({ pageParam, signal }) =>
      calls.list(entity.calls, cardsQuery(search, screen, field.name, column.value, pageParam), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const count = query.data?.pages[0]?.count;
  useEffect(() => {
    if (typeof count === "number") onCounted(column.value, count);
  }, [column.value, count, onCounted]);
  const loading = useDelayed(query.isPending && !query.failureReason);
  const { error, failureReason } = query;
  const isEmpty = items.length === 0;
  const failure = useMemo(
    () => (isEmpty ? toFailureOf({ error, failureReason }) : null),
    [isEmpty, error, failureReason],
  );
  useEffect(() => onFailed(column.value, failure), [column.value, failure, onFailed]);
  const from = columns.find(({ value }) => value === dragged?.[field.name])?.label ?? "";
  const reach: CardMove | null = dragged ? findMove(entity, field, dragged, column.value) : null;
  const refusal =
    reach?.kind === "refused"
      ? reach.why.because
      : reach?.kind === "no way"
        ? say("board.no.way", { state: from })
        : null;

  useEffect(() => {
    const node = element.current;
    if (!node) return;
    return dropTargetForElements({
      element: node,
      getData: () => ({ column }),
      canDrop: ({ source }) => {
        const record = getDragged(source.data);
        return record !== null && isOpenMove(findMove(entity, field, record, column.value));
      },
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: () => setOver(false),
    });
  }, [entity, field, column]);

  const waiting = items.filter((item) => item.may && item.may.transitions.length > 0).length;
  return (
    <section
      ref={element}
      className="board-column"
      data-column={column.value}
      data-pending={(query.isPending && failure === null) || undefined}
      data-reach={reach === null ? undefined : isOpenMove(reach) ? "open" : reach.kind === "here" ? "here" : "shut"}
      data-over={over || undefined}
      aria-label={say("board.column", { column: column.label, count: count === undefined ? "" : String(count) })}
      aria-busy={query.isFetching}
    >
      <header className="board-head">
        {column.mark && <StateMark mark={column.mark} />}
        <h2>{column.label}</h2>
        {count !== undefined && (
          <span className="figures board-count">{typeof count === "number" ? show.number(count) : count}</span>
        )}
        {field.type === "state" && waiting > 0 && (
          <span className="board-waiting">{say("board.waiting", { count: waiting })}</span>
        )}
        {refusal !== null && <p className="board-shut">{refusal}</p>}
      </header>
      {!isEmpty ? (
        <ul className="cards">
          {items.map((item) => (
            <Card key={item.id} {...props} record={item} columns={columns} onMove={onMove} />
          ))}
        </ul>
      ) : failure ? (
        // The button above loads it again.
        <p className="board-empty">{failureWords(failure)}</p>
      ) : query.isPending ? (
        loading && (
          <div className="cards skeleton">
            {["70%", "52%"].map((width) => (
              <div key={width} className="card">
                <SkeletonLine width={width} />
                <SkeletonLine width="40%" />
              </div>
            ))}
          </div>
        )
      ) : (
        <p className="board-empty">{say("board.empty")}</p>
      )}
      {query.hasNextPage && (
        <Button look="quiet" small busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {say("list.more", { count: rowsToCome(count, items.length, cardsAtOnce) })}
        </Button>
      )}
    </section>
  );
};

const Card = ({ screen, entity, field, record, columns, onMove }: ColumnProps & { record: RecordJson }) => {
  const { screens } = useApplication();
  const { say } = useWords();
  const element = useRef<HTMLLIElement>(null);
  const [dragging, setDragging] = useState(false);
  const menu = usePopup();
  const label = record._label ?? entity.one;
  const moves = columns.map((column) => ({ column, move: findMove(entity, field, record, column.value) }));
  const mayMove = moves.some(({ move }) => isOpenMove(move));

  useEffect(() => {
    const node = element.current;
    if (!node || !mayMove) return;
    return draggable({
      element: node,
      getInitialData: () => ({ kind: "card", record }),
      onDragStart: () => setDragging(true),
      onDrop: () => setDragging(false),
    });
  }, [record, mayMove]);

  // Possible moves come first; columns without a transition get a short note.
  const order = ["transition", "change", "refused", "no way", "here"] as const satisfies readonly CardMove["kind"][];
  const sorted = moves.toSorted((one, other) => order.indexOf(one.move.kind) - order.indexOf(other.move.kind));
  const items: readonly MenuItem[] = sorted.flatMap(({ column, move }): readonly MenuItem[] => {
    const shared = { key: column.value, label: column.label, ...(column.mark ? { mark: column.mark } : {}) };
    if (move.kind === "here") return [];
    if (move.kind === "no way") return [{ ...shared, refused: null, note: say("board.no.way.short") }];
    if (move.kind === "refused") return [{ ...shared, refused: move.why }];
    const act = () => onMove(record, column);
    if (move.kind === "change") return [{ ...shared, act }];
    const { label: name } = move.transition;
    return [
      { ...shared, act, note: opensDialog(entity, move.transition) ? say("record.asks", { transition: name }) : name },
    ];
  });

  return (
    <li
      ref={element}
      className="card"
      data-card={record.id}
      data-dragging={dragging || undefined}
      data-moves={mayMove || undefined}
    >
      <RecordCard
        entity={entity}
        columns={listColumns(screen, entity).filter(({ name }) => name !== field.name)}
        record={record}
        address={recordAddress(screens, entity.name, record.id)}
      />
      {items.length > 0 && (
        <IconButton
          icon="more"
          small
          look="quiet"
          className="card-move"
          label={say("board.move", { label })}
          aria-haspopup="menu"
          data-move=""
          {...menu.control}
        />
      )}
      <Menu popup={menu} label={say("board.move", { label })} items={items}>
        <p className="menu-title">{say("board.move.to")}</p>
      </Menu>
    </li>
  );
};

export default Board;
