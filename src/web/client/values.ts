import type { Json, RecordJson } from "../../core/wire.ts";

/** A field's value in a record; undefined where the person may not read it. */
export const valueIn = (record: RecordJson, field: string): Json | undefined => record[field] as Json | undefined;
