import type { ReportFinding, Spanned } from "../document/shape.ts";
import { finding } from "../findings.ts";
import type { Renaming } from "../model/model.ts";
import type { NamedThing } from "../model/renaming.ts";
import type { EntitiesSyntax, EntitySyntax } from "./entities/entities-syntax.ts";
import { type FieldSyntax, formerName } from "./entities/field-syntax.ts";
import { formerKey } from "./entities/seed-records.ts";
import type { LimitsSyntax } from "./limits.ts";
import { clauseAt } from "./linking/link-context.ts";
import type { PermissionsSyntax } from "./permissions/permissions-syntax.ts";
import { readGlobalRoles } from "./permissions/roles.ts";
import type { EntityStates, StatesSyntax } from "./states/states-syntax.ts";

interface Named {
  readonly name: string;
  /** Former names; a choice value or a state can take over several. */
  readonly was: readonly Spanned<string>[];
  readonly clause: string;
}

/** Names in one namespace: a current name cannot be the former name of another. */
interface Names {
  readonly of: NamedThing;
  readonly entity: string | null;
  readonly field: string | null;
  readonly what: string;
  readonly names: readonly Named[];
}

export interface NamingSyntax {
  readonly entities: EntitiesSyntax | undefined;
  readonly states: StatesSyntax | undefined;
  readonly permissions: PermissionsSyntax | undefined;
  readonly limits: LimitsSyntax | undefined;
}

const only = (was: Spanned<string> | undefined): readonly Spanned<string>[] => (was === undefined ? [] : [was]);

/** Links `was` keys. A former name must no longer exist, and only one current name can claim it. */
export const linkRenamings = (syntax: NamingSyntax, report: ReportFinding): readonly Renaming[] =>
  getNames(syntax).flatMap(({ of, entity, field, what, names }) => {
    if (names.every(({ was }) => was.length === 0)) return [];
    const live = new Set(names.map(({ name }) => name));
    const claimed = new Map<string, string>();
    const olds = names.flatMap(({ name, was, clause }) => was.map((item) => ({ name, was: item, clause })));
    return olds.flatMap(({ name, was, clause }): readonly Renaming[] => {
      const wrong = (message: string, hint: string) =>
        void report(finding("BAD_RENAMING", was.span, message, hint, { clause }));
      const other = claimed.get(was.value);
      if (was.value === name) wrong(`${name} already has this name, so “was” can’t contain it.`, "Remove “was”.");
      else if (live.has(was.value))
        wrong(
          `There is still ${what} ${was.value}, so ${name} can’t be its new name.`,
          `Remove “was” or remove ${was.value}. To swap two names, rename in two steps.`,
        );
      else if (other !== undefined)
        wrong(`${name} and ${other} can’t both be the new name of ${was.value}.`, "Remove “was” from one of them.");
      else {
        claimed.set(was.value, name);
        return [{ of, entity, field, old: was.value, now: name, clause: clauseAt(clause, was.span) }];
      }
      return [];
    });
  });

/** True if a field of an entity, its state or a value of an act can have a former name. Most entities have none. */
const hasFormerFields = ({ fields = [] }: EntitySyntax, states: EntityStates | undefined): boolean =>
  fields.some(({ value }) => formerName(value) !== undefined) ||
  states?.field?.was !== undefined ||
  states?.transitions?.some(({ value: { asks } }) => asks?.some(({ field }) => field !== undefined)) === true;

const hasFormerStates = ({ states = [], transitions = [] }: EntityStates): boolean =>
  states.some(({ more }) => more?.was !== undefined) || transitions.some(({ value: { was } }) => was !== undefined);

const stateField = (entity: string, found: EntityStates | undefined): readonly Named[] => {
  if (found?.states === undefined) return [];
  return [{ name: found.field?.name.value ?? "state", was: only(found.field?.was), clause: `4.${entity}` }];
};

/** Outer names come first: the former names of fields are looked up by the current name of their entity. */
const getNames = ({ entities, states, permissions, limits }: NamingSyntax): readonly Names[] => {
  const ofEntities = entities === undefined || entities === "none" ? [] : entities;
  const ofStates = states === undefined || states === "none" ? [] : states;
  const statesOf = new Map(ofStates.map(({ name, value }) => [name, value]));
  /** Fields, and values that transitions define, with the points that declare them. */
  const fieldsOf = (entity: string, fields: readonly { name: string; value: FieldSyntax }[] = []) => [
    ...fields.map(({ name, value }) => ({ name, value, clause: `3.${entity}.${name}` })),
    ...(statesOf.get(entity)?.transitions ?? []).flatMap(({ name: transition, value: { asks = [] } }) =>
      asks.flatMap(({ value: name, field }) =>
        field === undefined ? [] : [{ name, value: field, clause: `4.${entity}.${transition}.${name}` }],
      ),
    ),
  ];
  return [
    {
      of: "entity",
      entity: null,
      field: null,
      what: "an entity",
      names: [
        { name: "User", was: [], clause: "3.User" },
        ...ofEntities.map(({ name, value }) => ({ name, was: only(value.was), clause: `3.${name}` })),
      ],
    },
    ...ofEntities
      .filter(({ name, value }) => hasFormerFields(value, statesOf.get(name)))
      .map(
        ({ name: entity, value }): Names => ({
          of: "field",
          entity,
          field: null,
          what: `a field of ${entity} called`,
          names: [
            ...["id", "version", "created_at", "updated_at"].map((name) => ({ name, was: [], clause: "" })),
            ...fieldsOf(entity, value.fields).map(({ name, value: field, clause }) => ({
              name,
              was: only(formerName(field)),
              clause,
            })),
            ...stateField(entity, statesOf.get(entity)),
          ],
        }),
      ),
    ...ofEntities.flatMap(({ name: entity, value }) =>
      fieldsOf(entity, value.fields).flatMap(({ name: field, value: { values }, clause }): readonly Names[] =>
        values?.choices.some(({ was = [] }) => was.length > 0) !== true
          ? []
          : [
              {
                of: "value",
                entity,
                field,
                what: "a choice",
                names: values.choices.map(({ name, was }) => ({
                  name: name.value,
                  was: was ?? [],
                  clause,
                })),
              },
            ],
      ),
    ),
    ...ofStates
      .filter(({ value }) => hasFormerStates(value))
      .flatMap(({ name: entity, value }): readonly Names[] => [
        {
          of: "value",
          entity,
          field: value.field?.name.value ?? "state",
          what: "a state",
          names: (value.states ?? []).map(({ name, more }) => ({
            name: name.value,
            was: more?.was ?? [],
            clause: `4.${entity}.${name.value}`,
          })),
        },
        {
          of: "transition",
          entity,
          field: null,
          what: "a transition",
          names: (value.transitions ?? []).map(({ name, value: { was } }) => ({
            name,
            was: only(was),
            clause: `4.${entity}.${name}`,
          })),
        },
      ]),
    ...ofEntities
      .filter(({ value: { records } }) => records !== undefined)
      .map(
        ({ name: entity, value: { records, fields } }): Names => ({
          of: "record",
          entity,
          field: null,
          what: `a record of ${entity} called`,
          names: (records ?? []).map(({ name, value }) => ({
            name,
            was: only(formerKey(value, new Set(fields?.map((field) => field.name)))),
            clause: `3.${entity}.${name}`,
          })),
        }),
      ),
    {
      of: "role",
      entity: null,
      field: null,
      what: "a role",
      names: readGlobalRoles(permissions).map(({ name, was }) => ({ name, was: only(was), clause: `6.roles.${name}` })),
    },
    {
      of: "limit",
      entity: null,
      field: null,
      what: "a constant",
      names: (limits ?? []).map(({ name, was }) => ({ name, was: only(was), clause: `9.${name}` })),
    },
  ];
};
