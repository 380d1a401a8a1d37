import type { AccessTrace, ConditionTrace, RequirementTrace } from "./explain-access.ts";

/** How each condition came out on a record, in the order in which they are considered. */
export interface TraceResults {
  readonly grants: readonly (readonly boolean[])[];
  readonly isFrom: boolean;
  readonly requirements: readonly boolean[];
}

/** What may be said of an answer. `null`: not for who is told to know, or not known before it is done. */
export interface Disclosure {
  readonly answer: boolean;
  readonly grants: readonly { readonly isOpen: boolean | null; readonly needs: readonly (boolean | null)[] }[];
  readonly isFrom: boolean | null;
  readonly requirements: readonly (boolean | null)[];
  /** What stands against it, as near as it may be said; undefined where nothing does. */
  readonly denial: DenialReason | undefined;
}

export type DenialReason =
  | { readonly kind: "role" | "state" | "hidden" }
  | { readonly kind: "need"; readonly need: ConditionTrace }
  | { readonly kind: "must"; readonly must: RequirementTrace };

/**
 * What may be said of how it came out. By trying, somebody learns whether any way was open, then whether the state, then
 * whether the guard and the rules stood against it; so that much is known, and what follows from it is said. For the
 * rest, what is said depends on conditions that they may be told alone: were another one different, it would be the same.
 */
export const disclose = (trace: AccessTrace, verdicts: TraceResults): Disclosure => {
  const standing = trace.grants.map((way, i) => {
    const holds = verdicts.grants[i] ?? [];
    return {
      way,
      isOpen: way.mayApply && way.conditions.every((_, k) => holds[k] === true),
      /** What is known to be missing: nothing of it rests on what is hidden. */
      missing: way.conditions.filter((need, k) => need.isDisclosed && holds[k] !== true),
      hidden: way.conditions.filter(({ isDisclosed }) => !isDisclosed),
      holds,
    };
  });
  type Standing = (typeof standing)[number];
  const isShut = ({ way, missing }: Standing): boolean => !way.mayApply || missing.length > 0;
  const isAnyOpen = standing.some(({ isOpen }) => isOpen);
  const candidates = standing.filter((one) => !isShut(one));
  const broken = trace.requirements.flatMap((must, i) =>
    must.isDecidable && verdicts.requirements[i] !== true ? [{ must, i }] : [],
  );

  /** Whether a way is open, and what that says of each thing that is hidden in it. */
  const knownOf = (one: Standing): { readonly isOpen: boolean | null; readonly hidden: boolean | null } => {
    if (isShut(one)) return { isOpen: false, hidden: null };
    if (one.hidden.length === 0) return { isOpen: true, hidden: null };
    // None is open, so something of each is missing: where only one thing can be, it is that.
    if (!isAnyOpen) return { isOpen: false, hidden: one.hidden.length === 1 ? false : null };
    // One is open, and it can be no other.
    return candidates.length === 1 ? { isOpen: true, hidden: true } : { isOpen: null, hidden: null };
  };

  const lackOf = (): DenialReason | undefined => {
    if (!isAnyOpen) {
      const [near] = standing
        .filter(({ way }) => way.mayApply)
        .sort((a, b) => lacking(a) - lacking(b) || Number(isShut(b)) - Number(isShut(a)));
      if (near === undefined) return { kind: "role" };
      const need = near.missing[0] ?? (near.hidden.length === 1 ? near.hidden[0] : undefined);
      return need !== undefined && (need.isNamed || need.role !== null) ? { kind: "need", need } : { kind: "hidden" };
    }
    if (!verdicts.isFrom) return { kind: "state" };
    if (broken.length === 0) return undefined;
    const told = broken.find(({ must }) => must.isDisclosed);
    return told === undefined ? { kind: "hidden" } : { kind: "must", must: told.must };
  };
  const lacking = ({ missing, hidden }: Standing): number => (missing.length > 0 ? missing.length : hidden.length);

  return {
    answer: isAnyOpen && verdicts.isFrom && broken.length === 0,
    grants: standing.map((one) => {
      const { isOpen, hidden } = knownOf(one);
      return {
        isOpen,
        needs: one.way.conditions.map((need, k) => (need.isDisclosed ? one.holds[k] === true : hidden)),
      };
    }),
    isFrom: trace.from?.isDisclosed === true ? verdicts.isFrom : null,
    requirements: trace.requirements.map((must, i) =>
      must.isDisclosed && must.isDecidable ? verdicts.requirements[i] === true : null,
    ),
    denial: lackOf(),
  };
};
