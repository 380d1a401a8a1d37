import { messageText } from "../i18n/languages.ts";
import { type Message, quoted, say } from "../i18n/message.ts";
import type { Entity } from "../model/entity.ts";
import type { Model } from "../model/model.ts";
import { alignNames } from "./align/align-names.ts";
import type { BehaviourLine } from "./behaviour-line.ts";
import { compareCalls } from "./calls/compare-calls.ts";
import { compareApproval } from "./clauses/approval.ts";
import { compareCallSettings } from "./clauses/call-settings.ts";
import { compareDeputies } from "./clauses/deputies.ts";
import { compareEffects } from "./clauses/effects.ts";
import { compareErrors } from "./clauses/errors.ts";
import { compareFields } from "./clauses/fields/fields.ts";
import { compareLabels } from "./clauses/labels.ts";
import { compareLimits } from "./clauses/limits.ts";
import { comparePermissions, foldDefaultPermissions } from "./clauses/permissions.ts";
import { compareProduct } from "./clauses/product.ts";
import { compareRoles } from "./clauses/roles.ts";
import { compareRules } from "./clauses/rules.ts";
import { compareScreens } from "./clauses/screens.ts";
import { compareSignIn } from "./clauses/sign-in.ts";
import { compareStates } from "./clauses/states.ts";
import {
  type ComparedLine,
  createLine,
  findChangedKeys,
  findOtherMembers,
  pairUp,
  withDifference,
} from "./compared-line.ts";
import { type Comparison, createComparison } from "./comparison.ts";
import { compareConditions } from "./conditions.ts";
import { hasSameMeaning } from "./meaning.ts";

/**
 * The differences in behaviour between two versions of a document, ordered by point and then by position. Declared
 * renamings (`was:`), the order of clauses and the layout of the text give no line.
 */
export const compareBehaviour = (before: Model, after: Model): readonly BehaviourLine[] =>
  toLines(compareWithProofs(before, after));

/** Lines without their proofs. Lines whose clauses share an id with others include the spans. */
const toLines = (lines: readonly ComparedLine[]): readonly BehaviourLine[] => {
  const starts = new Map<string, Set<number>>();
  const key = (of: "before" | "after", line: ComparedLine): string => `${of} ${line[of]}`;
  const sides = ["before", "after"] as const;
  for (const line of lines)
    for (const of of sides) {
      const start = line.spans?.[of]?.start;
      if (start !== undefined) starts.set(key(of, line), (starts.get(key(of, line)) ?? new Set()).add(start));
    }
  return lines.map((line) => {
    const isShared = line.hasSharedId === true || sides.some((of) => (starts.get(key(of, line))?.size ?? 0) > 1);
    return { ...toLine(line), ...(isShared && line.spans !== undefined ? { spans: line.spans } : {}) };
  });
};

/** The line without its proof, with its sentence. */
export const toLine = ({
  proof: _,
  basis: __,
  spans: ___,
  hasSharedId: ____,
  parts,
  ...line
}: ComparedLine): BehaviourLine => ({
  ...line,
  text: messageText(line.message),
  ...(parts === undefined ? {} : { parts: parts.map((message) => ({ text: messageText(message), message })) }),
});

/** The lines, each with the proof of the solver. */
export const compareWithProofs = (before: Model, after: Model): readonly ComparedLine[] => {
  const comparison = createComparison(before, alignNames(before, after), after);
  const entities = pairUp(comparison.before.entities, after.entities);
  const lines = [
    ...compareProduct(comparison),
    ...compareScreens(comparison),
    ...entities.added.flatMap((entity) => addedEntity(comparison, entity)),
    ...entities.removed.map((entity) => removedEntity(comparison, entity)),
    ...foldDefaultPermissions(
      comparison,
      entities.both.flatMap((pair) => compareEntity(comparison, pair.before, pair.after)),
    ),
    ...compareLabels(comparison),
    ...compareRoles(comparison),
    ...compareApproval(comparison),
    ...compareDeputies(comparison),
    ...compareSignIn(comparison),
    ...compareCallSettings(comparison),
    ...compareCalls(comparison),
    ...compareErrors(comparison),
    ...compareLimits(comparison),
  ];
  const known = new Set<string>();
  return lines
    .filter(({ subject, message }) => {
      const key = `${subject} ${JSON.stringify(message)}`;
      return !known.has(key) && known.add(key);
    })
    .toSorted((a, b) => a.point - b.point);
};

const addedEntity = (comparison: Comparison, entity: Entity): readonly ComparedLine[] => [
  createLine(
    {
      point: 3,
      subject: entity.name,
      effect: "adds",
      message: say("entity.added", { name: entity.name, many: comparison.words.many(entity) }),
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
      message: say("entity.removed", { name: entity.name, many: words.many(entity) }),
    },
    { before: entity, after: undefined },
  );

const compareEntity = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => [
  ...compareProperties(comparison, before, after),
  ...compareFields(comparison, before, after),
  ...compareRecords(comparison, before, after),
  ...compareStates(comparison, before, after),
  ...compareEffects(comparison, before, after),
  ...compareRules(comparison, before, after),
  ...comparePermissions(comparison, { before, after }),
];

const compareProperties = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const line = (effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point: 3, subject: after.name, effect, message, ...more }, { before, after });
  const many = comparison.words.many(after);
  const others = findOtherMembers(before, after, [
    ...(["name", "table", "path", "label", "called", "served", "fields", "rows", "states"] as const),
    ...(["rules", "records", "after", "reminders", "uniquenessRules", "roles", "permissions"] as const),
  ]);
  return [
    ...(hasSameMeaning(before.label, after.label) ? [] : [line("changes", say("entity.labelled", { many }))]),
    ...(hasSameMeaning(before.called, after.called)
      ? []
      : [
          line(
            "changes",
            say("entity.called", {
              name: after.name,
              now: quoted(after.called.one),
              before: quoted(before.called.one),
            }),
          ),
        ]),
    ...(before.path === after.path
      ? []
      : [
          line("changes", say("entity.address", { many, now: after.path, before: before.path }), {
            loses: "compatibility",
          }),
        ]),
    ...compareRows(comparison, before, after, line),
    ...others.map((member) =>
      line("changes", say("entity.other", { name: after.name, member }), { certainty: "possible" }),
    ),
  ];
};

/** Lines about the sources of derived rows. */
const compareRows = (
  comparison: Comparison,
  before: Entity,
  after: Entity,
  line: (effect: ComparedLine["effect"], message: Message, more?: Partial<ComparedLine>) => ComparedLine,
): readonly ComparedLine[] => {
  const many = comparison.words.many(after);
  const [one, other] = [before.rows, after.rows];
  if (hasSameMeaning(one, other)) return [];
  if (one === null) return [line("changes", say("entity.derived", { many }), { loses: "data" })];
  if (other === null) return [line("changes", say("entity.plain", { many }))];
  if (!hasSameMeaning(one.sources, other.sources))
    return [line("changes", say("entity.derived.differently", { many }))];
  const { wider, narrower } = compareConditions(comparison, one.where, other.where);
  return [
    ...(wider === undefined ? [] : [withDifference(line("changes", say("entity.derived.more", { many })), wider)]),
    ...(narrower === undefined
      ? []
      : [withDifference(line("changes", say("entity.derived.fewer", { many })), narrower)]),
  ];
};

/** Lines about seed records. */
const compareRecords = ({ words }: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const { both, added, removed } = pairUp(before.records, after.records);
  const about = (key: string) => ({ point: 3 as const, subject: `${after.name}.${key}` });
  return [
    ...added.map((record) =>
      createLine(
        { ...about(record.key), effect: "adds", message: say("record.added", { name: `${after.name}.${record.key}` }) },
        { before: undefined, after: record },
      ),
    ),
    ...removed.map((record) =>
      createLine(
        {
          ...about(record.key),
          effect: "removes",
          message: say("record.removed", { name: `${after.name}.${record.key}` }),
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
                message: say("record.changed", {
                  name: `${after.name}.${pair.name}`,
                  fields: words.fields(after, findChangedKeys(pair.before.values, pair.after.values)),
                }),
              },
              pair,
            ),
          ],
    ),
  ];
};
