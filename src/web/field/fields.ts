import type { FieldTypeName } from "../../core/wire/entities.ts";
import { boolean } from "./boolean.tsx";
import { choice } from "./choice.tsx";
import { date } from "./date.tsx";
import { datetime } from "./datetime.tsx";
import { decimal } from "./decimal.tsx";
import { duration } from "./duration.tsx";
import { email } from "./email.tsx";
import type { FieldView } from "./field.ts";
import { file } from "./file.tsx";
import { image } from "./image.tsx";
import { integer } from "./integer.tsx";
import { json } from "./json.tsx";
import { longText } from "./long-text.tsx";
import { money } from "./money.tsx";
import { phone } from "./phone.tsx";
import { position } from "./position.tsx";
import { reference } from "./reference.tsx";
import { richText } from "./rich-text.tsx";
import { sequence } from "./sequence.tsx";
import { slug } from "./slug.tsx";
import { state } from "./state.tsx";
import { text } from "./text.tsx";
import { time } from "./time.tsx";
import { url } from "./url.tsx";

export const fields = {
  text,
  "long text": longText,
  "rich text": richText,
  integer,
  decimal,
  money,
  boolean,
  date,
  time,
  datetime,
  duration,
  choice,
  email,
  url,
  phone,
  file,
  image,
  json,
  sequence,
  slug,
  position,
  reference,
  state,
} satisfies Record<FieldTypeName, FieldView>;
