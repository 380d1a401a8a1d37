import type { Spanned } from "../../document/shape.ts";
import { locate, type Scalar } from "../../document/tree.ts";
import { finding } from "../../findings.ts";
import { parseGroupKey, writeGroupKey } from "../../model/facts/date-steps.ts";
import { findGroupField, MOST_GROUPINGS } from "../../model/facts/grouping.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import type { Linking } from "../linking/link-context.ts";

/** The place of a field in `quarter_of(day)` and `sum(cost)`. */
export const spanOfField = (at: Scalar, field: string): Spanned<string> => {
  const start = at.text.indexOf(field, at.text.indexOf("(") + 1);
  return { value: field, span: { ...at.span, start: locate(at, start), end: locate(at, start + field.length) } };
};

/** Links `status`, `day` and `quarter_of(day)`. `refusal`: why another field is not possible, without its name at the end. */
export const linkGroupKey = (
  at: Scalar,
  refusal: string,
  linked: LinkedEntity,
  linking: Linking,
  clause: string,
): string | undefined => {
  const text = at.text.trim();
  const key = parseGroupKey(text);
  const found = resolveField(linked, spanOfField(at, key.field), linking);
  if (found === undefined) return undefined;
  if (findGroupField(writeGroupKey(key), () => found) !== undefined) return writeGroupKey(key);
  const hint = "Use a choice, the state, a reference, a boolean, or a date by month, quarter_of(day) or year_of(day).";
  linking.report(finding("BAD_VALUE", at.span, `${refusal} ${text}.`, hint, { clause }));
  return undefined;
};

/** Links the fields by which a list is grouped: `group: [mechanic, quarter_of(day)]`. */
export const linkGroups = (
  items: readonly Scalar[],
  linked: LinkedEntity,
  linking: Linking,
  clause: string,
): readonly string[] => {
  const keys: string[] = [];
  for (const at of items) {
    const key = linkGroupKey(at, "A list can’t be grouped by", linked, linking, clause);
    if (key === undefined) continue;
    const isNew = keys.every((one) => parseGroupKey(one).field !== parseGroupKey(key).field);
    if (isNew && keys.length < MOST_GROUPINGS) keys.push(key);
    else
      linking.report(
        finding("BAD_VALUE", at.span, "A list is grouped by one or two different fields.", "Remove this one.", {
          clause,
        }),
      );
  }
  return keys;
};
