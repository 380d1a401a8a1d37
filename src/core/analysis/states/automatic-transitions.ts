import { factsAfterTransition, mayCollide } from "../../derive/consistency/possible-violations.ts";
import { automaticTransitions } from "../../derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../derive/consistency/uniqueness.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import { recurringTransitions } from "../../model/facts/recurring-transitions.ts";
import type { Analyzer } from "../analyzer.ts";

/**
 * Finds scheduled transitions that a uniqueness rule can refuse: nobody would be notified, and the record would stay in
 * its state. A condition of the transition on the other records counts as a safeguard.
 */
export const analyzeAutomaticTransitions: Analyzer = ({ model }) =>
  [...model.entities.values()].flatMap((entity) =>
    [...(entity.states?.transitions.values() ?? [])].flatMap((transition): readonly Finding[] => {
      if (!isByTheClock(transition) || looksAtOthers(entity, transition)) return [];
      // No caller makes it, so no role conditions are known.
      const known = { ...factsAfterTransition(model, entity, { ...transition, by: [] }), permissionRules: [] };
      const changed = new Set([...transition.set.keys(), entity.states?.field ?? ""]);
      const refusing = [
        ...uniquenessRulesAt(entity, transition.name, changed)
          .filter((rule) => mayCollide(known, rule, changed))
          .map(({ clause }) => clause.id),
        ...[...transition.set.keys()].flatMap((name) => {
          const field = entity.fields.get(name);
          return field?.unique === true ? [field.clause.id] : [];
        }),
      ];
      return refusing.map((clause) =>
        finding(
          "MAY_BE_REFUSED",
          transition.clause.span,
          `${transition.name} happens automatically, but ${clause} can refuse it because of another record. No one sees the refusal, and each new attempt comes later.`,
          "Add a “when:” that checks the other records, and another transition for the records that can’t take this one.",
          { clause: transition.clause.id },
        ),
      );
    }),
  );

/**
 * Finds automatic transitions that lead back to where they start and change nothing that their condition reads, so that
 * they would never end.
 */
export const findEndlessTransitions: Analyzer = ({ model }) =>
  automaticTransitions(model).flatMap(({ owner, transition, reads: [condition] }) => {
    if (owner.states === null || !recurringTransitions(owner.states).has(transition)) return [];
    if (writtenFields(owner, transition).some((name) => condition?.fields.has(name))) return [];
    return [
      finding(
        "CYCLE",
        transition.clause.span,
        `Automatic transitions would lead ${owner.name} back to where ${transition.name} starts, in an endless circle.`,
        "Let a person make one of these transitions, or set a field that its condition reads, such as “once: next_day <= today” with “set: { next_day: next_day + 1 month }”.",
        { clause: transition.clause.id },
      ),
    ];
  });

/** The fields that a transition sets, and those that are kept until it or until one of them changes. */
const writtenFields = ({ fields }: Entity, { name, set }: Transition): readonly string[] => [
  ...set.keys(),
  ...[...fields.values()].flatMap(({ name: kept, storage }) => {
    const until = storage.as === "stored" ? storage.until : null;
    return until?.transitions.includes(name) || until?.fields.some((field) => set.has(field)) ? [kept] : [];
  }),
];

const isByTheClock = ({ timeout, once }: Transition): boolean =>
  timeout !== null || (once !== null && collectReadSet(once).clock);

const looksAtOthers = (entity: Entity, { guardAndPreconditions: guard, once }: Transition): boolean =>
  [guard, once].some(
    (condition) =>
      condition !== null && collectReadSet(condition).recordReads.some((read) => read.entity === entity.name),
  );
