import type { FieldTypeName } from "../../core/wire/entities.ts";
import type { FieldInput } from "./field.ts";
import { ChoiceInput } from "./input/choice-input.tsx";
import { DateInput } from "./input/date-input.tsx";
import { DatetimeInput } from "./input/datetime-input.tsx";
import { LateFileInput, LateRichTextInput } from "./input/late-inputs.tsx";
import {
  BooleanInput,
  DecimalInput,
  DurationInput,
  EmailInput,
  IntegerInput,
  JsonInput,
  LongTextInput,
  MoneyInput,
  PhoneInput,
  SequenceInput,
  SlugInput,
  TextInput,
  TimeInput,
  UrlInput,
} from "./input/plain-inputs.tsx";
import { ReferenceInput } from "./input/reference-input.tsx";

/** The control of each field type, for one value. States, which change by transitions only, have one for filters. */
export const inputs: { readonly [T in FieldTypeName]: FieldInput } = {
  text: TextInput,
  "long text": LongTextInput,
  "rich text": LateRichTextInput,
  integer: IntegerInput,
  decimal: DecimalInput,
  money: MoneyInput,
  boolean: BooleanInput,
  date: DateInput,
  time: TimeInput,
  datetime: DatetimeInput,
  duration: DurationInput,
  choice: ChoiceInput,
  email: EmailInput,
  url: UrlInput,
  phone: PhoneInput,
  file: LateFileInput,
  image: LateFileInput,
  json: JsonInput,
  sequence: SequenceInput,
  "integer sequence": SequenceInput,
  slug: SlugInput,
  position: IntegerInput,
  reference: ReferenceInput,
  state: ChoiceInput,
};
