import { type Finding, finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Effect } from "../../model/effect.ts";
import type { Entity } from "../../model/entity.ts";
import type { Analyzer } from "../analyzer.ts";

/** Reports clauses that would write derived rows, which are never written. */
export const checkDerivedRowWrites: Analyzer = ({ model }) => [
  ...[...model.entities.values()].flatMap((entity) => (entity.rows === null ? [] : ownMistakes(entity))),
  ...[...model.entities.values()].flatMap((entity) =>
    [...entity.after.values()]
      .flat()
      .flatMap((effect) =>
        writes(effect) && model.entities.get(effect.entity)?.rows !== null
          ? [mistake(effect.clause, effect.entity)]
          : [],
      ),
  ),
];

const ownMistakes = (entity: Entity): readonly Finding[] => {
  const { create, update, delete: remove } = entity.permissions?.actions ?? { create: [], update: [], delete: [] };
  const clauses: readonly Clause[] = [
    ...[...create, ...update, ...remove].map(({ clause }) => clause),
    ...(entity.states === null ? [] : [entity.states.clause]),
    ...entity.rules.map(({ clause }) => clause),
    ...[...entity.after.values()].flat().map(({ clause }) => clause),
  ];
  return clauses.map((clause) => mistake(clause, entity.name));
};

const mistake = (clause: Clause, entity: string): Finding =>
  finding(
    "BAD_VALUE",
    clause.span,
    `Rows of ${entity} are derived from other records, so no one can write them and they have no effects.`,
    "Remove this, or move it to the entity that the rows are derived from.",
    { clause: clause.id },
  );

const writes = (effect: Effect): effect is Effect & { readonly entity: string } => "entity" in effect;
