import type { AffectedRule } from "../../../core/derive/consistency/read-sets.ts";
import type { Entity, ValidationRule } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { CURRENT, LINES } from "../aliases.ts";
import {
  asNumber,
  asNumberOrNull,
  asText,
  asTextOrNull,
  type Decoder,
  readColumn,
  resultColumn,
  resultShape,
  selectAs,
} from "../result-columns.ts";

/** The records that one statement wrote, with their values before. */
export interface WriteSet {
  readonly entity: Entity;
  /** `create`, `update`, `delete` or the name of a transition. */
  readonly action: string;
  /** Fields that can have changed; `null` for creation and deletion. */
  readonly changed: ReadonlySet<string> | null;
  readonly rows: readonly WrittenRow[];
  /** Checks that the write made and that nothing later can invalidate. */
  readonly earlyChecks?: EarlyChecks;
}

export interface EarlyChecks {
  readonly rules: ReadonlySet<ValidationRule>;
  readonly affectedRules: ReadonlySet<AffectedRule>;
  /** Names of fields whose bounds were checked. */
  readonly measured: ReadonlySet<string>;
  /** Checked fields with `among` or conditional `required`. */
  readonly conditionalFields: ReadonlySet<Field>;
}

export interface WrittenRow {
  readonly id: string;
  /** The row before the write as Postgres's JSON; `null` if there was none. */
  readonly before: string | null;
  /** The audit line of the write, which is the cause of its consequences; `null` if none was written. */
  readonly line: number | null;
}

/** The audit line and the previous values of the record that the root statement wrote, as `WrittenRow`. */
const ROOT_LINE = resultColumn("is:line", asNumber);
const ROOT_BEFORE = resultColumn("is:before", asTextOrNull);

/** The columns of `rootRow`. A new record has no previous values. */
export const rootColumns = (was: "new" | "stored"): readonly Sql[] => [
  selectAs(sql`(SELECT "id" FROM ${LINES})`, ROOT_LINE),
  ...(was === "stored" ? [selectAs(sql`to_jsonb(${CURRENT})::text`, ROOT_BEFORE)] : []),
];

/** The written record of the root statement, from its row. */
export const rootRow = (id: string, row: Row): WrittenRow => ({
  id,
  before: readColumn(row, ROOT_BEFORE),
  line: readColumn(row, ROOT_LINE),
});

/** The rows of a statement that inserts. */
export const insertedRow = resultShape({ id: asText, line: asNumberOrNull });
/** The rows of a statement that updates or deletes. */
export const changedRow = resultShape({ id: asText, line: asNumberOrNull, before: asTextOrNull });

/** The written records, from rows of `insertedRow` or `changedRow`. */
export const toWrittenRows = (rows: readonly Row[]): readonly WrittenRow[] => rows.map(changedRow.read);

/** A written record in a JSON column. */
export const writtenRowJson = ({ id, line, before }: { readonly [K in keyof WrittenRow]: Sql }): Sql =>
  sql`jsonb_build_object('id', ${id}, 'line', ${line}, 'before', ${before})`;

/** Reads a JSON list of `writtenRowJson`. */
export const asWrittenRows: Decoder<readonly WrittenRow[]> = (value) =>
  Array.isArray(value) ? toWrittenRows(value as readonly Row[]) : [];
