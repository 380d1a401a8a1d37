import type { Named, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { FieldShape, Type } from "../../expression/values/type.ts";
import type { FieldKind } from "../../field/kind.ts";
import { fieldKinds } from "../../field/kinds.ts";
import { isCurrency } from "../../field/money.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import { nearest, type Span } from "../../source-text.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { clauseAt, type Linking } from "../linking/link-context.ts";
import { type FieldSyntax, writtenType } from "./field-syntax.ts";

/** A field with known name and type and unread expressions. */
export interface FieldDraft {
  readonly name: string;
  readonly clause: Clause;
  /** Title of a built-in field. */
  readonly title?: string;
  readonly shape: FieldShape;
  readonly stored: FieldTypeName;
  readonly optional: boolean;
  readonly entity: string | null;
  readonly values: readonly string[];
  readonly syntax: FieldSyntax | undefined;
}
const storedTypes: readonly string[] = Object.keys(fieldKinds).filter(
  (type) => type !== "reference" && type !== "state",
);

/** A field by its entity and name, with what only some types have. */
interface Typed {
  readonly entity: string;
  readonly name: string;
  readonly values?: readonly string[];
  /** The choice whose values it has, if that is another one. */
  readonly of?: string | undefined;
  readonly target?: string;
  readonly currency?: string | null;
}

const getType = (stored: FieldTypeName, { entity, name, values = [], of, target, currency = null }: Typed): Type => {
  const kind: FieldKind = fieldKinds[stored];
  return kind.type({
    name,
    of: of ?? `${entity}.${name}`,
    values,
    entity: target ?? null,
    min: null,
    max: null,
    currency,
  });
};

/** A built-in field such as a person's name. */
export const builtInField = (
  entity: string,
  name: string,
  type: FieldTypeName,
  { optional = false, title }: { readonly optional?: boolean; readonly title?: string } = {},
): FieldDraft => ({
  name,
  ...(title === undefined ? {} : { title }),
  clause: clauseAt(`3.${entity}.${name}`, { file: "", start: 0, end: 0 }),
  shape: { name, type: getType(type, { entity, name }), optional, column: name },
  stored: type,
  optional,
  entity: null,
  values: [],
  syntax: undefined,
});

/** Declares a field. Its type is a field type or an entity. Undefined after a reported mistake. */
export const declareField = (
  entity: string,
  { name, key, value }: Named<FieldSyntax>,
  entities: ReadonlySet<string>,
  linking: Linking,
  clause: Clause = clauseAt(`3.${entity}.${name}`, key),
): FieldDraft | undefined => {
  if (value.list !== undefined) return otherSide(name, clause, value, value.list, linking);
  const choices = Array.isArray(value.computed)
    ? (value.computed as readonly Named<Scalar>[]).map((entry) => entry.name)
    : [];
  const values = value.values?.choices.map((value) => value.name.value) ?? choices;
  const sharedBy = value.values?.of;
  const typeText = value.type?.value ?? (choices.length > 0 ? "choice" : undefined);
  if (typeText === undefined) {
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
  const type = typeText.replace(/\?$/u, "").trim();
  // A conditionally required field is optional otherwise, and a gapless number is missing until its transition assigns
  // it.
  const isOptional = typeText.endsWith("?") || value.required !== undefined || value.gapless !== undefined;
  const written: WrittenType = { entity, name, type, isOptional, values, of: sharedBy?.value, span };
  const resolved = resolveType(written, findCurrency(value, linking.currency), entities, linking);
  if (resolved === undefined) {
    linking.mistaken.add(`${entity}.${name}`);
    return undecided(name, clause, value);
  }
  if (
    type === "choice" &&
    values.length === 0 &&
    sharedBy === undefined &&
    !("values" in value.keys && value.values === undefined)
  )
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
        `${name} has several values, and “unique” would compare whole lists.`,
        "Remove “unique”, or store each value in a record of its own.",
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

/** A field whose type is an open point: other clauses can name it, but it has no column. */
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

export const isDecided = ({ shape }: FieldDraft): boolean => shape.column !== undefined || shape.inverse !== undefined;

/** Rejects `many` for types that allow only one value, and for parts, which have one parent. */
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
  if (!fieldKinds[stored].fields.many)
    wrong(`${name} is a ${stored}, so it can’t have several values.`, "Remove “many”.");
  else if (syntax["part of"]?.value === true)
    wrong(`A part belongs to one record, but ${name} can refer to several.`, "Remove “part of” or “many”.");
};

/** Type names of other languages, with ours. */
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
      serial: "integer sequence",
      autoincrement: "integer sequence",
    },
  }),
);

/** Words that are not types here, with advice. */
const instead: ReadonlyMap<string, string> = new Map(
  ["reference", "ref", "relation", "foreign key", "lookup", "belongs to"]
    .map((item): readonly [string, string] => [item, "The type of a reference is the entity's name: “type: Room”."])
    .concat(["list", "array", "set"].map((item) => [item, "Write the type of one value, and add “many: true”."])),
);

/** A type as the document writes it, without its question mark, and the field that has it. */
interface WrittenType {
  readonly entity: string;
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly values: readonly string[];
  readonly of: string | undefined;
  readonly span: Span;
}

const resolveType = (
  { entity, name, type, isOptional, values, of, span }: WrittenType,
  currency: string | null,
  entities: ReadonlySet<string>,
  linking: Linking,
): { readonly type: Type; readonly stored: FieldTypeName; readonly entity: string | null } | undefined => {
  if (entities.has(type))
    return { type: getType("reference", { entity, name, target: type }), stored: "reference", entity: type };
  if (storedTypes.includes(type)) {
    const stored = type as FieldTypeName;
    return { type: getType(stored, { entity, name, values, of, currency }), stored, entity: null };
  }
  const bare = type
    .toLowerCase()
    .replace(/\(.*\)$/u, "")
    .trim();
  const near = alike.get(bare) ?? nearest(type, [...storedTypes, ...entities]);
  linking.report(
    finding(
      "UNKNOWN_NAME",
      span,
      `There is no type or entity “${type}”.`,
      near === undefined
        ? (instead.get(bare) ?? `The types are ${storedTypes.join(", ")}, and the entities' names.`)
        : `Did you mean “${near}”?`,
      near === undefined ? {} : { nearest: near, fix: [{ span, text: near + (isOptional ? "?" : "") }] },
    ),
  );
  return undefined;
};

/**
 * `list: Comment.request`: the comments whose request is this record. The field is resolved once all fields are
 * declared.
 */
const otherSide = (
  name: string,
  clause: Clause,
  syntax: FieldSyntax,
  written: Spanned<string>,
  linking: Linking,
): FieldDraft | undefined => {
  const match = /^([A-Z][A-Za-z0-9]*)\.([a-z][a-z0-9_]*)$/u.exec(written.value);
  const [, entity, by] = match ?? [];
  if (entity === undefined || by === undefined) {
    linking.report(
      finding(
        "BAD_VALUE",
        written.span,
        `“${written.value}” is not a reference.`,
        "Write an entity and its reference to this one, for example Comment.request.",
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

/** The currency of a money field. `linkField` reports an unknown one. */
const findCurrency = (syntax: FieldSyntax, usual: string): string | null => {
  if (writtenType(syntax) !== "money") return null;
  const currency = syntax.currency?.value;
  return currency !== undefined && isCurrency(currency) ? currency : usual;
};
