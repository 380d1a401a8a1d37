import type { FieldJson, FieldTypeName } from "../../../core/wire/entities.ts";
import { type Entered, readEntered, toEntered } from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import type { Form } from "./form-node.ts";

/** Types that cannot be given in an address. */
const unsaid: ReadonlySet<FieldTypeName> = new Set(["reference", "file", "image", "json", "rich text"]);

/**
 * A form prefilled from its address, `/requests/new?first_day=2026-12-01`, with values in API format. Invalid values
 * and unknown fields are ignored.
 */
export const prefillForm = (form: Form, search: string, context: LocaleContext): Form => {
  const prefilled = Object.fromEntries(
    [...new URLSearchParams(search)].flatMap(([name, words]) => {
      const field = form.fields.find((one) => one.name === name);
      const entered = field === undefined ? null : parsePrefill(field, words, context);
      return entered === null ? [] : [[name, entered]];
    }),
  );
  return { ...form, base: { ...form.base, ...prefilled }, entered: { ...form.entered, ...prefilled } };
};

const parsePrefill = (field: FieldJson, words: string, context: LocaleContext): Entered => {
  if (field.many || unsaid.has(field.type)) return null;
  if (field.values?.every(({ value }) => value !== words)) return null;
  try {
    const entered = toEntered(field, field.type === "boolean" ? words === "true" : words, context);
    const reading = readEntered(field, entered, context);
    if (reading.kind !== "value" || reading.value === null) return null;
    // Rejects dates such as 30 February, and a date for a datetime.
    const isMeant = field.type === "date" ? reading.value === words : field.type !== "datetime" || words.includes("T");
    return isMeant ? entered : null;
  } catch {
    // Values relative to now are not supported here.
    return null;
  }
};
