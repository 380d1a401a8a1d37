import type { Clause } from "../../model/clause.ts";
import type { ActDraft } from "./act-values.ts";
import type { EntitySyntax } from "./entities-syntax.ts";
import type { FieldDraft } from "./field-drafts.ts";
import type { StateFieldDraft } from "./fields.ts";

/** An entity with known names and unread expressions. */
export interface EntityDraft {
  readonly name: string;
  readonly clause: Clause;
  readonly table: string;
  readonly path: string;
  readonly served: boolean;
  /** The entities that the rows are derived from; null for other entities. */
  readonly because: ReadonlySet<string> | null;
  readonly syntax: EntitySyntax | undefined;
  readonly fields: ReadonlyMap<string, FieldDraft>;
  /** Values that transitions ask for and that are no part of the record. */
  readonly acts: ReadonlyMap<string, ActDraft>;
  /** The state field, if the entity has states. */
  readonly state: StateFieldDraft | null;
}

/** True if the document lists records of the entity. */
export const hasSeedRecords = ({ syntax, because }: EntityDraft): boolean =>
  because === null && syntax?.records !== undefined;
