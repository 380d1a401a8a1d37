import { dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Count } from "../../core/wire/lists.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { type Failure, toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useClient, useDelayed } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { cardsAtOnce, cardsQuery, rowsToCome } from "../list/filter/list-search.ts";
import { Button } from "../ui/control/button.tsx";
import { useReadFailureWords } from "../ui/page/problem-note.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { BoardCard, type BoardCardProps } from "./board-card.tsx";
import { type BoardColumn, type CardMove, findMove, getDragged, isOpenMove } from "./board-moves.ts";

/** The cards of a column that are loaded, and the number of all. */
export interface LoadedCards {
  readonly items: readonly RecordJson[];
  readonly count: Count | undefined;
}

interface CardColumnProps extends Omit<BoardCardProps, "record"> {
  readonly column: BoardColumn;
  readonly dragged: RecordJson | null;
  readonly onLoaded: (value: string, cards: LoadedCards) => void;
  /** Reports why the column could not be loaded: the board says it once for all its columns. */
  readonly onFailed: (value: string, failure: Failure | null) => void;
}

/** The cards of one value of the field, and a place to drop others. */
export const CardColumn = (props: CardColumnProps) => {
  const { screen, entity, field, search, column, columns, dragged, onMove, onLoaded, onFailed } = props;
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
  const pages = query.data?.pages;
  const items = useMemo(() => pages?.flatMap((page) => page.items) ?? [], [pages]);
  const count = pages?.[0]?.count;
  useEffect(() => onLoaded(column.value, { items, count }), [column.value, items, count, onLoaded]);
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

  const isOpen = useRef(false);
  isOpen.current = reach !== null && isOpenMove(reach);
  useEffect(() => {
    const node = element.current;
    if (!node) return;
    return dropTargetForElements({
      element: node,
      getData: () => ({ column }),
      canDrop: ({ source }) => getDragged(source.data) !== null && isOpen.current,
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: () => setOver(false),
    });
  }, [column]);

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
            <BoardCard
              key={item.id}
              screen={screen}
              entity={entity}
              field={field}
              search={search}
              columns={columns}
              record={item}
              onMove={onMove}
            />
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
