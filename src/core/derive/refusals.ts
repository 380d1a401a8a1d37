import { kindOf } from "../field/many.ts";
import {
  ADMINISTRATOR,
  type Entity,
  type Field,
  isOfRecord,
  type Model,
  type TogetherRule,
  type ValidationRule,
} from "../model/model.ts";
import { specOf } from "../model/spec.ts";
import {
  deciderOf,
  fieldsKnownTo,
  type Gate,
  gatesOf,
  isAutomatic,
  isOpen,
  nobody,
  type Person,
  transitionGatesOf,
} from "./access.ts";
import { reachesOn } from "./footprints.ts";
import { partListsOf, partsOf } from "./parts.ts";
import type { Route } from "./routes.ts";
import { conditionedAt, rulesAt } from "./rules.ts";
import { placeOf, togetherAt } from "./together.ts";

/** A refusal that a call may answer: its code, what decides it, and where it is about one thing that was sent. */
export interface MayRefuse {
  readonly code: string;
  /** Absent where no document decides: an unreadable body. */
  readonly clause?: string;
  /** A JSON pointer into what was sent: `/due_day`. */
  readonly at?: string;
}

/**
 * Every refusal that a call may answer, whoever asks; faults and an absent store aside. `fields`: those of its body that
 * are of interest, the rest of what it may say of fields is left out.
 */
export const refusalsOf = (
  model: Model,
  { entity: name, does }: Route,
  fields: ReadonlySet<string>,
): readonly MayRefuse[] => {
  const entity = model.entities.get(name);
  if (entity === undefined) return [];
  const readBy = deciderOf(entity, "read");
  const notThere: readonly MayRefuse[] = [
    { code: "NOT_SIGNED_IN", clause: readBy },
    { code: "NOT_FOUND", clause: readBy },
  ];
  const fresh: readonly MayRefuse[] = [{ code: "BAD_QUERY" }, { code: "CHANGED_MEANWHILE", clause: entity.clause.id }];
  const own = [...entity.fields.values()].filter((field) => fields.has(field.name) && isOfRecord(field));
  switch (does.kind) {
    case "list":
      return [
        { code: "BAD_QUERY" },
        { code: "BAD_CURSOR" },
        ...denied(entity, "read", (person) => gatesOf(model, entity, "read", person).length === 0),
      ];
    case "read":
    case "history":
      return notThere;
    case "delete":
      return [
        ...notThere,
        ...forbidden(model, entity, "delete"),
        ...fresh,
        ...unsafe,
        ...reaching(model, entity),
        ...partsOf(model, entity).flatMap((part) => reaching(model, part.entity)),
        ...(isReferredTo(model, entity) ? [{ code: "IN_USE", clause: entity.clause.id }] : []),
      ];
    case "create":
      return [
        { code: "BAD_QUERY" },
        { code: "KEY_REUSED" },
        ...denied(entity, "create", (person) => !isOpen(gatesOf(model, entity, "create", person))),
        ...unsafe,
        ...bodied(entity, own),
        ...closed(model, entity, deciderOf(entity, "create"), (person) => gatesOf(model, entity, "create", person)),
        ...own.filter(isNeeded).map(required),
        ...conditioned(conditionedAt(entity, null)),
        ...rulesAt(entity, "create", new Set()).map((rule) => broken(model, rule)),
        ...togetherAt(entity, "create", new Set()).map((rule) => colliding(model, rule)),
        ...reaching(model, entity),
        ...ofParts(model, entity, fields),
      ];
    case "update":
      return [
        ...notThere,
        ...forbidden(model, entity, "update"),
        ...fresh,
        ...unsafe,
        ...bodied(entity, own),
        ...closed(model, entity, deciderOf(entity, "update"), (person) =>
          gatesOf(model, entity, "update", person).map((gate) => ({ ...gate, fields: keptOpen(entity, gate) })),
        ),
        ...own.filter(isNeeded).map(required),
        ...conditioned(conditionedAt(entity, fields)),
        ...rulesAt(entity, "update", fields).map((rule) => broken(model, rule)),
        ...togetherAt(entity, "update", fields).map((rule) => colliding(model, rule)),
        ...reaching(model, entity),
        ...ofParts(model, entity, fields),
      ];
    case "transition": {
      const transition = entity.states?.transitions.get(does.transition);
      if (entity.states === null || transition === undefined) return [];
      const clause = transition.clause.id;
      const changed = new Set([...transition.asks, ...transition.set.keys(), entity.states.field]);
      const open = everyReader(model, entity, (person) => transitionGatesOf(model, entity, transition, person));
      return [
        ...notThere,
        ...(open ? [] : refusedTo(model, entity, clause)),
        ...fresh,
        { code: "WRONG_STATE", clause },
        ...(transition.when === null ? [] : [{ code: "GUARD", clause }]),
        ...unsafe,
        ...bodied(entity, own),
        ...closed(model, entity, clause, (person) =>
          transitionGatesOf(model, entity, transition, person).map((gate) => ({
            ...gate,
            fields: new Set(transition.asks),
          })),
        ),
        ...own.map((field) => ({ ...required(field), clause })),
        ...conditioned(conditionedAt(entity, changed)),
        ...rulesAt(entity, transition.name, changed).map((rule) => broken(model, rule)),
        ...togetherAt(entity, transition.name, changed).map((rule) => colliding(model, rule)),
      ];
    }
  }
};

/** The rules of other records that a write of these is judged by. */
const reaching = (model: Model, entity: Entity): readonly MayRefuse[] =>
  reachesOn(model, entity).map(({ rule }) => ({ code: rule.error, clause: rule.clause.id, at: "" }));

/** What can be wrong with the parts that are given with a record. `/lines/*` is any of them. */
const ofParts = (model: Model, whole: Entity, fields: ReadonlySet<string>): readonly MayRefuse[] =>
  partListsOf(model, whole)
    .filter(({ list }) => fields.has(list.name))
    .flatMap(({ list, entity, field }): readonly MayRefuse[] => {
      const at = `/${list.name}`;
      const each = `${at}/*`;
      const own = [...entity.fields.values()].filter((one) => isOfRecord(one) && one !== field);
      const changed = new Set([...own, ...partListsOf(model, entity).map(({ list }) => list)].map(({ name }) => name));
      const within: readonly MayRefuse[] = [
        ...bodied(entity, own),
        ...own.filter(isNeeded).map(required),
        ...conditioned(conditionedAt(entity, null)),
        ...rulesAt(entity, "create", new Set()).map((rule) => broken(model, rule)),
        ...rulesAt(entity, "update", changed).map((rule) => broken(model, rule)),
        ...togetherAt(entity, "create", new Set()).map((rule) => colliding(model, rule)),
      ];
      const of = field.clause.id;
      return [
        { code: "WRONG_TYPE", clause: list.clause.id, at },
        { code: "TOO_MANY_PARTS", clause: list.clause.id, at },
        { code: "WRONG_TYPE", clause: list.clause.id, at: each },
        { code: "WRONG_TYPE", clause: of, at: `${each}/id` },
        { code: "WRONG_TYPE", clause: of, at: `${each}/version` },
        { code: "NO_SUCH_PART", clause: of, at: `${each}/id` },
        { code: "PART_TWICE", clause: of, at: `${each}/id` },
        { code: "CHANGED_MEANWHILE", clause: entity.clause.id, at: `${each}/version` },
        { code: "FORBIDDEN", clause: deciderOf(entity, "delete"), at },
        ...(["create", "update"] as const).flatMap((action) => [
          { code: "FORBIDDEN", clause: deciderOf(entity, action), at: each },
          { code: "NOT_YOURS_TO_WRITE", clause: deciderOf(entity, action) },
        ]),
        ...[...within, ...ofParts(model, entity, changed)].map((one) =>
          one.at === undefined ? one : { ...one, at: `${each}${one.at}` },
        ),
        ...reaching(model, entity),
      ];
    });

/** What a request that may change something is refused for before anybody looks at what it asks. */
export const unsafe: readonly MayRefuse[] = [
  { code: "FOREIGN_ORIGIN" },
  { code: "MALFORMED" },
  { code: "TOO_MUCH" },
  { code: "UNSUPPORTED" },
];

const required = (field: Field): MayRefuse => ({
  code: "REQUIRED",
  clause: field.clause.id,
  at: `/${field.name}`,
});

const conditioned = (fields: readonly Field[]): readonly MayRefuse[] =>
  fields.flatMap((field) => [
    ...(field.needed === null ? [] : [required(field)]),
    ...(field.among === null ? [] : [{ code: "NOT_AMONG", clause: field.clause.id, at: `/${field.name}` }]),
  ]);

const isNeeded = (field: Field): boolean => !field.optional && field.type !== "boolean";

/** What can be wrong with the fields of a body, each alone. */
const bodied = (entity: Entity, fields: readonly Field[]): readonly MayRefuse[] => [
  { code: "UNKNOWN_FIELD", clause: entity.clause.id },
  ...fields.flatMap((field) => {
    const of = { clause: field.clause.id, at: `/${field.name}` };
    return [
      ...kindOf(field)
        .refuses(specOf(entity, field))
        .map((code) => ({ code, ...of })),
      ...(field.type === "reference" ? [{ code: "NO_SUCH_REFERENCE", ...of }] : []),
      ...(field.type === "file" ? [{ code: "NO_SUCH_FILE", ...of }] : []),
      ...(field.type === "image" ? [{ code: "NO_SUCH_PICTURE", ...of }] : []),
      ...(field.unique ? [{ code: "TAKEN", ...of }] : []),
    ];
  }),
];

/** What an update leaves as it was when the record was made. */
const keptOpen = (entity: Entity, { fields }: Gate): ReadonlySet<string> =>
  new Set([...(fields ?? entity.fields.keys())].filter((name) => entity.fields.get(name)?.once !== true));

/** Whether somebody knows a field by its name that they may not write here, or not on every record. */
const closed = (
  model: Model,
  entity: Entity,
  clause: string,
  gates: (person: Person) => readonly Gate[],
): readonly MayRefuse[] =>
  peopleOf(model).some((person) =>
    [...fieldsKnownTo(model, entity, person)].some((name) =>
      gates(person).some(({ fields }) => isAutomatic(entity, name) || fields?.has(name) === false),
    ),
  )
    ? [{ code: "NOT_YOURS_TO_WRITE", clause }]
    : [];

const broken = (model: Model, rule: ValidationRule): MayRefuse => {
  const at = model.errors.get(rule.error)?.at ?? rule.reads.at(-1);
  return { code: rule.error, clause: rule.clause.id, at: at === undefined ? "" : `/${at}` };
};

const colliding = (model: Model, rule: TogetherRule): MayRefuse => ({
  code: rule.error,
  clause: rule.clause.id,
  at: placeOf(model, rule),
});

/** Who is signed in and was granted nothing. */
const somebody: Person = { id: "somebody", granted: new Set() };

const denied = (
  entity: Entity,
  action: "read" | "create",
  closed: (person: Person) => boolean,
): readonly MayRefuse[] => {
  const clause = deciderOf(entity, action);
  return [
    ...(closed(nobody) ? [{ code: "NOT_SIGNED_IN", clause }] : []),
    ...(closed(somebody) ? [{ code: "FORBIDDEN", clause }] : []),
  ];
};

/** Who reads a record and may not do this; a visitor is asked to sign in first. */
const refusedTo = (model: Model, entity: Entity, clause: string): readonly MayRefuse[] => [
  { code: "FORBIDDEN", clause },
  ...(gatesOf(model, entity, "read", nobody).length === 0 ? [] : [{ code: "NOT_SIGNED_IN", clause }]),
];

const forbidden = (model: Model, entity: Entity, action: "update" | "delete"): readonly MayRefuse[] =>
  everyReader(model, entity, (person) => gatesOf(model, entity, action, person))
    ? []
    : refusedTo(model, entity, deciderOf(entity, action));

/** Whether whoever reads a record may do something with it, as far as roles and whole conditions tell. */
const everyReader = (model: Model, entity: Entity, gates: (person: Person) => readonly Gate[]): boolean => {
  return peopleOf(model).every((person) => {
    const doing = gates(person);
    return gatesOf(model, entity, "read", person).every((reading) =>
      doing.some((gate) => gate.conditions.every((condition) => reading.conditions.includes(condition))),
    );
  });
};

/** One of each kind: a visitor, who was granted nothing, and who was granted one role. */
const peopleOf = (model: Model): readonly Person[] => [
  nobody,
  somebody,
  ...[ADMINISTRATOR, ...model.roles.keys()].map((role) => ({ id: "somebody", granted: new Set([role]) })),
];

/** Whether deleting a record, and its parts with it, may leave a reference of another without its end. */
const isReferredTo = (model: Model, entity: Entity): boolean =>
  [...model.entities.values()].some((other) =>
    [...other.fields.values()].some(
      (field) => field.entity === entity.name && (!field.partOf || isReferredTo(model, other)),
    ),
  );
