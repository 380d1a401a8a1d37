import type { Template } from "../../expression/compile/template.ts";
import { type Expr, mapParts } from "../../expression/expr.ts";
import { listComparedRoles } from "../../expression/inspect/compared-roles.ts";
import { KEY } from "../../expression/values/seed-record.ts";
import type { EntityShape, FieldShape, Type } from "../../expression/values/type.ts";
import type { Names } from "./names.ts";

export const renameTemplate = ({ parts }: Template, names: Names): Template => ({
  parts: parts.map((part) => (typeof part === "string" ? part : renameExpr(part, names))),
});

export const renameOptional = (expr: Expr | null, names: Names, expected?: Type): Expr | null =>
  expr === null ? null : renameExpr(expr, names, expected);

/** `expected`: the choice with which a text is compared, or to which it is assigned. */
export const renameExpr = (expr: Expr, names: Names, expected?: Type): Expr => {
  const roles = new Set<Expr>(listComparedRoles(expr));
  return roles.size === 0
    ? renameParts(expr, names, expected)
    : renameParts(renameTexts(expr, roles, names.role), names, expected);
};

const renameParts = (expr: Expr, names: Names, expected?: Type): Expr => {
  const choice = expr.type.kind === "choice" ? expr.type : expected?.kind === "choice" ? expected : undefined;
  const type = renameType(expr.type, names);
  const inner = (part: Expr, of?: Type): Expr => renameExpr(part, names, of);
  switch (expr.kind) {
    case "constant": {
      const { value, limit } = expr;
      return {
        ...expr,
        type,
        value: choice !== undefined && typeof value === "string" ? renameValue(choice, value, names) : value,
        ...(limit === undefined ? {} : { limit: names.limit(limit) }),
      };
    }
    case "field":
      return {
        ...expr,
        type,
        of: inner(expr.of),
        entity: renameShape(expr.entity, names),
        field: renameFieldShape(expr.entity.name, expr.field, names),
        ...(expr.target === undefined ? {} : { target: renameShape(expr.target, names) }),
      };
    case "name": {
      if (expr.seedRecord === undefined || expr.type.kind !== "record") return { ...expr, type };
      const { entity } = expr.type;
      const recordKey = names.record(entity, expr.seedRecord.key);
      return {
        ...expr,
        type,
        name: `${names.entity(entity)}.${recordKey}`,
        seedRecord: { ...expr.seedRecord, id: names.recordId(expr.seedRecord.id), key: recordKey },
      };
    }
    case "all":
      return { ...expr, type, entity: renameShape(expr.entity, names) };
    case "call": {
      const types = expr.args.map((arg) => (arg.type.kind === "list" ? arg.type.of : arg.type));
      const compared = types.find(({ kind }) => kind === "choice") ?? choice;
      const keyed = expr.args.find(isKey);
      const toNew = keyed && ((key: string) => names.record(keyed.entity.name, key));
      const renamed = (arg: Expr) => (toNew === undefined ? arg : renameKeys(arg, toNew));
      return { ...expr, type, args: expr.args.map((arg) => inner(renamed(arg), compared)) };
    }
    case "list":
      return { ...expr, type, items: expr.items.map((item) => inner(item, expected)) };
    default:
      return { ...mapParts(expr, (part) => inner(part)), type };
  }
};

/** The key of a record of the document, by which references exclude records that are no longer listed. */
const isKey = (expr: Expr): expr is Expr & { kind: "field" } => expr.kind === "field" && expr.field.name === KEY;

/** Renames a key, or each key of a list. */
const renameKeys = (expr: Expr, toNew: (text: string) => string): Expr => {
  if (expr.kind === "list") return { ...expr, items: expr.items.map((item) => renameKeys(item, toNew)) };
  return renameText(expr, toNew);
};

/** Renames these texts, wherever they are in the expression. */
const renameTexts = (expr: Expr, texts: ReadonlySet<Expr>, toNew: (text: string) => string): Expr =>
  texts.has(expr) ? renameText(expr, toNew) : mapParts(expr, (part) => renameTexts(part, texts, toNew));

const renameText = (expr: Expr, toNew: (text: string) => string): Expr =>
  expr.kind === "constant" && typeof expr.value === "string" ? { ...expr, value: toNew(expr.value) } : expr;

/** `of` is the place of the choice: `Loan.status`. */
const renameValue = ({ of }: { readonly of: string }, value: string, names: Names): string => {
  const [entity = "", field = ""] = of.split(".");
  return names.value(entity, field, value);
};

export const renameType = (type: Type, names: Names): Type => {
  switch (type.kind) {
    case "record":
      return { ...type, entity: names.entity(type.entity) };
    case "list":
      return { ...type, of: renameType(type.of, names) };
    case "choice": {
      const [entity = "", field = ""] = type.of.split(".");
      return {
        ...type,
        of: `${names.entity(entity)}.${names.field(entity, field)}`,
        values: type.values.map((value) => renameValue(type, value, names)),
      };
    }
    default:
      return type;
  }
};

const renameShape = (shape: EntityShape, names: Names): EntityShape => ({ ...shape, name: names.entity(shape.name) });

const renameFieldShape = (entity: string, field: FieldShape, names: Names): FieldShape => ({
  ...field,
  name: names.field(entity, field.name),
  type: renameType(field.type, names),
  ...(field.inverse === undefined
    ? {}
    : {
        inverse: {
          entity: names.entity(field.inverse.entity),
          by: names.field(field.inverse.entity, field.inverse.by),
        },
      }),
});
