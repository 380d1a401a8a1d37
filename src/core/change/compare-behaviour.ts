import type { Entity, Model } from "../model/model.ts";
import { alignNames } from "./align/align-names.ts";
import { compareApproval } from "./approval.ts";
import type { BehaviourLine } from "./behaviour-line.ts";
import { compareCalls } from "./calls.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp } from "./compared-line.ts";
import { type Comparison, createComparison } from "./comparison.ts";
import { compareEffects } from "./effects.ts";
import { compareFields } from "./fields.ts";
import { hasSameMeaning } from "./meaning.ts";
import { comparePermissions } from "./permissions.ts";
import { compareRules } from "./rules.ts";
import { compareScreens } from "./screens.ts";
import {
  compareCallSettings,
  compareErrors,
  compareLimits,
  compareProduct,
  compareRoles,
  compareSignIn,
} from "./settings.ts";
import { compareStates } from "./states.ts";

/**
 * The differences in behaviour between two versions of a document, ordered by point and then by place. A renaming that
 * the later version declares (`was:`), another order of clauses and another layout of the text give no line.
 */
export const compareBehaviour = (before: Model, after: Model): readonly BehaviourLine[] =>
  compareWithProofs(before, after).map(({ proof: _, basis: __, ...line }) => line);

/** The lines, each with the decision of the solver behind it. */
export const compareWithProofs = (before: Model, after: Model): readonly ComparedLine[] => {
  const comparison = createComparison(alignNames(before, after), after);
  const entities = pairUp(comparison.before.entities, after.entities);
  const lines = [
    ...compareProduct(comparison),
    ...compareScreens(comparison),
    ...entities.added.flatMap((entity) => addedEntity(comparison, entity)),
    ...entities.removed.map((entity) => removedEntity(comparison, entity)),
    ...entities.both.flatMap((pair) => compareEntity(comparison, pair.before, pair.after)),
    ...compareRoles(comparison),
    ...compareApproval(comparison),
    ...compareSignIn(comparison),
    ...compareCallSettings(comparison),
    ...compareCalls(comparison),
    ...compareErrors(comparison),
    ...compareLimits(comparison),
  ];
  const known = new Set<string>();
  return lines
    .filter(({ subject, text }) => !known.has(`${subject} ${text}`) && known.add(`${subject} ${text}`))
    .toSorted((a, b) => a.point - b.point);
};

const addedEntity = (comparison: Comparison, entity: Entity): readonly ComparedLine[] => [
  createLine(
    {
      point: 3,
      subject: entity.name,
      effect: "adds",
      text: `There is a new entity, ${entity.name}: ${comparison.words.many(entity)}.`,
    },
    { before: undefined, after: entity },
  ),
  ...comparePermissions(comparison, { before: undefined, after: entity }),
];

const removedEntity = ({ words }: Comparison, entity: Entity): ComparedLine =>
  createLine(
    {
      point: 3,
      subject: entity.name,
      effect: "removes",
      loses: "data",
      text: `The entity ${entity.name} is removed, with its fields, rules and permissions: ${words.many(entity)}.`,
    },
    { before: entity, after: undefined },
  );

const compareEntity = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => [
  ...compareOwn(comparison, before, after),
  ...compareFields(comparison, before, after),
  ...compareRecords(comparison, before, after),
  ...compareStates(comparison, before, after),
  ...compareEffects(comparison, before, after),
  ...compareRules(comparison, before, after),
  ...comparePermissions(comparison, { before, after }),
];

const compareOwn = ({ words }: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const line = (effect: ComparedLine["effect"], text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point: 3, subject: after.name, effect, text, ...more }, { before, after });
  const many = words.many(after);
  const others = findOtherMembers(before, after, [
    ...(["name", "table", "path", "label", "called", "served", "fields", "rows", "states"] as const),
    ...(["rules", "records", "after", "together", "roles", "permissions"] as const),
  ]);
  return [
    ...(hasSameMeaning(before.label, after.label)
      ? []
      : [line("changes", `The records of ${many} are labelled differently.`)]),
    ...(hasSameMeaning(before.called, after.called)
      ? []
      : [line("changes", `${after.name} is now called “${after.called.one}” instead of “${before.called.one}”.`)]),
    ...(before.path === after.path
      ? []
      : [
          line("changes", `The addresses of ${many} are at ${after.path} instead of ${before.path}.`, {
            loses: "compatibility",
          }),
        ]),
    ...(hasSameMeaning(before.rows, after.rows)
      ? []
      : [
          line(
            "changes",
            before.rows === null
              ? `The records of ${many} now follow from other records, and nobody can write them.`
              : after.rows === null
                ? `The records of ${many} no longer follow from other records.`
                : `The records of ${many} follow from other records differently.`,
            before.rows === null ? { loses: "data" } : { certainty: "possible" },
          ),
        ]),
    ...others.map((member) =>
      line("changes", `${after.name} reads differently: ${member}.`, { certainty: "possible" }),
    ),
  ];
};

/** Lines about seed records. */
const compareRecords = (_: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const { both, added, removed } = pairUp(before.records, after.records);
  const about = (key: string) => ({ point: 3 as const, subject: `${after.name}.${key}` });
  return [
    ...added.map((record) =>
      createLine(
        { ...about(record.key), effect: "adds", text: `There is a new record ${after.name}.${record.key}.` },
        { before: undefined, after: record },
      ),
    ),
    ...removed.map((record) =>
      createLine(
        {
          ...about(record.key),
          effect: "removes",
          text: `The record ${after.name}.${record.key} no longer belongs to the document; it stays as an ordinary record.`,
        },
        { before: record, after: undefined },
      ),
    ),
    ...both.flatMap((pair) =>
      hasSameMeaning(pair.before.values, pair.after.values)
        ? []
        : [
            createLine(
              {
                ...about(pair.name),
                effect: "changes",
                text: `The record ${after.name}.${pair.name} has other values.`,
              },
              pair,
            ),
          ],
    ),
  ];
};
