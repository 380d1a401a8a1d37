import { useState } from "react";
import type { EntityJson, StateMarkJson, TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { type ActOutcome, canRetry } from "../../actions/for-each.ts";
import { reloadRecords } from "../../api/reload.ts";
import { useClient } from "../../app/app-context.tsx";
import { followFocus, ROW } from "../../app/return-focus.ts";
import { useWords } from "../../i18n/words.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";

export type Outcomes<R> = readonly ActOutcome<RecordJson, R>[];
type BulkOutcome = Outcomes<unknown>[number];

/** How to undo an act on several records, and how many of them it changed. */
interface BulkUndo {
  readonly act: () => void;
  readonly count: number;
}

/** The results of an act on several records, and how to undo it for those that it was done to. */
export interface BulkResults {
  readonly what: string;
  /** The transition that was made; null for other acts. */
  readonly transition: TransitionJson | null;
  readonly outcomes: readonly BulkOutcome[];
  /** Those that were not tried, and stay selected with those that failed. */
  readonly left: readonly RecordJson[];
  /** "Granted: 3 requests" */
  readonly done: string;
  readonly undo: BulkUndo | undefined;
  /** Tries again those that failed for a passing reason; undefined if there are none. */
  readonly retry: (() => Promise<void>) | undefined;
}

interface FinishOptions {
  /** The person has read why some failed. */
  readonly isReasonKnown?: boolean;
  readonly transition?: TransitionJson;
  /** Those that the person left out, which stay selected. */
  readonly leftOut?: readonly RecordJson[];
  /** Those that were not tried because the person stopped it. They stay selected, too. */
  readonly untried?: readonly RecordJson[];
  readonly again?: (records: readonly RecordJson[]) => Promise<void>;
  /** The mark of the state and the page of a single record. */
  readonly only?: { readonly mark: StateMarkJson | undefined; readonly href: string | undefined } | undefined;
}

/** The records that a stop left as they were. */
export const findUntried = (
  records: readonly RecordJson[],
  outcomes: readonly BulkOutcome[],
): readonly RecordJson[] => {
  const tried = new Set(outcomes.map(({ record }) => record.id));
  return records.filter(({ id }) => !tried.has(id));
};

/** The first row of the records, where they are selected: several tiles can have them. Null if none is there. */
const findFirstRow = (outcomes: readonly BulkOutcome[]): Element | null => {
  const ids = new Set(outcomes.map(({ record }) => record.id));
  const rows = [...document.querySelectorAll<HTMLElement>(ROW)].filter(({ dataset }) =>
    ids.has(dataset.row ?? dataset.select ?? ""),
  );
  return rows.find((row) => row.closest("[data-selected]") !== null) ?? rows[0] ?? null;
};

/** Brings the first of the selected rows into sight if none is: rows above them have gone. */
const showSelected = (): void => {
  const rows = [...document.querySelectorAll("#main [data-selected]")];
  const isInSight = rows.some((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  if (!isInSight) rows[0]?.scrollIntoView({ block: "center" });
};

/** The last results of which some failed, and how an act ends: with them, or with a toast. */
export const useBulkResults = (entity: EntityJson, onKeep: (ids: readonly string[]) => void) => {
  const { queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const [results, setResults] = useState<BulkResults | null>(null);
  const finish = async (
    what: string,
    outcomes: readonly BulkOutcome[],
    undo: BulkResults["undo"],
    done: string,
    { isReasonKnown = false, transition, leftOut = [], untried = [], again, only }: FinishOptions = {},
  ) => {
    const failed = outcomes.filter((one) => one.failed !== null);
    const retried = failed.filter(canRetry).map(({ record }) => record);
    const goOn = followFocus(findFirstRow(outcomes));
    const left = [...leftOut, ...untried];
    onKeep([...failed.map(({ record }) => record), ...left].map(({ id }) => id));
    const isDone = failed.length === 0 || isReasonKnown;
    // It is said at once: until the rows are loaded again, nothing else would tell that it was done.
    if (isDone) {
      const count = untried.length;
      const stopped = count === 0 ? "" : `. ${say("bulk.stopped", { count, thing: entity.one, things: entity.many })}`;
      toast(`${done}${stopped}`, undo?.act, { isBulk: outcomes.length > 1, ...only });
    }
    await reloadRecords(queries, entity.calls);
    requestAnimationFrame(() => {
      goOn();
      // Once the rows that were acted on are gone.
      requestAnimationFrame(showSelected);
    });
    if (!isDone)
      return setResults({
        what,
        transition: transition ?? null,
        outcomes,
        left,
        done,
        undo: failed.length < outcomes.length ? undo : undefined,
        retry: again && retried.length > 0 ? () => again(retried) : undefined,
      });
    setResults(null);
  };
  return { results, finish, closeResults: () => setResults(null) };
};
