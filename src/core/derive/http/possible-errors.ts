import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { getFieldKind } from "../../field/multi-valued.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import {
  findBoundedFields,
  findBoundedInitials,
  findConditionalFields,
  rulesAt,
} from "../../model/facts/applicable-rules.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import { findPartLists, findParts } from "../../model/facts/parts.ts";
import { type Field, isActValue, isOfRecord } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { ADMINISTRATOR, STANDS_IN } from "../../model/permissions.ts";
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
import { type CallCheck, checksOfCall } from "../consistency/call-checks.ts";
import {
  affectedRuleRefusal,
  amongRefusal,
  boundRefusals,
  closedFieldRefusal,
  cursorRefusal,
  fileRefusal,
  guardChecks,
  keyRefusal,
  permissionRefusal,
  recordRefusal,
  referenceRefusal,
  referringRefusal,
  repeatedPartRefusal,
  requiredRefusal,
  ruleRefusal,
  signInRefusal,
  stateRefusal,
  takenRefusal,
  tooManyPartsRefusal,
  typeRefusal,
  uniquenessRefusal,
  unknownFieldRefusal,
  unknownPartRefusal,
  versionRefusal,
} from "../consistency/check-refusals.ts";
import {
  canBeHiddenFrom,
  factsAfterCreate,
  factsAfterTransition,
  factsAfterUpdate,
  type KnownRecord,
  mayBreak,
  mayCollide,
  mayFailGuard,
  mayViolateAmong,
} from "../consistency/possible-violations.ts";
import { rulesAffectedBy } from "../consistency/read-sets.ts";
import { uniquenessRulesAt } from "../consistency/uniqueness.ts";
import type { Route } from "./routes.ts";

/** A refusal that a call can return: its code, its clause, and its position in the request. */
export interface PossibleRefusal {
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
  /** The checks that the endpoint does not make. */
  readonly without?: readonly CallCheck[];
}

/**
 * All refusals that a call can return to any caller, except faults and an unavailable database: those of the request
 * itself, and those of the checks of the call. `fields`: the fields of the body to include; refusals about other fields
 * are left out.
 */
export const possibleRefusals = (
  model: Model,
  { entity: name, does }: Route,
  fields: ReadonlySet<string>,
  { admits = () => true, takes = null, without = [] }: Narrower = {},
): readonly PossibleRefusal[] => {
  const entity = model.entities.get(name);
  const action = entity === undefined ? undefined : findAction(model, entity, does, fields);
  if (entity === undefined || action === undefined) return [];
  const call: CheckedRequest = {
    ...{ model, entity, does, action, fields, takes },
    people: getPeople(model).filter(admits),
    own: [...entity.fields.values()].filter(
      (field) => fields.has(field.name) && (isOfRecord(field) || isActValue(field)),
    ),
  };
  return [
    ...requestRefusals(does),
    ...checksOfCall(does.kind === "history" ? "read" : does.kind)
      .filter((check) => !without.includes(check))
      .flatMap((check) => refusalsOf[check](call)),
  ];
};

/** Refusals of a request that is not well-formed, before it is planned. */
const requestRefusals = ({ kind }: Route["does"]): readonly PossibleRefusal[] => {
  if (kind === "read" || kind === "history") return [];
  return [{ code: "BAD_QUERY" }, ...(kind === "list" ? [] : unsafe)];
};

/** An action of a call, independent of the request. */
interface CheckedAction {
  /** `read`, `create`, `update`, `delete` or a transition's name. */
  readonly name: string;
  /** The clause that decides about its permission. */
  readonly clause: string;
  readonly transition: Transition | null;
  /** The permissions of a caller, with the fields that each covers. */
  readonly grants: (person: Principal) => readonly Grant[];
  readonly known: KnownRecord;
  /** The fields that it may change; `null`: records are inserted or deleted. */
  readonly changed: ReadonlySet<string> | null;
}

/** A call, with what its possible refusals depend on. */
interface CheckedRequest {
  readonly model: Model;
  readonly entity: Entity;
  readonly does: Route["does"];
  readonly action: CheckedAction;
  readonly fields: ReadonlySet<string>;
  readonly takes: ReadonlySet<string> | null;
  /** One caller of each kind that the call admits. */
  readonly people: readonly Principal[];
  /** The fields of the body that are columns of the record. */
  readonly own: readonly Field[];
}

const findAction = (
  model: Model,
  entity: Entity,
  does: Route["does"],
  fields: ReadonlySet<string>,
): CheckedAction | undefined => {
  const of = (action: "read" | "create" | "update" | "delete") => ({
    name: action,
    clause: decidingClauseId(entity, action),
    transition: null,
    grants: (person: Principal) => grantsFor(model, entity, action, person),
  });
  switch (does.kind) {
    case "list":
    case "read":
    case "history":
      return { ...of("read"), known: factsAfterUpdate(model, entity), changed: null };
    case "create":
      return { ...of("create"), known: factsAfterCreate(model, entity, fields), changed: null };
    case "delete":
      return { ...of("delete"), known: factsAfterUpdate(model, entity), changed: null };
    case "update":
      return {
        ...of("update"),
        grants: (person) =>
          grantsFor(model, entity, "update", person).map((grant) => ({
            ...grant,
            fields: updatableFields(entity, grant),
          })),
        known: factsAfterUpdate(model, entity),
        changed: fields,
      };
    case "transition": {
      const transition = entity.states?.transitions.get(does.transition);
      if (entity.states === null || transition === undefined) return undefined;
      return {
        name: transition.name,
        clause: transition.clause.id,
        transition,
        grants: (person) =>
          transitionGrantsFor(model, entity, transition, person).map((grant) => ({
            ...grant,
            fields: new Set(transition.asks),
          })),
        known: factsAfterTransition(model, entity, transition),
        changed: new Set([...transition.asks, ...transition.set.keys(), entity.states.field]),
      };
    }
  }
};

/** The refusals that each check of a call can cause. */
const refusalsOf: { readonly [C in CallCheck]: (call: CheckedRequest) => readonly PossibleRefusal[] } = {
  cursor: () => [cursorRefusal],
  record: ({ entity, people }) => {
    const refusal = recordRefusal(entity);
    return [...(people.includes(anonymousPrincipal) ? [signInRefusal(refusal.clause)] : []), refusal];
  },
  permission: (call) => {
    const { does, action, people } = call;
    const { clause, grants } = action;
    switch (does.kind) {
      case "list":
        return denied(people, clause, (person) => grants(person).length === 0);
      case "create":
        return denied(people, clause, (person) => !isUnconditional(grants(person)));
      default:
        return everyReader(call) ? [] : refusedTo(call);
    }
  },
  fields: (call) => (canSendClosedField(call) ? [closedFieldRefusal(call.action.clause)] : []),
  key: () => [keyRefusal],
  version: ({ entity }) => [versionRefusal(entity)],
  state: ({ action: { transition } }) => (transition === null ? [] : [stateRefusal(transition)]),
  guard: ({ action: { transition, known } }) =>
    transition === null
      ? []
      : guardChecks(transition).flatMap(({ holds, refusal }) => (mayFailGuard(known, holds) ? [refusal] : [])),
  input: (call) => {
    const { entity, action, own } = call;
    const { transition } = action;
    const required =
      transition === null
        ? own.filter(isNeeded).map((field) => requiredRefusal(field))
        : own.filter(({ name }) => !transition.asksIfAny.has(name)).map((field) => requiredRefusal(field, transition));
    return [
      ...(canSendUnknownField(call) ? [unknownFieldRefusal(entity)] : []),
      ...valueRefusals(entity, own),
      ...required,
      ...(needsCaller(call) ? [signInRefusal(action.clause)] : []),
    ];
  },
  defaults: ({ own }) => own.filter(isNeeded).map((field) => requiredRefusal(field)),
  references: ({ own }) => own.filter(({ type }) => type === "reference").map(referenceRefusal),
  // A write that changes nothing ends here without a refusal.
  change: () => [],
  files: ({ own }) => own.filter(({ type }) => type === "file" || type === "image").map(fileRefusal),
  conditions: ({ entity, fields, action: { transition, known, changed } }) => [
    ...boundRefusals(
      changed === null
        ? findBoundedInitials(entity, new Set())
        : findBoundedFields(entity, transition === null ? new Set() : changed).filter(
            (field) => !fields.has(field.name) || field.default !== null,
          ),
    ),
    ...conditionRefusals(findConditionalFields(entity, changed), known),
  ],
  rules: ({ model, entity, action: { name, known, changed } }) =>
    rulesAt(entity, name, changed ?? new Set())
      .filter((rule) => mayBreak(known, rule))
      .map((rule) => ruleRefusal(model, rule)),
  uniqueness: ({ model, entity, own, action: { name, known, changed } }) => [
    ...own.filter(({ unique }) => unique).map(takenRefusal),
    ...uniquenessRulesAt(entity, name, changed ?? new Set())
      .filter((rule) => mayCollide(known, rule, changed ?? new Set()))
      .map((rule) => uniquenessRefusal(model, rule)),
  ],
  "affected rules": ({ model, entity, does, action: { changed } }) => [
    ...affectedRefusals(model, entity, changed),
    ...(does.kind === "delete"
      ? findParts(model, entity).flatMap((part) => affectedRefusals(model, part.entity, null))
      : []),
  ],
  "referring records": ({ model, entity }) => (isReferredTo(model, entity) ? [referringRefusal(entity.clause.id)] : []),
  parts: ({ does, fields, action: { known } }) =>
    does.kind === "create" || does.kind === "update" ? partRefusals(known, does.kind, fields) : [],
};

/** Refusals by rules of other records. `changed` is null for creation and deletion. */
const affectedRefusals = (
  model: Model,
  entity: Entity,
  changed: ReadonlySet<string> | null,
): readonly PossibleRefusal[] => rulesAffectedBy(model, entity, changed).map(affectedRuleRefusal);

/** The checks of a part that is sent with its record. */
const partChecks = ["input", "references", "files", "conditions", "rules", "uniqueness"] as const satisfies CallCheck[];

/** Refusals about parts sent with a record. `/lines/*` stands for any of them. */
const partRefusals = (
  known: KnownRecord,
  action: "create" | "update",
  fields: ReadonlySet<string>,
): readonly PossibleRefusal[] => {
  const { model, entity: parent } = known;
  return findPartLists(model, parent)
    .filter(({ list }) => fields.has(list.name))
    .flatMap((of): readonly PossibleRefusal[] => {
      const { list, entity, field, place } = of;
      const at = `/${list.name}`;
      const each = `${at}/*`;
      const givable = new Set(getPeople(model).flatMap((person) => [...writableFieldsFor(model, entity, person)]));
      const own = [...entity.fields.values()].filter(
        (other) => isOfRecord(other) && other !== field && other !== place && givable.has(other.name),
      );
      const changed = new Set(
        [...own, ...findPartLists(model, entity).map(({ list }) => list)].map(({ name }) => name),
      );
      const created = factsAfterCreate(model, entity, changed);
      const updated = factsAfterUpdate(model, entity);
      const refusalsOfPart = (kind: "create" | "update"): readonly PossibleRefusal[] => {
        const call: CheckedRequest = {
          ...{ model, entity, own, does: { kind }, fields: changed, takes: null, people: [] },
          action: {
            ...{ name: kind, clause: decidingClauseId(entity, kind), transition: null, grants: () => [] },
            ...(kind === "create" ? { known: created, changed: null } : { known: updated, changed }),
          },
        };
        return partChecks.flatMap((check) => refusalsOf[check](call));
      };
      const within: readonly PossibleRefusal[] = [
        ...refusalsOfPart("create"),
        ...(action === "create" ? [] : refusalsOfPart("update")),
        ...partRefusals(action === "create" ? created : updated, action, changed),
      ];
      const refused = (doing: "create" | "update" | "delete", where: string): readonly PossibleRefusal[] =>
        canBeHiddenFrom(known, of, doing) ? [{ ...permissionRefusal(decidingClauseId(entity, doing)), at: where }] : [];
      const clause = field.clause.id;
      return [
        { ...typeRefusal(list.clause.id), at },
        { ...tooManyPartsRefusal(list), at },
        { ...typeRefusal(list.clause.id), at: each },
        { ...typeRefusal(clause), at: `${each}/id` },
        { ...typeRefusal(clause), at: `${each}/version` },
        { ...unknownPartRefusal(field), at: `${each}/id` },
        ...refused("create", each),
        closedFieldRefusal(decidingClauseId(entity, "create")),
        closedFieldRefusal(decidingClauseId(entity, "update")),
        // Parts of a new record cannot have an id or a version.
        ...(action === "create"
          ? []
          : [
              { ...repeatedPartRefusal(field), at: `${each}/id` },
              { ...versionRefusal(entity), at: `${each}/version` },
              ...refused("update", each),
              ...refused("delete", at),
            ]),
        ...within.map((refusal) => (refusal.at === undefined ? refusal : { ...refusal, at: `${each}${refusal.at}` })),
        ...affectedRefusals(model, entity, null),
      ];
    });
};

/** Refusals of an unsafe request that come before its content is read. */
export const unsafe: readonly PossibleRefusal[] = [
  { code: "FOREIGN_ORIGIN" },
  { code: "MALFORMED" },
  { code: "TOO_MUCH" },
  { code: "UNSUPPORTED" },
];

const conditionRefusals = (fields: readonly Field[], known: KnownRecord): readonly PossibleRefusal[] =>
  fields.flatMap((field) => [
    ...(field.needed === null ? [] : [requiredRefusal(field)]),
    ...(mayViolateAmong(known, field) ? [amongRefusal(field)] : []),
  ]);

const isNeeded = (field: Field): boolean => !field.optional && field.type !== "boolean";

/** Values that their fields do not accept. */
const valueRefusals = (entity: Entity, fields: readonly Field[]): readonly PossibleRefusal[] =>
  fields.flatMap((field) =>
    getFieldKind(field)
      .refuses(toFieldSpec(entity, field))
      .map((code) => ({ code, clause: field.clause.id, at: `/${field.name}` })),
  );

/** Fields that an update can change. */
const updatableFields = (entity: Entity, { fields }: Grant): ReadonlySet<string> =>
  new Set([...(fields ?? entity.fields.keys())].filter((name) => entity.fields.get(name)?.once !== true));

/** True if some caller may know a field but may not write it here, at least on some records. */
const canSendClosedField = ({ model, entity, people, takes, action: { grants } }: CheckedRequest): boolean =>
  people.some((person) =>
    [...knowableFields(model, entity, person)].some((name) =>
      takes?.has(name) === false
        ? false
        : grants(person).some(({ fields }) => isAutomatic(entity, name) || fields?.has(name) === false),
    ),
  );

/** True if the call accepts any field, or one that some caller may not know: for that caller, it is unknown. */
const canSendUnknownField = ({ model, entity, people, takes }: CheckedRequest): boolean =>
  takes === null ||
  people.some((person) => {
    const known = knowableFields(model, entity, person);
    return [...takes].some((name) => !known.has(name));
  });

/** True if a visitor can create a record, and a required field of it is the caller. */
const needsCaller = ({ entity, people, does, action: { grants } }: CheckedRequest): boolean =>
  does.kind === "create" &&
  people.includes(anonymousPrincipal) &&
  grants(anonymousPrincipal).length > 0 &&
  [...entity.fields.values()].some((field) => field.set !== null && isNeeded(field) && readsCaller(field.set));

const readsCaller = (expr: Expr): boolean => collectReadSet(expr).user;

/** A signed-in caller without granted roles. */
const somebody: Principal = { id: "somebody", granted: new Set() };

/** Refusals of an action on no particular record. `isClosed`: true if the caller can lack the permission. */
const denied = (
  people: readonly Principal[],
  clause: string,
  isClosed: (person: Principal) => boolean,
): readonly PossibleRefusal[] => [
  ...(people.includes(anonymousPrincipal) && isClosed(anonymousPrincipal) ? [signInRefusal(clause)] : []),
  ...(people.some((person) => person !== anonymousPrincipal && isClosed(person)) ? [permissionRefusal(clause)] : []),
];

/** Refusals for readers of a record who lack the permission; visitors are asked to sign in first. */
const refusedTo = ({ model, entity, people, action: { clause } }: CheckedRequest): readonly PossibleRefusal[] => [
  permissionRefusal(clause),
  ...(people.includes(anonymousPrincipal) && grantsFor(model, entity, "read", anonymousPrincipal).length > 0
    ? [signInRefusal(clause)]
    : []),
];

/** True if every reader of a record has the permission, checking by roles and complete conditions. */
const everyReader = ({ model, entity, people, action: { grants } }: CheckedRequest): boolean =>
  people.every((person) => {
    const doing = grants(person);
    return grantsFor(model, entity, "read", person).every((reading) =>
      doing.some((grant) => grant.conditions.every((condition) => reading.conditions.includes(condition))),
    );
  });

/** One caller of each kind: a visitor, a user without roles, and one user per role. */
const getPeople = (model: Model): readonly Principal[] => [
  anonymousPrincipal,
  somebody,
  ...[ADMINISTRATOR, ...(model.deputies === null ? [] : [STANDS_IN]), ...model.roles.keys()].map((role) => ({
    id: "somebody",
    granted: new Set([role]),
  })),
];

/** True if references of other records can prevent the deletion of a record and its parts. */
const isReferredTo = (model: Model, entity: Entity): boolean =>
  [...model.entities.values()].some((other) =>
    [...other.fields.values()].some(
      (field) => field.entity === entity.name && (!field.partOf || isReferredTo(model, other)),
    ),
  );
