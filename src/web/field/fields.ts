import type { FieldTypeName } from "../../core/wire.ts";
import { boolean } from "./boolean.tsx";
import { choice } from "./choice.tsx";
import { date } from "./date.tsx";
import { datetime } from "./datetime.tsx";
import { decimal } from "./decimal.tsx";
import { email } from "./email.tsx";
import type { FieldView } from "./field.ts";
import { integer } from "./integer.tsx";
import { longText } from "./long-text.tsx";
import { phone } from "./phone.tsx";
import { reference } from "./reference.tsx";
import { state } from "./state.tsx";
import { text } from "./text.tsx";
import { url } from "./url.tsx";

export const fields = {
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
} satisfies Record<FieldTypeName, FieldView>;
