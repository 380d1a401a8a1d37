import { createHash } from "node:crypto";
import type { RefusedChange } from "../core/change/steps.ts";
import { stepsBetween } from "../core/change/steps.ts";
import { tablesOf } from "../core/derive/tables.ts";
import type { Model } from "../core/model/model.ts";
import type { Source } from "../core/text.ts";
import type { Database } from "./database.ts";
import { introspect } from "./introspect.ts";

/** The document cannot be applied as it is: what is stored would be lost or would not fit. Nothing was changed. */
export class ChangeRefused extends Error {
  override readonly name = "ChangeRefused";
  readonly refused: readonly RefusedChange[];
  constructor(refused: readonly RefusedChange[]) {
    super(
      `${refused.length === 1 ? "One change" : `${refused.length} changes`} of the document cannot be made to the data that is stored.`,
    );
    this.refused = refused;
  }
}

export interface Applied {
  /** Counts the versions of the document that this database has run, from 1. */
  readonly version: number;
  readonly hash: string;
  /** What was done, a sentence each; empty when nothing changed. */
  readonly done: readonly string[];
}

/** What names a version of a document: the SHA-256 of its text. */
const hashOf = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

const LOCK = 9_090_010;

/**
 * Makes the database fit the document, in one transaction: additions are made, anything else refuses the whole with
 * what changed. A text that the database has not run before becomes its next version.
 */
export const applyDocument = (owner: Database, model: Model, source: Source): Promise<Applied> =>
  owner.transaction(async (query) => {
    await query({ text: "select pg_advisory_xact_lock($1)", values: [LOCK] });
    const { steps, refused } = stepsBetween(await introspect(query), tablesOf(model));
    if (refused.length > 0) throw new ChangeRefused(refused);
    for (const step of steps) {
      if (step.unless !== undefined) {
        const [row] = await query({ text: step.unless.count, values: [] });
        const rows = Number(row?.count ?? 0);
        if (rows > 0)
          throw new ChangeRefused([{ clause: step.says.split(" ")[0] ?? "", says: step.unless.says(rows) }]);
      }
      await query({ text: step.run, values: [] });
    }
    const hash = hashOf(source.text);
    const [last] = await query({
      text: "select number, hash from ninefold.version order by number desc limit 1",
      values: [],
    });
    const done = steps.flatMap((step) => (step.says === "" ? [] : [step.says]));
    if (last?.hash === hash) return { version: Number(last.number), hash, done };
    const version = Number(last?.number ?? 0) + 1;
    await query({
      text: "insert into ninefold.version (number, file, hash, source) values ($1, $2, $3, $4)",
      values: [version, source.file, hash, source.text],
    });
    return { version, hash, done };
  });
