import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useTriedRecords } from "../actions/use-tried-record.ts";
import { type Failure, toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useClient, useKeys } from "../app/app-context.tsx";
import { CommentCounts } from "../field/comment-count.tsx";
import { useWords } from "../i18n/words.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { FailedRegion } from "../ui/page/region-status.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { useTransition } from "../workflow/use-transition.ts";
import { opensDialog } from "../workflow/workflow.ts";
import { type BoardColumn, boardColumns, findMove, getDragged } from "./board-moves.ts";
import { CardColumn, type LoadedCards } from "./card-column.tsx";
import { type FailedMove, FailedMoveNote } from "./failed-move-note.tsx";
import { useCardKeys } from "./use-card-keys.ts";
import "./board.css";

const TransitionDialog = lazyDialog(() => import("../actions/transition-dialog.tsx"));

interface BoardProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly field: FieldJson;
  readonly search: ListSearch;
  /** Reports the total number of cards once all columns have been counted. */
  readonly onCount: (count: number | undefined) => void;
}

/** The records of a list in columns by the value of a field. Moving a card makes a transition or changes the field. */
const Board = ({ screen, entity, field, search, onCount }: BoardProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const { transit } = useTransition(entity);
  const [dragged, setDragged] = useState<RecordJson | null>(null);
  // A rule about other records refuses a move with its values in words, such as the person who has the thing.
  const inHand = useMemo(() => (dragged === null ? [] : [dragged]), [dragged]);
  const { tried } = useTriedRecords(entity, inHand);
  const [transitionOf, setTransitionOf] = useState<{
    readonly record: RecordJson;
    readonly transition: TransitionJson;
  } | null>(null);
  const [failed, setFailed] = useState<FailedMove | null>(null);
  const board = useRef<HTMLElement>(null);
  const narrowed = search.filters[field.name];
  const columns = boardColumns(entity, field).filter(({ value }) => !narrowed || narrowed.includes(value));

  const [loaded, setLoaded] = useState<{ readonly [value: string]: LoadedCards }>({});
  const counts = columns.map(({ value }) => loaded[value]?.count);
  const count = counts.reduce<number | undefined>(
    (sum, one) => (sum === undefined || typeof one !== "number" ? undefined : sum + one),
    0,
  );
  useEffect(() => onCount(count), [onCount, count]);
  const loadedIn = useCallback(
    (value: string, cards: LoadedCards) => setLoaded((now) => ({ ...now, [value]: cards })),
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
    <CommentCounts entity={entity} records={columns.flatMap(({ value }) => loaded[value]?.items ?? [])}>
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
          <CardColumn
            key={column.value}
            screen={screen}
            entity={entity}
            field={field}
            search={search}
            column={column}
            columns={columns}
            dragged={tried[0]?.record ?? null}
            onMove={move}
            onLoaded={loadedIn}
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
    </CommentCounts>
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

export default Board;
