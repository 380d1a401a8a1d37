import type { FieldTypeName } from "../../core/wire/entities.ts";
import type { FieldView } from "./field.ts";
import { boolean } from "./type/choice/boolean.tsx";
import { choice } from "./type/choice/choice.tsx";
import { reference } from "./type/choice/reference.tsx";
import { state } from "./type/choice/state.tsx";
import { file } from "./type/file/file.tsx";
import { image } from "./type/file/image.tsx";
import { decimal } from "./type/number/decimal.tsx";
import { integer } from "./type/number/integer.tsx";
import { money } from "./type/number/money.tsx";
import { position } from "./type/number/position.tsx";
import { sequence } from "./type/number/sequence.tsx";
import { email } from "./type/text/email.tsx";
import { json } from "./type/text/json.tsx";
import { longText } from "./type/text/long-text.tsx";
import { phone } from "./type/text/phone.tsx";
import { richText } from "./type/text/rich-text.tsx";
import { slug } from "./type/text/slug.tsx";
import { text } from "./type/text/text.tsx";
import { url } from "./type/text/url.tsx";
import { date } from "./type/time/date.tsx";
import { datetime } from "./type/time/datetime.tsx";
import { duration } from "./type/time/duration.tsx";
import { time } from "./type/time/time.tsx";

export const fields: { readonly [T in FieldTypeName]: FieldView } = {
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
  "integer sequence": sequence,
  slug,
  position,
  reference,
  state,
};
