import { splitBraces } from "../../../core/expression/syntax/braces.ts";
import type { JsEnv, JsRecord } from "../../../core/expression/values/value.ts";
import { type TextValue, withoutSecondDay } from "../../../core/i18n/period-text.ts";
import { createFormatter, type Format, toTextValue } from "../../../core/model/format.ts";
import type { EntityJson, RuleJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { readFormField } from "../../field/form-values.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { isNothing } from "../../format/value-shapes.ts";
import { prepareExpression } from "./evaluator.ts";
import type { FormFieldError } from "./field-error.ts";
import { changedFields, type Form, findList } from "./form-node.ts";
import { readList } from "./send-form.ts";

/*
 * Checks the document's rules while the user types, with the same code as the server, on the values in the form. A rule
 * that needs values unknown to the form is left to the server, which checks every write anyway.
 */

const formats = new WeakMap<LocaleContext, Format>();

/** Cached: constructing `Intl` objects is slow, and rules are checked on every keystroke. */
const formatAt = (context: LocaleContext): Format => {
  const format = formats.get(context) ?? createFormatter(context.locale, context.timezone, context.booleans);
  formats.set(context, format);
  return format;
};

/** The form to check, with the record as it would be. */
export interface CheckedForm {
  readonly form: Form;
  readonly entity: EntityJson;
  /** The record to change; null for a new one. */
  readonly record: RecordJson | null;
  /** The transition whose dialog it is; null for saving. */
  readonly transition: string | null;
  readonly own: JsRecord;
  readonly env: JsEnv;
  readonly context: LocaleContext;
}

/** Violated rules, each at an editable field, once it is time to show them. */
export const violatedRules = (checked: CheckedForm): readonly FormFieldError[] =>
  (checked.entity.rules ?? []).flatMap((rule) =>
    isChecked(rule, checked) && isTimeToShow(rule, checked.form) ? errorsOfRule(rule, checked) : [],
  );

/** Violated rules if the form is saved and the transition is made at once; null: if it is only saved. */
export const violatedRulesWith = (checked: CheckedForm, transition: string | null): readonly FormFieldError[] =>
  (checked.entity.rules ?? []).flatMap((rule) =>
    isChecked(rule, checked) || (transition !== null && rule.with.includes(transition))
      ? errorsOfRule(rule, checked)
      : [],
  );

/** A rule that is broken, in its own words. */
export interface BrokenRule {
  readonly clause: string;
  readonly message: string;
  readonly help: string | null;
}

/** The rule if the transition breaks it whatever is entered: it reads only what is saved. */
export const findBrokenAlready = (rule: RuleJson, checked: CheckedForm): BrokenRule | undefined =>
  checked.transition !== null &&
  rule.during?.includes(checked.transition) === true &&
  rule.old !== true &&
  !(rule.user === true && checked.context.person === undefined) &&
  isChecked(rule, checked) &&
  !rule.reads.some((name) => isEntered(name, checked.form))
    ? findBroken(rule, checked)
    : undefined;

/** The least number of characters that the rules of this form ask of a text; 0 if none does. */
export const findLeastLength = (name: string, checked: CheckedForm): number =>
  (checked.entity.rules ?? []).reduce(
    (most, rule) =>
      rule.least?.field === name && isChecked(rule, checked) ? Math.max(most, rule.least.characters) : most,
    0,
  );

/** The transitions ruled out by the values in the form. If a value is unknown, none is. */
export const closedTransitions = ({ entity, form, own, env, context }: CheckedForm): ReadonlySet<string> => {
  if (form.fields.some((field) => readFormField(field, form, context).kind !== "value")) return new Set();
  const closed = (entity.states?.transitions ?? []).filter(
    ({ guard }) => prepareExpression(guard)?.evaluate(own, env) === false,
  );
  return new Set(closed.map(({ name }) => name));
};

/**
 * True if the record that a reference refers to breaks a rule that reads nothing else of the form: no other input makes
 * it acceptable, so it need not be offered.
 */
export const isChoiceRefused = (name: string, checked: CheckedForm): boolean =>
  (checked.entity.rules ?? []).some(
    (rule) =>
      rule.reads.includes(name) &&
      rule.reads.every((read) => read === name || !isEntered(read, checked.form)) &&
      isChecked(rule, checked) &&
      errorsOfRule(rule, checked).length > 0,
  );

const isEntered = (name: string, form: Form): boolean =>
  form.fields.some((field) => field.name === name) || findList(form, name) !== undefined;

const errorsOfRule = (rule: RuleJson, checked: CheckedForm): readonly FormFieldError[] => {
  const { form, entity, record, context } = checked;
  const at = findPlace(rule, form);
  if (at === undefined || !isKnown(rule, form, entity, record, context)) return [];
  const broken = findBroken(rule, checked);
  return broken === undefined ? [] : [{ kind: "refused", field: at, ...broken }];
};

/** The rule if it is broken. As in SQL: an unknown condition does not hold, and does not satisfy a rule either. */
const findBroken = (rule: RuleJson, { own, env, context }: CheckedForm): BrokenRule | undefined => {
  if (prepareExpression(rule.when ?? undefined)?.evaluate(own, env) === false) return undefined;
  if (prepareExpression(rule.rule)?.evaluate(own, env) === true) return undefined;
  const format = formatAt(context);
  const fill = (place: string): TextValue => {
    const expression = prepareExpression(rule.values[place]);
    if (expression === undefined) return { text: "…" };
    const value = expression.evaluate(own, env);
    return toTextValue(format(value, expression.type), value, expression.type, format);
  };
  const formatMessage = (text: string): string =>
    withoutSecondDay(splitBraces(text).map((part) => (typeof part === "string" ? part : fill(part.place)))).join("");
  return {
    clause: rule.clause,
    message: formatMessage(rule.message),
    help: rule.help === null ? null : formatMessage(rule.help),
  };
};

/** The editable fields that a rule reads, in the rule's order. */
const openFields = ({ reads }: RuleJson, { fields }: Form): readonly string[] =>
  reads.filter((name) => fields.some((field) => field.name === name));

/** The field or list for the message: the one named in the document, or the last that the rule reads. */
const findPlace = (rule: RuleJson, form: Form): string | undefined =>
  rule.at !== null && isEntered(rule.at, form)
    ? rule.at
    : (openFields(rule, form).at(-1) ?? rule.reads.findLast((name) => findList(form, name) !== undefined));

/** True if the server would check the rule for the form as it is. */
const isChecked = (
  { during, reads, old, with: requiredValues }: RuleJson,
  { form, entity, record, transition }: CheckedForm,
): boolean => {
  if (old === true && record === null) return false;
  if (form.purpose === "ask") return transition !== null && requiredValues.includes(transition);
  if (form.purpose === "create") return during === null || during.includes("create");
  const changes = changedFields(form);
  // A stored computed value that the rule reads changes with the fields of its `until`.
  const waits = entity.fields.flatMap(({ name, until = [] }) => (reads.includes(name) ? until : []));
  return during === null
    ? changes.some((name) => reads.includes(name) || waits.includes(name))
    : changes.length > 0 && during.includes("update");
};

/** True once the user has left the fields concerned. Saved values count as left. */
const isTimeToShow = (rule: RuleJson, form: Form): boolean => {
  const open = openFields(rule, form);
  const wasLeft = (name: string): boolean => form.left.includes(name);
  // A rule checked on every change is shown after the first field that was left.
  if (form.purpose === "update") return rule.during === null ? open.some(wasLeft) : form.left.length > 0;
  return open.some(wasLeft) && open.every((name) => wasLeft(name) || !isNothing(form.entered[name]));
};

/** True if all its inputs are known and readable. Missing required fields have their own error. */
const isKnown = (
  { reads, old, user }: RuleJson,
  form: Form,
  entity: EntityJson,
  record: RecordJson | null,
  context: LocaleContext,
): boolean =>
  !(user === true && context.person === undefined) &&
  reads.every((name) => {
    if (old === true && record !== null && !(name in record)) return false;
    const list = findList(form, name);
    if (list !== undefined) return readList(list, context).kind === "body";
    const open = form.fields.find((field) => field.name === name);
    if (open !== undefined) {
      const reading = readFormField(open, form, context);
      return reading.kind === "value" && (open.optional || !isNothing(reading.value));
    }
    const field = entity.fields.find((one) => one.name === name);
    if (field?.reckoned !== undefined) return true;
    return record === null ? field?.maker === true && context.person !== undefined : name in record;
  });
