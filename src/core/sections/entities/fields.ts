import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import { KEY } from "../../expression/values/seed-record.ts";
import type { Scope } from "../../expression/values/type.ts";
import { fieldKinds, isAssigned } from "../../field/kinds.ts";
import { isSequence } from "../../field/sequence.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Field, FieldStorage } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Limits } from "../../model/model.ts";
import { type Linking, linkExpression, reportUnknownName } from "../linking/link-context.ts";
import { scopeOn } from "../linking/scope-on.ts";
import { type FieldDraft, isDecided } from "./field-drafts.ts";
import { checkCurrency, checkOwners, readBound, readSeries, slugSource } from "./field-keys.ts";
import type { FieldSyntax } from "./field-syntax.ts";
import { formerFields } from "./field-syntax.ts";
import { namesOfFormer, readFormerFields, withoutCurrency } from "./former-fields.ts";
import { asksToKeep, untilNames } from "./kept-syntax.ts";
import { compileAmong, compileRequired } from "./reference-filter.ts";

const plain = {
  storage: { as: "column" },
  many: false,
  optional: false,
  unique: false,
  countsMissing: false,
  personal: false,
  once: false,
  set: null,
  default: null,
  fill: null,
  former: [],
  partOf: false,
  among: null,
  needed: null,
  entity: null,
  min: null,
  max: null,
  currency: null,
  series: null,
  from: null,
  unit: null,
  help: null,
  examples: [],
  isKey: false,
} as const;

/** The state field of an entity as point 4 declares it. */
export interface StateFieldDraft {
  readonly field: string;
  readonly title: string | undefined;
  readonly names: readonly string[];
  readonly clause: Clause;
}

/** The state field of an entity, which only transitions write. */
export const stateField = (entity: string, state: StateFieldDraft): Field => ({
  ...plain,
  name: state.field,
  clause: state.clause,
  title: state.title ?? toTitle(state.field),
  type: "state",
  ruleType: { kind: "choice", of: `${entity}.${state.field}`, values: state.names },
  values: state.names,
});

/** The key field of seed records; missing for all other records. */
export const keyField = (clause: Clause): Field => ({
  ...plain,
  name: KEY,
  clause,
  title: "Name in the document",
  type: "text",
  ruleType: { kind: "text" },
  values: [],
  optional: true,
  unique: true,
  once: true,
  set: { kind: "constant", value: null, type: { kind: "text" }, missing: true, span: clause.span },
  isKey: true,
});

/** The entity of a field. */
interface FieldContext {
  readonly entity: string;
  readonly drafts: ReadonlyMap<string, FieldDraft>;
  readonly transitions: ReadonlySet<string>;
  readonly scope: Scope;
  readonly limits: Limits;
}

/** Links a field's expressions. Null for a field without a column; its expressions are type-checked nevertheless. */
export const linkField = (
  draft: FieldDraft,
  { entity, drafts, transitions, scope, limits }: FieldContext,
  linking: Linking,
): Field | null => {
  const inRecord = scopeOn(scope, entity);
  if (!isDecided(draft)) return null;
  const { syntax } = draft;
  const element = draft.shape.type.kind === "list" ? draft.shape.type.of : draft.shape.type;
  if (syntax !== undefined) {
    checkKeys(entity, syntax, draft, linking);
    checkUntil(entity, syntax, { drafts, transitions }, linking);
  }
  const atCreation = (at: Scalar | undefined, sees: Scope): Expr | null =>
    at === undefined ? null : (linkExpression(at, sees, draft.shape.type, linking, draft.clause.id) ?? null);
  // `set` is computed before any input is known. A default can depend on the other values of the input.
  const [set, initial] = [atCreation(syntax?.set, scope), atCreation(syntax?.default, inRecord)];
  // `fill` is computed for an existing record, and without a user.
  const former = syntax === undefined ? [] : readFormerFields(syntax, draft, scope.entities, linking);
  const names = namesOfFormer(former);
  const inFill = (): Scope => ({ ...inRecord, user: false, ...(former.length === 0 ? {} : { names }) });
  const filled = former.length > 0 && element.kind === "money" ? withoutCurrency(draft.shape.type) : draft.shape.type;
  const fill =
    syntax?.fill === undefined
      ? null
      : (linkExpression(syntax.fill, inFill(), filled, linking, draft.clause.id, new Set(names.keys())) ?? null);
  const [min, max] = [
    readBound(syntax?.min, "min", draft, limits, linking),
    readBound(syntax?.max, "max", draft, limits, linking),
  ];
  if (syntax !== undefined) checkCurrency(syntax, draft, linking);
  const series = syntax === undefined ? null : readSeries(syntax, draft, transitions, linking);
  const from = syntax === undefined ? null : slugSource(syntax, draft, drafts, linking);
  const storage = findHolding(entity, draft, scope, linking);
  if (storage === null) return null;
  const partOf = syntax?.["part of"]?.value === true && draft.entity !== null;
  return {
    name: draft.name,
    clause: draft.clause,
    title: syntax?.title?.value ?? draft.title ?? toTitle(draft.name),
    type: draft.stored,
    ruleType: draft.shape.type,
    storage,
    many: syntax?.many?.value === true,
    // A field with several values can be empty.
    optional: draft.optional || syntax?.many?.value === true,
    unique:
      draft.stored === "slug" ||
      isSequence(draft.stored) ||
      (syntax?.unique?.value ?? (entity === "User" && draft.name === "email")),
    countsMissing: syntax?.missing !== undefined,
    personal: isPersonal(entity, draft),
    partOf,
    among: compileAmong(entity, draft, element, inRecord, linking),
    needed: compileRequired(draft, inRecord, linking),
    // A part never changes its parent.
    once: partOf || (syntax?.once?.value ?? false),
    set,
    default: initial,
    fill,
    former,
    values: draft.values,
    entity: draft.entity,
    min,
    max,
    currency: draft.shape.type.kind === "money" ? draft.shape.type.currency : null,
    series,
    from,
    unit: syntax?.unit?.value ?? null,
    help: syntax?.help?.value ?? null,
    examples: (syntax?.examples ?? []).map((example) => example.value),
    isKey: false,
  };
};

/** `until` names entered fields of the entity and its transitions. */
const checkUntil = (
  entity: string,
  { kept }: FieldSyntax,
  {
    drafts,
    transitions,
  }: { readonly drafts: ReadonlyMap<string, FieldDraft>; readonly transitions: ReadonlySet<string> },
  linking: Linking,
): void => {
  for (const { value, span } of untilNames(kept)) {
    const field = drafts.get(value);
    linking.mentions.push({ of: field === undefined ? "transition" : "field", entity, name: value, span });
    if (field === undefined && !transitions.has(value))
      reportUnknownName(linking, span, `field or transition of ${entity}`, value, [...drafts.keys(), ...transitions]);
    else if (field !== undefined && (field.syntax?.computed !== undefined || field.shape.inverse !== undefined))
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `${value} is computed, so “until” can’t wait for a change of it.`,
          "Name the fields that it is computed from.",
          { clause: `3.${entity}.${field.name}` },
        ),
      );
  }
};

/** Null if its computed expression or the listed records are not executable. */
const findHolding = (
  entity: string,
  { name, shape, syntax }: FieldDraft,
  scope: Scope,
  linking: Linking,
): FieldStorage | null => {
  if (shape.inverse !== undefined)
    return scope.entities.has(shape.inverse.entity) ? { as: "inverse", ...shape.inverse } : null;
  if (syntax?.computed === undefined) return plain.storage;
  return linking.computedForms.get(`${entity}.${name}`)?.storage ?? null;
};

/** The built-in fields of people that are always personal. */
const alwaysPersonal: ReadonlySet<string> = new Set(["name", "email", "avatar"]);

const isPersonal = (entity: string, { name, syntax }: FieldDraft): boolean =>
  syntax === undefined ? entity === "User" && alwaysPersonal.has(name) : syntax.personal?.value === true;

/** Reports keys that have no effect on this field, or that contradict others. */
const checkKeys = (entity: string, syntax: FieldSyntax, draft: FieldDraft, linking: Linking): void => {
  const { clause } = draft;
  if (syntax.discloses?.value === true) linking.disclosed.add(`${entity}.${draft.name}`);
  const reportKey = (key: "kept" | "fill" | "was" | "personal", message: string, hint: string) =>
    linking.report(finding("BAD_VALUE", syntax.keys[key] ?? syntax.span, message, hint, { clause: clause.id }));
  if (asksToKeep(syntax.kept) && syntax.computed === undefined)
    reportKey(
      "kept",
      `“kept” is only for computed fields, but ${draft.name} is not computed.`,
      "Remove “kept”, or add “computed:” with a formula.",
    );
  if (
    syntax.fill !== undefined &&
    (draft.shape.inverse !== undefined ||
      syntax.computed !== undefined ||
      (isAssigned(draft.stored) && !(draft.stored === "integer sequence" && formerFields(syntax).length > 0)))
  )
    reportKey("fill", `${draft.name} gets its values automatically, so “fill” has no effect.`, "Take “fill” out.");
  if (formerFields(syntax).length > 0 && syntax.fill === undefined)
    reportKey(
      "was",
      `“was” names the former fields of ${draft.name}, but “fill” does not say how its values follow from them.`,
      `Add “fill:” with an expression such as was.${formerFields(syntax)[0]?.name}, or write only the former name.`,
    );
  if (
    syntax.personal?.value === true &&
    (!fieldKinds[draft.stored].fields.personal || draft.shape.inverse !== undefined || syntax.computed !== undefined)
  )
    reportKey(
      "personal",
      `${draft.name} can’t be personal: “personal” marks fields that people fill in, other than references and durations.`,
      "Remove it, and mark the fields that hold the values.",
    );
  // A field without a column is already reported as a whole.
  checkOwners(syntax, draft, linking);
  if (syntax["part of"]?.value === true) {
    if (draft.entity === null)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax["part of"].span,
          `Only a reference can have “part of”, but ${draft.name} is not a reference.`,
          "Remove “part of”.",
          { clause: clause.id },
        ),
      );
    else if (draft.optional)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.type?.span ?? syntax["part of"].span,
          `A part always belongs to a record, but ${draft.name} is optional.`,
          "Remove the question mark from its type.",
          { clause: clause.id },
        ),
      );
  }
};
