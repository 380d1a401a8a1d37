import type { FieldTypeName } from "../wire.ts";
import { boolean } from "./boolean.ts";
import { choice, state } from "./choice.ts";
import type { FieldKind } from "./kind.ts";
import { decimal, integer } from "./number.ts";
import { reference } from "./reference.ts";
import { email, longText, phone, text, url } from "./text.ts";
import { date, datetime } from "./time.ts";

/** Every field type that runs. The language has more; a field of one of those has no column and is NOT_EXECUTED. */
export const kinds = {
  text,
  "long text": longText,
  integer,
  decimal,
  boolean,
  date,
  datetime,
  choice,
  email,
  url,
  phone,
  reference,
  state,
} satisfies Record<FieldTypeName, FieldKind>;
