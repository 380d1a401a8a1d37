import type { Expr } from "../expression/expr.ts";
import type { Clause } from "./clause.ts";

/** The one role that no document declares. */
export const ADMINISTRATOR = "administrator";

export interface Role {
  readonly name: string;
  readonly clause: Clause;
  /** `deputies`: people who represent somebody with another role, see `toDeputyRole`. */
  readonly members: "anyone" | "signed in" | "granted" | "deputies";
  /** Label: "Stock keeper". */
  readonly title: string;
  /** Of a role of deputies: the people with the other role whom the user represents now. */
  readonly represented?: Expr;
}

/** The entity whose records say who represents whom. `deputies` in point 6 adds it to the document. */
export const DEPUTY = "Deputy";

/** The role that deputies of people with this role have. */
export const toDeputyRole = (role: string): string => `${role}_deputy`;

/** The field with the people whom deputies represented in a transition that needs several people. */
export const toRepresentedField = (list: string): string => `${list}_for`;

/** Marks callers who represent somebody now, among their granted roles. No role has this name. */
export const STANDS_IN = "stands in";

/** Point 6: people hand their roles to a deputy for some time. */
export interface Deputies {
  readonly clause: Clause;
  /** The roles that they hand over. */
  readonly roles: ReadonlySet<string>;
}

/** The approval of changes of the document (point 6). */
export interface Approval {
  /** `6.changes`; null if the document is silent, so that administrators publish alone. */
  readonly clause: Clause | null;
  /** Roles that apply everywhere. */
  readonly propose: readonly string[];
  readonly approve: readonly string[];
  /** How many people have to approve a change; at least 1. */
  readonly approvals: number;
  /** True if nobody can approve their own change. */
  readonly byAnother: boolean;
}

export interface HeldRole {
  readonly name: string;
  readonly clause: Clause;
  readonly title: string;
  readonly condition: Expr;
  /** Of a role of deputies: the people with the other role whom the user represents now. */
  readonly represented?: Expr;
  /** For a role that parts inherit: the entity of the parent; null if the role is held on the record itself. */
  readonly from: string | null;
}

export const actions = ["read", "create", "update", "delete"] as const;
export type Action = (typeof actions)[number];
export const isAction = (name: string): name is Action => actions.some((action) => action === name);

export interface Permissions {
  readonly clause: Clause;
  readonly actions: { readonly [A in Action]: readonly Permission[] };
  /** Undecided actions: nobody may perform them until somebody decides. */
  readonly silent: ReadonlySet<Action>;
}

export interface Permission {
  readonly clause: Clause;
  /** A role of the model or of the entity. */
  readonly role: string;
  /** The condition under which the role is held on the record; null for a role that applies everywhere. */
  readonly roleCondition: Expr | null;
  readonly when: Expr | null;
  /** `null`: every field. */
  readonly fields: ReadonlySet<string> | null;
  /** For a permission inherited with `like`: one clause stands for several permissions. */
  readonly like: InheritedPermission | null;
}

/** The inherited permission on the referenced record, and further conditions. */
export interface InheritedPermission {
  readonly path: Expr;
  readonly action: Action;
  readonly of: Pick<Permission, "role" | "roleCondition" | "when" | "fields">;
  readonly when: Expr | null;
}
