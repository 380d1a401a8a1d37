import type { Grant } from "../../../core/derive/authorization/grants.ts";
import {
  affectedRuleRefusal,
  amongRefusal,
  boundRefusals,
  type CheckRefusal,
  closedFieldRefusal,
  fileRefusal,
  guardChecks,
  permissionRefusal,
  referenceRefusal,
  requiredRefusal,
  ruleRefusal,
  stateRefusal,
  uniquenessRefusal,
  versionRefusal,
} from "../../../core/derive/consistency/check-refusals.ts";
import type { AffectedRule, ConditionTrigger } from "../../../core/derive/consistency/read-sets.ts";
import type { Effect } from "../../../core/model/effect.ts";
import type { Entity, UniquenessRule, ValidationRule } from "../../../core/model/entity.ts";
import { findConditionalFields, rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import type { LockRows } from "../transaction/locks.ts";
import { type Change, isNeededBy } from "./change-spec.ts";
import type { Creation } from "./creation-spec.ts";

/** A write as data, without SQL: for tests, and for readers who want to know the reason for a statement. */
export interface WriteDescription {
  /** The action and the entity, such as `hand_over Loan`. */
  readonly write: string;
  readonly transaction: "each batch" | "whole";
  /** The statements that are tried, in order. */
  readonly statements: readonly ("fast path" | "checked form")[];
  /** Names of the locks that are taken before the write. */
  readonly locks: readonly string[];
  /** The refusal for each check of the write that can fail for this caller. */
  readonly checks: readonly CheckRefusal[];
  /** The fields that the statement sets; `null` for a deletion. */
  readonly sets: readonly string[] | null;
  /** The action and the clause of the audit line. */
  readonly audit: string;
  /** The lists of parts that are written with it. */
  readonly parts: readonly string[];
  /** Effects of the record itself. Effects can cause further ones. */
  readonly effects: readonly string[];
  /** Transitions that are made if their condition is true after the write. */
  readonly triggers: readonly string[];
  /**
   * Checks of the record that are made after everything is written. Records that effects write are then checked too.
   */
  readonly finalChecks: readonly CheckRefusal[];
}

/** The part of a description that each kind of write supplies. */
export type WriteOutline = Pick<WriteDescription, "locks" | "checks" | "sets" | "audit" | "triggers" | "finalChecks">;

export const describeEffect = (effect: Effect): string => {
  const { id } = effect.clause;
  switch (effect.kind) {
    case "notify":
      return `notify (${id})`;
    case "call":
    case "chat":
      return `call ${effect.call} (${id})`;
    case "make":
      return `${effect.transition} ${effect.entity} (${id})`;
    default:
      return `${effect.kind} ${effect.entity} (${id})`;
  }
};

export const describeTrigger = ({ owner, transition }: ConditionTrigger): string =>
  `${transition.name} ${owner.name} (${transition.clause.id})`;

/** Names of locks, each once. Others may hold a shared lock at the same time. */
export const describeLocks = (locks: readonly LockRows[]): readonly string[] => [
  ...new Set(locks.map(({ name, alone }) => (alone ? name : `${name} (shared)`))),
];

/** The outline of a create, an update or a transition. */
export const outlineWrite = (spec: Change | Creation, locks: readonly LockRows[]): WriteOutline => {
  const { context, entity, clause } = spec;
  const { model } = context;
  const action = "action" in spec ? spec.action : "create";
  return {
    locks: describeLocks(locks),
    checks: [
      ...permissionRefusals(clause, spec.grants, spec.named),
      ...("action" in spec ? changeRefusals(spec) : computedRefusals(spec)),
      ...listFieldRefusals(entity, spec.references, referenceRefusal),
      ...spec.files.map(fileRefusal),
      ...boundRefusals(spec.bounded),
      ...conditionRefusals(spec.conditionalFields),
      ...ruleRefusals(model, spec.rules, spec.uniquenessRules, spec.affectedRules),
    ],
    sets: "action" in spec ? [...spec.changed] : spec.fields.map(({ name }) => name),
    audit: `${action} (${clause})`,
    triggers: spec.triggers.map(describeTrigger),
    finalChecks: [
      ...partConditionRefusals(spec),
      ...ruleRefusals(model, finalRules(spec, action), [], spec.later.affectedRules ?? []),
    ],
  };
};

/** The permission checks that can fail: none if an unconditional grant covers all fields. */
export const permissionRefusals = (
  clause: string,
  grants: readonly Grant[],
  fields: readonly string[],
): readonly CheckRefusal[] => {
  const unconditional = grants.filter(({ conditions }) => conditions.length === 0);
  const allows = (name: string) => (grant: Grant) => grant.fields?.has(name) !== false;
  const closed = fields.filter((name) => !grants.every(allows(name)) && !unconditional.some(allows(name)));
  return [
    ...(unconditional.length === 0 ? [{ ...permissionRefusal(clause), at: "" }] : []),
    ...closed.map((name) => ({ ...closedFieldRefusal(clause), at: `/${name}` })),
  ];
};

/** The lists of parts that are written with a record. */
const findLists = ({ named, sentFields }: Change | Creation): readonly string[] =>
  named.filter((name) => !sentFields.includes(name));

/** Rules that effects or parts can still change. */
const finalRules = (spec: Change | Creation, action: string): readonly ValidationRule[] => {
  const changed = "action" in spec ? spec.changed : [];
  const ofParts = rulesAt(spec.entity, action, new Set([...changed, ...findLists(spec)]));
  return [...new Set([...(spec.later.rules ?? []), ...ofParts])].filter((rule) => !spec.rules.includes(rule));
};

/** Conditions of fields may read the parts. */
const partConditionRefusals = (spec: Change | Creation): readonly CheckRefusal[] =>
  findLists(spec).length === 0
    ? []
    : conditionRefusals(
        findConditionalFields(spec.entity, "action" in spec ? new Set([...spec.changed, ...findLists(spec)]) : null),
      );

const changeRefusals = ({ entity, defaulted, stateChange }: Change): readonly CheckRefusal[] => [
  { ...versionRefusal(entity), at: "" },
  ...(stateChange === null ? [] : [{ ...stateRefusal(stateChange.transition), at: "" }]),
  ...defaulted.filter(isNeededBy(stateChange)).map((field) => requiredRefusal(field, stateChange?.transition)),
  ...(stateChange === null ? [] : guardChecks(stateChange.transition).map(({ refusal }) => ({ ...refusal, at: "" }))),
];

/** A required field that the document computes can be missing. */
const computedRefusals = ({ entity, computed }: Creation): readonly CheckRefusal[] =>
  listFieldRefusals(
    entity,
    [...computed.keys()].filter((name) => entity.fields.get(name)?.optional === false),
    requiredRefusal,
  );

const listFieldRefusals = (
  entity: Entity,
  names: readonly string[],
  refusal: (field: Field) => CheckRefusal,
): readonly CheckRefusal[] =>
  names.flatMap((name) => {
    const field = entity.fields.get(name);
    return field === undefined ? [] : [refusal(field)];
  });

const conditionRefusals = (fields: readonly Field[]): readonly CheckRefusal[] =>
  fields.flatMap((field) => [
    ...(field.needed === null ? [] : [requiredRefusal(field)]),
    ...(field.among === null ? [] : [amongRefusal(field)]),
  ]);

/** The refusals of rules of the record, of uniqueness, and of rules of other records. */
export const ruleRefusals = (
  model: Model,
  rules: readonly ValidationRule[],
  uniqueness: readonly UniquenessRule[],
  affected: readonly AffectedRule[],
): readonly CheckRefusal[] => [
  ...rules.map((rule) => ruleRefusal(model, rule)),
  ...uniqueness.map((rule) => uniquenessRefusal(model, rule)),
  ...affected.map(affectedRuleRefusal),
];

/** A description as text, one line for each fact. */
export const writeText = (description: WriteDescription): string => {
  const refusals = (list: readonly CheckRefusal[]) => list.map(({ code, clause, at }) => `${code}${at} (${clause})`);
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ["transaction", [description.transaction]],
    ["statements", description.statements],
    ["locks", description.locks],
    ["checks", refusals(description.checks)],
    ["sets", description.sets ?? []],
    ["audit", [description.audit]],
    ["parts", description.parts],
    ["effects", description.effects],
    ["triggers", description.triggers],
    ["final checks", refusals(description.finalChecks)],
  ];
  return [
    description.write,
    ...lines.flatMap(([name, facts]) => (facts.length === 0 ? [] : [`  ${name}: ${facts.join(", ")}`])),
  ].join("\n");
};
