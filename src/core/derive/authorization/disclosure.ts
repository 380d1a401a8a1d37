import type { AccessTrace, ConditionTrace, RequirementTrace } from "./access-trace.ts";

/** The outcome of each condition on a record, in the order of the trace. */
export interface TraceResults {
  readonly grants: readonly (readonly boolean[])[];
  readonly isFrom: boolean;
  readonly requirements: readonly boolean[];
}

/** The part of an answer that can be disclosed. `null` stands for undisclosed, or unknown before the write. */
export interface Disclosure {
  readonly answer: boolean;
  readonly grants: readonly { readonly isOpen: boolean | null; readonly needs: readonly (boolean | null)[] }[];
  readonly isFrom: boolean | null;
  readonly requirements: readonly (boolean | null)[];
  /** The most precise reason for a denial that can be disclosed; undefined if allowed. */
  readonly denial: DenialReason | undefined;
}

export type DenialReason =
  | { readonly kind: "role" | "state" | "hidden" }
  | { readonly kind: "need"; readonly need: ConditionTrace }
  | { readonly kind: "must"; readonly must: RequirementTrace };

/**
 * Decides how much of the outcome to disclose. By trying, a person finds out whether any grant applied, then whether
 * the state allowed the operation, then whether the guard and the rules did. So these outcomes and their consequences
 * can be disclosed. Everything else depends only on conditions that can be disclosed: a different outcome of any other
 * condition does not change the result.
 */
export const disclose = (trace: AccessTrace, verdicts: TraceResults): Disclosure => {
  const known = trace.grants.map((grant, i) => {
    const holds = verdicts.grants[i] ?? [];
    return {
      way: grant,
      isOpen: grant.mayApply && grant.conditions.every((_, k) => holds[k] === true),
      /** Conditions known to be unmet; they do not depend on hidden ones. */
      missing: grant.conditions.filter((need, k) => need.isDisclosed && holds[k] !== true),
      hidden: grant.conditions.filter(({ isDisclosed }) => !isDisclosed),
      holds,
    };
  });
  type Standing = (typeof known)[number];
  const isRuledOut = ({ way, missing }: Standing): boolean => !way.mayApply || missing.length > 0;
  const isAnyOpen = known.some(({ isOpen }) => isOpen);
  const candidates = known.filter((item) => !isRuledOut(item));
  const broken = trace.requirements.flatMap((must, i) =>
    must.isDecidable && verdicts.requirements[i] !== true ? [{ must, i }] : [],
  );

  /** Deduces if a grant applies, and the outcome of its hidden conditions. */
  const deduce = (item: Standing): { readonly isOpen: boolean | null; readonly hidden: boolean | null } => {
    if (isRuledOut(item)) return { isOpen: false, hidden: null };
    if (item.hidden.length === 0) return { isOpen: true, hidden: null };
    // No grant applies, so each lacks something; a grant with one hidden condition must lack that one.
    if (!isAnyOpen) return { isOpen: false, hidden: item.hidden.length === 1 ? false : null };
    // Some grant applies; a single remaining candidate must be that one.
    return candidates.length === 1 ? { isOpen: true, hidden: true } : { isOpen: null, hidden: null };
  };

  const lackOf = (): DenialReason | undefined => {
    if (!isAnyOpen) {
      const [near] = known
        .filter(({ way }) => way.mayApply)
        .sort(
          (a, b) =>
            lacking(a) - lacking(b) ||
            Number(isRuledOut(b)) - Number(isRuledOut(a)) ||
            Number(lacksRole(a)) - Number(lacksRole(b)),
        );
      if (near === undefined) return { kind: "role" };
      const need = near.missing[0] ?? (near.hidden.length === 1 ? near.hidden[0] : undefined);
      return need !== undefined && (need.isNamed || need.role !== null) ? { kind: "need", need } : { kind: "hidden" };
    }
    if (!verdicts.isFrom) return { kind: "state" };
    if (broken.length === 0) return undefined;
    const disclosed = broken.find(({ must }) => must.isDisclosed);
    return disclosed === undefined ? { kind: "hidden" } : { kind: "must", must: disclosed.must };
  };
  // A holder of the role reads what else the clause asks for.
  const lacksRole = ({ missing }: Standing): boolean => missing.some(({ role }) => role !== null);
  const lacking = ({ missing, hidden }: Standing): number => (missing.length > 0 ? missing.length : hidden.length);

  return {
    answer: isAnyOpen && verdicts.isFrom && broken.length === 0,
    grants: known.map((item) => {
      const { isOpen, hidden } = deduce(item);
      return {
        isOpen,
        needs: item.way.conditions.map((need, k) => (need.isDisclosed ? item.holds[k] === true : hidden)),
      };
    }),
    isFrom: trace.from?.isDisclosed === true ? verdicts.isFrom : null,
    requirements: trace.requirements.map((must, i) =>
      must.isDisclosed && must.isDecidable ? verdicts.requirements[i] === true : null,
    ),
    denial: lackOf(),
  };
};
