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

/** An open point in a plan. */
export interface PlannedOpenPoint {
  readonly point: number;
  readonly statement: string;
  readonly default: string;
}

/** A plan: all differences between two versions of a document. The content of `plan.json`. */
export interface PlanJson {
  readonly format: 1;
  readonly before: { readonly file: string; readonly hash: string };
  readonly after: { readonly file: string; readonly hash: string };
  readonly behaviour: readonly BehaviourLine[];
  /** Open points that only the later version has, and those that only the earlier one has. */
  readonly open: { readonly opened: readonly PlannedOpenPoint[]; readonly closed: readonly PlannedOpenPoint[] };
  /** The effect on stored data; null if the plan was made without a database. */
  readonly data: ChangeJson | null;
  /** Past acts, checked under the later version; absent if the plan was made without a database. */
  readonly replay?: ReplayedActs;
}

/** Plans the change from one version to another. `data`: its effect on a database, if there is one. */
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

/** `change`: there are differences. `loss`: some of them lose access, data or compatibility. */
export const classifyPlan = ({ behaviour, open, data }: PlanJson): "same" | "change" | "loss" => {
  if (behaviour.some(({ loses }) => loses !== null) || (data?.refused.length ?? 0) > 0) return "loss";
  const changes = behaviour.length + open.opened.length + open.closed.length + (data?.steps.length ?? 0);
  return changes > 0 ? "change" : "same";
};

/**
 * True if the version can be published at a start without confirmation: nobody loses anything, nothing is refused or
 * removed, and all stored data fits.
 */
export const isAddition = (plan: PlanJson): boolean =>
  classifyPlan(plan) !== "loss" && plan.behaviour.every(({ effect }) => effect !== "forbids" && effect !== "removes");

const missingFrom = (known: readonly OpenPoint[], open: readonly OpenPoint[]): readonly PlannedOpenPoint[] => {
  const getKey = ({ point, statement, default: code }: OpenPoint): string => `${point} ${code} ${statement}`;
  const keys = new Set(known.map(getKey));
  return open.flatMap((point) =>
    keys.has(getKey(point)) ? [] : [{ point: point.point, statement: point.statement, default: point.default }],
  );
};
