import type { Scalar } from "../../document/tree.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import type { Scope, Type } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { RowSource, RowsOf } from "../../model/entity.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { alwaysFalse, clauseAt, type Linking, linkExpression, reportUnknownName } from "../linking/link-context.ts";
import type { EntityDraft } from "./entity-draft.ts";
import type { FieldDraft } from "./field-drafts.ts";
import { asksToKeep, toKeptUntil } from "./kept-syntax.ts";

/*
 * `rows of`: one row for each combination of records and elements of their lists. The rows are created and deleted in
 * the transaction that writes a source record, so they read only their sources.
 */

const isEntity = (text: string): boolean => /^[A-Z]/u.test(text);

/** Adds the sources as fields of the row, before the fields in the document. */
export const withSources = (
  draft: EntityDraft,
  drafts: ReadonlyMap<string, EntityDraft>,
  linking: Linking,
): EntityDraft => {
  const fields = new Map<string, FieldDraft>();
  let before: EntityDraft | undefined;
  let source = "";
  for (const { name, key, value } of draft.syntax?.["rows of"] ?? []) {
    const clause = clauseAt(`3.${draft.name}.${name}`, key);
    const put = (stored: FieldTypeName, type: Type, more: Pick<FieldDraft, "entity" | "values">) =>
      fields.set(name, {
        ...{ name, clause, stored, optional: false, syntax: undefined, ...more },
        shape: { name, type, optional: false, column: name },
      });
    if (draft.fields.has(name))
      linking.report(
        finding(
          "NAME_TWICE",
          key,
          `The field ${name} of ${draft.name} and one of its sources have the same name.`,
          "Rename one of them.",
          {
            clause: clause.id,
          },
        ),
      );
    if (isEntity(value.text)) {
      before = drafts.get(value.text);
      source = name;
      if (before === undefined) reportUnknownName(linking, value.span, "entity", value.text, drafts.keys());
      else if (before.because !== null)
        wrong(
          linking,
          value,
          clause.id,
          `The rows of ${value.text} are derived too.`,
          "Name the entity that they are derived from.",
        );
      put("reference", { kind: "record", entity: value.text }, { entity: value.text, values: [] });
    } else {
      const elementType = findElement(value.text, before, source);
      if (elementType === undefined)
        wrong(
          linking,
          value,
          clause.id,
          `“${value.text}” is not a list of a record of ${before?.name ?? "an entity"}.`,
          "Write days(from, to) or a field with several values, and name an entity before it.",
        );
      else put(elementType.stored, elementType.type, elementType);
    }
  }
  return { ...draft, fields: new Map([...fields, ...draft.fields]) };
};

const wrong = (linking: Linking, { span }: Pick<Scalar, "span">, clause: string, message: string, hint: string): void =>
  linking.report(finding("BAD_VALUE", span, message, hint, { clause }));

/** The element type of a list, as far as its text shows it. */
const findElement = (
  text: string,
  of: EntityDraft | undefined,
  source: string,
): (Pick<FieldDraft, "stored" | "entity" | "values"> & { readonly type: Type }) | undefined => {
  if (of === undefined) return undefined;
  if (/^days\s*\(/u.test(text)) return { stored: "date", type: { kind: "date" }, entity: null, values: [] };
  const name = text.trim();
  const field = of.fields.get(name.startsWith(`${source}.`) ? name.slice(source.length + 1) : name);
  if (field?.shape.type.kind !== "list" || field.shape.inverse !== undefined) return undefined;
  const { stored, entity, values } = field;
  return { stored, type: field.shape.type.of, entity, values };
};

/** Links the lists and the condition of derived rows. Null for other entities. */
export const linkRows = (
  draft: EntityDraft,
  drafts: ReadonlyMap<string, EntityDraft>,
  scope: Scope,
  linking: Linking,
): RowsOf | null => {
  const { syntax, name, clause } = draft;
  if (syntax?.["rows of"] === undefined) {
    if (syntax?.where !== undefined) wrong(linking, syntax.where, clause.id, "“where” needs “rows of”.", "Remove it.");
    return null;
  }
  const sources: RowSource[] = [];
  let before: { readonly name: string; readonly entity: string } | undefined;
  for (const { name: source, value } of syntax["rows of"]) {
    const element = draft.fields.get(source)?.shape.type;
    if (isEntity(value.text)) {
      before = { name: source, entity: value.text };
      sources.push(before);
    } else if (before !== undefined && element !== undefined) {
      const inSource: Scope = { ...scope, entity: before.entity, self: before.name, user: false };
      const type: Type = { kind: "list", of: element };
      // A list that is an open point is empty, so there are no rows.
      const list =
        linkExpression(value, inSource, type, linking, clause.id) ??
        ({ kind: "list", items: [], type, missing: false, span: value.span } as const);
      checkReads(list, (field) => field.of.kind === "this", value, draft, linking);
      sources.push({ name: source, of: before.name, list });
    }
  }
  const onRow: Scope = { ...scope, entity: name, user: false };
  const where =
    syntax.where === undefined
      ? null
      : (linkExpression(syntax.where, onRow, { kind: "boolean" }, linking, clause.id) ??
        alwaysFalse(syntax.where.span));
  const isSource = (expr: Expr): boolean =>
    expr.kind === "field" && expr.of.kind === "this" && sources.some((source) => source.name === expr.field.name);
  if (where !== null && syntax.where !== undefined)
    checkReads(where, (field) => isSource(field) || isSource(field.of), syntax.where, draft, linking);
  for (const field of draft.fields.values()) {
    const keptSyntax = field.syntax?.kept;
    if (asksToKeep(keptSyntax) && toKeptUntil(keptSyntax, () => true) !== null)
      linking.report(
        finding(
          "BAD_VALUE",
          field.syntax?.keys.kept ?? field.clause.span,
          `The rows of ${name} are computed again with their sources, so ${field.name} can’t be kept longer.`,
          "Write “kept: true”, or keep the value in a source.",
          { clause: field.clause.id },
        ),
      );
    if (field.syntax !== undefined && field.syntax.computed === undefined && field.shape.inverse === undefined)
      linking.report(
        finding(
          "BAD_VALUE",
          field.clause.span,
          `The rows of ${name} are derived, so ${field.name} must be computed.`,
          "Add “computed:” with its formula, or remove the field.",
          { clause: field.clause.id },
        ),
      );
  }
  for (const other of drafts.values())
    for (const field of other.fields.values())
      if (field.entity === name)
        linking.report(
          finding(
            "BAD_VALUE",
            field.clause.span,
            `The rows of ${name} are derived from other records, so no record can refer to them.`,
            "Refer to the records that they are derived from.",
            { clause: field.clause.id },
          ),
        );
  return { clause, sources, where };
};

/**
 * Reports an expression that reads more than its source records: rows are derived only when a source record is written.
 */
const checkReads = (
  expr: Expr,
  may: (field: Expr & { kind: "field" }) => boolean,
  at: Scalar,
  draft: EntityDraft,
  linking: Linking,
): void => {
  const other = firstOther(expr, may, linking);
  if (other === undefined) return;
  linking.report(
    finding(
      "BAD_VALUE",
      other.span.start === other.span.end ? at.span : other.span,
      `A row of ${draft.name} can depend only on its sources, but this reads something else.`,
      "Read the stored fields of the sources. For other data, add a stored computed field (kept: true) to a source.",
      { clause: draft.clause.id },
    ),
  );
};

const firstOther = (
  expr: Expr,
  may: (field: Expr & { kind: "field" }) => boolean,
  linking: Linking,
): Expr | undefined => {
  if (["user", "now", "today", "all", "old"].includes(expr.kind)) return expr;
  if (expr.kind === "name" && expr.seedRecord === undefined) return expr;
  if (expr.kind === "field") {
    const isLive = linking.computedForms.get(`${expr.entity.name}.${expr.field.name}`)?.storage.as === "virtual";
    return may(expr) && expr.field.inverse === undefined && !isLive ? undefined : expr;
  }
  for (const part of subexpressions(expr)) {
    const found = firstOther(part, may, linking);
    if (found !== undefined) return found;
  }
  return undefined;
};
