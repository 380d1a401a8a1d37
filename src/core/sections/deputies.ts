import type { Named, ReportFinding, Spanned } from "../document/shape.ts";
import type { Scalar, Tree } from "../document/tree.ts";
import { lex } from "../expression/syntax/lex.ts";
import { finding } from "../findings.ts";
import { titleFor } from "../i18n/titles.ts";
import { toTitle } from "../model/inflection.ts";
import { ADMINISTRATOR, DEPUTY, toDeputyRole, toRepresentedField } from "../model/permissions.ts";
import type { Span } from "../source-text.ts";
import type { CallsSyntax } from "./calls/calls.ts";
import { type DeclaredEntity, type EntitiesSyntax, entitiesShape } from "./entities/entities.ts";
import { fieldsShape } from "./entities/field-syntax.ts";
import { buildList, buildMapping, buildScalar, composeExpression } from "./linking/build-tree.ts";
import type { DeputiesSyntax } from "./permissions/deputies-syntax.ts";
import {
  type EntityPermissions,
  type PermissionSyntax,
  type PermissionsSyntax,
  permissionsShape,
  saidPermissions,
  saidRoles,
} from "./permissions/permissions-syntax.ts";
import { type RulesSyntax, rulesShape } from "./rules.ts";
import type { ScreensSyntax } from "./screens.ts";
import { NO_PEOPLE } from "./states/approvals.ts";
import type { EntityStates, StatesSyntax, TransitionSyntax } from "./states/states-syntax.ts";

/*
 * People hand their roles to a deputy for some time. `deputies: { for: [approver, manager], up to: 30 days }` is
 * expanded before names are resolved. It adds the entity `Deputy`, whose records say who represents whom on which days,
 * and for each of these roles another one, such as `manager_deputy`. The condition of that role is the condition of
 * `manager` with the absent person in place of `user`, and it has every permission of `manager`. So one evaluator
 * decides for both, and all later stages see only ordinary roles.
 */

interface Points {
  readonly screens: ScreensSyntax | undefined;
  readonly entities: EntitiesSyntax | undefined;
  readonly states: StatesSyntax | undefined;
  readonly rules: RulesSyntax | undefined;
  readonly permissions: PermissionsSyntax | undefined;
  readonly calls: CallsSyntax | undefined;
}

/** The variable for a record of `Deputy`, and the conditions on it. */
const RECORD = "standing_in";
const IN_FORCE = `${RECORD}.deputy == user && ${RECORD}.first_day <= today && today <= ${RECORD}.last_day`;
const PERSON = `${RECORD}.person`;

/** Roles on the records of `Deputy`: the absent person, and the deputy. */
const AWAY = "has_deputy";
const STANDS_IN = "is_deputy";

interface Expansion {
  readonly clause: Span;
  /** The roles that are handed over. */
  readonly handed: ReadonlySet<string>;
  readonly isGlobal: (role: string) => boolean;
  /** The condition of a role on the records of an entity; undefined if the role belongs to another entity. */
  readonly conditionOf: (entity: string, role: string) => Scalar | undefined;
  /** The condition that the user holds the role themselves. */
  readonly isHeldByUser: (entity: string, role: string) => readonly (string | Scalar)[];
  readonly titleOf: (role: string, title: string | undefined) => string;
}

/** Expressions by which the model finds the people whom a deputy represents: by `approver_deputy`, or `Request.manager_deputy`. */
export type Represented = ReadonlyMap<string, Scalar>;

/** Expands `deputies` in the syntax. Reports roles that nobody can hand over. */
export const expandDeputies = <P extends Points>(
  points: P,
  locale: string,
  report: ReportFinding,
): P & { readonly represented: Represented } => {
  const syntax = points.permissions?.deputies;
  if (points.permissions === undefined || syntax === undefined) return { ...points, represented: new Map() };
  const roles = saidRoles(points.permissions);
  const handed = new Set(syntax.for.flatMap((role) => checkRole(role, points.permissions, report) ?? []));
  const conditionOf: Expansion["conditionOf"] = (entity, role) =>
    roles.ofRecord.find(({ name }) => name === entity)?.value.find(({ name }) => name === role)?.value.when;
  const expansion: Expansion = {
    clause: syntax.span,
    handed,
    isGlobal: (role) => roles.global.some(({ name }) => name === role),
    conditionOf,
    isHeldByUser: (entity, role) => {
      const condition = conditionOf(entity, role);
      if (condition !== undefined) return ["(", condition, ")"];
      const members = roles.global.find(({ name }) => name === role)?.value.members?.value;
      return [members === "anyone" || members === "signed in" ? "true" : `'${role}' in user.roles`];
    },
    titleOf: (role, title) => titleFor("deputies.role", locale).replace("{role}", title ?? toTitle(role)),
  };
  return {
    ...points,
    screens: withScreens(points.screens, expansion),
    entities: withDeputyEntity(
      withRepresentedFields(listNamed(points.entities), points.states, expansion, locale),
      syntax,
      locale,
      report,
    ),
    states: withMakers(points.states, points.rules, expansion),
    rules: withDeputyRules(points.rules, syntax, report),
    permissions: withRoles(points.permissions, expansion, locale, report),
    calls: withCalls(points.calls, expansion),
    represented: findRepresented(points.permissions, expansion),
  };
};

const listNamed = <T>(syntax: readonly Named<T>[] | "none" | undefined): readonly Named<T>[] =>
  syntax === undefined || syntax === "none" ? [] : syntax;

/**
 * Checks that a role is granted to people, globally or on records. Unknown names are reported where roles are linked.
 */
const checkRole = (
  { value, span }: Spanned<string>,
  syntax: PermissionsSyntax | undefined,
  report: ReportFinding,
): string | undefined => {
  const { global, ofRecord } = saidRoles(syntax);
  const role = global.find(({ name }) => name === value);
  const wrong = (message: string, hint: string): undefined =>
    void report(finding("BAD_VALUE", span, message, hint, { clause: "6.deputies" }));
  if (value === ADMINISTRATOR)
    return wrong("Nobody can hand over the role administrator.", "Make a second person administrator instead.");
  if (role !== undefined && role.value.members !== undefined && role.value.members.value !== "granted")
    return wrong(
      `Everybody who can be a deputy has the role ${value} already.`,
      "Name roles that an administrator grants, or that people have on single records.",
    );
  if (role === undefined && !ofRecord.some((one) => one.value.some(({ name }) => name === value)))
    return void report(
      finding("UNKNOWN_NAME", span, `There is no role ${value}.`, "Declare it under “roles:”.", {
        clause: "6.deputies",
      }),
    );
  return value;
};

// --- Expressions

/**
 * Rewrites an expression for the person whom a deputy represents, in place of `user`. The parts keep their positions in
 * the author's text.
 */
const forPerson = (scalar: Scalar): readonly (string | Scalar)[] => {
  const { tokens } = lex(scalar.text);
  const pieces: (string | Scalar)[] = [];
  let at = 0;
  for (const [i, { kind, text, start, end }] of tokens.entries()) {
    if (kind !== "name" || text !== "user" || tokens[i - 1]?.text === ".") continue;
    pieces.push(slice(scalar, at, start), PERSON);
    at = end;
  }
  pieces.push(slice(scalar, at, scalar.text.length));
  return pieces;
};

const slice = (scalar: Scalar, start: number, end: number): Scalar => ({
  ...scalar,
  text: scalar.text.slice(start, end),
  locate: (offset) => scalar.locate(start + offset),
});

const readsUser = (scalar: Scalar): boolean => forPerson(scalar).length > 1;

/** The condition that the person holds the role. */
const holds = (entity: string, role: string, expansion: Expansion): readonly (string | Scalar)[] => {
  if (expansion.isGlobal(role)) return [`'${role}' in ${PERSON}.roles`];
  const condition = expansion.conditionOf(entity, role);
  // A role that a part inherits is checked by the inherited role itself.
  return condition === undefined ? ["true"] : ["(", ...forPerson(condition), ")"];
};

/** True if a person whom the user represents today meets all of these conditions. */
const standsIn = (span: Span, ...conditions: readonly (readonly (string | Scalar)[])[]): Scalar =>
  composeExpression(
    span,
    `Deputy.exists(${RECORD}, ${IN_FORCE}`,
    ...conditions.flatMap((condition) => [" && ", ...condition]),
    ")",
  );

/** Conditions that mention the user must hold for the deputy and for the person. */
const forBoth = (
  entity: string,
  role: string,
  when: Scalar | undefined,
  more: readonly Scalar[],
  expansion: Expansion,
): Scalar | undefined => {
  const personal = [...(when === undefined ? [] : [when]), ...more].filter(readsUser);
  if (personal.length === 0) return when;
  const both = standsIn(
    expansion.clause,
    holds(entity, role, expansion),
    ...personal.map((one) => ["(", ...forPerson(one), ")"]),
  );
  return when === undefined ? both : composeExpression(expansion.clause, "(", when, ") && ", both);
};

const findRepresented = (syntax: PermissionsSyntax, expansion: Expansion): Represented => {
  const { global, ofRecord } = saidRoles(syntax);
  const people = (entity: string, role: string) =>
    composeExpression(
      expansion.clause,
      `Deputy.filter(${RECORD}, ${IN_FORCE} && `,
      ...holds(entity, role, expansion),
      `).map(${RECORD}, ${PERSON})`,
    );
  return new Map([
    ...global.flatMap(({ name }): [string, Scalar][] =>
      expansion.handed.has(name) ? [[toDeputyRole(name), people("", name)]] : [],
    ),
    ...ofRecord.flatMap(({ name: entity, value }) =>
      value.flatMap(({ name }): [string, Scalar][] =>
        expansion.handed.has(name) ? [[`${entity}.${toDeputyRole(name)}`, people(entity, name)]] : [],
      ),
    ),
  ]);
};

// --- Point 3

const deputyFields = ["person", "deputy", "first_day", "last_day"] as const;

const withDeputyEntity = (
  entities: readonly Named<DeclaredEntity>[],
  syntax: DeputiesSyntax,
  locale: string,
  report: ReportFinding,
): readonly Named<DeclaredEntity>[] => {
  const { span } = syntax;
  const text = (value: string) => buildScalar(value, span);
  const title = (field: (typeof deputyFields)[number]) => ({ title: text(titleFor(`deputies.${field}`, locale)) });
  const fields: Readonly<Record<(typeof deputyFields)[number], Readonly<Record<string, Tree>>>> = {
    person: { type: text("User"), set: text("user"), ...title("person") },
    deputy: {
      type: text("User"),
      ...title("deputy"),
      ...(syntax.among === undefined ? {} : { among: syntax.among }),
    },
    first_day: { type: text("date"), default: text("today"), ...title("first_day") },
    last_day: { type: text("date"), ...title("last_day") },
  };
  const tree = buildMapping(span, {
    [DEPUTY]: buildMapping(span, {
      label: text("{person.name}: {deputy.name}"),
      title: buildMapping(span, {
        one: text(titleFor("deputies.one", locale)),
        many: text(titleFor("deputies.many", locale)),
      }),
      fields: buildMapping(
        span,
        mapValues(fields, (one) => buildMapping(span, one)),
      ),
    }),
  });
  const built = entitiesShape.read(tree, () => undefined);
  const [own] = listNamed(built);
  if (own === undefined) throw new Error("the entity of deputies can't be read");
  const declared = entities.find(({ name }) => name === DEPUTY);
  if (declared === undefined) return [...entities, own];
  for (const { name, key } of declared.value.fields ?? [])
    if (deputyFields.some((one) => one === name))
      report(
        finding(
          "NAME_TWICE",
          key,
          `${DEPUTY} has the field ${name} already, because of “deputies:” in point 6.`,
          "Remove it.",
          {
            clause: `3.${DEPUTY}.${name}`,
          },
        ),
      );
  const more = (declared.value.fields ?? []).filter(({ name }) => !deputyFields.some((one) => one === name));
  return entities.map((one) =>
    one === declared
      ? { ...one, value: { ...own.value, ...said(one.value), fields: [...(own.value.fields ?? []), ...more] } }
      : one,
  );
};

/** The keys that the author has written. */
const said = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<T>;

const mapValues = <K extends string, A, B>(all: Readonly<Record<K, A>>, change: (one: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries<A>(all).map(([key, one]) => [key, change(one)]));

// --- Point 4

/** The rules that are checked before each transition, as conditions. */
const findPreconditions = (rules: RulesSyntax | undefined, entity: string, transition: string): readonly Scalar[] =>
  listNamed(rules)
    .filter(({ name }) => name === entity)
    .flatMap(({ value }) => value)
    .flatMap(({ rule, when, before, with: names }) => {
      if (rule === undefined || names !== undefined || before?.some(({ value }) => value === transition) !== true)
        return [];
      return [when === undefined ? rule : composeExpression(rule.span, "!(", when, ") || (", rule, ")")];
    });

const withMakers = (
  syntax: StatesSyntax | undefined,
  rules: RulesSyntax | undefined,
  expansion: Expansion,
): StatesSyntax | undefined =>
  syntax === undefined || syntax === "none"
    ? syntax
    : syntax.map((entity) => {
        const lists = findVotes(entity.value, expansion).map(({ field }) => field);
        return {
          ...entity,
          value: {
            ...entity.value,
            transitions: entity.value.transitions?.map((one) =>
              withEmptied(withDeputyMakers(entity.name, one, rules, expansion), lists),
            ),
          },
        };
      });

const withDeputyMakers = (
  entity: string,
  transition: Named<TransitionSyntax>,
  rules: RulesSyntax | undefined,
  expansion: Expansion,
): Named<TransitionSyntax> => {
  const { name, value } = transition;
  if (value.by === undefined || value.by === "none") return transition;
  const vote = readVote(value, expansion);
  const conditions = [
    ...(value.when === undefined ? [] : [value.when]),
    ...findPreconditions(rules, entity, name),
    ...(vote === undefined ? [] : [isNotIn("user", vote.field)]),
  ];
  const by = value.by.flatMap((maker) => {
    if (!expansion.handed.has(maker.role.value)) return [maker];
    const when = forBoth(entity, maker.role.value, maker.when, conditions, expansion);
    return [maker, { ...maker, role: { ...maker.role, value: toDeputyRole(maker.role.value) }, when }];
  });
  const set = vote === undefined ? value.set : [...(value.set ?? []), buildRepresented(entity, value, vote, expansion)];
  return { ...transition, value: { ...value, by, set } };
};

/** A transition that needs several people, some of whom may be deputies. A person and their deputy never both count. */
interface Vote {
  /** The field with the people who made it. */
  readonly field: Spanned<string>;
}

const readVote = ({ needs, by, "recorded in": field }: TransitionSyntax, { handed }: Expansion): Vote | undefined =>
  needs !== undefined && field !== undefined && by !== "none" && by?.some(({ role }) => handed.has(role.value)) === true
    ? { field }
    : undefined;

const findVotes = ({ transitions = [] }: EntityStates, expansion: Expansion): readonly Vote[] => {
  const votes = transitions.flatMap(({ value }) => readVote(value, expansion) ?? []);
  return [...new Map(votes.map((vote) => [vote.field.value, vote])).values()];
};

const isNotIn = (person: string, { value, span }: Spanned<string>): Scalar =>
  buildScalar(`!(${person} in ${value}) && !(${person} in ${toRepresentedField(value)})`, span);

/** Adds the people whom a deputy represents to their list, unless the deputy may act for themselves. */
const buildRepresented = (
  entity: string,
  { by }: TransitionSyntax,
  { field }: Vote,
  expansion: Expansion,
): Named<Scalar> => {
  const { span } = field;
  const list = toRepresentedField(field.value);
  const makers = by === undefined || by === "none" ? [] : by;
  const own = makers.flatMap(({ role, when }, i) => [
    i === 0 ? "(" : " || (",
    ...expansion.isHeldByUser(entity, role.value),
    ...(when === undefined ? [] : [" && (", when, ")"]),
    ")",
  ]);
  const represented = makers
    .filter(({ role }) => expansion.handed.has(role.value))
    .flatMap(({ role }, i) => [i === 0 ? "" : " || ", "(", ...holds(entity, role.value, expansion), ")"]);
  return {
    name: list,
    key: span,
    value: composeExpression(
      span,
      ...own,
      ` ? ${list} : ${list} + Deputy.filter(${RECORD}, ${IN_FORCE} && (`,
      ...represented,
      ") && ",
      isNotIn(PERSON, field),
      `).map(${RECORD}, ${PERSON})`,
    ),
  };
};

/** A transition that empties the list of people also empties the list of those whom deputies represented. */
const withEmptied = (
  transition: Named<TransitionSyntax>,
  lists: readonly Spanned<string>[],
): Named<TransitionSyntax> => {
  const { value } = transition;
  const emptied = lists.filter((list) =>
    value.set?.some(({ name, value: to }) => name === list.value && to.text === NO_PEOPLE),
  );
  if (emptied.length === 0) return transition;
  const more = emptied.map(({ value: name, span }) => ({
    name: toRepresentedField(name),
    key: span,
    value: buildScalar(NO_PEOPLE, span),
  }));
  return { ...transition, value: { ...value, set: [...(value.set ?? []), ...more] } };
};

/** The lists of the people whom deputies represented. */
const withRepresentedFields = (
  entities: readonly Named<DeclaredEntity>[],
  states: StatesSyntax | undefined,
  expansion: Expansion,
  locale: string,
): readonly Named<DeclaredEntity>[] =>
  entities.map((entity) => {
    const own = listNamed(states).find(({ name }) => name === entity.name)?.value;
    const votes = own === undefined ? [] : findVotes(own, expansion);
    if (votes.length === 0) return entity;
    const fields = votes.flatMap(({ field: { value, span } }) => {
      const tree = buildMapping(span, {
        type: buildScalar("User", span),
        many: buildScalar("true", span),
        set: buildScalar(NO_PEOPLE, span),
        title: buildScalar(titleFor("deputies.represented", locale), span),
      });
      return fieldsShape.read(buildMapping(span, { [toRepresentedField(value)]: tree }), () => undefined) ?? [];
    });
    return { ...entity, value: { ...entity.value, fields: [...(entity.value.fields ?? []), ...fields] } };
  });

// --- Point 5

const withDeputyRules = (
  rules: RulesSyntax | undefined,
  syntax: DeputiesSyntax,
  report: ReportFinding,
): RulesSyntax => {
  const { span } = syntax;
  const rule = (condition: Scalar, error: string) =>
    buildMapping(span, { rule: condition, else: buildScalar(error, span) });
  const tree = buildMapping(span, {
    [DEPUTY]: buildList(span, [
      rule(buildScalar("deputy != person", span), "DEPUTY_ONESELF"),
      rule(buildScalar("last_day >= first_day", span), "DEPUTY_DATES"),
      rule(composeExpression(span, "last_day < first_day + (", syntax["up to"], ")"), "DEPUTY_TOO_LONG"),
      buildMapping(span, {
        "no overlap": buildList(span, [buildScalar("first_day", span), buildScalar("last_day", span)]),
        within: buildScalar("person", span),
        else: buildScalar("DEPUTY_TWICE", span),
      }),
    ]),
  });
  const own = listNamed(rulesShape.read(tree, report));
  const said = listNamed(rules);
  const known = said.map((one) =>
    one.name === DEPUTY ? { ...one, value: [...own.flatMap(({ value }) => value), ...one.value] } : one,
  );
  return said.some(({ name }) => name === DEPUTY) ? known : [...said, ...own];
};

// --- Point 6

const withRoles = (
  syntax: PermissionsSyntax,
  expansion: Expansion,
  locale: string,
  report: ReportFinding,
): PermissionsSyntax => {
  const { clause: span, handed, titleOf } = expansion;
  const { global, ofRecord } = saidRoles(syntax);
  const added = permissionsShape.read(buildDeputyPermissions(span, locale), report);
  const ownRoles = saidRoles(added).ofRecord;
  const heldRoles = ofRecord.map((one) => ({
    ...one,
    value: [
      ...one.value,
      ...one.value.flatMap((role) =>
        handed.has(role.name)
          ? [
              {
                ...role,
                name: toDeputyRole(role.name),
                value: {
                  ...role.value,
                  when: standsIn(span, holds(one.name, role.name, expansion)),
                  title: { value: titleOf(role.name, role.value.title?.value), span },
                },
              },
            ]
          : [],
      ),
      ...(one.name === DEPUTY ? ownRoles.flatMap(({ value }) => value) : []),
    ],
  }));
  return {
    ...syntax,
    roles: {
      global: [
        ...global,
        ...global.flatMap((role) =>
          handed.has(role.name)
            ? [
                {
                  ...role,
                  name: toDeputyRole(role.name),
                  value: {
                    ...role.value,
                    was: role.value.was && { ...role.value.was, value: toDeputyRole(role.value.was.value) },
                    members: { value: "granted" as const, span },
                    title: { value: titleOf(role.name, role.value.title?.value), span },
                  },
                },
              ]
            : [],
        ),
      ],
      ofRecord: ofRecord.some(({ name }) => name === DEPUTY) ? heldRoles : [...heldRoles, ...ownRoles],
    },
    permissions: [
      ...saidPermissions(syntax).map((one) => ({ ...one, value: withDeputyPermissions(one, expansion) })),
      ...(saidPermissions(syntax).some(({ name }) => name === DEPUTY) ? [] : saidPermissions(added)),
    ],
  };
};

const withDeputyPermissions = (
  { name: entity, value }: Named<EntityPermissions>,
  expansion: Expansion,
): EntityPermissions => {
  const withDeputies = (all: readonly PermissionSyntax[] | "none" | undefined) =>
    all === undefined || all === "none"
      ? all
      : all.flatMap((one) => {
          const { role } = one;
          if (role === undefined || !expansion.handed.has(role.value)) return [one];
          const when = forBoth(entity, role.value, one.when, [], expansion);
          return [one, { ...one, role: { ...role, value: toDeputyRole(role.value) }, when }];
        });
  return {
    ...value,
    read: withDeputies(value.read),
    create: withDeputies(value.create),
    update: withDeputies(value.update),
    delete: withDeputies(value.delete),
  };
};

/**
 * People name their own deputy. They, the deputy and administrators can read it; they and administrators can end it.
 */
const buildDeputyPermissions = (span: Span, locale: string): Tree => {
  const text = (value: string) => buildScalar(value, span);
  const list = (...all: readonly string[]) => buildList(span, all.map(text));
  const role = (condition: string, title: string) => buildMapping(span, { when: text(condition), title: text(title) });
  return buildMapping(span, {
    roles: buildMapping(span, {
      [DEPUTY]: buildMapping(span, {
        [AWAY]: role("person == user", titleFor("deputies.away", locale)),
        [STANDS_IN]: role("deputy == user", titleFor("deputies.one", locale)),
      }),
    }),
    permissions: buildMapping(span, {
      [DEPUTY]: buildMapping(span, {
        read: list(AWAY, STANDS_IN, ADMINISTRATOR),
        create: buildMapping(span, { role: text(AWAY), fields: list("deputy", "first_day", "last_day") }),
        update: buildMapping(span, { role: text(AWAY), fields: list("last_day") }),
        delete: list(AWAY, ADMINISTRATOR),
      }),
    }),
  });
};

// --- Points 2 and 7

const withDeputyNames = (
  roles: readonly Spanned<string>[] | undefined,
  { handed, isGlobal }: Expansion,
): readonly Spanned<string>[] | undefined =>
  roles?.flatMap((role) =>
    handed.has(role.value) && isGlobal(role.value) ? [role, { ...role, value: toDeputyRole(role.value) }] : [role],
  );

const withScreens = (syntax: ScreensSyntax | undefined, expansion: Expansion): ScreensSyntax | undefined =>
  syntax === undefined || syntax === "none"
    ? syntax
    : syntax.map((one) => {
        const { tiles } = one.value;
        const open = tiles?.map((tile) => ({ ...tile, for: withDeputyNames(tile.for, expansion) }));
        return {
          ...one,
          value: {
            ...one.value,
            for: withDeputyNames(one.value.for, expansion),
            ...(open === undefined ? {} : { tiles: open }),
          },
        };
      });

const withCalls = (syntax: CallsSyntax | undefined, expansion: Expansion): CallsSyntax | undefined =>
  syntax === undefined || syntax === "none"
    ? syntax
    : {
        ...syntax,
        calls: syntax.calls?.map((one) => ({
          ...one,
          value: { ...one.value, by: withDeputyNames(one.value.by, expansion) },
        })),
      };
