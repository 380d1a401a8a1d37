import type { FieldTypeName } from "../wire/entities.ts";
import { boolean } from "./boolean.ts";
import { choice, state } from "./choice.ts";
import { date } from "./date.ts";
import { datetime } from "./datetime.ts";
import { duration } from "./duration.ts";
import { file, image } from "./file.ts";
import { json } from "./json.ts";
import type { FieldKind } from "./kind.ts";
import { money } from "./money.ts";
import { decimal, integer } from "./number.ts";
import { position } from "./position.ts";
import { reference } from "./reference.ts";
import { integerSequence, sequence } from "./sequence.ts";
import { slug } from "./slug.ts";
import { email, longText, phone, richText, text, url } from "./text.ts";
import { time } from "./time.ts";

/** Every field type: the types of L3 that a document names, and `reference` and `state`, which it writes in other ways. */
export const fieldKinds: { readonly [T in FieldTypeName]: FieldKind } = {
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
  "integer sequence": integerSequence,
  slug,
  position,
  reference,
  state,
};

/** True for types whose values the program writes when it saves a record. */
export const isAssigned = (type: FieldTypeName): boolean => fieldKinds[type].fields.assigned;
