import { buildPlan, isAddition, type PlanJson } from "../../core/change/plan.ts";
import { type Compiled, compile } from "../../core/compile.ts";
import { needsOthers } from "../../core/derive/authorization/change-rights.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { toChangeJson } from "../../core/migration/migration-step.ts";
import type { Model } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import type { Database } from "../../postgres/database.ts";
import { hashDocument } from "../../postgres/schema/document-hash.ts";
import { planDocument } from "../../postgres/schema/plan-document.ts";
import { proposeFile } from "./file-proposals.ts";

/** The policies by which a start publishes a file that differs from the live version. */
export const changePolicies = ["always", "additions", "never"] as const;
export type ApplyChanges = (typeof changePolicies)[number];

/** Thrown if the file of the document has errors and the database has no version to run instead. */
export class NothingToRun extends Error {
  override readonly name = "NothingToRun";
}

/** How a file differs from the live version, and what the start did about it. */
export type FileChange =
  | { readonly kind: "applied"; readonly plan: PlanJson }
  /** Published without a plan, because the policy is "always" or this release cannot read the live version. */
  | { readonly kind: "published" }
  /** The file has the text of an earlier version. */
  | { readonly kind: "earlier"; readonly version: number; readonly live: number }
  | {
      readonly kind: "proposed";
      /** The number of the proposal; null if the text is too long to be stored. */
      readonly proposal: number | null;
      readonly live: number;
      /** The plan; null if the file has errors. */
      readonly plan: PlanJson | null;
      /** True if the live version requires approval for every change. */
      readonly needsApproval: boolean;
    };

/** The version that a start runs. */
export interface StartVersion {
  readonly compiled: Compiled & { readonly model: Model };
  /** The live version before, with a null hash if there was none. Undefined if it does not matter. */
  readonly base: { readonly hash: string | null; readonly model: Model | null } | undefined;
  /** Null if the file has the text of the live version. */
  readonly change: FileChange | null;
}

/** True if a database has run a version. Creates nothing. */
export const hasVersion = async (owner: Database): Promise<boolean> => {
  const [known] = await owner.query({
    text: "select to_regclass('ninefold.version') is not null as known",
    values: [],
  });
  if (known?.known !== true) return false;
  return (await owner.query({ text: "select from ninefold.version limit 1", values: [] })).length > 0;
};

const runnable = (compiled: Compiled): (Compiled & { readonly model: Model }) | undefined => {
  const { model } = compiled;
  return model === undefined ? undefined : { ...compiled, model };
};

/**
 * Decides between the file and the live version. The file runs if the database has no version, or if the policy
 * publishes it and no approval is required; by default, it must only add to the live version (`isAddition`).
 * Otherwise its text becomes a proposal, and the live version runs.
 */
export const chooseVersion = async (owner: Database, file: Compiled, policy: ApplyChanges): Promise<StartVersion> => {
  const own = runnable(file);
  const [last] = await owner.query({
    text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
    values: [],
  });
  if (last === undefined) {
    if (own === undefined) throw new NothingToRun();
    return { compiled: own, base: { hash: null, model: null }, change: null };
  }
  const [live, hash] = [Number(last.number), hashDocument(file.source.text)];
  const stored = unpackSources({ file: String(last.file), text: String(last.source) });
  const inForce = runnable(compile(withNamesOf(stored, file.sources)));
  const base = { hash: String(last.hash), model: inForce?.model ?? null };
  if (
    own !== undefined &&
    (hash === base.hash || inForce === undefined || (policy === "always" && !needsOthers(inForce.model.approval)))
  )
    return { compiled: own, base, change: hash === base.hash ? null : { kind: "published" } };
  // This release cannot read the live version, so the file must have no errors.
  if (inForce === undefined) throw new NothingToRun();
  const [earlier] = await owner.query({
    text: "select max(number) as number from ninefold.version where hash = $1 having count(*) > 0",
    values: [hash],
  });
  if (earlier !== undefined)
    return { compiled: inForce, base, change: { kind: "earlier", version: Number(earlier.number), live } };
  const plan = own === undefined ? null : await planChange(owner, inForce, own);
  const needsApproval = needsOthers(inForce.model.approval);
  if (own !== undefined && plan !== null && policy === "additions" && !needsApproval && isAddition(plan))
    return { compiled: own, base, change: { kind: "applied", plan } };
  const proposal = await proposeFile(owner, {
    source: withFileName(String(last.file), file.source),
    base: live,
    model: inForce.model,
  });
  return { compiled: inForce, base, change: { kind: "proposed", proposal, live, plan, needsApproval } };
};

/** The text of a single file under the name that the document has in the database. */
const withFileName = (name: string, source: Source): Source =>
  name.endsWith("/") || source.file.endsWith("/") ? source : { file: name, text: source.text };

/** The file of a single-file document may have been renamed since it was stored. */
const withNamesOf = (stored: readonly Source[], files: readonly Source[]): readonly Source[] => {
  const [only, ...more] = files;
  return only === undefined || more.length > 0 || stored.length !== 1
    ? stored
    : stored.map(({ text }) => ({ file: only.file, text }));
};

type Runnable = StartVersion["compiled"];

const planChange = async (owner: Database, before: Runnable, after: Runnable): Promise<PlanJson> => {
  const toPlanSide = ({ model, source }: Runnable) => ({ model, file: source.file, hash: hashDocument(source.text) });
  return buildPlan(
    toPlanSide(before),
    toPlanSide(after),
    toChangeJson(await planDocument(owner, after.model, after.source)),
  );
};
