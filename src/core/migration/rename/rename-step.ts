import type { Table } from "../../derive/tables/table.ts";
import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import { definitionText, type Sql, sql } from "../../sql.ts";
import type { writtenRows } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";

/** Properties of the previous document that tables do not show; null if there was none. */
export type Before = Pick<Model, "entities" | "roles" | "limits"> | null;

export const alter = (table: string, what: Sql): string => definitionText(sql`alter table ${inApp(table)} ${what}`);

export interface RenameContext {
  readonly tables: readonly Table[];
  readonly table: Table | undefined;
  readonly entity: Entity | undefined;
  readonly before: Before;
  readonly model: Model;
  readonly version: number;
}

export interface RenameStep {
  readonly run: readonly string[];
  readonly table?: Table;
  /** Former name of the table. */
  readonly from?: string;
  /** True if the new value existed before. */
  readonly isMerge?: true;
  /** True if only former values have the old name, because the value was merged into another one. */
  readonly isFormer?: true;
  /** The records to update. */
  readonly rows?: ReturnType<typeof writtenRows>;
  /** The column whose values change, and statements about its former ones. */
  readonly replaces?: {
    readonly column: string;
    readonly holds: Sql;
    readonly written: Sql;
    readonly former: readonly string[];
  };
}
