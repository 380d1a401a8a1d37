import { every, not, some } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Effect } from "../../model/effect.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import { type Field, isActValue } from "../../model/field.ts";
import { type Permission, toRepresentedField } from "../../model/permissions.ts";
import type { Span } from "../../source-text.ts";
import type { Analyzer, Checked } from "../analyzer.ts";
import { findFieldsRead, type QualifiedField } from "../fields-read.ts";
import { conditionsBy } from "../principals.ts";
import { entityWithArticle } from "../witness-text.ts";

/** A field whose value the document gives, and the clause that says so. */
interface DerivedValue {
  readonly name: QualifiedField;
  /** For choices, their conditions in order. */
  readonly exprs: readonly Expr[];
  /** The entity whose fields count in conditions; by default that of the field. */
  readonly owner?: string;
  /** The fields that it depends on, if no expression names them. */
  readonly sources?: readonly QualifiedField[];
  readonly clause: string;
  readonly span: Span | undefined;
  /** The end of a sentence: `staff can’t read Order.wage, from which it is computed`. */
  readonly predicate: string;
}

/** Finds fields with more readers than the fields that their values come from. */
export const findWiderAudiences: Analyzer = (checked) => {
  const values = listDerivedValues(checked);
  const actSources = groupActSources(checked, values);
  return [
    ...values.flatMap((value) => findWiderAudience(checked, value, actSources)),
    ...findConditionalEffects(checked, actSources),
  ];
};

/** Every field whose value comes from an expression; one that several clauses set occurs several times. */
const listDerivedValues = ({ model, uses }: Checked): readonly DerivedValue[] => [
  // Formulas that are not in force count too.
  ...[...uses.computed].map(([name, exprs]) => ({
    name,
    exprs,
    clause: `3.${name}`,
    span: exprs[0]?.span,
    predicate: "from which it is computed",
  })),
  ...[...model.entities.values()].flatMap((entity) => [
    ...[...entity.fields.values()].flatMap((field) => listInitialValues(entity, field)),
    ...[...(entity.states?.transitions.values() ?? [])].flatMap((transition) =>
      transition.set.size === 0 ? noValues : listSetBy(entity, transition),
    ),
    ...[...entity.after.values()]
      .flat()
      .flatMap((effect) => ("set" in effect ? listSet(effect.entity, effect.set, effect.clause) : [])),
  ]),
];

const listSet = (entity: string, set: ReadonlyMap<string, Expr>, { id }: Clause): readonly DerivedValue[] =>
  [...set].map(([field, expr]) => ({
    name: `${entity}.${field}`,
    exprs: [expr],
    clause: id,
    span: expr.span,
    predicate: "from which it is set",
  }));

const listSetBy = (entity: Entity, { set, clause, needs }: Transition): readonly DerivedValue[] => {
  // Ninefold itself lists the people whom deputies represented. A role that is held on a record discloses no more.
  const represented = needs === undefined ? undefined : toRepresentedField(needs.field);
  return listSet(entity.name, new Map([...set].filter(([field]) => field !== represented)), clause);
};

const noValues: readonly DerivedValue[] = [];

const listInitialValues = ({ name: entity }: Entity, field: Field): readonly DerivedValue[] => {
  if (field.set === null && field.default === null && field.fill === null && field.type !== "slug") return noValues;
  const initialValues: readonly (readonly [Expr | null, string])[] = [
    [field.set, "from which it is set"],
    [field.default, "from which its default comes"],
    [field.fill, "from which it is filled"],
  ];
  const shared = { name: `${entity}.${field.name}`, clause: field.clause.id };
  return [
    ...initialValues.flatMap(([expr, predicate]) =>
      expr === null ? [] : [{ ...shared, exprs: [expr], span: expr.span, predicate }],
    ),
    ...(field.type !== "slug" || field.from === null
      ? []
      : [
          {
            ...shared,
            exprs: [],
            sources: [`${entity}.${field.from}`],
            span: field.clause.span,
            predicate: "from which it is made",
          },
        ]),
  ];
};

/**
 * Finds effects that run, or choose their records, by a condition on data that readers of the result cannot read: they
 * learn if it held. One finding for each effect is enough.
 */
const findConditionalEffects = (
  checked: Checked,
  actSources: ReadonlyMap<QualifiedField, readonly Expr[]>,
): readonly Finding[] =>
  [...checked.model.entities.values()].flatMap((entity) =>
    [...entity.after.values()].flat().flatMap((effect) => {
      if (!("set" in effect)) return [];
      const { disclosed } = checked.uses;
      if (effect.kind === "make" && disclosed.has(`4.${effect.entity}.${effect.transition}`)) return [];
      const state = effect.kind === "make" ? findDisclosingState(checked, effect) : undefined;
      const fields = [...(state === undefined ? [] : [state]), ...effect.set.keys()];
      const names = fields.map((field) => `${effect.entity}.${field}`);
      if (names.some((name) => disclosed.has(name))) return [];
      return listConditions(entity, effect)
        .flatMap((condition) => names.flatMap((name) => findWiderAudience(checked, { ...condition, name }, actSources)))
        .slice(0, 1);
    }),
  );

/** The state field, if a state discloses that the effect made its transition: no other way leads there. */
const findDisclosingState = (
  { model }: Checked,
  { entity, transition: name }: Effect & { readonly kind: "make" },
): string | undefined => {
  const states = model.entities.get(entity)?.states;
  const transition = states?.transitions.get(name);
  if (states == null || transition === undefined) return undefined;
  const { to, by, once, timeout } = transition;
  const isOnlyEffect = by?.length === 0 && once === null && timeout === null && !to.includes(states.initial);
  const others = [...states.transitions.values()].filter((other) => other !== transition);
  return isOnlyEffect && !others.some((other) => other.to.some((state) => to.includes(state)))
    ? states.field
    : undefined;
};

/** The conditions that decide if an effect runs, and on which records. */
const listConditions = (entity: Entity, effect: Effect): readonly Omit<DerivedValue, "name">[] => {
  const { when, clause } = effect;
  const of = "of" in effect ? effect.of : null;
  const shared = { clause: clause.id, predicate: "which decides if it is set" };
  const chosenBy =
    "entity" in effect && of !== null
      ? findFieldsRead([of], (name, isCondition) => isCondition && name === effect.entity)
      : [];
  return [
    ...(when === null ? [] : [{ ...shared, exprs: [when], owner: entity.name, span: when.span }]),
    ...(of === null ? [] : [{ ...shared, exprs: [], sources: [...chosenBy], span: of.span }]),
  ];
};

/** The expressions behind the values of acts; none for a value that only people give. */
const groupActSources = (
  { model }: Checked,
  values: readonly DerivedValue[],
): ReadonlyMap<QualifiedField, readonly Expr[]> => {
  const sources = new Map<QualifiedField, readonly Expr[]>();
  for (const entity of model.entities.values())
    for (const field of entity.fields.values()) if (isActValue(field)) sources.set(`${entity.name}.${field.name}`, []);
  for (const { name, exprs } of values) {
    const known = sources.get(name);
    if (known !== undefined) sources.set(name, [...known, ...exprs]);
  }
  return sources;
};

/**
 * The fields that expressions depend on. No record keeps the value of an act, and the person who gives it knows where
 * it goes, so it stands for the fields that it comes from.
 */
const findSources = (
  exprs: readonly Expr[],
  owner: string,
  actSources: ReadonlyMap<QualifiedField, readonly Expr[]>,
  visited: ReadonlySet<QualifiedField> = new Set(),
): readonly QualifiedField[] =>
  // A condition on records of others is a summary such as “all paid”, which is assumed to be intended.
  [...findFieldsRead(exprs, (of, isCondition) => !isCondition || of === owner)].flatMap((name) => {
    const given = actSources.get(name);
    if (given === undefined) return [name];
    return visited.has(name) ? [] : findSources(given, owner, actSources, new Set([...visited, name]));
  });

const findWiderAudience = (
  checked: Checked,
  { name, exprs, owner: conditionsOf, sources: named, clause, span, predicate }: DerivedValue,
  actSources: ReadonlyMap<QualifiedField, readonly Expr[]>,
): readonly Finding[] => {
  const [owner = "", field = ""] = name.split(".");
  const entity = checked.model.entities.get(owner);
  if (checked.uses.disclosed.has(name)) return [];
  if (entity?.permissions == null || span === undefined || checked.unsettled(`6.${owner}.read`)) return [];
  const sources = named ?? findSources(exprs, conditionsOf ?? owner, actSources);
  const hidden = new Map<string, QualifiedField>();
  for (const permission of sources.length === 0 ? [] : entity.permissions.actions.read) {
    const { role } = permission;
    if (hidden.has(role) || checked.fieldsOf(owner, permission)?.has(field) === false) continue;
    const source = sources.find((item) => isHiddenFrom(checked, entity, permission, item));
    if (source !== undefined) hidden.set(role, source);
  }
  // Deputies read what the people read for whom they stand in.
  const isRepeated = (role: string) => checked.model.deputies !== null && hidden.has(role.replace(/_deputy$/u, ""));
  const disclosures = [...hidden].filter(([role]) => !role.endsWith("_deputy") || !isRepeated(role));
  // One hidden field is one cause, for however many roles.
  return [...new Set(disclosures.map(([, source]) => source))].map((source) => {
    const roles = disclosures.flatMap(([role, item]) => (item === source ? [role] : []));
    const [role = ""] = roles;
    const all = joinNames(roles);
    return finding(
      "WIDER_AUDIENCE",
      span,
      `${all} can read ${field} of ${entityWithArticle(entity)}, but not always ${source}, ${predicate}.`,
      `Let ${all} read ${source}, remove ${field} from the fields that ${all} can read, or add “discloses: true” to ${field}.`,
      { clause, witness: { role } },
    );
  });
};

/** `clerk, boss and member` */
const joinNames = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/**
 * True if a holder of the permission can read a record without being able to read the field, there or on a related
 * record.
 */
const isHiddenFrom = (checked: Checked, entity: Entity, permission: Permission, source: QualifiedField): boolean => {
  const { model, people, unsettled, decide } = checked;
  const [owner = "", field = ""] = source.split(".");
  const target = model.entities.get(owner);
  if (target?.permissions == null || !target.fields.has(field) || unsettled(`6.${owner}.read`)) return false;
  const grants = people.grantsOf(target, "read", people.holderBy(entity, permission));
  const showing = grants.filter(({ fields }) => fields === null || fields.has(field));
  if (target !== entity || showing.some(({ conditions }) => conditions.length === 0)) return showing.length === 0;
  const seen = conditionsBy(permission);
  const shown = some(showing.flatMap(({ conditions }) => every(conditions) ?? []));
  return decide.exampleOf(...seen, ...(shown === undefined ? [] : [not(shown)])) !== undefined;
};
