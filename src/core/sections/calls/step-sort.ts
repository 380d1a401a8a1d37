import { byKind, map, orKeyName } from "../../document/shape/combinators.ts";
import { keyed, list } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { plainText } from "../../document/shape/scalar.ts";
import type { Shape, Spanned } from "../../document/shape.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { type Sorting, USUAL_SORT } from "../../model/paging.ts";
import { type Linking, reportUnknownName } from "../linking/link-context.ts";

export const linkStepSort = (
  names: readonly Spanned<string>[],
  entity: string,
  scope: Scope,
  linking: Linking,
): readonly string[] => {
  const fields = scope.entities.get(entity)?.fields;
  return names.flatMap(({ value, span }) => {
    const name = value.replace(/^-/u, "");
    linking.mentions.push({ of: "field", entity, name, span });
    if (fields?.has(name) === true) return [value];
    reportUnknownName(linking, span, `field of ${entity}`, name, fields?.keys() ?? []);
    return [];
  });
};

/** The order that callers can choose, as written: the fields, or a mapping with names of the parameters too. */
export interface SortingSyntax {
  readonly fields: readonly { readonly name: string; readonly field: Spanned<string> }[];
  readonly by?: Spanned<string> | undefined;
  readonly order?: Spanned<string> | undefined;
}

const asFields = (names: readonly Spanned<string>[]): SortingSyntax["fields"] =>
  names.map((field) => ({ name: field.value, field }));

const sortFields: Shape<SortingSyntax["fields"]> = byKind("a list of fields, or a mapping from names to fields", {
  scalar: map(name("field"), (field) => asFields([field])),
  list: map(list(name("field")), asFields),
  mapping: map(keyed("a mapping from names to fields", orKeyName(name("field"))), (all) =>
    all.map(({ name, key, value }) => ({ name, field: value === "itself" ? { value: name, span: key } : value })),
  ),
});

export const sortingSyntax: Shape<SortingSyntax> = byKind<SortingSyntax>("fields, or a mapping", {
  scalar: map(name("field"), (field) => ({ fields: asFields([field]) })),
  list: map(list(name("field")), (fields) => ({ fields: asFields(fields) })),
  mapping: record("the order of a list", {
    fields: required(sortFields),
    by: optional(plainText),
    order: optional(plainText),
  }),
});

/** The fields by which callers can sort. JSON has no order. */
export const linkSorting = (
  syntax: SortingSyntax | undefined,
  entity: string,
  scope: Scope,
  { clause, linking }: { readonly clause: string; readonly linking: Linking },
): Sorting => {
  const fields = scope.entities.get(entity)?.fields;
  const known = new Map<string, string>();
  for (const { name, field } of syntax?.fields ?? []) {
    const { value, span } = field;
    const type = fields?.get(value)?.type.kind;
    if (type === undefined) {
      reportUnknownName(linking, span, `field of ${entity}`, value, fields?.keys() ?? []);
      continue;
    }
    linking.mentions.push({ of: "field", entity, name: value, span });
    if (!unordered.has(type)) known.set(name, value);
    else
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `A list can’t be sorted by ${value}.`,
          "Name a field with an order, such as a text, a number or a date.",
          {
            clause,
          },
        ),
      );
  }
  return { by: syntax?.by?.value ?? USUAL_SORT, order: syntax?.order?.value ?? null, fields: known };
};

const unordered: ReadonlySet<string> = new Set(["json"]);
