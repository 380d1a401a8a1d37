import {
  either,
  expression,
  flag,
  keyed,
  list,
  map,
  type Named,
  name,
  named,
  openAs,
  optional,
  type Read,
  record,
  type Said,
  single,
  text,
  word,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import type { FieldKind } from "../field/kind.ts";
import { kinds } from "../field/kinds.ts";
import { isOne } from "../field/many.ts";
import { isCurrency, USUAL_CURRENCY } from "../field/money.ts";
import { PLAIN, readPattern } from "../field/sequence.ts";
import { finding } from "../findings.ts";
import type { Among, Clause, Condition, Field, Holding, Limits } from "../model/model.ts";
import { titleOf } from "../model/words.ts";
import { readRule } from "../rule/check.ts";
import type { Expr } from "../rule/expr.ts";
import { inside } from "../rule/inside.ts";
import { readsOf } from "../rule/reads.ts";
import type { FieldShape, Scope, Type } from "../rule/type.ts";
import { unfolded } from "../rule/unfold.ts";
import { nearest, type Span } from "../text.ts";
import type { FieldTypeName } from "../wire.ts";
import { clauseAt, type Linking, linkExpression, madeIn, unknownName } from "./linking.ts";
import { KEY } from "./records.ts";

const choiceKeys = record("a choice's value", { was: optional(name("field")) });

/** `holiday`, or `holiday: { was: vacation }`. */
const choice = either<{ readonly name: Said<string>; readonly was?: Said<string> | undefined }>(
  "a choice's name, or a name with its keys",
  {
    scalar: map(name("field"), (said) => ({ name: said })),
    mapping: map(single("one choice's name with its keys", "field", choiceKeys), (only) => ({
      name: { value: only.name, span: only.key },
      was: only.value.was,
    })),
  },
);

const field = record(
  "a field",
  {
    type: optional(text),
    title: optional(text),
    help: optional(text),
    unit: optional(text),
    examples: optional(list(text)),
    values: optional(list(choice)),
    min: optional(text),
    max: optional(text),
    unique: optional(flag),
    missing: optional(word("same")),
    once: optional(flag),
    many: optional(flag),
    default: optional(expression),
    set: optional(expression),
    computed: optional(
      either<Scalar | readonly Named<Scalar>[]>("an expression, or choices with their conditions", {
        scalar: expression,
        mapping: keyed("choices with their conditions", expression),
      }),
    ),
    kept: optional(flag),
    list: optional(text),
    "part of": optional(flag),
    among: optional(expression),
    required: optional(expression),
    pattern: optional(text),
    gapless: optional(name("field")),
    from: optional(name("field")),
    currency: optional(text),
    was: optional(name("field")),
    discloses: optional(flag),
  },
  "type",
);

/** A field that is not shown as a whole is one whose type is not: its name stands, and others may name it. */
const unsaid = (span: Span): FieldSyntax | undefined => {
  const empty = field.read({ kind: "mapping", entries: [], span, written: undefined }, () => undefined);
  return empty === undefined ? undefined : { ...empty, keys: { type: span } };
};

export const fieldsShape = named("field", openAs("FIELD_WITHOUT_COLUMN", field, unsaid));

type FieldSyntax = Read<typeof field>;

/** A field whose name and type are known and whose expressions are not read yet. */
export interface FieldDraft {
  readonly name: string;
  readonly clause: Clause;
  /** Of a field that the platform brings. */
  readonly title?: string;
  readonly shape: FieldShape;
  readonly stored: FieldTypeName;
  readonly optional: boolean;
  readonly entity: string | null;
  readonly values: readonly string[];
  readonly syntax: FieldSyntax | undefined;
}

const storedTypes: readonly string[] = Object.keys(kinds).filter((type) => type !== "reference" && type !== "state");

const typeOf = (
  entity: string,
  name: string,
  stored: FieldTypeName,
  values: readonly string[],
  target: string | null,
  currency: string | null,
): Type => {
  const kind: FieldKind = kinds[stored];
  return kind.type({ name, of: `${entity}.${name}`, values, entity: target, min: null, max: null, currency });
};

/** A field that the platform brings, such as a person's name. */
export const builtInField = (
  entity: string,
  name: string,
  type: FieldTypeName,
  { optional = false, title }: { readonly optional?: boolean; readonly title?: string } = {},
): FieldDraft => ({
  name,
  ...(title === undefined ? {} : { title }),
  clause: clauseAt(`3.${entity}.${name}`, { file: "", start: 0, end: 0 }),
  shape: { name, type: typeOf(entity, name, type, [], null, null), optional, column: name },
  stored: type,
  optional,
  entity: null,
  values: [],
  syntax: undefined,
});

/** Resolves a field's type among the types and the entities' names. Undefined after a mistake that was reported. */
export const declareField = (
  entity: string,
  { name, key, value }: Named<FieldSyntax>,
  entities: ReadonlySet<string>,
  linking: Linking,
): FieldDraft | undefined => {
  const clause = clauseAt(`3.${entity}.${name}`, key);
  if (value.list !== undefined) return otherSide(name, clause, value, value.list, linking);
  const choices = Array.isArray(value.computed)
    ? (value.computed as readonly Named<Scalar>[]).map((one) => one.name)
    : [];
  const values = value.values?.map((one) => one.name.value) ?? choices;
  const written = value.type?.value ?? (choices.length > 0 ? "choice" : undefined);
  if (written === undefined) {
    if ("type" in value.keys) return undecided(name, clause, value);
    linking.report(
      finding(
        "MISSING_KEY",
        key,
        `The field ${name} has no type.`,
        "Write its type: text, integer, date, choice, an entity's name, …",
        { clause: clause.id },
      ),
    );
    return undefined;
  }
  const span = value.type?.span ?? key;
  const type = written.replace(/\?$/u, "").trim();
  // What is required on a condition may be missing on any other; until its transition draws it, a number is missing.
  const isOptional =
    written.endsWith("?") || value.required !== undefined || (type === "sequence" && value.gapless !== undefined);
  const resolved = resolveType(
    entity,
    name,
    type,
    isOptional,
    values,
    value,
    entities,
    { value: written, span },
    linking,
  );
  if (resolved === undefined) {
    linking.mistaken.add(`${entity}.${name}`);
    return undecided(name, clause, value);
  }
  if (type === "choice" && values.length === 0)
    linking.report(
      finding("MISSING_KEY", value.span, `The choice ${name} has no values.`, "Add “values: [one, other]”.", {
        clause: clause.id,
      }),
    );

  const many = value.many?.value === true;
  if (many) checkMany(name, clause, value, resolved, linking);
  if (many && value.unique?.value === true)
    linking.report(
      finding(
        "BAD_VALUE",
        value.unique.span,
        `${name} holds several values, and “unique” would compare whole lists.`,
        "Take “unique” out, or keep each value in a record of its own.",
        { clause: clause.id },
      ),
    );
  const shapeType: Type = many ? { kind: "list", of: resolved.type } : resolved.type;
  return {
    name,
    clause,
    shape: {
      name,
      type: shapeType,
      optional: isOptional && shapeType.kind !== "boolean" && shapeType.kind !== "list",
      column: name,
      ...(value.computed === undefined ? {} : { computed: true }),
    },
    stored: resolved.stored,
    optional: isOptional,
    entity: resolved.entity,
    values,
    syntax: value,
  };
};

/** A field whose type nobody decided: it may be named, and has no column. */
const undecided = (name: string, clause: Clause, syntax: FieldSyntax): FieldDraft => ({
  name,
  clause,
  shape: { name, type: { kind: "unknown" }, optional: true },
  stored: "text",
  optional: true,
  entity: null,
  values: [],
  syntax,
});

const isDecided = ({ shape }: FieldDraft): boolean => shape.column !== undefined || shape.inverse !== undefined;

/** A type of which there is one value alone, and a record that would belong to several, are no lists. */
const checkMany = (
  name: string,
  clause: Clause,
  syntax: FieldSyntax,
  { stored }: { readonly stored: FieldTypeName },
  linking: Linking,
): void => {
  const span = syntax.many?.span ?? syntax.span;
  const wrong = (message: string, hint: string) =>
    linking.report(finding("BAD_VALUE", span, message, hint, { clause: clause.id }));
  if (isOne.has(stored)) wrong(`${name} is a ${stored}, of which a field holds one.`, "Take “many” out.");
  else if (syntax["part of"]?.value === true)
    wrong(`A part belongs to one record, and ${name} would name several.`, "Take “part of” out, or “many”.");
};

/** Types as they are called elsewhere. */
const alike: ReadonlyMap<string, FieldTypeName> = new Map(
  Object.entries<FieldTypeName>({
    ...{
      string: "text",
      varchar: "text",
      str: "text",
      textarea: "long text",
      markdown: "rich text",
      html: "rich text",
    },
    ...{
      int: "integer",
      number: "decimal",
      float: "decimal",
      double: "decimal",
      numeric: "decimal",
      currency: "money",
    },
    ...{
      bool: "boolean",
      checkbox: "boolean",
      enum: "choice",
      select: "choice",
      option: "choice",
      timestamp: "datetime",
    },
    ...{
      link: "url",
      uri: "url",
      picture: "image",
      photo: "image",
      attachment: "file",
      object: "json",
      serial: "sequence",
    },
  }),
);

const resolveType = (
  entity: string,
  name: string,
  type: string,
  isOptional: boolean,
  values: readonly string[],
  syntax: FieldSyntax,
  entities: ReadonlySet<string>,
  written: Said<string>,
  linking: Linking,
): { readonly type: Type; readonly stored: FieldTypeName; readonly entity: string | null } | undefined => {
  if (entities.has(type))
    return { type: typeOf(entity, name, "reference", [], type, null), stored: "reference", entity: type };
  if (storedTypes.includes(type))
    return {
      type: typeOf(entity, name, type as FieldTypeName, values, null, currencyOf(syntax)),
      stored: type as FieldTypeName,
      entity: null,
    };
  const near = alike.get(type.toLowerCase()) ?? nearest(type, [...storedTypes, ...entities]);
  linking.report(
    finding(
      "UNKNOWN_NAME",
      written.span,
      `There is no type or entity “${type}”.`,
      near === undefined
        ? `The types are ${storedTypes.join(", ")}, and the entities' names.`
        : `Did you mean “${near}”?`,
      near === undefined ? {} : { nearest: near, fix: [{ span: written.span, text: near + (isOptional ? "?" : "") }] },
    ),
  );
  return undefined;
};

/** `list: Comment.request`: the comments whose request this record is. Whether that field exists is asked once all are known. */
const otherSide = (
  name: string,
  clause: Clause,
  syntax: FieldSyntax,
  said: Said<string>,
  linking: Linking,
): FieldDraft | undefined => {
  const match = /^([A-Z][A-Za-z0-9]*)\.([a-z][a-z0-9_]*)$/u.exec(said.value);
  const [, entity, by] = match ?? [];
  if (entity === undefined || by === undefined) {
    linking.report(
      finding(
        "BAD_VALUE",
        said.span,
        `“${said.value}” names no reference.`,
        "Write an entity and its reference to this one: Comment.request.",
        { clause: clause.id },
      ),
    );
    return undefined;
  }
  return {
    name,
    clause,
    shape: { name, type: { kind: "list", of: { kind: "record", entity } }, optional: false, inverse: { entity, by } },
    stored: "reference",
    optional: false,
    entity: null,
    values: [],
    syntax,
  };
};

const plain = {
  held: { as: "column" },
  many: false,
  optional: false,
  unique: false,
  countsMissing: false,
  once: false,
  set: null,
  default: null,
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

/** The field that holds an entity's state; transitions alone write it. */
export const stateField = (
  entity: string,
  state: { readonly field: string; readonly names: readonly string[]; readonly clause: Clause },
): Field => ({
  ...plain,
  name: state.field,
  clause: state.clause,
  title: titleOf(state.field),
  type: "state",
  ruleType: { kind: "choice", of: `${entity}.${state.field}`, values: state.names },
  values: state.names,
});

/** The field by which records are known that the document keeps. Of a record that people made it is missing. */
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

/** Reads a field's expressions; `inRecord` is the scope with the record at hand. Null for one that has no column; its expressions are typed all the same. */
export const linkField = (
  entity: string,
  draft: FieldDraft,
  {
    drafts,
    transitions,
  }: { readonly drafts: ReadonlyMap<string, FieldDraft>; readonly transitions: ReadonlySet<string> },
  scope: Scope,
  inRecord: Scope,
  limits: Limits,
  linking: Linking,
): Field | null => {
  if (!isDecided(draft)) return null;
  const { syntax } = draft;
  const element = draft.shape.type.kind === "list" ? draft.shape.type.of : draft.shape.type;
  if (syntax !== undefined) checkKeys(syntax, draft, linking);
  // When a record is made there is no record yet to read: `set` and `default` see the person, the day and the constants.
  const atCreation = (at: Scalar | undefined): Expr | null =>
    at === undefined ? null : (linkExpression(at, scope, draft.shape.type, linking, draft.clause.id) ?? null);
  const [set, initial] = [atCreation(syntax?.set), atCreation(syntax?.default)];
  const [min, max] = [
    boundOf(syntax?.min, "min", draft, limits, linking),
    boundOf(syntax?.max, "max", draft, limits, linking),
  ];
  if (syntax !== undefined) checkCurrency(syntax, draft, linking);
  const series = syntax === undefined ? null : seriesOf(syntax, draft, transitions, linking);
  const from = syntax === undefined ? null : sourceOf(syntax, draft, drafts, linking);
  const held = heldOf(entity, draft, scope, linking);
  if (held === null) return null;
  const partOf = syntax?.["part of"]?.value === true && draft.entity !== null;
  return {
    name: draft.name,
    clause: draft.clause,
    title: syntax?.title?.value ?? draft.title ?? titleOf(draft.name),
    type: draft.stored,
    ruleType: draft.shape.type,
    held,
    many: syntax?.many?.value === true,
    // Several values may be none.
    optional: draft.optional || syntax?.many?.value === true,
    unique:
      draft.stored === "slug" ||
      draft.stored === "sequence" ||
      (syntax?.unique?.value ?? (entity === "User" && draft.name === "email")),
    countsMissing: syntax?.missing !== undefined,
    partOf,
    among: amongOf(entity, draft, element, inRecord, linking),
    needed: neededOf(draft, inRecord, linking),
    // A part stays where it is.
    once: partOf || (syntax?.once?.value ?? false),
    set,
    default: initial,
    values: draft.values,
    entity: draft.entity,
    min,
    max,
    currency: draft.shape.type.kind === "money" ? draft.shape.type.currency : null,
    series,
    from,
    unit: syntax?.unit?.value ?? null,
    help: syntax?.help?.value ?? null,
    examples: (syntax?.examples ?? []).map((one) => one.value),
    isKey: false,
  };
};

/** Null where what it is made of, or the records that it lists, are not executed. */
const heldOf = (
  entity: string,
  { name, shape, syntax }: FieldDraft,
  scope: Scope,
  linking: Linking,
): Holding | null => {
  if (shape.inverse !== undefined)
    return scope.entities.has(shape.inverse.entity) ? { as: "list", ...shape.inverse } : null;
  if (syntax?.computed === undefined) return plain.held;
  return linking.made.get(`${entity}.${name}`)?.held ?? null;
};

/** What of a field may tell of other records. */
const telling = ["computed", "unique", "among", "required"] as const;

/** The keys that nothing executes yet are typed, so that a mistake in them is found today. */
const checkKeys = (syntax: FieldSyntax, draft: FieldDraft, linking: Linking): void => {
  const { clause } = draft;
  if (syntax.discloses?.value === true) linking.disclosed.add(clause.id.slice("3.".length));
  const said = (key: "kept" | "discloses", message: string, hint: string) =>
    linking.report(finding("BAD_VALUE", syntax.keys[key] ?? syntax.span, message, hint, { clause: clause.id }));
  if (syntax.kept?.value === true && syntax.computed === undefined)
    said(
      "kept",
      `${draft.name} is not computed, and “kept” is said of computed fields.`,
      "Take “kept” out, or say with “computed:” what the field is made of.",
    );
  if (syntax.discloses?.value === true && telling.every((key) => syntax[key] === undefined))
    said(
      "discloses",
      `${draft.name} tells of nothing but itself, and “discloses” is said of fields that are computed, unique, limited or needed on a condition.`,
      "Take “discloses” out.",
    );
  // A field without a column was reported as a whole.
  checkOwners(syntax, draft, linking);
  if (syntax["part of"]?.value === true) {
    if (draft.entity === null)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax["part of"].span,
          `${draft.name} is no reference, and only a reference can be part of something.`,
          "Take “part of” out.",
          { clause: clause.id },
        ),
      );
    else if (draft.optional)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.type?.span ?? syntax["part of"].span,
          `A part cannot be without what it is part of, and ${draft.name} may be missing.`,
          "Take the question mark out of its type.",
          { clause: clause.id },
        ),
      );
  }
};

/** `among` is a list of records; what it says of a record is that the reference names one of them. */
const amongOf = (
  entity: string,
  { name, shape, syntax, clause }: FieldDraft,
  element: Type,
  scope: Scope,
  linking: Linking,
): Among | null => {
  if (syntax?.among === undefined) return amongKept(entity, shape, element, scope, linking);
  if (element.kind !== "record") {
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.among.span,
        `${name} is no reference, and only a reference names one of some records.`,
        "Take “among” out.",
        { clause: clause.id },
      ),
    );
    return null;
  }
  const list = linkExpression(syntax.among, scope, { kind: "list", of: element }, linking, clause.id);
  return list === undefined ? null : amongThese(list, entity, shape, element, scope, linking);
};

/** What the document kept once and keeps no more is chosen for nothing new. */
const amongKept = (entity: string, shape: FieldShape, element: Type, scope: Scope, linking: Linking): Among | null => {
  if (element.kind !== "record" || shape.inverse !== undefined || shape.computed === true) return null;
  const kept = [...(scope.names ?? [])].flatMap(([, { kept: one, type }]) =>
    one !== undefined && type.kind === "record" && type.entity === element.entity ? [`'${one.key}'`] : [],
  );
  if (kept.length === 0) return null;
  const text = `${element.entity}.filter(one, one.${KEY} == null || one.${KEY} in [${kept.join(", ")}])`;
  const { value } = readRule(text, { file: "", start: 0, end: text.length }, scope, { kind: "list", of: element }, {});
  return value === undefined ? null : amongThese(value, entity, shape, element, scope, linking);
};

const amongThese = (
  list: Expr,
  entity: string,
  shape: FieldShape,
  element: Type,
  scope: Scope,
  linking: Linking,
): Among | null => {
  const own = scope.entities.get(entity);
  if (own === undefined) return null;
  const { span } = list;
  const record: Expr = { kind: "this", type: { kind: "record", entity }, missing: false, span };
  const given = { kind: "field", of: record, entity: own, field: shape, span } as const;
  const isAmong = (one: Expr, all: Expr): Expr => ({
    kind: "call",
    row: "same in [same]",
    args: [one, all],
    zone: scope.timezone,
    type: boolean,
    missing: false,
    span,
  });
  if (shape.type.kind !== "list")
    return { list, ...conditionOf(isAmong({ ...given, type: element, missing: true }, list), linking) };
  const one: Expr = { kind: "variable", name: "one", level: 0, type: element, missing: false, span };
  const each: Expr = {
    kind: "each",
    row: "all",
    list: { ...given, type: shape.type, missing: false },
    name: one.name,
    level: one.level,
    body: isAmong(one, inside(list)),
    type: boolean,
    missing: false,
    span,
  };
  return { list, ...conditionOf(each, linking) };
};

const boolean: Type = { kind: "boolean" };

const neededOf = ({ syntax, clause }: FieldDraft, scope: Scope, linking: Linking): Condition | null => {
  if (syntax?.required === undefined) return null;
  const holds = linkExpression(syntax.required, scope, { kind: "boolean" }, linking, clause.id);
  return holds === undefined ? null : conditionOf(holds, linking);
};

const conditionOf = (holds: Expr, linking: Linking): Condition => ({
  holds,
  reads: new Set([...readsOf(holds).fields, ...readsOf(unfolded(holds, madeIn(linking))).fields]),
});

/** Keys that one type alone has. */
const owners = { pattern: "sequence", gapless: "sequence", from: "slug", currency: "money" } as const;

const checkOwners = (syntax: FieldSyntax, draft: FieldDraft, linking: Linking): void => {
  for (const [key, type] of Object.entries(owners)) {
    const said = syntax[key as keyof typeof owners];
    if (said === undefined || writtenType(syntax) === type) continue;
    linking.report(
      finding(
        "BAD_VALUE",
        said.span,
        `“${key}” belongs to the type ${type}, and ${draft.name} is of another.`,
        `Take it out, or make ${draft.name} of the type ${type}.`,
        { clause: draft.clause.id },
      ),
    );
  }
};

const writtenType = (syntax: FieldSyntax): string | undefined => syntax.type?.value.replace(/\?$/u, "").trim();

/** The currency of a field of money; one that does not exist is found where the field is linked. */
const currencyOf = (syntax: FieldSyntax): string | null => {
  if (writtenType(syntax) !== "money") return null;
  const said = syntax.currency?.value;
  return said !== undefined && isCurrency(said) ? said : USUAL_CURRENCY;
};

const checkCurrency = (syntax: FieldSyntax, draft: FieldDraft, linking: Linking): void => {
  const { currency } = syntax;
  if (currency === undefined || isCurrency(currency.value)) return;
  linking.report(
    finding(
      "BAD_VALUE",
      currency.span,
      `There is no currency “${currency.value}”.`,
      "Write its code of three capitals, such as EUR, USD or JPY.",
      { clause: draft.clause.id },
    ),
  );
};

/** How the numbers of a sequence are written, and when they are drawn. */
const seriesOf = (
  syntax: FieldSyntax,
  draft: FieldDraft,
  transitions: ReadonlySet<string>,
  linking: Linking,
): Field["series"] => {
  if (writtenType(syntax) !== "sequence") return null;
  const { pattern, gapless } = syntax;
  const parts = pattern === undefined ? PLAIN : readPattern(pattern.value);
  if (pattern !== undefined && parts === undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        pattern.span,
        `“${pattern.value}” is no pattern of a sequence.`,
        "Write the number once, as {n} or {n:5} for five digits; {year}, {month} and {day} may stand beside it.",
        { clause: draft.clause.id },
      ),
    );
  if (gapless !== undefined && !transitions.has(gapless.value))
    unknownName(linking, gapless.span, "transition", gapless.value, transitions);
  return { parts: parts ?? PLAIN, gapless: gapless?.value ?? null };
};

/** What a slug is made of: the field that is named, else the first line of text of its entity. */
const sourceOf = (
  syntax: FieldSyntax,
  draft: FieldDraft,
  drafts: ReadonlyMap<string, FieldDraft>,
  linking: Linking,
): string | null => {
  const type = writtenType(syntax);
  if (type === "position")
    return [...drafts.values()].find((one) => one.syntax?.["part of"]?.value === true)?.name ?? null;
  if (type !== "slug") return null;
  const isSource = (one: FieldDraft | undefined) => one?.stored === "text" || one?.stored === "email";
  if (syntax.from === undefined) return [...drafts.values()].find(isSource)?.name ?? null;
  if (isSource(drafts.get(syntax.from.value))) return syntax.from.value;
  linking.report(
    finding(
      "BAD_VALUE",
      syntax.from.span,
      `${draft.name} cannot be made from “${syntax.from.value}”.`,
      "Name a field of the type text of the same entity.",
      { clause: draft.clause.id },
    ),
  );
  return null;
};

const isSameMoney = (a: Type, b: Type): boolean =>
  a.kind === "money" && b.kind === "money" && a.currency === b.currency;

/** A bound is a value of the field's type, or a constant of point 9 by name. */
const boundOf = (
  said: Said<string> | undefined,
  which: "min" | "max",
  draft: FieldDraft,
  limits: Limits,
  linking: Linking,
): string | null => {
  if (said === undefined) return null;
  const named = /^(?:limits\.)?([a-z][a-z0-9_]*)$/u.exec(said.value)?.[1];
  const limit = named === undefined ? undefined : limits.all.get(named);
  if (limit !== undefined) linking.limitsRead.add(limit.name);
  const kind: FieldKind = kinds[draft.stored];
  const isForeign = limit?.type.kind === "money" && !isSameMoney(limit.type, draft.shape.type);
  const bound = isForeign ? undefined : kind.bound?.(limit?.value ?? said.value, which);
  if (bound !== undefined) return bound;
  linking.report(
    finding(
      "BAD_VALUE",
      said.span,
      kind.bound === undefined
        ? `${draft.name} has no bounds: it is ${kind.is}.`
        : `“${said.value}” is not a bound of ${draft.name}.`,
      kind.bound === undefined
        ? `Take “${which}” out.`
        : "Write a value of its type (of a text, a number of characters), or the name of a constant of point 9.",
      { clause: draft.clause.id },
    ),
  );
  return null;
};
