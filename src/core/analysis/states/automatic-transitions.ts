import { knownOfMoved, mayCollide } from "../../derive/consistency/possible-violations.ts";
import { uniquenessRulesAt } from "../../derive/consistency/uniqueness.ts";
import { readSetOf } from "../../expression/inspect/read-set.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Entity, Transition } from "../../model/model.ts";
import type { Check } from "../analyzer.ts";

/**
 * A transition that the clock makes, and that what holds between records may refuse: nobody is there who would be told, and
 * the record stays where it is. A condition of the transition that looks at the other records is taken to see to it.
 */
export const byItself: Check = ({ model }) =>
  [...model.entities.values()].flatMap((entity) =>
    [...(entity.states?.transitions.values() ?? [])].flatMap((transition): readonly Finding[] => {
      if (!isByTheClock(transition) || looksAtOthers(entity, transition)) return [];
      // Nobody makes it: what their roles say of the record is not known.
      const known = { ...knownOfMoved(model, entity, { ...transition, by: [] }), allowances: [] };
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
          `${transition.name} happens by itself, and ${clause} may refuse it because of another record. Nobody is told then, and it is tried again, later each time.`,
          "Say under “when:” that no other record stands in its way, and by another transition what becomes of the record otherwise.",
          { clause: transition.clause.id },
        ),
      );
    }),
  );

const isByTheClock = ({ timeout, once }: Transition): boolean =>
  timeout !== null || (once !== null && readSetOf(once).clock);

const looksAtOthers = (entity: Entity, { when, once }: Transition): boolean =>
  [when, once].some(
    (condition) => condition !== null && readSetOf(condition).recordReads.some((read) => read.entity === entity.name),
  );
