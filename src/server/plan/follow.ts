import { firingsOn } from "../../core/derive/footprints.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity, Model } from "../../core/model/model.ts";
import type { Row } from "../../postgres/database.ts";
import type { Refusal } from "../refusal.ts";
import type { Action, Reply } from "./action.ts";
import { neededRefusal } from "./constraints.ts";
import type { Asker, Context } from "./context.ts";
import { effectsOf, type Following } from "./effects.ts";
import { firing } from "./firing.ts";
import { judged } from "./outcome.ts";
import { planRead } from "./read.ts";
import type { Steps } from "./steps.ts";

/** The write of a request that others follow. */
export interface Root {
  readonly entity: Entity;
  readonly moment: string;
  readonly changed: ReadonlySet<string> | null;
  readonly id: string;
  /** Whether the answer bears the record's label. */
  readonly label: boolean;
}

/** Whether anything follows a write of this kind: then it is a transaction of several steps, judged at its end. */
export const isFollowed = (
  model: Model,
  entity: Entity,
  moment: string,
  changed: ReadonlySet<string> | null,
): boolean => (entity.after.get(moment)?.length ?? 0) > 0 || firingsOn(model, entity, moment, changed).length > 0;

/** What follows the write of a request, what is judged of all of it, and the record as it is then. */
export const followed = (
  context: Context,
  asker: Asker,
  format: Format,
  root: Root,
): Required<Pick<Action, "follow" | "needed">> => ({
  needed: (table, column) => neededRefusal(context.model, table, column),
  follow: function* (row: Row, settled: Reply): Steps<Reply | Refusal> {
    const following: Following = { context, asker, format, written: [] };
    const before = row["is:before"];
    const refused =
      (yield* effectsOf(following, {
        entity: root.entity,
        moment: root.moment,
        changed: root.changed,
        rows: [
          {
            id: root.id,
            before: before === null || before === undefined ? null : String(before),
            line: Number(row["is:line"]),
          },
        ],
      })) ??
      (yield* firing(following)) ??
      (yield* judged(following, root.id));
    if (refused !== undefined) return refused;
    if (settled.status === 204) return settled;
    const { entity, id, label } = root;
    const read = planRead(context, { kind: "read", entity: entity.name, id, label, screen: null }, asker, format);
    if (read.kind === "refusal") return settled;
    const results: (readonly Row[])[] = [];
    for (const query of read.queries) results.push(yield query);
    const now = read.settle(results);
    return now === "repeated" || now.kind === "refusal"
      ? settled
      : { ...settled, body: now.body, headers: { ...settled.headers, ...now.headers } };
  },
});
