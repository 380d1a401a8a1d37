import type { Principal } from "../../derive/authorization/grants.ts";
import { splitConjuncts } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { isSequence } from "../../field/sequence.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Entity } from "../../model/entity.ts";
import { comparesWithOld, findBoundedFields, isFieldReadBy } from "../../model/facts/applicable-rules.ts";
import { isOfRecord } from "../../model/field.ts";
import type { Action, InheritedPermission } from "../../model/permissions.ts";
import { structuralKey } from "../../satisfiability/structural-key.ts";
import type { CheckedEntity, EntityAnalyzer } from "../analyzer.ts";
import { orList } from "../witness-text.ts";
import { findHiddenRead, hiddenReadsIn } from "./information-flow.ts";
import { type Reader, readerBy } from "./reader.ts";
import { findRevealingStates } from "./state-disclosure.ts";
import { findWriters, type Writer, type Writers } from "./writers.ts";

/**
 * Finds clauses whose outcome reveals data that the affected person cannot read, unless the author declares it: a value
 * that must be unique among invisible records, a limit on a sum of other people's requests.
 */
export const findInformationLeaks: EntityAnalyzer = (checked, entity) => {
  const { people, decide } = checked;
  const readers = new Map<Principal, Reader>();
  const readerOf = (person: Principal): Reader => {
    const reader = readers.get(person) ?? readerBy((entity) => people.grantsOf(entity, "read", person), decide);
    readers.set(person, reader);
    return reader;
  };
  const writers = findWriters(entity, people, readerOf, decide);
  const hiddenReads = new Map<Writer, (expr: Expr) => string | undefined>();
  const hiddenReadsOf = (writer: Writer): ((expr: Expr) => string | undefined) => {
    const known = hiddenReads.get(writer);
    if (known !== undefined) return known;
    const { reader, facts, written } = writer;
    const found = hiddenReadsIn({ entities: checked.model.entities, entity, reader, facts, written });
    hiddenReads.set(writer, found);
    return found;
  };
  const about: About = { ...checked, entity, readerOf, writers, hiddenReadsOf };
  return [
    ...findFieldLeaks(about),
    ...findTransitionLeaks(about),
    ...findRuleLeaks(about),
    ...findUniquenessLeaks(about),
    ...findPermissionLeaks(about),
  ];
};

interface About extends CheckedEntity {
  readonly entity: Entity;
  readonly readerOf: (person: Principal) => Reader;
  readonly writers: Writers;
  /** Finds the first hidden data that an expression reads for a writer. Several clauses have the same writers. */
  readonly hiddenReadsOf: (writer: Writer) => (expr: Expr) => string | undefined;
}

interface Learnt {
  readonly role: string;
  readonly hidden: string;
}

/** The first writer who would learn hidden data, and that data. */
const findLearntData = (
  { hiddenReadsOf }: About,
  writers: readonly Writer[],
  exprs: readonly (Expr | null)[],
): Learnt | undefined => {
  const conjuncts = exprs.flatMap((expr) => (expr === null ? [] : splitConjuncts(expr)));
  for (const writer of writers) {
    const hiddenRead = hiddenReadsOf(writer);
    for (const expr of conjuncts) {
      const hidden = hiddenRead(expr);
      // Most conditions read nothing hidden; only for the others it matters if their result is known.
      if (hidden !== undefined && !isKnown(expr, writer)) return { role: writer.role, hidden };
    }
  }
  return undefined;
};

/**
 * A condition already implied by the known facts reveals nothing: a manager who can decide knows whose manager they
 * are.
 */
const isKnown = (expr: Expr, { reader, facts, written }: Writer): boolean =>
  [...collectReadSet(expr).fields].every((name) => written(name) === undefined) &&
  reader.isOpenOn(facts, [{ clause: "", conditions: [expr], fields: null }]);

const report = (
  about: About,
  clause: Clause,
  what: string,
  found: Learnt | undefined,
  key: string = clause.id,
): readonly Finding[] => {
  const { uses, unsettled, model } = about;
  if (found === undefined || uses.disclosed.has(key) || unsettled(clause.id)) return [];
  const { role, hidden } = found;
  const [entity = "", field] = hidden.split(".");
  const without = listUnheldReaders(about, role, entity, field);
  const sees = (verb: string): string =>
    without.length > 0
      ? `can ${verb} only with the role ${orList(without)} as well`
      : verb === "see"
        ? "can’t see"
        : "can’t always read";
  // Undecided read permissions have to be decided first.
  if (model.entities.get(entity)?.permissions == null || unsettled(`6.${entity}.read`)) return [];
  return [
    finding(
      "TELLS_HIDDEN",
      clause.span,
      `${what} reveals to ${role} ${field === undefined ? `records of ${entity} that ${role} ${sees("see")}` : `${hidden}, which ${role} ${sees("read")}`}.`,
      `Let ${role} read ${field === undefined ? "them" : "it"}, use another condition, or add “discloses: true”.`,
      { clause: clause.id, witness: { role } },
    ),
  ];
};

/**
 * The granted roles that can read the data, if nothing else can and the role is held on the record: `mechanic == user`
 * remains true when somebody is no longer a mechanic.
 */
const listUnheldReaders = (
  { model, entity: { roles } }: About,
  role: string,
  hidden: string,
  field: string | undefined,
): readonly string[] => {
  const reading = (model.entities.get(hidden)?.permissions?.actions.read ?? []).filter(
    ({ fields }) => field === undefined || fields === null || fields.has(field),
  );
  const membersOf = (name: string) => model.roles.get(name)?.members;
  const isUnheld =
    roles.has(role) &&
    reading.every(
      ({ role: name, when, like }) =>
        when === null && like === null && ["granted", "deputies"].includes(membersOf(name) ?? ""),
    );
  const names = reading.map(({ role: name }) => name).filter((name) => membersOf(name) === "granted");
  return isUnheld ? [...new Set(names)] : [];
};

const findRuleLeaks = (about: About): readonly Finding[] =>
  about.entity.rules.flatMap((rule) => {
    const { creators, changers, makers } = about.writers;
    const at = (action: string) => rule.during === null || rule.during.includes(action);
    const isCheckedOn = (name: string) => rule.during !== null || isFieldReadBy(about.entity, rule, name);
    const writers = [
      ...(at("create") && !comparesWithOld(rule) ? creators() : []),
      ...(at("update") ? changers([...about.entity.fields.keys()].filter(isCheckedOn)) : []),
      ...[...(about.entity.states?.transitions.values() ?? [])].flatMap((transition) => {
        const dependsOnIt =
          rule.during === null
            ? [about.entity.states?.field ?? "", ...transition.set.keys(), ...transition.asks].some(isCheckedOn)
            : rule.during.includes(transition.name);
        return dependsOnIt ? makers(transition) : [];
      }),
    ];
    return report(about, rule.clause, `The rule ${rule.error}`, findLearntData(about, writers, [rule.when, rule.rule]));
  });

/**
 * Data that the guard of a transition reveals to those who can make it, or else to readers of the only state it leads
 * to.
 */
const findTransitionLeaks = (about: About): readonly Finding[] => {
  const states = findRevealingStates(about);
  return [...(about.entity.states?.transitions.values() ?? [])].flatMap((transition) => {
    const { clause, name, to, guardAndPreconditions: guard } = transition;
    const asks = guard === null || transition.by?.length === 0 ? [] : about.writers.candidatesFor(transition);
    const findings = report(about, clause, `The availability of “${name}”`, findLearntData(about, asks, [guard]));
    if (findings.length > 0) return findings;
    const disclosure = states.find((state) => state.transition === transition);
    return report(about, clause, `The change to “${to.join("” or “")}”`, disclosure);
  });
};

const findPermissionLeaks = (about: About): readonly Finding[] =>
  (["create", "update", "delete"] as const).flatMap((action) => {
    const reported = new Set<string>();
    return (about.entity.permissions?.actions[action] ?? []).flatMap((permission) => {
      const { role, clause, when, like } = permission;
      if (when === null) return [];
      const what = `The permission of ${role} to ${action} it`;
      const writers = about.writers.candidatesUnder(action, permission);
      if (like === null) {
        const found = findLearntData(about, writers, [when]);
        return report(about, { ...clause, span: when.span }, what, found, `${clause.id} ${role}`);
      }
      // One clause stands for several permissions; the first finding is enough.
      const by = `${clause.id} ${like.path.kind === "field" ? like.path.field.name : ""}`;
      const found = reported.has(by)
        ? undefined
        : findLearntData(about, writers, revealedByLike(about, action, like, when));
      const findings = report(about, clause, what, found, by);
      if (findings.length > 0) reported.add(by);
      return findings;
    });
  });

/**
 * Data that a `like` permission reveals. It reveals nothing more than reading the other record does, if the reader
 * knows which record that is and can tell from reading it that the followed permission applies. A permission to write
 * the other record has a finding of its own.
 */
const revealedByLike = (
  about: About,
  action: Action,
  like: InheritedPermission,
  when: Expr,
): readonly (Expr | null)[] => {
  if (like.action === "read" && !showsItself(about, action, like)) return [when];
  return [like.path, like.when];
};

/**
 * True if each followed permission shows a field that only followed permissions show, so that seeing it proves that one
 * of them applies.
 */
const showsItself = ({ model, entity }: About, action: Action, like: InheritedPermission): boolean => {
  const target = like.path.type.kind === "record" ? model.entities.get(like.path.type.entity) : undefined;
  if (target === undefined) return false;
  const followed = (entity.permissions?.actions[action] ?? []).flatMap((action) =>
    action.like !== null && structuralKey(action.like.path) === structuralKey(like.path) ? [action.like.of] : [],
  );
  const isFollowed = (item: InheritedPermission["of"]): boolean =>
    followed.some(
      (of) =>
        of.role === item.role &&
        of.roleCondition === item.roleCondition &&
        of.when === item.when &&
        of.fields === item.fields,
    );
  const others = (target.permissions?.actions.read ?? []).filter((permission) => !isFollowed(permission));
  const shown = (item: InheritedPermission["of"]) =>
    [...target.fields.values()].filter(({ name }) => item.fields === null || item.fields.has(name)).filter(isOfRecord);
  const elsewhere = new Set(others.flatMap(shown));
  return followed.every((item) => shown(item).some((field) => !elsewhere.has(field)));
};

/** Uniqueness reveals records with equal values even if they are invisible. */
const findSameValueLeak = (about: About, fields: readonly string[], where: Expr | null): Learnt | undefined => {
  const { entity, writers } = about;
  const isSame = (name: string) => fields.includes(name);
  for (const writer of [
    ...writers.creators().filter(({ writableFields }) => fields.some((name) => writableFields.has(name))),
    ...writers.changers(fields),
  ]) {
    // Facts that depend only on the equal fields also hold for the other record.
    const shared = writer.facts.flatMap(splitConjuncts).filter((expr) => {
      const { fields: read, recordReads } = collectReadSet(expr);
      return (
        [...read].every(isSame) &&
        recordReads.every(({ by, key }) => by === "id" && isSame((key ?? "").split(".")[0] ?? ""))
      );
    });
    const set = fields.flatMap((name): readonly Expr[] => {
      const written = writer.written(name);
      return typeof written === "object" && written.kind === "user" ? [isUser(entity, name, written)] : [];
    });
    const facts = [...shared, ...set, ...(where === null ? [] : [where])];
    if (writer.reader.isOpenOn(facts, writer.reader.grantsShowing(entity, ...fields))) continue;
    return { role: writer.role, hidden: entity.name };
  }
  return undefined;
};

/** `employee == user` for a field that the document sets to the user. */
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

const findUniquenessLeaks = (about: About): readonly Finding[] =>
  about.entity.uniquenessRules.flatMap((rule) => {
    const fields = [...rule.same, ...(rule.range === null ? [] : [rule.range.from, rule.range.to])];
    return report(about, rule.clause, `The rule ${rule.error}`, findSameValueLeak(about, fields, rule.where));
  });

const findFieldLeaks = (about: About): readonly Finding[] => {
  const boundedFields = findBoundedFields(about.entity, null);
  return [...about.entity.fields.values()].flatMap((field) => {
    const { entity } = about;
    const key = `${entity.name}.${field.name}`;
    const { creators, changers, makers } = about.writers;
    const writers = (fields: readonly string[]) => [...creators(), ...changers(fields)];
    return [
      // Email addresses are excluded, because sign-in reveals them in the same way. Generated numbers are excluded,
      // because nobody enters one and so nobody is refused.
      ...(field.unique && field.storage.as === "column" && !isSequence(field.type) && field.clause.span.file !== ""
        ? report(
            about,
            field.clause,
            `The uniqueness of ${field.name}`,
            findSameValueLeak(about, [field.name], null),
            key,
          )
        : []),
      ...(field.among === null
        ? []
        : report(
            about,
            field.clause,
            `The list of choices for ${field.name}`,
            findLearntData(
              about,
              [...writers([field.name]), ...[...(entity.states?.transitions.values() ?? [])].flatMap(makers)].filter(
                ({ writableFields }) => writableFields.has(field.name),
              ),
              [field.among.list],
            ),
            key,
          )),
      ...(field.needed === null
        ? []
        : report(
            about,
            field.clause,
            `The condition that makes ${field.name} required`,
            findLearntData(about, writers([...field.needed.reads]), [field.needed.holds]),
            key,
          )),
      ...(boundedFields.includes(field)
        ? report(
            about,
            field.clause,
            `“${field.max === null ? "min" : "max"}” of ${field.name}`,
            findComparedData(about, field.name),
            key,
          )
        : []),
    ].slice(0, 1);
  });
};

/**
 * Data that the bounds of a field reveal: they are compared with the value that a transition sets, and the refusal tells
 * its maker what the value depends on. Defaults read as their creator, so their refusals reveal nothing.
 */
const findComparedData = ({ model: { entities }, entity, writers }: About, name: string): Learnt | undefined => {
  for (const transition of entity.states?.transitions.values() ?? []) {
    const value = transition.set.get(name);
    if (value === undefined) continue;
    for (const { role, reader, facts, writableFields } of writers.makers(transition)) {
      // The value sees what the transition asks for, and otherwise the record as it was.
      const written = (field: string) => (writableFields.has(field) ? "given" : undefined);
      const hidden = findHiddenRead(value, { entities, entity, reader, facts, written });
      if (hidden !== undefined) return { role, hidden };
    }
  }
  return undefined;
};
