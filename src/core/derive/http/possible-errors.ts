import { getFieldKind } from "../../field/multi-valued.ts";
import { findConditionalFields, rulesAt } from "../../model/applicable-rules.ts";
import { toFieldSpec } from "../../model/field-spec.ts";
import { ADMINISTRATOR, type Entity, type Field, isOfRecord, type Model } from "../../model/model.ts";
import { findPartLists, findParts } from "../../model/parts.ts";
import {
  anonymousPrincipal,
  decidingClauseId,
  type Grant,
  grantsFor,
  isAutomatic,
  isUnconditional,
  knowableFields,
  type Principal,
  transitionGrantsFor,
  writableFieldsFor,
} from "../authorization/grants.ts";
import {
  affectedRuleRefusal,
  amongRefusal,
  fileRefusal,
  referenceRefusal,
  requiredRefusal,
  ruleRefusal,
  takenRefusal,
  uniquenessRefusal,
} from "../consistency/check-refusals.ts";
import {
  factsAfterCreate,
  factsAfterTransition,
  factsAfterUpdate,
  type Known,
  mayBeShutTo,
  mayBreak,
  mayCollide,
  mayFailGuard,
  mayViolateAmong,
} from "../consistency/possible-violations.ts";
import { rulesAffectedBy } from "../consistency/read-sets.ts";
import { uniquenessRulesAt } from "../consistency/uniqueness.ts";
import type { Route } from "./routes.ts";

/** A refusal that a call can return: its code, its clause, and its position in the request. */
export interface MayRefuse {
  readonly code: string;
  /** Absent if no clause of the document decides, as for an unreadable body. */
  readonly clause?: string;
  /** JSON pointer into the request body, such as `/due_day`. */
  readonly at?: string;
}

/** Restrictions of a custom endpoint compared with the conventional call. */
export interface Narrower {
  /** The callers that the endpoint admits. */
  readonly admits?: (person: Principal) => boolean;
  /** The fields that the endpoint accepts; null for all. */
  readonly takes?: ReadonlySet<string> | null;
}

/**
 * All refusals that a call can return to any caller, except faults and an unavailable database. `fields`: the fields of
 * the body to include; refusals about other fields are left out.
 */
export const possibleRefusals = (
  model: Model,
  { entity: name, does }: Route,
  fields: ReadonlySet<string>,
  { admits = () => true, takes = null }: Narrower = {},
): readonly MayRefuse[] => {
  const entity = model.entities.get(name);
  if (entity === undefined) return [];
  const readBy = decidingClauseId(entity, "read");
  const people = peopleOf(model).filter(admits);
  const notThere: readonly MayRefuse[] = [
    ...(admits(anonymousPrincipal) ? [{ code: "NOT_SIGNED_IN", clause: readBy }] : []),
    { code: "NOT_FOUND", clause: readBy },
  ];
  const fresh: readonly MayRefuse[] = [{ code: "BAD_QUERY" }, { code: "CHANGED_MEANWHILE", clause: entity.clause.id }];
  const own = [...entity.fields.values()].filter((field) => fields.has(field.name) && isOfRecord(field));
  // To a caller who may not know a field, it counts as unknown.
  const known = (person: Principal) => knowableFields(model, entity, person);
  const isUnknown = takes === null || people.some((person) => [...takes].some((name) => !known(person).has(name)));
  const unknown: readonly MayRefuse[] = isUnknown ? [{ code: "UNKNOWN_FIELD", clause: entity.clause.id }] : [];
  switch (does.kind) {
    case "list":
      return [
        { code: "BAD_QUERY" },
        { code: "BAD_CURSOR" },
        ...denied(people, entity, "read", (person) => grantsFor(model, entity, "read", person).length === 0),
      ];
    case "read":
    case "history":
      return notThere;
    case "delete":
      return [
        ...notThere,
        ...forbidden(model, people, entity, "delete"),
        ...fresh,
        ...unsafe,
        ...reaching(model, entity, null),
        ...findParts(model, entity).flatMap((part) => reaching(model, part.entity, null)),
        ...(isReferredTo(model, entity) ? [{ code: "IN_USE", clause: entity.clause.id }] : []),
      ];
    case "create":
      return [
        { code: "BAD_QUERY" },
        { code: "KEY_REUSED" },
        ...denied(people, entity, "create", (person) => !isUnconditional(grantsFor(model, entity, "create", person))),
        ...unsafe,
        ...unknown,
        ...bodied(entity, own),
        ...closed(model, people, takes, entity, decidingClauseId(entity, "create"), (person) =>
          grantsFor(model, entity, "create", person),
        ),
        ...own.filter(isNeeded).map(requiredRefusal),
        ...judgedBy(factsAfterCreate(model, entity, fields), "create", null),
        ...reaching(model, entity, null),
        ...ofParts(factsAfterCreate(model, entity, fields), "create", fields),
      ];
    case "update":
      return [
        ...notThere,
        ...forbidden(model, people, entity, "update"),
        ...fresh,
        ...unsafe,
        ...unknown,
        ...bodied(entity, own),
        ...closed(model, people, takes, entity, decidingClauseId(entity, "update"), (person) =>
          grantsFor(model, entity, "update", person).map((grant) => ({ ...grant, fields: keptOpen(entity, grant) })),
        ),
        ...own.filter(isNeeded).map(requiredRefusal),
        ...judgedBy(factsAfterUpdate(model, entity), "update", fields),
        ...reaching(model, entity, fields),
        ...ofParts(factsAfterUpdate(model, entity), "update", fields),
      ];
    case "transition": {
      const transition = entity.states?.transitions.get(does.transition);
      if (entity.states === null || transition === undefined) return [];
      const clause = transition.clause.id;
      const changed = new Set([...transition.asks, ...transition.set.keys(), entity.states.field]);
      const moved = factsAfterTransition(model, entity, transition);
      const open = everyReader(model, people, entity, (person) =>
        transitionGrantsFor(model, entity, transition, person),
      );
      return [
        ...notThere,
        ...(open ? [] : refusedTo(model, people, entity, clause)),
        ...fresh,
        { code: "WRONG_STATE", clause },
        ...(transition.when !== null && mayFailGuard(moved, transition.when) ? [{ code: "GUARD", clause }] : []),
        ...unsafe,
        ...unknown,
        ...bodied(entity, own),
        ...closed(model, people, takes, entity, clause, (person) =>
          transitionGrantsFor(model, entity, transition, person).map((grant) => ({
            ...grant,
            fields: new Set(transition.asks),
          })),
        ),
        ...own
          .filter(({ name }) => !transition.asksIfAny.has(name))
          .map((field) => ({ ...requiredRefusal(field), clause })),
        ...judgedBy(moved, transition.name, changed),
        ...reaching(model, entity, changed),
      ];
    }
  }
};

/** Refusals by the checks of the record itself. */
const judgedBy = (known: Known, moment: string, changed: ReadonlySet<string> | null): readonly MayRefuse[] => {
  const { model, entity } = known;
  const fields = changed ?? new Set<string>();
  return [
    ...conditioned(findConditionalFields(entity, changed), known),
    ...rulesAt(entity, moment, fields)
      .filter((rule) => mayBreak(known, rule))
      .map((rule) => ruleRefusal(model, rule)),
    ...uniquenessRulesAt(entity, moment, fields)
      .filter((rule) => mayCollide(known, rule, fields))
      .map((rule) => uniquenessRefusal(model, rule)),
  ];
};

/** Refusals by rules of other records. `changed` is null for creation and deletion. */
const reaching = (model: Model, entity: Entity, changed: ReadonlySet<string> | null): readonly MayRefuse[] =>
  rulesAffectedBy(model, entity, changed).map(affectedRuleRefusal);

/** Refusals about parts sent with a record. `/lines/*` stands for any of them. */
const ofParts = (known: Known, action: "create" | "update", fields: ReadonlySet<string>): readonly MayRefuse[] => {
  const { model, entity: whole } = known;
  return findPartLists(model, whole)
    .filter(({ list }) => fields.has(list.name))
    .flatMap((of): readonly MayRefuse[] => {
      const { list, entity, field, place } = of;
      const at = `/${list.name}`;
      const each = `${at}/*`;
      const givable = new Set(peopleOf(model).flatMap((person) => [...writableFieldsFor(model, entity, person)]));
      const own = [...entity.fields.values()].filter(
        (one) => isOfRecord(one) && one !== field && one !== place && givable.has(one.name),
      );
      const changed = new Set(
        [...own, ...findPartLists(model, entity).map(({ list }) => list)].map(({ name }) => name),
      );
      const made = factsAfterCreate(model, entity, changed);
      const kept = factsAfterUpdate(model, entity);
      const within: readonly MayRefuse[] = [
        { code: "UNKNOWN_FIELD", clause: entity.clause.id },
        ...bodied(entity, own),
        ...own.filter(isNeeded).map(requiredRefusal),
        ...judgedBy(made, "create", null),
        ...(action === "create" ? [] : judgedBy(kept, "update", changed)),
        ...ofParts(action === "create" ? made : kept, action, changed),
      ];
      const refused = (doing: "create" | "update" | "delete", where: string): readonly MayRefuse[] =>
        mayBeShutTo(known, of, doing)
          ? [{ code: "FORBIDDEN", clause: decidingClauseId(entity, doing), at: where }]
          : [];
      const clause = field.clause.id;
      return [
        { code: "WRONG_TYPE", clause: list.clause.id, at },
        { code: "TOO_MANY_PARTS", clause: list.clause.id, at },
        { code: "WRONG_TYPE", clause: list.clause.id, at: each },
        { code: "WRONG_TYPE", clause, at: `${each}/id` },
        { code: "WRONG_TYPE", clause, at: `${each}/version` },
        { code: "NO_SUCH_PART", clause, at: `${each}/id` },
        ...refused("create", each),
        { code: "NOT_YOURS_TO_WRITE", clause: decidingClauseId(entity, "create") },
        { code: "NOT_YOURS_TO_WRITE", clause: decidingClauseId(entity, "update") },
        // Parts of a new record cannot have an id or a version.
        ...(action === "create"
          ? []
          : [
              { code: "PART_TWICE", clause, at: `${each}/id` },
              { code: "CHANGED_MEANWHILE", clause: entity.clause.id, at: `${each}/version` },
              ...refused("update", each),
              ...refused("delete", at),
            ]),
        ...within.map((one) => (one.at === undefined ? one : { ...one, at: `${each}${one.at}` })),
        ...reaching(model, entity, null),
      ];
    });
};

/** Refusals of an unsafe request that come before its content is read. */
export const unsafe: readonly MayRefuse[] = [
  { code: "FOREIGN_ORIGIN" },
  { code: "MALFORMED" },
  { code: "TOO_MUCH" },
  { code: "UNSUPPORTED" },
];

const conditioned = (fields: readonly Field[], known?: Known): readonly MayRefuse[] =>
  fields.flatMap((field) => [
    ...(field.needed === null ? [] : [requiredRefusal(field)]),
    ...(field.among === null || (known !== undefined && !mayViolateAmong(known, field)) ? [] : [amongRefusal(field)]),
  ]);

const isNeeded = (field: Field): boolean => !field.optional && field.type !== "boolean";

/** Refusals about single fields of a body. */
const bodied = (entity: Entity, fields: readonly Field[]): readonly MayRefuse[] =>
  fields.flatMap((field) => {
    const of = { clause: field.clause.id, at: `/${field.name}` };
    return [
      ...getFieldKind(field)
        .refuses(toFieldSpec(entity, field))
        .map((code) => ({ code, ...of })),
      ...(field.type === "reference" ? [referenceRefusal(field)] : []),
      ...(field.type === "file" || field.type === "image" ? [fileRefusal(field)] : []),
      ...(field.unique ? [takenRefusal(field)] : []),
    ];
  });

/** Fields that an update can change. */
const keptOpen = (entity: Entity, { fields }: Grant): ReadonlySet<string> =>
  new Set([...(fields ?? entity.fields.keys())].filter((name) => entity.fields.get(name)?.once !== true));

/** True if a caller may know a field that the caller cannot write here, at least on some records. */
const closed = (
  model: Model,
  people: readonly Principal[],
  takes: ReadonlySet<string> | null,
  entity: Entity,
  clause: string,
  grants: (person: Principal) => readonly Grant[],
): readonly MayRefuse[] =>
  people.some((person) =>
    [...knowableFields(model, entity, person)].some((name) =>
      takes?.has(name) === false
        ? false
        : grants(person).some(({ fields }) => isAutomatic(entity, name) || fields?.has(name) === false),
    ),
  )
    ? [{ code: "NOT_YOURS_TO_WRITE", clause }]
    : [];

/** A signed-in caller without granted roles. */
const somebody: Principal = { id: "somebody", granted: new Set() };

const denied = (
  people: readonly Principal[],
  entity: Entity,
  action: "read" | "create",
  closed: (person: Principal) => boolean,
): readonly MayRefuse[] => {
  const clause = decidingClauseId(entity, action);
  return [
    ...(people.includes(anonymousPrincipal) && closed(anonymousPrincipal) ? [{ code: "NOT_SIGNED_IN", clause }] : []),
    ...(people.some((person) => person !== anonymousPrincipal && closed(person))
      ? [{ code: "FORBIDDEN", clause }]
      : []),
  ];
};

/** Refusals for readers of a record who lack the permission; visitors are asked to sign in first. */
const refusedTo = (
  model: Model,
  people: readonly Principal[],
  entity: Entity,
  clause: string,
): readonly MayRefuse[] => [
  { code: "FORBIDDEN", clause },
  ...(people.includes(anonymousPrincipal) && grantsFor(model, entity, "read", anonymousPrincipal).length > 0
    ? [{ code: "NOT_SIGNED_IN", clause }]
    : []),
];

const forbidden = (
  model: Model,
  people: readonly Principal[],
  entity: Entity,
  action: "update" | "delete",
): readonly MayRefuse[] =>
  everyReader(model, people, entity, (person) => grantsFor(model, entity, action, person))
    ? []
    : refusedTo(model, people, entity, decidingClauseId(entity, action));

/** True if every reader of a record has the permission, judging by roles and complete conditions. */
const everyReader = (
  model: Model,
  people: readonly Principal[],
  entity: Entity,
  grants: (person: Principal) => readonly Grant[],
): boolean =>
  people.every((person) => {
    const doing = grants(person);
    return grantsFor(model, entity, "read", person).every((reading) =>
      doing.some((grant) => grant.conditions.every((condition) => reading.conditions.includes(condition))),
    );
  });

/** One caller of each kind: a visitor, a user without roles, and one user per role. */
const peopleOf = (model: Model): readonly Principal[] => [
  anonymousPrincipal,
  somebody,
  ...[ADMINISTRATOR, ...model.roles.keys()].map((role) => ({ id: "somebody", granted: new Set([role]) })),
];

/** True if references of other records can prevent the deletion of a record and its parts. */
const isReferredTo = (model: Model, entity: Entity): boolean =>
  [...model.entities.values()].some((other) =>
    [...other.fields.values()].some(
      (field) => field.entity === entity.name && (!field.partOf || isReferredTo(model, other)),
    ),
  );
