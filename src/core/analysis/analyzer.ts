import type { Expr } from "../expression/expr.ts";
import type { Finding } from "../findings.ts";
import type { Mention } from "../model/mention.ts";
import type { Clause, Entity, Model, Permission, Role } from "../model/model.ts";
import type { Deciding } from "../satisfiability/satisfiability.ts";
import type { Span } from "../source-text.ts";
import type { Looking } from "./incremental.ts";
import type { People } from "./principals.ts";

/** A claim about a document as a whole: what is wrong with it that no clause of it is by itself. */
export type Check = (checked: Checked) => readonly Finding[];

/** A claim about what a document says of one entity. It may look at others, one by one. */
export type EntityCheck = (checked: CheckedEntity, entity: Entity) => readonly Finding[];

export interface Checked extends CheckedEntity {
  readonly model: Model;
  readonly uses: Uses;
  /** True if every effect is in force: one that is not might write any field. */
  readonly effectsSettled: boolean;
}

export interface CheckedEntity {
  readonly model: {
    readonly entities: Looking;
    readonly roles: ReadonlyMap<string, Pick<Role, "members">>;
  };
  readonly uses: Pick<Uses, "disclosed">;
  readonly decide: Deciding;
  readonly people: People;
  /** Whether something of a clause has no effect yet: what rests on it cannot be judged, and is not. */
  readonly unsettled: (clause: string) => boolean;
  /** Where a clause names a field or a role of an entity; the clause itself where that is not known. */
  readonly placeIn: (clause: Clause, mention: Omit<Mention, "span">) => Span;
  /** The fields that a permission gives, `null` being all: those that have no column yet too. */
  readonly fieldsOf: (entity: string, permission: Permission) => ReadonlySet<string> | null;
}

/** What the clauses of a document use of one another, those that have no effect yet too. */
export interface Uses {
  readonly limits: ReadonlySet<string>;
  /** A role that is held record by record as `Request.manager`. */
  readonly roles: ReadonlySet<string>;
  readonly errors: ReadonlySet<string>;
  /** Outgoing calls that some effect makes. */
  readonly calls: ReadonlySet<string>;
  readonly mentions: readonly Mention[];
  /** What each computed field is made of, by `Request.days`; of derived choices, their conditions in order. */
  readonly computed: ReadonlyMap<string, readonly Expr[]>;
  /** Those of them that are meant to tell more people than may read what they are made of. */
  readonly disclosed: ReadonlySet<string>;
  /** Clauses of which a part is not in force yet. */
  readonly unsettled: ReadonlySet<string>;
}
