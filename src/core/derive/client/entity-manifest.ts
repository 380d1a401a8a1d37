import Big from "big.js";
import type { Phrases } from "../../explain/language.ts";
import { roleTitle } from "../../explain/roles.ts";
import { permissionSentence } from "../../explain/who-may.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { serializeExpr } from "../../expression/rewrite/serialize.ts";
import type { Entity, States, Transition } from "../../model/entity.ts";
import { parseGroupKey } from "../../model/facts/date-steps.ts";
import { keptUntil } from "../../model/facts/kept-fields.ts";
import { findPartLists } from "../../model/facts/parts.ts";
import { type Begin, findBegins } from "../../model/facts/ranges.ts";
import { type Field, isActValue, isOfRecord, timestampFields } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import { ADMINISTRATOR } from "../../model/permissions.ts";
import type { Screen } from "../../model/screen.ts";
import type { EntityJson, FieldJson, StatesJson, TransitionJson } from "../../wire/entities.ts";
import type { WhyNot } from "../../wire/records.ts";
import {
  decidingClauseId,
  grantedFields,
  grantsFor,
  isAutomatic,
  knowableFields,
  type Principal,
  permissionRulesFor,
  writableFieldsFor,
} from "../authorization/grants.ts";
import { checksBeforeInput } from "../consistency/checks-before-input.ts";
import { findDecidingEntities } from "../consistency/deciding-entities.ts";
import { filterKind, findStateDeadline, isSortedBy, titleOfValue } from "../http/list-capabilities.ts";
import { findDecisionFacts } from "./decision-facts.ts";
import { serializeFormExpression } from "./form-computed-fields.ts";
import { suggestionInForm } from "./form-defaults.ts";
import { requirementsOf, rulesInForms, uniquenessRulesFor } from "./form-rules.ts";
import { findMentionFields } from "./mention-fields.ts";
import { neverLiesAhead } from "./past-fields.ts";
import { stateIcons } from "./state-icons.ts";
import { canBeChosen, heldByField, upcomingReminders, upcomingTransition } from "./upcoming-transitions.ts";
import { formatIn } from "./wording.ts";

export const toEntityJson = (
  model: Model,
  entity: Entity,
  person: Principal,
  phrases: Phrases,
  waiting: ReadonlySet<string>,
): EntityJson => {
  const readable = grantedFields(entity, grantsFor(model, entity, "read", person));
  const creation = grantsFor(model, entity, "create", person);
  const parts = new Set(findPartLists(model, entity).map(({ list }) => list.name));
  const creatable = [...grantedFields(entity, creation)].filter(
    (name) => parts.has(name) || !isAutomatic(entity, name),
  );
  const changeable = [...grantedFields(entity, grantsFor(model, entity, "update", person))].filter(
    (name) => readable.has(name) && !isAutomatic(entity, name),
  );
  const known = knowableFields(model, entity, person);
  const givable = writableFieldsFor(model, entity, person);
  const fields = [...entity.fields.values()].filter((field) => known.has(field.name) && isOfRecord(field));
  const acts = [...entity.fields.values()].filter(
    (field) => isActValue(field) && (readable.has(field.name) || givable.has(field.name)),
  );
  const mentioning = findMentionFields(entity);
  const asked = findOnlyAsked(entity);
  const begins = findBegins(entity, model.screens);
  const holders = heldByField(model, entity, person);
  const neverHeld = [...holders].flatMap(([role, field]) => (canBeChosen(entity, field, person) ? [] : [role]));
  const rules = rulesInForms(model, entity, person, phrases);
  const requirements = requirementsOf(model, entity, person, phrases, rules);
  const reminders = upcomingReminders(model, entity, person, phrases, waiting);
  return {
    name: entity.name,
    one: entity.called.one,
    many: entity.called.many,
    calls: `/api/${entity.path}`,
    clause: entity.clause.id,
    fields: [
      ...fields.map((field) => ({
        ...toFieldJson(model, entity, field, givable.has(field.name)),
        ...(mentioning.has(field.name) ? { mentions: true as const } : {}),
        ...getBegin(begins.get(field.name), known),
        ...getReckoned(model, entity, field, person),
        ...getDeadline(entity, field, readable),
        ...getSuggestion(model, entity, field, person, phrases),
        ...(asked.has(field.name) ? { asked: true as const } : {}),
      })),
      ...getMoments(model, entity),
    ],
    ...(acts.length === 0
      ? {}
      : {
          acts: acts.map((field) => ({
            ...toFieldJson(model, entity, field, givable.has(field.name)),
            ...getSuggestion(model, entity, field, person, phrases),
          })),
        }),
    states:
      entity.states !== null && readable.has(entity.states.field)
        ? toStatesJson(
            model,
            entity,
            entity.states,
            (transition) => ({
              ...upcomingTransition(model, entity, transition, person, phrases, waiting),
              ...getFacts(model, entity, transition, person),
              ...getTrial(model, entity, transition, person),
            }),
            readable,
          )
        : null,
    ...(holders.size === 0 ? {} : { holders: Object.fromEntries(holders) }),
    ...(neverHeld.length === 0 ? {} : { neverHeld }),
    create: creation.length === 0 ? null : creatable,
    createRefused: creation.length === 0 ? refusedCreation(entity, phrases) : null,
    ...(changeable.length === 0 ? {} : { update: changeable }),
    ...(rules.length === 0 ? {} : { rules }),
    ...(Object.keys(requirements).length === 0 ? {} : { requirements }),
    ...uniquenessRulesFor(model, entity, readable),
    ...(reminders.length === 0 ? {} : { reminders }),
  };
};

/** The fields that nobody enters but in the dialog of a transition. */
const findOnlyAsked = (entity: Entity): ReadonlySet<string> => {
  const rules = (["create", "update"] as const).flatMap((action) => permissionRulesFor(entity, action));
  const isEntered = (name: string) => rules.some(({ fields }) => fields === null || fields.has(name));
  const asked = [...(entity.states?.transitions.values() ?? [])].flatMap(({ asks }) => [...asks]);
  return new Set(asked.filter((name) => !isEntered(name)));
};

const refusedCreation = (entity: Entity, phrases: Phrases): WhyNot => ({
  code: "FORBIDDEN",
  clause: decidingClauseId(entity, "create"),
  because: permissionSentence(phrases, entity, "create"),
});

/** Creation and change times, if a screen of the document shows them. */
const getMoments = (model: Model, entity: Entity): readonly FieldJson[] => {
  const shown = new Set(model.screens.flatMap((screen) => getShownNames(screen, entity.name)));
  return timestampFields
    .filter((name) => shown.has(name))
    .map((name) => ({
      name,
      label: name === "created_at" ? "Made" : "Changed",
      type: "datetime",
      optional: false,
      automatic: true,
      filters: null,
      sorts: true,
      clause: entity.clause.id,
    }));
};

const getShownNames = (screen: Screen, entity: string): readonly string[] => {
  if (screen.kind === "tiles")
    return screen.tiles.flatMap((tile) => (tile.kind === "list" && tile.entity === entity ? tile.columns : []));
  if (screen.entity !== entity || screen.kind === "form" || screen.kind === "letter") return [];
  if (screen.kind === "list") {
    const groups = screen.group.map((key) => parseGroupKey(key).field);
    return [...screen.columns, ...screen.sort.map((key) => key.replace(/^-/u, "")), ...groups];
  }
  return screen.sections.flatMap((section) => (section.kind === "fields" ? section.fields : []));
};

const getBegin = (begin: Begin | undefined, known: ReadonlySet<string>): Pick<FieldJson, "begin"> =>
  begin === undefined || !known.has(begin.field)
    ? {}
    : { begin: { field: begin.field, ...(begin.isPeriod ? { period: true as const } : {}) } };

/** Maximum number of examples in a form. */
const SHOWN_EXAMPLES = 3;

/** Maximum number of records that are shown as choices. */
const FEW = 20;

/** The keys of an entity's records, if they are all seed records and there are only a few. */
const findFewValues = ({ records, permissions }: Entity): readonly string[] | undefined =>
  records.size > 0 && records.size <= FEW && permissions?.actions.create.length === 0 ? [...records.keys()] : undefined;

/** The expression with which a form computes a field before saving. */
const getReckoned = (
  model: Model,
  entity: Entity,
  field: Field,
  person: Principal,
): Pick<FieldJson, "reckoned" | "rows" | "until"> => {
  const expression = serializeFormExpression(model, entity, field, person);
  if (expression === undefined) return {};
  const { reckoned, rows } = expression;
  const known = knowableFields(model, entity, person);
  const until = keptUntil(field)?.fields.filter((name) => known.has(name));
  return { reckoned, ...(rows.length === 0 ? {} : { rows }), ...(until === undefined ? {} : { until }) };
};

const getSuggestion = (
  model: Model,
  entity: Entity,
  field: Field,
  person: Principal,
  phrases: Phrases,
): Pick<FieldJson, "default"> => {
  const suggestion = suggestionInForm(model, entity, field, person, formatIn(model, phrases));
  return suggestion === undefined ? {} : { default: suggestion };
};

/** `canSet`: true if the caller can ever set the field. */
export const toFieldJson = (model: Model, entity: Entity, field: Field, canSet: boolean): FieldJson => ({
  name: field.name,
  label: field.title,
  type: field.type,
  optional: field.optional || field.type === "boolean",
  automatic: isAutomatic(entity, field.name),
  filters: filterKind(field),
  sorts: isSortedBy(field),
  clause: field.clause.id,
  ...(field.values.length > 0
    ? {
        values: field.values.map((value) => ({ value, label: titleOfValue(entity, field, value) })),
      }
    : {}),
  ...(field.many ? { many: true as const } : {}),
  ...(field.among === null || !canSet
    ? {}
    : {
        among: {
          of: `${entity.name}.${field.name}`,
          given: [...field.among.reads].filter((name) => name !== field.name && !isAutomatic(entity, name)),
        },
      }),
  ...(field.entity === null ? {} : { entity: field.entity, ...getFewValues(model, field.entity) }),
  ...(field.min === null ? {} : { min: field.min }),
  ...(field.max === null ? {} : { max: field.max }),
  ...(field.currency === null ? {} : { currency: field.currency }),
  ...(field.unit === null ? {} : { unit: field.unit }),
  ...(field.help === null ? {} : { help: field.help }),
  ...(field.examples.length === 0 ? {} : { examples: field.examples.slice(0, SHOWN_EXAMPLES) }),
  ...getDefault(model, field),
  ...(isInLabel(entity, field) ? { inLabel: true as const } : {}),
  ...(field.set?.kind === "user" ? { maker: true as const } : {}),
  ...(neverLiesAhead(model, entity, field) ? { past: true as const } : {}),
});

const isInLabel = ({ label }: Entity, { name }: Field): boolean =>
  label.parts.some(
    (part) => typeof part !== "string" && part.kind === "field" && part.of.kind === "this" && part.field.name === name,
  );

/**
 * The default value in a form: constants, the current person, and expressions on constants and the clock. The server
 * computes defaults that depend on other records or on data of the person.
 */
const getDefault = (model: Model, field: Field): Pick<FieldJson, "default"> => {
  const expr = field.default;
  if (expr === null || field.many) return {};
  // The manifest has the labels of records that are shown as choices, so this label is never displayed.
  if (
    expr.kind === "name" &&
    expr.seedRecord !== undefined &&
    getFewValues(model, field.entity ?? "").few !== undefined
  )
    return { default: { value: { id: expr.seedRecord.id, label: toTitle(expr.seedRecord.key) } } };
  if (expr.kind === "user" && field.entity === "User") return { default: "person" };
  if (expr.kind === "constant" && field.type !== "money") {
    const { value } = expr;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      return { default: { value } };
    return value instanceof Big ? { default: { value: value.toFixed() } } : {};
  }
  const { paths, user, old, names, recordReads } = collectReadSet(expr);
  const isOpen = paths.size === 0 && !user && !old && names.size === 0 && recordReads.length === 0;
  return isOpen && field.type !== "reference" ? { default: { reckoned: serializeExpr(expr) } } : {};
};

const getFewValues = (model: Model, name: string): Pick<FieldJson, "few"> => {
  const entity = model.entities.get(name);
  const few = entity === undefined ? undefined : findFewValues(entity);
  return few === undefined ? {} : { few };
};

type Ahead = Pick<TransitionJson, "itself" | "guarded" | "guard" | "follows" | "shows" | "tried">;

const getFacts = (
  model: Model,
  entity: Entity,
  transition: Transition,
  person: Principal,
): Pick<TransitionJson, "shows"> => {
  const shows = findDecisionFacts(model, entity, transition, person);
  return shows.length === 0 ? {} : { shows };
};

/** The entities whose changes can alter the result of a trial, if the person reads all of them. */
const getTrial = (
  model: Model,
  entity: Entity,
  transition: Transition,
  person: Principal,
): Pick<TransitionJson, "tried"> => {
  if (!checksBeforeInput(entity, transition).areTried) return {};
  const deciding = findDecidingEntities(model, entity, transition);
  const calls = [...deciding].flatMap((name) => {
    const other = model.entities.get(name);
    const isKnown = other?.served === true && grantsFor(model, other, "read", person).length > 0;
    return isKnown ? [`/api/${other.path}`] : [];
  });
  return { tried: calls.length < deciding.size || calls };
};

const getNeeds = ({ needs }: Transition): Pick<TransitionJson, "needs"> => {
  if (needs === undefined) return {};
  const { count, field, completion } = needs;
  return { needs: { count: count.kind === "constant" ? Number(count.value) : null, field, completion } };
};

const getDeadline = (entity: Entity, field: Field, readable: ReadonlySet<string>): Pick<FieldJson, "deadline"> => {
  const deadline = findStateDeadline(entity, field, (name) => readable.has(name));
  return deadline === undefined ? {} : { deadline };
};

const toStatesJson = (
  model: Model,
  entity: Entity,
  states: States,
  aheadOf: (transition: Transition) => Ahead,
  readable: ReadonlySet<string>,
): StatesJson => {
  const marks = stateIcons(states);
  return {
    field: states.field,
    states: states.states.flatMap(({ name, title }) => {
      const mark = marks.get(name);
      return mark === undefined ? [] : [{ name, label: title, mark }];
    }),
    transitions: [...states.transitions.values()].map(
      (transition): TransitionJson => ({
        name: transition.name,
        label: transition.title,
        from: transition.from,
        to: transition.to,
        ...(transition.previous !== undefined && readable.has(transition.previous)
          ? { previous: transition.previous }
          : {}),
        asks: transition.asks,
        ...(transition.asksIfAny.size === 0 ? {} : { asksIfAny: [...transition.asksIfAny] }),
        by: (transition.by ?? [ADMINISTRATOR]).map((role) =>
          role === ADMINISTRATOR ? { role } : { role, title: roleTitle(model, role, entity) },
        ),
        ...aheadOf(transition),
        ...getNeeds(transition),
        ...(transition.main === undefined ? {} : { main: transition.main }),
        clause: transition.clause.id,
      }),
    ),
  };
};
