import type { Message } from "../../core/i18n/message.ts";
import {
  type CountedRows,
  type MigrationStep,
  type RefusedChange,
  refuseChange,
} from "../../core/migration/migration-step.ts";
import { getClause } from "../../core/migration/phases.ts";
import type { CountedRecords, StepRecords } from "../../core/wire/authoring/document.ts";
import type { RunQuery } from "../database.ts";

/** A page of the records at one point of a plan: those after an id. */
export interface RecordsPage {
  readonly point: string;
  readonly after: string | null;
  readonly limit: number;
}

/** Number of records that a plan names for each step or refusal. */
const NAMED = 20;

/** Messages about steps, with the number of rows for steps that count them. A plan also names the first of these rows. */
export class StepMessages {
  readonly #of: Map<MigrationStep, Message | null>;
  readonly #records = new Map<MigrationStep, Omit<StepRecords, "step">>();
  readonly #points: ReadonlyMap<CountedRows, string>;
  readonly #namesRecords: boolean;
  readonly #page: RecordsPage | undefined;
  constructor(
    steps: readonly MigrationStep[],
    { namesRecords = false, page }: { readonly namesRecords?: boolean; readonly page?: RecordsPage | undefined } = {},
  ) {
    this.#of = new Map(steps.map((step) => [step, step.message]));
    this.#points = namePointsOf(steps);
    this.#namesRecords = namesRecords;
    this.#page = page;
  }

  /** Names the first rows, or the requested page of them. `count`: their number, unless they have a query for it. */
  async nameRows(query: RunQuery, rows: CountedRows, count: number, find = rows.find): Promise<CountedRecords> {
    const point = this.#points.get(rows) ?? "";
    const { after, limit } = this.#page?.point === point ? this.#page : { after: null, limit: NAMED };
    const found = await query({
      text: `select "id" from (${find}) "found" where $1::uuid is null or "id" > $1::uuid order by "id" limit ${limit}`,
      values: [after],
    });
    const counted = rows.count === undefined ? undefined : (await query({ text: rows.count, values: [] }))[0]?.count;
    return { entity: rows.entity, count: Number(counted ?? count), point, ids: found.map(({ id }) => String(id)) };
  }

  /** The refusal of a step because of this number of rows. `find`: replaces the query for them. */
  async refuse(
    query: RunQuery,
    { clause, message, misfits, missing }: NonNullable<MigrationStep["unless"]>,
    count: number,
    find?: string,
  ): Promise<RefusedChange> {
    return refuseChange(clause, message(count), {
      ...(misfits === undefined ? {} : { misfits: await this.nameRows(query, misfits, count, find) }),
      ...(missing === undefined ? {} : { missing }),
    });
  }

  /** Sets the message of a step that writes this number of rows. */
  async count(query: RunQuery, step: MigrationStep, count: number): Promise<void> {
    const { message, rows, missing } = step.writes ?? {};
    if (message !== undefined) this.#of.set(step, message(count));
    if (!this.#namesRecords || rows === undefined) return;
    const offer = missing === undefined || count === 0 ? {} : { missing };
    this.#records.set(step, { ...(await this.nameRows(query, rows, count)), ...offer });
  }

  get messages(): readonly Message[] {
    return [...this.#of.values()].filter((message) => message !== null);
  }

  get records(): readonly StepRecords[] {
    return [...this.#of]
      .filter(([, message]) => message !== null)
      .flatMap(([step], i) => {
        const records = this.#records.get(step);
        return records === undefined ? [] : [{ step: i, ...records }];
      });
  }
}

/** Names records after clauses: `5.Loan.1`, and `5.Loan.1:2` for other records of that clause. */
const namePoints = (all: readonly (readonly [rows: CountedRows | undefined, clause: string])[]) => {
  const points = new Map<CountedRows, string>();
  const taken = new Map<string, number>();
  for (const [rows, clause] of all) {
    if (rows === undefined) continue;
    const number = (taken.get(clause) ?? 0) + 1;
    taken.set(clause, number);
    points.set(rows, number === 1 ? clause : `${clause}:${number}`);
  }
  return points;
};

/** The points of a plan. One that refuses has no steps, so the records of both can have the same names. */
const namePointsOf = (steps: readonly MigrationStep[]): ReadonlyMap<CountedRows, string> =>
  new Map([
    ...namePoints(
      steps.flatMap(({ unless, conflicts, refusable }) => [
        [unless?.misfits, unless?.clause ?? ""],
        [conflicts, refusable?.clause ?? ""],
      ]),
    ),
    ...namePoints(steps.map((step) => [step.writes?.rows, getClause(step) || (step.writes?.rows?.entity ?? "")])),
  ]);

export const noMessages = new StepMessages([]);
