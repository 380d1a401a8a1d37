import { filledIn } from "../../../core/expression/compile/template.ts";
import type { JsEnv, JsRecord } from "../../../core/expression/values/value.ts";
import { type Format, formatterOf } from "../../../core/model/format.ts";
import type { EntityJson, FieldJson, RuleJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { readEntered } from "../../format/input-value.ts";
import type { Here } from "../../format/locale-context.ts";
import { readyOf } from "./evaluator.ts";
import type { ToMend } from "./field-error.ts";
import { changedFields, type Form } from "./form-state.ts";
import { readParts } from "./parts-state.ts";

/*
 * The rules of the document, answered as one types: by the same code as on the server, over what stands in the form. Where
 * the form does not know all that a rule reads, it says nothing; the server judges every write.
 */

const formats = new WeakMap<Here, Format>();

/** The makers of `Intl` are slow, and this is asked at every key. */
const formatAt = (here: Here): Format => {
  const format = formats.get(here) ?? formatterOf(here.locale, here.timezone);
  formats.set(here, format);
  return format;
};

/** What is judged: a form, with the record as it would be. */
export interface Judged {
  readonly form: Form;
  readonly entity: EntityJson;
  /** The record that is changed; null where one is made. */
  readonly record: RecordJson | null;
  /** The transition that is asked about; null where it is about saving. */
  readonly transition: string | null;
  readonly own: JsRecord;
  readonly env: JsEnv;
  readonly here: Here;
}

/** What the rules say against a form, each at a field that can be changed, once it is time to say so. */
export const brokenRules = (judged: Judged): readonly ToMend[] =>
  (judged.entity.rules ?? []).flatMap((rule) =>
    isJudged(rule, judged) && isTime(rule, judged.form) ? against(rule, judged) : [],
  );

/** What they say when it is saved and a transition made at once. While something required is missing, that comes first. */
export const brokenWith = (judged: Judged, transition: string): readonly ToMend[] => {
  const { entity, form } = judged;
  const isMissing = ({ name, optional, many }: FieldJson): boolean =>
    !optional && many !== true && isBlank(form.entered[name] ?? null);
  if (form.fields.some(isMissing)) return [];
  return (entity.rules ?? []).flatMap((rule) =>
    isJudged(rule, judged) || rule.with.includes(transition) ? against(rule, judged) : [],
  );
};

/** The transitions that what stands in the form rules out; of what is not known, none is. */
export const closedTransitions = ({ entity, form, own, env, here }: Judged): ReadonlySet<string> => {
  if (form.fields.some((field) => readEntered(field, form.entered[field.name] ?? null, here).kind !== "value"))
    return new Set();
  const closed = (entity.states?.transitions ?? []).filter(({ guard }) => readyOf(guard)?.evaluate(own, env) === false);
  return new Set(closed.map(({ name }) => name));
};

const against = (rule: RuleJson, { form, entity, record, own, env, here }: Judged): readonly ToMend[] => {
  const at = placeOf(rule, form);
  if (at === undefined || !isKnown(rule, form, entity, record, here)) return [];
  // As in SQL: what is unknown does not hold, and does not excuse a rule either.
  if (readyOf(rule.when ?? undefined)?.evaluate(own, env) === false) return [];
  if (readyOf(rule.rule)?.evaluate(own, env) === true) return [];
  const said = (text: string): string =>
    filledIn(text, (place) => {
      const value = readyOf(rule.values[place]);
      return value === undefined ? "…" : formatAt(here)(value.evaluate(own, env), value.type);
    });
  const help = rule.help === null ? null : said(rule.help);
  return [{ kind: "refused", field: at, clause: rule.clause, message: said(rule.message), help }];
};

/** The fields that a rule reads and that can be changed here, in the rule's order. */
const openOf = ({ reads }: RuleJson, { fields }: Form): readonly string[] =>
  reads.filter((name) => fields.some((field) => field.name === name));

/** Where it is said: at the field of the document, or at the last that it reads. */
const placeOf = (rule: RuleJson, form: Form): string | undefined =>
  form.fields.find(({ name }) => name === rule.at)?.name ?? openOf(rule, form).at(-1);

/** Whether the server would judge it when the form is sent as it stands; where nothing changed, nothing is. */
const isJudged = ({ during, reads, with: asked }: RuleJson, { form, transition }: Judged): boolean => {
  if (form.purpose === "ask") return transition !== null && asked.includes(transition);
  if (form.purpose === "make") return during === null || during.includes("create");
  const changes = changedFields(form);
  return during === null
    ? changes.some((name) => reads.includes(name))
    : changes.length > 0 && during.includes("update");
};

const isBlank = (entered: unknown): boolean =>
  entered === null || entered === "" || (Array.isArray(entered) && entered.length === 0);

/** Nobody is told of a rule before they came to the end of what it is about. Of what is saved, all has been come to. */
const isTime = (rule: RuleJson, form: Form): boolean => {
  const open = openOf(rule, form);
  const left = (name: string): boolean => form.left.includes(name);
  // What every change is judged by is told with the first, wherever it is.
  if (form.purpose === "change") return rule.during === null ? open.some(left) : form.left.length > 0;
  return open.some(left) && open.every((name) => left(name) || !isBlank(form.entered[name] ?? null));
};

/** Whether all that it reads stands here and can be read. What is required and missing is answered as such. */
const isKnown = ({ reads }: RuleJson, form: Form, entity: EntityJson, record: RecordJson | null, here: Here): boolean =>
  reads.every((name) => {
    const list = form.lists.find(({ parts }) => parts.field === name);
    if (list !== undefined) return readParts(list, here).kind === "body";
    const open = form.fields.find((field) => field.name === name);
    if (open !== undefined) {
      const reading = readEntered(open, form.entered[name] ?? null, here);
      return reading.kind === "value" && (open.optional || !isBlank(reading.value));
    }
    const field = entity.fields.find((one) => one.name === name);
    return field?.reckoned !== undefined || (record !== null && name in record);
  });
