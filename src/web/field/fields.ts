import type { FieldTypeName } from "../../core/wire/entities.ts";
import type { FieldView } from "./field.ts";
import { boolean } from "./type/boolean.tsx";
import { choice } from "./type/choice.tsx";
import { date } from "./type/date.tsx";
import { datetime } from "./type/datetime.tsx";
import { decimal } from "./type/decimal.tsx";
import { duration } from "./type/duration.tsx";
import { email } from "./type/email.tsx";
import { file } from "./type/file.tsx";
import { image } from "./type/image.tsx";
import { integer } from "./type/integer.tsx";
import { json } from "./type/json.tsx";
import { longText } from "./type/long-text.tsx";
import { money } from "./type/money.tsx";
import { phone } from "./type/phone.tsx";
import { position } from "./type/position.tsx";
import { reference } from "./type/reference.tsx";
import { richText } from "./type/rich-text.tsx";
import { sequence } from "./type/sequence.tsx";
import { slug } from "./type/slug.tsx";
import { state } from "./type/state.tsx";
import { text } from "./type/text.tsx";
import { time } from "./type/time.tsx";
import { url } from "./type/url.tsx";

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
