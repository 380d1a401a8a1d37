import type { Expr } from "../expression/expr.ts";
import type { Finding } from "../findings.ts";
import type { Clause } from "../model/clause.ts";
import type { Entity } from "../model/entity.ts";
import type { Mention } from "../model/mention.ts";
import type { Model } from "../model/model.ts";
import type { Permission, Role } from "../model/permissions.ts";
import type { Decider } from "../satisfiability/satisfiability.ts";
import type { Span } from "../source-text.ts";
import type { EntityLookup } from "./incremental.ts";
import type { People } from "./principals.ts";

/** An analyzer of a whole document: it finds mistakes that involve several clauses. */
export type Analyzer = (checked: Checked) => readonly Finding[];

/** An analyzer of one entity. It can look up others by name. */
export type EntityAnalyzer = (checked: CheckedEntity, entity: Entity) => readonly Finding[];

export interface Checked extends CheckedEntity {
  readonly model: Model;
  readonly uses: Uses;
  /** True if every effect is in force; an effect that is not could write any field. */
  readonly effectsSettled: boolean;
}

export interface CheckedEntity {
  readonly model: {
    readonly entities: EntityLookup;
    readonly roles: ReadonlyMap<string, Pick<Role, "members">>;
  };
  readonly uses: Pick<Uses, "disclosed">;
  readonly decide: Decider;
  readonly people: People;
  /** True if a part of the clause is not in force; nothing that depends on the clause is then checked. */
  readonly unsettled: (clause: string) => boolean;
  /** The span at which a clause names a field or role of an entity; the clause's own span if unknown. */
  readonly placeIn: (clause: Clause, mention: Omit<Mention, "span">) => Span;
  /** The fields of a permission, including those without a column; `null` stands for all. */
  readonly fieldsOf: (entity: string, permission: Permission) => ReadonlySet<string> | null;
}

/** Uses between the clauses of a document, including clauses that are not in force. */
export interface Uses {
  readonly limits: ReadonlySet<string>;
  /** Roles in use; a role held on records as `Request.manager`. */
  readonly roles: ReadonlySet<string>;
  readonly errors: ReadonlySet<string>;
  /** Outgoing calls that at least one effect makes. */
  readonly calls: ReadonlySet<string>;
  readonly mentions: readonly Mention[];
  /** Expressions of computed fields by name (`Request.days`); for choices, their conditions in order. */
  readonly computed: ReadonlyMap<string, readonly Expr[]>;
  /** Clauses and fields declared to disclose data that the people concerned cannot read. */
  readonly disclosed: ReadonlySet<string>;
  /** Clauses that are only partly in force. */
  readonly unsettled: ReadonlySet<string>;
}
