import type { FieldJson, Json, RecordJson } from "../../core/wire.ts";
import type { Here } from "./here.ts";

/** A field's value in a record; undefined where the person may not read it. */
export const valueIn = (record: RecordJson, field: string): Json | undefined => record[field] as Json | undefined;

/** What the document gives where nobody gives anything: it stands there from the beginning, to be seen and changed. */
export const givenBy = (field: FieldJson, here: Here): Json =>
  field.default === "today" ? here.today : (field.default?.value ?? null);
