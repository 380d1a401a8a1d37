import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, plainText, template } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue } from "../../document/shape.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Effect } from "../../model/effect.ts";
import type { Entity, Reminder } from "../../model/entity.ts";
import { isStored } from "../../model/field.ts";
import { toReminderAction } from "../../model/write-actions.ts";
import type { LinkedEntity } from "../entities/entities.ts";
import { clauseAt, type Linking, linkExpression } from "../linking/link-context.ts";
import { type EffectNames, linkEffectIn } from "./effects.ts";

/** A moment, and the effect that happens then. */
export const reminderShape = record("a reminder", {
  on: required(expression),
  when: optional(expression),
  notify: optional(expression),
  text: optional(template),
  call: optional(name("field")),
  attach: optional(plainText),
});

type ReminderSyntax = ShapeValue<typeof reminderShape>;

interface LinkedReminders {
  readonly reminders: Entity["reminders"];
  /** Their effects, by the action of each. */
  readonly effects: Entity["after"];
}

/** Links the reminders of an entity. One that is not executable, or has a mistake, is left out. */
export const linkReminders = (
  linked: LinkedEntity,
  syntax: readonly Named<ReminderSyntax>[],
  names: EffectNames,
  scope: Scope,
  linking: Linking,
): LinkedReminders => {
  const reminders = new Map<string, Reminder>();
  const effects = new Map<string, readonly Effect[]>();
  for (const { name, key, value } of syntax) {
    const action = toReminderAction(name);
    const clause = clauseAt(`4.${linked.name}.${action}`, key);
    // Nobody acts at that moment, so there is neither a `user` nor a former record.
    const place = { ...scope, entity: linked.name, user: false };
    const on = linkExpression(value.on, place, undefined, linking, clause.id);
    const field = on === undefined ? undefined : findOwnTime(on, linked);
    if (on !== undefined && field === undefined) reportNoTime(on, linked, value, clause.id, linking);
    const effect = checkMain(value, clause.id, linking)
      ? linkEffectIn(place, toEffectSyntax(value), clause, names, linking)
      : undefined;
    if (on === undefined || field === undefined || effect === undefined) continue;
    reminders.set(name, { name, clause, action, on, field });
    effects.set(action, [effect]);
  }
  return { reminders, effects };
};

const toEffectSyntax = (reminder: ReminderSyntax): Parameters<typeof linkEffectIn>[1] => ({
  ...reminder,
  create: undefined,
  put: undefined,
  key: undefined,
  update: undefined,
  delete: undefined,
  make: undefined,
  of: undefined,
  for: undefined,
  set: undefined,
});

/** A reminder notifies people or calls another program. */
const checkMain = ({ keys, span }: ReminderSyntax, clause: string, linking: Linking): boolean => {
  const [notify, call] = ["notify" in keys, "call" in keys];
  if (notify !== call) return true;
  linking.report(
    notify
      ? finding(
          "BAD_VALUE",
          keys.call ?? span,
          "A reminder does one thing, but this one has notify and call.",
          "Split it into two reminders.",
          { clause },
        )
      : finding(
          "MISSING_KEY",
          span,
          "A reminder needs “notify” or “call”.",
          "Add “notify:” with a person or a list of people.",
          { clause },
        ),
  );
  return false;
};

/** The field of the record from which a moment follows by adding or subtracting durations that are the same for all records. */
const findOwnTime = (on: Expr, { fields }: Pick<LinkedEntity, "fields">): string | undefined => {
  if (on.type.kind !== "date" && on.type.kind !== "datetime") return undefined;
  if (on.kind === "field") {
    const field = on.of.kind === "this" ? fields.get(on.field.name) : undefined;
    return field !== undefined && isStored(field) && !field.many ? field.name : undefined;
  }
  if (on.kind !== "call") return undefined;
  const [from, away] = on.args;
  const isMoved = from !== undefined && from.type.kind === on.type.kind && away?.type.kind === "duration";
  return isMoved && isConstant(away) ? findOwnTime(from, { fields }) : undefined;
};

/** True for an expression of constants alone. */
const isConstant = (expr: Expr): boolean => {
  const { paths, user, old, clock, names, recordReads } = collectReadSet(expr);
  return paths.size === 0 && !user && !old && !clock && names.size === 0 && recordReads.length === 0;
};

const reportNoTime = (
  on: Expr,
  { name, fields }: LinkedEntity,
  { on: written }: ReminderSyntax,
  clause: string,
  linking: Linking,
): void => {
  if (on.type.kind === "unknown") return;
  const time = [...fields.values()].find(
    (field) => isStored(field) && !field.many && (field.type === "date" || field.type === "datetime"),
  );
  const isTime = on.type.kind === "date" || on.type.kind === "datetime";
  linking.report(
    finding(
      isTime ? "BAD_VALUE" : "TYPES_DIFFER",
      written.span,
      isTime
        ? `A reminder needs a date or datetime field of ${name} itself, with or without a fixed duration.`
        : "A reminder needs a date or a datetime.",
      time === undefined
        ? `Add a field of type date or datetime to ${name}.`
        : `Use such a field, as in “${time.name} - 1 day”.`,
      { clause },
    ),
  );
};
