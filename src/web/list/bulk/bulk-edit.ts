import type { EntityJson, FieldJson, FieldTypeName } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { Body } from "../../api/requests.ts";
import type { RecordValues } from "../../api/show-in-lists.ts";
import { readFormField } from "../../field/form-values.ts";
import type { Form } from "../../form/state/form-node.ts";
import { type EnteredValues, toEntered } from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { getValue } from "../../format/record-values.ts";
import { isMoney, isNothing } from "../../format/value-shapes.ts";

/** True for types of which several records often share a value, unless the value belongs to one record. */
const isShared: { readonly [T in FieldTypeName]: boolean } = {
  text: true,
  "long text": true,
  "rich text": true,
  integer: true,
  decimal: true,
  money: true,
  boolean: true,
  date: true,
  time: true,
  datetime: true,
  duration: true,
  choice: true,
  email: true,
  url: true,
  phone: true,
  file: false,
  image: false,
  json: false,
  sequence: true,
  "integer sequence": true,
  slug: false,
  position: false,
  reference: true,
  state: true,
};

const canChange = (record: RecordJson, { name }: FieldJson): boolean => record.may?.update.includes(name) === true;

/** The fields that can be changed on some of the records: those that can be changed on most come first. */
export const findBulkFields = (entity: EntityJson, records: readonly RecordJson[]): readonly FieldJson[] =>
  entity.fields
    .filter((field) => !field.automatic && isShared[field.type])
    .map((field) => ({ field, count: findChangeable(records, [field]).length }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .map(({ field }) => field);

/** The records on which all these fields can be changed. */
export const findChangeable = (records: readonly RecordJson[], fields: readonly FieldJson[]): readonly RecordJson[] =>
  records.filter((record) => fields.every((field) => canChange(record, field)));

/** A form that asks for one more field, or for one less. */
export const withField = (form: Form, field: FieldJson, context: LocaleContext): Form => {
  const empty = { [field.name]: toEntered(field, null, context) };
  return {
    ...form,
    fields: [...form.fields, field],
    base: { ...form.base, ...empty },
    entered: { ...form.entered, ...empty },
  };
};

export const withoutField = (form: Form, { name }: FieldJson): Form => ({
  ...form,
  fields: form.fields.filter((field) => field.name !== name),
  errors: form.errors.filter(({ field }) => field !== name),
  unreadable: form.unreadable.filter((field) => field !== name),
});

/** True if a field has no value in the form, so that every record loses its own. */
export const isEmptied = (field: FieldJson, form: Form, context: LocaleContext): boolean => {
  const reading = readFormField(field, form, context);
  return reading.kind === "value" && isNothing(reading.value);
};

const toMoney = (amount: Json, before: Json | undefined): Json =>
  isMoney(before) ? { amount, currency: before.currency } : (before ?? null);

/** A record with the values that were entered, as the answer to the edit will have them. */
export const withEntered = (
  record: RecordJson,
  fields: readonly FieldJson[],
  body: Body,
  entered: EnteredValues,
): RecordValues => {
  const values = fields.map(({ name, type }) => {
    const [sent = null, before] = [body[name], getValue(record, name)];
    // An amount is sent without its currency.
    if (type === "money" && sent !== null) return [name, toMoney(sent, before)];
    return [name, type === "reference" ? (entered[name] ?? null) : sent];
  });
  return { id: record.id, ...Object.fromEntries(values) };
};
