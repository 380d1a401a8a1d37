import { byKind, map } from "../../document/shape/combinators.ts";
import { list } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { expression, plainText, template } from "../../document/shape/scalar.ts";
import type { ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { LetterColumn, LetterPart, LetterScreen } from "../../model/screen.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { linkExpression, linkTemplate } from "../linking/link-context.ts";
import { linkWhere, type ScreenContext, shownName, sortKey } from "./screen-fields.ts";

/**
 * A part of a letter: a paragraph, `{ heading: … }` or `{ table: lines, columns: [article, price], totals: [price] }`,
 * with `where` and `sort` for its rows.
 */
export const letterPartShape = byKind<LetterPartSyntax>("a text, { heading: … } or { table: lines }", {
  scalar: map(template, (text): LetterPartSyntax => ({ kind: "paragraph", text })),
  mapping: map(
    record("a part of a letter", {
      heading: optional(template),
      table: optional(name("field")),
      columns: optional(list(name("field"))),
      totals: optional(list(name("field"))),
      where: optional(expression),
      sort: optional(list(plainText)),
    }),
    ({ heading, table, columns, totals, where, sort, span }): LetterPartSyntax =>
      heading === undefined || table !== undefined
        ? { kind: "table", table, columns, totals, where, sort, span, isMixed: heading !== undefined }
        : { kind: "heading", text: heading },
  ),
});

type LetterPartSyntax =
  | { readonly kind: "paragraph" | "heading"; readonly text: ShapeValue<typeof template> }
  | TableSyntax;

export interface TableSyntax {
  readonly kind: "table";
  readonly table: Spanned<string> | undefined;
  readonly columns: readonly Spanned<string>[] | undefined;
  readonly totals: readonly Spanned<string>[] | undefined;
  readonly where: Scalar | undefined;
  readonly sort: readonly Spanned<string>[] | undefined;
  readonly span: Spanned<string>["span"];
  readonly isMixed: boolean;
}

export const linkLetter = (
  {
    text,
    keys,
  }: {
    readonly text?: readonly LetterPartSyntax[] | undefined;
    readonly keys: Readonly<Record<string, Spanned<string>["span"]>>;
  },
  linked: LinkedEntity,
  clause: Clause,
  context: ScreenContext,
): LetterScreen["text"] => {
  const { linking } = context;
  const scope: Scope = { ...context.scope, entity: linked.name };
  if (text === undefined && !("text" in keys))
    linking.report(
      finding("MISSING_KEY", clause.span, "A letter needs “text”.", "Add “text:” with its paragraphs.", {
        clause: clause.id,
      }),
    );
  return (text ?? []).flatMap((part): readonly LetterPart[] => {
    if (part.kind !== "table") {
      const linkedText = linkTemplate(part.text, scope, linking, clause.id);
      return [{ kind: part.kind, text: linkedText, message: part.text.text }];
    }
    return linkTable(part, linked, clause, context);
  });
};

const linkTable = (
  { table, columns, totals, where, sort, span, isMixed }: TableSyntax,
  linked: LinkedEntity,
  clause: Clause,
  { entities, scope, linking }: ScreenContext,
): readonly LetterPart[] => {
  if (table === undefined || isMixed) {
    linking.report(
      finding(
        table === undefined ? "MISSING_KEY" : "BAD_VALUE",
        span,
        "A part of a letter is a text, a heading or a table.",
        "Write a text, “heading:” with a text, or “table:” with a list of the record.",
        { clause: clause.id },
      ),
    );
    return [];
  }
  const field = resolveField(linked, table, linking);
  if (field === undefined) return [];
  const part = field.storage.as === "inverse" ? entities.get(field.storage.entity) : undefined;
  if (field.storage.as !== "inverse" || part === undefined) {
    linking.report(
      finding(
        "BAD_VALUE",
        table.span,
        `${table.value} is not a list of records.`,
        "A table shows the other side of a reference, such as “lines: { list: Line.order }” in point 3.",
        { clause: clause.id },
      ),
    );
    return [];
  }
  const { entity } = field.storage;
  const shown = (columns ?? []).flatMap((column) =>
    shownName(part, column, linking).map((field) => ({ field, span: column.span })),
  );
  const total = new Set((totals ?? []).map(({ value }) => value));
  for (const each of totals ?? [])
    if (!shown.some(({ field }) => field === each.value) || !isSummed(part.fields.get(each.value)?.type))
      linking.report(
        finding(
          "BAD_VALUE",
          each.span,
          `${each.value} is not a column with numbers.`,
          "Name columns with numbers or amounts of money under “totals”.",
          { clause: clause.id },
        ),
      );
  if (shown.length === 0)
    linking.report(
      finding("MISSING_KEY", table.span, "A table needs columns.", "Add “columns:” with fields of its records.", {
        clause: clause.id,
      }),
    );
  const linkedColumns = shown.flatMap(({ field, span }): readonly LetterColumn[] => {
    const at: Scalar = { kind: "scalar", text: field, span, quoted: false, origin: span.start };
    const value = linkExpression(at, { ...scope, entity }, undefined, linking, clause.id);
    return value === undefined ? [] : [{ field, value, hasTotal: total.has(field) && isSummed(value.type.kind) }];
  });
  const condition = linkWhere(where, { ...scope, entity }, linking, clause.id);
  const sorted = (sort ?? []).flatMap((key) => sortKey(key, part, linking));
  return linkedColumns.length === 0 || condition === "stopped"
    ? []
    : [{ kind: "table", field: field.name, columns: linkedColumns, where: condition, sort: sorted }];
};

const isSummed = (type: string | undefined): boolean => type === "integer" || type === "decimal" || type === "money";
