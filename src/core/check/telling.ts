import { fieldsThrough, gatesOf, isAutomatic, type Person } from "../derive/access.ts";
import { type Finding, finding } from "../findings.ts";
import { ADMINISTRATOR, type Clause, type Entity, madeOf, type Permission, type Transition } from "../model/model.ts";
import { every, some } from "../rule/conditions.ts";
import type { Expr } from "../rule/expr.ts";
import { readsOf } from "../rule/reads.ts";
import type { Check, Checked } from "./check.ts";
import { conjunctsOf, hiddenIn, isOpenOn, nothingWritten, type Written } from "./hidden.ts";
import { conditionsBy, conditionsOf, holderBy, holderOf } from "./people.ts";

/**
 * What a clause allows or refuses tells of all that it reads. Where somebody who meets it may not read that, the author has
 * to mean it: a value that must be unique among records that they do not see, a sum over other people's requests.
 */
export const telling: Check = (checked) =>
  [...checked.model.entities.values()].flatMap((entity) => {
    const about: About = { ...checked, entity, strictly: false };
    return [
      ...ofFields(about),
      ...ofTransitions(about),
      ...ofRules(about),
      ...ofTogether(about),
      ...ofPermissions(about),
    ];
  });

interface About extends Checked {
  readonly entity: Entity;
  readonly strictly: boolean;
}

/** Somebody who writes a record: what is known of it before, and what they put into it. */
interface Writer {
  readonly role: string;
  readonly person: Person;
  readonly facts: readonly Expr[];
  readonly written: Written;
  /** The fields that they may give. */
  readonly given: ReadonlySet<string>;
  readonly clause: Clause;
}

/** What may not be read cannot be changed: a record that is written is one that they see. */
const seenBy = ({ model, entity }: About, person: Person): readonly Expr[] => {
  const gates = gatesOf(model, entity, "read", person);
  if (gates.some(({ conditions }) => conditions.length === 0)) return [];
  const open = some(gates.flatMap(({ conditions }) => every(conditions) ?? []));
  return open === undefined ? [] : [open];
};

/** What a new record holds follows from what they gave, and from what the document puts there. */
const creators = (about: About): readonly Writer[] => {
  const { entity, model } = about;
  return (entity.permissions?.actions.create ?? []).map((permission) => {
    const person = holderBy(model, entity, permission);
    const given = new Set(fieldsThrough(entity, gatesOf(model, entity, "create", person)));
    return {
      role: permission.role,
      person,
      facts: conditionsBy(permission),
      given,
      written: (name): ReturnType<Written> => {
        const field = entity.fields.get(name);
        if (field === undefined || madeOf(field) !== null) return undefined;
        return field.set ?? (given.has(name) && !isAutomatic(entity, name) ? "given" : (field.default ?? "known"));
      },
      clause: permission.clause,
    };
  });
};

/** Whoever may change one of these fields. What they leave as it is is judged with it. */
const changers = (about: About, fields: Iterable<string>): readonly Writer[] => {
  const { entity, model } = about;
  const asked = [...fields];
  return (entity.permissions?.actions.update ?? []).flatMap((permission) => {
    const person = holderBy(model, entity, permission);
    const given = new Set(
      [...(permission.fields ?? entity.fields.keys())].filter(
        (name) => !isAutomatic(entity, name) && entity.fields.get(name)?.once !== true,
      ),
    );
    if (!asked.some((name) => given.has(name))) return [];
    // Of what is judged, one alone can be what they changed.
    const only = asked.length === 1 ? asked[0] : undefined;
    const written: Written = (name) => (name === only ? "given" : undefined);
    const facts = [...conditionsBy(permission), ...seenBy(about, person)];
    return [{ role: permission.role, person, facts, given, written, clause: permission.clause }];
  });
};

const makers = (about: About, transition: Transition): readonly Writer[] => {
  const { entity, model } = about;
  const given = new Set(transition.asks);
  const state = entity.states?.field ?? "";
  const written: Written = (name) =>
    name === state ? "known" : given.has(name) ? "given" : (transition.set.get(name) ?? undefined);
  return (transition.by ?? [ADMINISTRATOR]).map((role) => {
    const person = holderOf(model, entity, role);
    const only = transition.conditions.get(role);
    const facts = [
      ...conditionsOf(entity, role),
      ...(only === undefined ? [] : [only]),
      ...(transition.when === null ? [] : [transition.when]),
      ...inOneOf(entity, transition),
      ...seenBy(about, person),
    ];
    return { role, person, facts, given, written, clause: transition.clause };
  });
};

/** `status == submitted || status == endorsed`: where a transition begins. */
const inOneOf = (entity: Entity, { from, clause: { span } }: Transition): readonly Expr[] => {
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
  const any = some(from.map(is));
  return any === undefined ? [] : [any];
};

/** The first writer who would learn of something, and of what. */
const learnt = (
  about: About,
  writers: readonly Writer[],
  exprs: readonly (Expr | null)[],
): { readonly writer: Writer; readonly hidden: string } | undefined => {
  for (const writer of writers)
    for (const expr of exprs) {
      if (expr === null) continue;
      const hidden = hiddenIn(expr, { ...about, ...writer, strictly: about.strictly });
      if (hidden !== undefined) return { writer, hidden };
    }
  return undefined;
};

const report = (
  { uses, unsettled, model }: About,
  clause: Clause,
  what: string,
  found: ReturnType<typeof learnt>,
  key: string = clause.id,
): readonly Finding[] => {
  if (found === undefined || uses.disclosed.has(key) || unsettled(clause.id)) return [];
  const { writer, hidden } = found;
  const [entity = "", field] = hidden.split(".");
  // Where nobody decided who reads it, that is to be decided first.
  if (model.entities.get(entity)?.permissions == null || unsettled(`6.${entity}.read`)) return [];
  return [
    finding(
      "TELLS_HIDDEN",
      clause.span,
      `${what} tells ${writer.role} of ${field === undefined ? `records of ${entity} that ${writer.role} may not see` : `${hidden}, which ${writer.role} may not always read`}.`,
      `Permit ${writer.role} to read ${field === undefined ? "these" : "it"}, ask for something else, or say “discloses: true”.`,
      { clause: clause.id, witness: { role: writer.role } },
    ),
  ];
};

const ofRules = (about: About): readonly Finding[] =>
  about.entity.rules.flatMap((rule) => {
    const at = (moment: string) => rule.during === null || rule.during.includes(moment);
    const writers = [
      ...(at("create") ? creators(about) : []),
      ...(at("update") ? changers(about, rule.during === null ? rule.reads : about.entity.fields.keys()) : []),
      ...[...(about.entity.states?.transitions.values() ?? [])].flatMap((transition) => {
        const judges =
          rule.during === null
            ? [about.entity.states?.field ?? "", ...transition.set.keys(), ...transition.asks].some((name) =>
                rule.reads.includes(name),
              )
            : rule.during.includes(transition.name);
        return judges ? makers(about, transition) : [];
      }),
    ];
    return report(about, rule.clause, `The rule ${rule.error}`, learnt(about, writers, [rule.when, rule.rule]));
  });

/** A guard is asked of the record as it is, which they see. */
const ofTransitions = (about: About): readonly Finding[] =>
  [...(about.entity.states?.transitions.values() ?? [])].flatMap((transition) => {
    if (transition.when === null || transition.by?.length === 0) return [];
    const { when } = transition;
    const writers = makers(about, transition).map((writer) => ({
      ...writer,
      facts: [
        ...conditionsOf(about.entity, writer.role),
        ...inOneOf(about.entity, transition),
        ...seenBy(about, writer.person),
      ],
      written: nothingWritten,
    }));
    return report(about, transition.clause, `Whether “${transition.name}” can be made`, learnt(about, writers, [when]));
  });

const ofPermissions = (about: About): readonly Finding[] =>
  (["create", "update", "delete"] as const).flatMap((action) =>
    (about.entity.permissions?.actions[action] ?? []).flatMap((permission: Permission) => {
      if (permission.when === null || permission.like) return [];
      const person = holderBy(about.model, about.entity, permission);
      const held = permission.held === null ? [] : [permission.held];
      const writer: Writer = {
        role: permission.role,
        person,
        facts: action === "create" ? held : [...held, ...seenBy(about, person)],
        given: new Set(),
        written: creators(about).find(({ clause }) => clause === permission.clause)?.written ?? nothingWritten,
        clause: permission.clause,
      };
      const found = learnt(about, [writer], [permission.when]);
      return report(
        about,
        { ...permission.clause, span: permission.when.span },
        `Whether ${permission.role} may ${action} it`,
        found,
        `${permission.clause.id} ${permission.role}`,
      );
    }),
  );

/** Other records with the same value are found although nobody sees them. */
const ofSame = (about: About, fields: readonly string[], where: Expr | null): ReturnType<typeof learnt> => {
  const { entity, model, decide } = about;
  const isSame = (name: string) => fields.includes(name);
  for (const writer of [
    ...creators(about).filter(({ given }) => fields.some((name) => given.has(name))),
    ...changers(about, fields),
  ]) {
    // What is known of the one by what both have in common is known of the other.
    const shared = writer.facts.flatMap(conjunctsOf).filter((one) => {
      const { fields: read, footprint } = readsOf(one);
      return (
        [...read].every(isSame) &&
        footprint.every(({ by, key }) => by === "id" && isSame((key ?? "").split(".")[0] ?? ""))
      );
    });
    const set = fields.flatMap((name): readonly Expr[] => {
      const put = writer.written(name);
      return typeof put === "object" && put.kind === "user" ? [isUser(entity, name, put)] : [];
    });
    const facts = [...shared, ...set, ...(where === null ? [] : [where])];
    const gates = gatesOf(model, entity, "read", writer.person).filter(
      ({ fields: shown }) => shown === null || fields.every((name) => shown.has(name)),
    );
    if (isOpenOn(decide, facts, gates)) continue;
    return { writer, hidden: entity.name };
  }
  return undefined;
};

/** `employee == user`, as the document puts it there. */
const isUser = (entity: Entity, name: string, user: Expr): Expr => {
  const type = entity.fields.get(name)?.ruleType ?? user.type;
  const { span } = user;
  return {
    kind: "call",
    row: "same == same",
    args: [
      {
        kind: "field",
        of: { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span },
        entity: { name: entity.name, table: entity.table, fields: new Map() },
        field: { name, type, optional: false },
        type,
        missing: false,
        span,
      },
      user,
    ],
    zone: "UTC",
    type: { kind: "boolean" },
    missing: false,
    span,
  };
};

const ofTogether = (about: About): readonly Finding[] =>
  about.entity.together.flatMap((rule) => {
    const fields = [...rule.same, ...(rule.range === null ? [] : [rule.range.from, rule.range.to])];
    return report(about, rule.clause, `The rule ${rule.error}`, ofSame(about, fields, rule.where));
  });

const ofFields = (about: About): readonly Finding[] =>
  [...about.entity.fields.values()].flatMap((field) => {
    const { entity } = about;
    const key = `${entity.name}.${field.name}`;
    const writers = (fields: Iterable<string>) => [...creators(about), ...changers(about, fields)];
    return [
      // An address is an account's, and to have one alone is what it is for: sign-in says the same of it.
      ...(field.unique && field.held.as === "column" && field.clause.span.file !== ""
        ? report(about, field.clause, `That ${field.name} is unique`, ofSame(about, [field.name], null), key)
        : []),
      ...(field.among === null
        ? []
        : report(
            about,
            field.clause,
            `What ${field.name} may name`,
            learnt(
              about,
              [
                ...writers([field.name]),
                ...[...(entity.states?.transitions.values() ?? [])].flatMap((transition) => makers(about, transition)),
              ].filter(({ given }) => given.has(field.name)),
              [field.among.list],
            ),
            key,
          )),
      ...(field.needed === null
        ? []
        : report(
            about,
            field.clause,
            `Whether ${field.name} is required`,
            learnt(about, writers(field.needed.reads), [field.needed.holds]),
            key,
          )),
    ].slice(0, 1);
  });
