import type { Model, OpenPoint } from "../model/model.ts";
import type { ChangeJson } from "../wire/authoring/document.ts";
import type { ReplayedActs } from "../wire/authoring/replay.ts";
import type { BehaviourLine } from "./behaviour-line.ts";
import { compareBehaviour } from "./compare-behaviour.ts";

/** A version of a document as a plan refers to it. */
export interface PlannedVersion {
  readonly model: Model;
  readonly file: string;
  /** SHA-256 of the whole text, in hexadecimal. */
  readonly hash: string;
}

/** An open point as a plan names it. */
export interface PlannedOpenPoint {
  readonly point: number;
  readonly statement: string;
  readonly default: string;
}

/** A plan: everything that changes from one version of a document to another. The content of `plan.json`. */
export interface PlanJson {
  readonly format: 1;
  readonly before: { readonly file: string; readonly hash: string };
  readonly after: { readonly file: string; readonly hash: string };
  readonly behaviour: readonly BehaviourLine[];
  /** Open points that the later version has and the earlier one has not, and the other way round. */
  readonly open: { readonly opened: readonly PlannedOpenPoint[]; readonly closed: readonly PlannedOpenPoint[] };
  /** The effect on stored data; null if no database was asked. */
  readonly data: ChangeJson | null;
  /** Acts of the past, checked under the later version; absent if no database was asked. */
  readonly replay?: ReplayedActs;
}

/** Plans the change from one version to another. `data`: its effect on a database, if one was asked. */
export const buildPlan = (before: PlannedVersion, after: PlannedVersion, data: ChangeJson | null = null): PlanJson => ({
  format: 1,
  before: { file: before.file, hash: before.hash },
  after: { file: after.file, hash: after.hash },
  behaviour: compareBehaviour(before.model, after.model),
  open: {
    opened: missingFrom(before.model.open, after.model.open),
    closed: missingFrom(after.model.open, before.model.open),
  },
  data,
});

/** `change`: there are changes. `loss`: some of them lose access, data or compatibility. */
export const classifyPlan = ({ behaviour, open, data }: PlanJson): "same" | "change" | "loss" => {
  if (behaviour.some(({ loses }) => loses !== null) || (data?.refused.length ?? 0) > 0) return "loss";
  const changes = behaviour.length + open.opened.length + open.closed.length + (data?.steps.length ?? 0);
  return changes > 0 ? "change" : "same";
};

/**
 * True if a start can publish the version without asking: nobody loses anything, nothing is refused or removed, and all
 * stored data fits.
 */
export const isAddition = (plan: PlanJson): boolean =>
  classifyPlan(plan) !== "loss" && plan.behaviour.every(({ effect }) => effect !== "forbids" && effect !== "removes");

const missingFrom = (known: readonly OpenPoint[], open: readonly OpenPoint[]): readonly PlannedOpenPoint[] => {
  const getKey = ({ point, statement, default: code }: OpenPoint): string => `${point} ${code} ${statement}`;
  const there = new Set(known.map(getKey));
  return open.flatMap((one) =>
    there.has(getKey(one)) ? [] : [{ point: one.point, statement: one.statement, default: one.default }],
  );
};
