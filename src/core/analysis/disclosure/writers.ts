import { grantedFields, isAutomatic, type Principal } from "../../derive/authorization/grants.ts";
import { some } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { readsItsRecord } from "../../expression/inspect/read-set.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import { computedExpr } from "../../model/field.ts";
import { ADMINISTRATOR, type Permission } from "../../model/permissions.ts";
import type { Decider } from "../../satisfiability/satisfiability.ts";
import type { Span } from "../../source-text.ts";
import { conditionsBy, type People, roleConditions } from "../principals.ts";
import { nothingWritten } from "./information-flow.ts";
import type { WrittenValue } from "./reached-records.ts";
import type { Reader } from "./reader.ts";

/** A person who writes a record: the facts known before the write, and the fields that the person can set. */
export interface Writer {
  readonly role: string;
  readonly reader: Reader;
  /** Conditions that hold on the record before the write. */
  readonly facts: readonly Expr[];
  readonly written: WrittenValue;
  /** Fields that the person can set. */
  readonly writableFields: ReadonlySet<string>;
}

/** The writers of an entity's records, cached across clauses. */
export interface Writers {
  /** Persons who create records. The values of a new record are known from their input and the document. */
  readonly creators: () => readonly Writer[];
  /** Persons who can change one of these fields; checks read the unchanged fields as well. */
  readonly changers: (fields: readonly string[]) => readonly Writer[];
  readonly makers: (transition: Transition) => readonly Writer[];
  /** Persons who can try a transition; the guard is evaluated on the record as they see it. */
  readonly candidatesFor: (transition: Transition) => readonly Writer[];
  /** Persons who can try an action under this permission. */
  readonly candidatesUnder: (action: "create" | "update" | "delete", permission: Permission) => readonly Writer[];
}

export const findWriters = (
  entity: Entity,
  people: People,
  readerOf: (person: Principal) => Reader,
  { canHold }: Pick<Decider, "canHold">,
): Writers => {
  const { permissions, fields, states } = entity;

  /**
   * Holders of a role on an existing visible record; without seeing the record, they cannot trigger any check on it.
   */
  const seeing = (role: string, facts: readonly Expr[]) =>
    people.holdersOf(entity, role).flatMap((person) => {
      const reader = readerOf(person);
      if (reader.grantsOf(entity).length === 0) return [];
      const known = [...facts, ...reader.visibilityConditions(entity)];
      return entity.roles.has(role) && !canHold(...known) ? [] : [{ role, reader, facts: known }];
    });

  const creators = once(() =>
    (permissions?.actions.create ?? []).flatMap((permission) =>
      people.holdersOf(entity, permission.role).map((person): Writer & { readonly permission: Permission } => {
        const writableFields = grantedFields(entity, people.grantsOf(entity, "create", person));
        const written: WrittenValue = (name) => {
          const field = fields.get(name);
          if (field === undefined || computedExpr(field) !== null) return undefined;
          // A default that reads the new record is computed from data that the creator can read.
          const initial = field.default !== null && readsItsRecord(field.default) ? null : field.default;
          return field.set ?? (writableFields.has(name) && !isAutomatic(entity, name) ? "given" : (initial ?? "known"));
        };
        const { role } = permission;
        return { role, reader: readerOf(person), facts: conditionsBy(permission), writableFields, written, permission };
      }),
    ),
  );

  const updaters = once(() =>
    (permissions?.actions.update ?? []).flatMap((permission): readonly Omit<Writer, "written">[] => {
      const writableFields = new Set(
        [...(permission.fields ?? fields.keys())].filter(
          (name) => !isAutomatic(entity, name) && fields.get(name)?.once !== true,
        ),
      );
      return seeing(permission.role, conditionsBy(permission)).map((item) => ({ ...item, writableFields }));
    }),
  );
  const changers = (fields: readonly string[]): readonly Writer[] => {
    // If the check reads a single field, that field must be the changed one.
    const only = fields.length === 1 ? fields[0] : undefined;
    const written: WrittenValue = (name) => (name === only ? "given" : undefined);
    return updaters().flatMap((writer) =>
      fields.some((name) => writer.writableFields.has(name)) ? [{ ...writer, written }] : [],
    );
  };

  /** One expression for each transition, so that what is asked about it is remembered. */
  const beforehand = new Map<Transition, readonly Expr[]>();
  const stateBefore = (transition: Transition): readonly Expr[] => {
    const known = beforehand.get(transition) ?? buildStateCondition(entity, transition.from, transition.clause.span);
    beforehand.set(transition, known);
    return known;
  };
  const byOf = ({ by }: Transition): readonly string[] => by ?? [ADMINISTRATOR];
  const cache = new Map<Transition, readonly Writer[]>();
  const makersOf = (transition: Transition): readonly Writer[] => {
    const writableFields = new Set(transition.asks);
    const written: WrittenValue = (name) =>
      name === states?.field ? "known" : writableFields.has(name) ? "given" : transition.set.get(name);
    return byOf(transition).flatMap((role) => {
      const only = transition.conditions.get(role);
      const facts = [
        ...roleConditions(entity, role),
        ...(only === undefined ? [] : [only]),
        ...(transition.guardAndPreconditions === null ? [] : [transition.guardAndPreconditions]),
        ...stateBefore(transition),
      ];
      return seeing(role, facts).map((item) => ({ ...item, writableFields, written }));
    });
  };

  return {
    creators,
    changers,
    makers: (transition) => {
      const before = cache.get(transition) ?? makersOf(transition);
      cache.set(transition, before);
      return before;
    },
    candidatesFor: (transition) =>
      byOf(transition).flatMap((role) =>
        seeing(role, [...roleConditions(entity, role), ...stateBefore(transition)]).map((item) => ({
          ...item,
          writableFields: new Set(transition.asks),
          written: nothingWritten,
        })),
      ),
    candidatesUnder: (action, permission) => {
      const conditions = permission.roleCondition === null ? [] : [permission.roleCondition];
      if (action === "create")
        return creators()
          .filter((creator) => creator.permission === permission)
          .map((creator) => ({ ...creator, facts: conditions }));
      return seeing(permission.role, conditions).map((item) => ({
        ...item,
        writableFields: new Set(),
        written: nothingWritten,
      }));
    },
  };
};

const once = <T>(find: () => T): (() => T) => {
  let found: { readonly value: T } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
};

/** `status == submitted || status == endorsed`: the record is in one of these states. */
export const buildStateCondition = (entity: Entity, states: readonly string[], span: Span): readonly Expr[] => {
  const field = entity.states?.field ?? "";
  const type = entity.fields.get(field)?.ruleType;
  if (type === undefined) return [];
  const boolean = { type: { kind: "boolean" }, missing: false, span } as const;
  const shape = { name: entity.name, table: entity.table, fields: new Map() };
  const state: Expr = {
    kind: "field",
    of: { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span },
    entity: shape,
    field: { name: field, type, optional: false },
    type,
    missing: false,
    span,
  };
  const is = (value: string): Expr => ({
    kind: "call",
    row: "same == same",
    args: [state, { kind: "constant", value, type, missing: false, span }],
    zone: "UTC",
    ...boolean,
  });
  const any = some(states.map(is));
  return any === undefined ? [] : [any];
};
