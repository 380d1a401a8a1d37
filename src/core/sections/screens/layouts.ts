import { byKind, map } from "../../document/shape/combinators.ts";
import { listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { word } from "../../document/shape/scalar.ts";
import type { ShapeValue, Spanned } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { Layout } from "../../model/screen.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import type { Linking } from "../linking/link-context.ts";
import { linkPivot, pivotKeys } from "./pivot.ts";

const layoutMapping = record("a layout", {
  board: optional(name("field")),
  calendar: optional(listOrOne(name("field"))),
  ...pivotKeys,
});

/** `table`, `{ board: status }`, `{ calendar: [first_day, last_day] }`, `{ pivot: status, by: priority }`. */
export const layoutShape = byKind<LayoutSyntax>(
  "“table”, { board: status }, { calendar: first_day } or { pivot: status, by: priority }",
  { scalar: map(word("table"), (): LayoutSyntax => "table"), mapping: layoutMapping },
);

type LayoutSyntax = "table" | ShapeValue<typeof layoutMapping>;

/** The field that a layout names, if it has one of these types. */
const resolveFieldOfType = (
  name: Spanned<string>,
  linked: LinkedEntity,
  types: readonly FieldTypeName[],
  hint: string,
  linking: Linking,
): readonly string[] => {
  const field = resolveField(linked, name, linking);
  if (field === undefined) return [];
  if (types.includes(field.type)) return [field.name];
  linking.report(finding("BAD_VALUE", name.span, `The layout can’t use ${name.value}.`, hint));
  return [];
};

export const linkLayout = (
  syntax: LayoutSyntax,
  linked: LinkedEntity,
  linking: Linking,
  clause: string,
): readonly Layout[] => {
  if (syntax === "table") return [{ kind: "table" }];
  if ("pivot" in syntax.keys) {
    const pivot = linkPivot(syntax, linked, linking, clause);
    return pivot === undefined ? [] : [{ kind: "pivot", ...pivot }];
  }
  if ("by" in syntax.keys || "value" in syntax.keys)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.span,
        "Only a pivot has “by” and “value”.",
        "Write “pivot” with the field of its rows, or remove them.",
        { clause },
      ),
    );
  if (syntax.board !== undefined)
    return resolveFieldOfType(
      syntax.board,
      linked,
      ["state", "choice"],
      "A board has a column for each state, or for each value of a choice.",
      linking,
    ).map((field) => ({ kind: "board", field }));
  if (syntax.calendar === undefined) return [{ kind: "table" }];
  const [from, to] = syntax.calendar.flatMap((item) =>
    resolveFieldOfType(item, linked, ["date", "datetime"], "Use a date, or the first and the last date.", linking),
  );
  return from === undefined ? [] : [{ kind: "calendar", from, to: to ?? null }];
};
