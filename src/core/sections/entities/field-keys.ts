import type { Spanned } from "../../document/shape.ts";
import type { Type } from "../../expression/values/type.ts";
import type { FieldKind } from "../../field/kind.ts";
import { fieldKinds } from "../../field/kinds.ts";
import { isCurrency } from "../../field/money.ts";
import { isSequence, PLAIN, readPattern } from "../../field/sequence.ts";
import { finding } from "../../findings.ts";
import { kinds as kindNames } from "../../i18n/en/errors.ts";
import type { Field } from "../../model/field.ts";
import type { Limits } from "../../model/model.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { type Linking, reportUnknownName } from "../linking/link-context.ts";
import type { FieldDraft } from "./field-drafts.ts";
import { type FieldSyntax, writtenType } from "./field-syntax.ts";

/** Keys of a single field type. */
const owners = {
  pattern: ["sequence"],
  gapless: ["sequence", "integer sequence"],
  from: ["slug"],
  currency: ["money"],
} as const satisfies { readonly [key: string]: readonly FieldTypeName[] };

export const checkOwners = (syntax: FieldSyntax, draft: FieldDraft, linking: Linking): void => {
  for (const [key, types] of Object.entries(owners)) {
    const value = syntax[key as keyof typeof owners];
    const [type] = types;
    if (value === undefined || types.some((type) => type === writtenType(syntax))) continue;
    linking.report(
      finding(
        "BAD_VALUE",
        value.span,
        `“${key}” is only for the type ${type}, but ${draft.name} has another type.`,
        `Remove it, or change the type of ${draft.name} to ${type}.`,
        { clause: draft.clause.id },
      ),
    );
  }
};
export const checkCurrency = (syntax: FieldSyntax, draft: FieldDraft, linking: Linking): void => {
  const { currency } = syntax;
  if (currency === undefined || isCurrency(currency.value)) return;
  linking.report(
    finding(
      "BAD_VALUE",
      currency.span,
      `“${currency.value}” is not a currency.`,
      "Write a code of three capitals, such as EUR, USD or JPY.",
      { clause: draft.clause.id },
    ),
  );
};

/** The number format of a sequence, and the transition that assigns a number. */
export const readSeries = (
  syntax: FieldSyntax,
  draft: FieldDraft,
  transitions: ReadonlySet<string>,
  linking: Linking,
): Field["series"] => {
  if (!isSequence(draft.stored)) return null;
  const { pattern, gapless } = syntax;
  const parts = pattern === undefined ? PLAIN : readPattern(pattern.value);
  if (pattern !== undefined && parts === undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        pattern.span,
        `“${pattern.value}” is not a pattern of a sequence.`,
        "Write the number once, as {n}, or {n:5} for five digits. You can add {year}, {month} and {day}.",
        { clause: draft.clause.id },
      ),
    );
  if (gapless !== undefined && !transitions.has(gapless.value))
    reportUnknownName(linking, gapless.span, "transition", gapless.value, transitions);
  return { parts: parts ?? PLAIN, gapless: gapless?.value ?? null };
};

/** The source of a slug: the named field, or else the first text field of the entity. */
export const slugSource = (
  syntax: FieldSyntax,
  draft: FieldDraft,
  drafts: ReadonlyMap<string, FieldDraft>,
  linking: Linking,
): string | null => {
  const type = writtenType(syntax);
  if (type === "position")
    return [...drafts.values()].find((draft) => draft.syntax?.["part of"]?.value === true)?.name ?? null;
  if (type !== "slug") return null;
  const isSource = (draft: FieldDraft | undefined) => draft?.stored === "text" || draft?.stored === "email";
  if (syntax.from === undefined) return [...drafts.values()].find(isSource)?.name ?? null;
  if (isSource(drafts.get(syntax.from.value))) return syntax.from.value;
  linking.report(
    finding(
      "BAD_VALUE",
      syntax.from.span,
      `${draft.name} can’t be generated from “${syntax.from.value}”.`,
      "Name a text field of the same entity.",
      { clause: draft.clause.id },
    ),
  );
  return null;
};

const isSameMoney = (a: Type, b: Type): boolean =>
  a.kind === "money" && b.kind === "money" && a.currency === b.currency;

/** A limit that changes with the day, and a number of values, are rules. */
const insteadOfBound = (written: string, which: "min" | "max", { name, stored, shape }: FieldDraft): string => {
  const sign = which === "min" ? ">=" : "<=";
  if (/^(?:today|now)\b/u.test(written))
    return `A limit that moves is a rule of point 5: “rule: ${name} ${sign} ${written}”.`;
  if (fieldKinds[stored].bound !== undefined)
    return "Write a value of its type (for a text, a number of characters), or the name of a constant of point 9.";
  return shape.type.kind === "list" && /^\d+$/u.test(written)
    ? `Remove “${which}”. A rule of point 5 can limit their number: “rule: size(${name}) ${sign} ${written}”.`
    : `Remove “${which}”.`;
};

/** A bound: a value of the field's type, or the name of a constant of point 9. */
export const readBound = (
  written: Spanned<string> | undefined,
  which: "min" | "max",
  draft: FieldDraft,
  limits: Limits,
  linking: Linking,
): string | null => {
  if (written === undefined) return null;
  const named = /^(?:limits\.)?([a-z][a-z0-9_]*)$/u.exec(written.value)?.[1];
  const limit = named === undefined ? undefined : limits.all.get(named);
  if (limit !== undefined) linking.limitsRead.add(limit.name);
  const kind: FieldKind = fieldKinds[draft.stored];
  const isForeign = limit?.type.kind === "money" && !isSameMoney(limit.type, draft.shape.type);
  const bound = isForeign ? undefined : kind.bound?.(limit?.value ?? written.value, which);
  if (bound !== undefined) return bound;
  linking.report(
    finding(
      "BAD_VALUE",
      written.span,
      kind.bound === undefined
        ? `${draft.name} can’t have bounds: it is ${kindNames[draft.stored]}.`
        : `“${written.value}” is not a bound of ${draft.name}.`,
      insteadOfBound(written.value, which, draft),
      { clause: draft.clause.id },
    ),
  );
  return null;
};
