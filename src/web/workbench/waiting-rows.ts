import type { DraftedRowsJson } from "../../core/wire/authoring/drafted-file.ts";
import type { ImportJson } from "../../core/wire/imports.ts";
import { sendTable } from "../api/upload.ts";
import type { useClient } from "../app/app-context.tsx";
import { createStore } from "../util/store.ts";

/** The rows of the file that a draft was made from, until they are imported. They last as long as the page. */
export interface WaitingRows {
  readonly file: string;
  readonly imports: readonly DraftedRowsJson[];
  /** The result of each import that has ended. */
  readonly done: readonly ImportedRows[];
  readonly isRunning: boolean;
  /** True if the rows are imported as soon as their lists are live. */
  readonly isWanted: boolean;
}

/** The result of an import. `asks`: a person has to choose how its dates or numbers are read. */
export interface ImportedRows {
  readonly entity: string;
  /** The import; null if the file was not taken. */
  readonly id: string | null;
  readonly isSecond: boolean;
  readonly added: number;
  readonly updated: number;
  readonly refused: number;
  /** Number of cells that were changed to fit their field. */
  readonly adjusted: number;
  readonly asks: boolean;
  /** Why the file was not taken. */
  readonly failure: string | null;
}

export const waitingRows = createStore<WaitingRows | null>(null);

/** True until the import of the rows has begun. Its result stays on the page after that. */
export const areStillWaiting = (rows: WaitingRows | null): rows is WaitingRows =>
  rows !== null && !rows.isRunning && rows.done.length === 0;

/** The entities whose rows wait. */
export const listWaitingEntities = (): readonly string[] => {
  const rows = waitingRows.get();
  return areStillWaiting(rows) ? [...new Set(rows.imports.map(({ entity }) => entity))] : [];
};

export const countWaitingRows = ({ imports }: WaitingRows): number =>
  imports.reduce((sum, { rows, match }) => sum + (match === null ? rows : 0), 0);

/** A role that a person lacks to add records. */
export interface MissingRole {
  readonly role: string;
  readonly title: string;
}

/** Roles that an administrator can assign, and with which the person could add records of these entities. */
export const findMissingRoles = async (
  calls: Pick<Calls, "permissions" | "personAccount">,
  person: string,
  entities: readonly string[],
): Promise<readonly MissingRole[]> => {
  const { grantable } = await calls.personAccount(person);
  const found = new Map<string, MissingRole>();
  for (const entity of entities) {
    const { items } = await calls.permissions({ of: entity, record: "", as: "" });
    const ways = items.find(({ do: act }) => act === `${entity}.create`)?.ways ?? [];
    const way = ways.find(({ role, held }) => !held && grantable.includes(role));
    if (way !== undefined) found.set(way.role, { role: way.role, title: way.title });
  }
  return [...found.values()];
};

/** How often progress is asked for, in milliseconds. */
const EVERY = 400;

type Calls = ReturnType<typeof useClient>["calls"];

const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, EVERY));

const isAtWork = ({ state }: ImportJson): boolean => state === "checking" || state === "running";

const importOne = async (calls: Calls, path: string, file: string, rows: DraftedRowsJson): Promise<ImportedRows> => {
  const none = {
    entity: rows.entity,
    id: null,
    isSecond: rows.match !== null,
    added: 0,
    updated: 0,
    refused: 0,
    adjusted: 0,
    asks: false,
  };
  // A server reads a .tsv file by tabs, and the rows are separated by commas.
  const sent = await sendTable(
    path,
    { name: file.replace(/\.tsv$/iu, ".csv"), content: new Blob([rows.csv], { type: "text/csv" }) },
    () => undefined,
    new AbortController().signal,
  );
  if (sent.kind !== "kept") return { ...none, failure: sent.kind === "refused" ? sent.detail : "" };
  const { answer } = sent;
  const { id } = answer;
  if (answer.questions.length > 0) return { ...none, id, asks: true, failure: null };
  const settings = { ...answer.settings, match: rows.match === null ? [] : [rows.match] };
  let job = await calls.actOnImport(path, answer.id, "run", settings);
  while (isAtWork(job)) {
    await wait();
    job = await calls.import(path, answer.id);
  }
  const { added, updated, refused, adjustments } = job;
  const adjusted = adjustments.reduce((sum, { count }) => sum + count, 0);
  return { ...none, id, added, updated, refused, adjusted, failure: null };
};

/** Imports the waiting rows, one list after the other, as the person who is signed in. */
export const importWaitingRows = async (
  calls: Calls,
  pathOf: (entity: string) => string | undefined,
): Promise<void> => {
  const waiting = waitingRows.get();
  if (!areStillWaiting(waiting)) return;
  const { file, imports } = waiting;
  const done: ImportedRows[] = [];
  const started = { ...waiting, isWanted: false, isRunning: true };
  waitingRows.set(started);
  for (const rows of imports) {
    const path = pathOf(rows.entity);
    if (path === undefined) continue;
    try {
      done.push(await importOne(calls, path, file, rows));
    } catch {
      done.push({
        entity: rows.entity,
        id: null,
        isSecond: rows.match !== null,
        added: 0,
        updated: 0,
        refused: 0,
        adjusted: 0,
        asks: false,
        failure: "",
      });
    }
    waitingRows.set({ ...started, done: [...done] });
  }
  waitingRows.set({ ...started, done, isRunning: false });
};
