import type { Spanned } from "../../document/shape.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
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

/** Fields by which callers can sort. JSON has no order. */
export const sortableFields = (
  names: readonly Spanned<string>[],
  entity: string,
  scope: Scope,
  { clause, linking }: { readonly clause: string; readonly linking: Linking },
): readonly string[] => {
  const fields = scope.entities.get(entity)?.fields;
  return names.flatMap(({ value, span }) => {
    const type = fields?.get(value)?.type.kind;
    if (type === undefined) {
      reportUnknownName(linking, span, `field of ${entity}`, value, fields?.keys() ?? []);
      return [];
    }
    linking.mentions.push({ of: "field", entity, name: value, span });
    if (!unordered.has(type)) return [value];
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
    return [];
  });
};

const unordered: ReadonlySet<string> = new Set(["json"]);
