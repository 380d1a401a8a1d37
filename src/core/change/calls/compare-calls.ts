import { allRoles, buildOpenapi } from "../../derive/openapi/openapi.ts";
import { alternatives, andList, commaList, type Message, type MessageValue, quoted, say } from "../../i18n/message.ts";
import type { Clause } from "../../model/clause.ts";
import { bodyForms, type Call, type Gives } from "../../model/endpoint.ts";
import type { Model } from "../../model/model.ts";
import { noSorting } from "../../model/paging.ts";
import type { JsonSchema } from "../../wire/json.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning } from "../meaning.ts";
import { compareCallNames } from "./call-names.ts";
import { describeCall } from "./describe-call.ts";
import {
  anyAnswer,
  anyInput,
  type CallFact,
  compareOperations,
  type DescribedOperation,
  getOperations,
  pairDescriptions,
  withoutNames,
} from "./openapi-difference.ts";

/**
 * Lines about the calls (point 7), from the OpenAPI descriptions of both versions for a caller with every role. A line
 * that `loses` compatibility means that a program that worked before can fail.
 */
export const compareCalls = (comparison: Comparison): readonly ComparedLine[] => [
  ...compareCallNames(comparison, buildDescription),
  ...compareDescriptions(comparison),
  ...compareOwnCalls(comparison),
];

interface ClausePair {
  readonly before: { readonly clause: Clause | null };
  readonly after: { readonly clause: Clause | null };
}

/** Calls of one entity are compared together; custom endpoints are compared individually. */
interface Group {
  readonly key: string;
  /** "The calls of loans" */
  readonly of: Message;
  readonly isOne: boolean;
  /** The call or the entity, in both versions. */
  readonly clauses: ClausePair;
  readonly removed: string[];
  readonly added: string[];
  readonly unchanged: string[];
  readonly breaking: CallFact[];
}

/**
 * An entity whose conventional calls change without breaking a client; they are reported together with those of its
 * custom endpoints.
 */
interface FoldedGroup extends Pick<Group, "key" | "clauses"> {
  readonly calls: {
    readonly name: string;
    /** True for a call of the document, with a clause of its own. */
    readonly isOwn: boolean;
    readonly clauses: ClausePair;
    readonly facts: readonly CallFact[];
  }[];
}

const compareDescriptions = (comparison: Comparison): readonly ComparedLine[] => {
  const { before, after, words } = comparison;
  const [one, other] = [buildDescription(before), buildDescription(after)];
  const pair = pairDescriptions(one, other);
  const [old, now] = [getOperations(one), getOperations(other)];
  const shown = new Map([...before.calls, ...after.calls].map((call) => [call.name, call]));
  const findClause = (model: Model, call: Call | undefined, entity: string): { readonly clause: Clause | null } => {
    const own = call && model.calls.find((other) => withoutNames(other.name) === withoutNames(call.name));
    return { clause: own?.clause ?? model.entities.get(entity)?.clause ?? null };
  };
  const findClauses = (call: Call | undefined, entity: string): ClausePair => ({
    before: findClause(before, call, entity),
    after: findClause(after, call, entity),
  });
  const groups = new Map<string, Group>();
  const folds = new Map<string, FoldedGroup>();
  const entityAt = (key: string) => after.entities.get(key) ?? before.entities.get(key);
  const getTag = ({ node }: DescribedOperation): string => String(Array.isArray(node.tags) ? node.tags[0] : undefined);
  const getGroup = (operation: DescribedOperation): Group => {
    const { name, node } = operation;
    const call = shown.get(String(node.operationId));
    const key = call === undefined ? getTag(operation) : name;
    const entity = entityAt(key);
    const group = groups.get(key) ?? {
      key,
      of: entity === undefined ? say("call.of", { name }) : say("calls.of", { many: words.many(entity) }),
      isOne: entity === undefined,
      clauses: findClauses(call, key),
      removed: [],
      added: [],
      unchanged: [],
      breaking: [],
    };
    groups.set(key, group);
    return group;
  };
  const foldGroup = (operation: DescribedOperation, { key, clauses }: Group): FoldedGroup => {
    const entity = entityAt(getTag(operation));
    const own =
      entity === undefined ? { key, clauses } : { key: entity.name, clauses: findClauses(undefined, entity.name) };
    const fold = folds.get(own.key) ?? { ...own, calls: [] };
    folds.set(own.key, fold);
    return fold;
  };
  for (const [key, operation] of now) {
    const was = old.get(key);
    const group = getGroup(operation);
    if (was === undefined) {
      group.added.push(operation.name);
      continue;
    }
    group.unchanged.push(operation.name);
    const facts = compareOperations(was, operation, pair);
    group.breaking.push(...facts.filter((fact) => fact.breaking));
    const compatible = facts.filter((fact) => !fact.breaking);
    if (compatible.length > 0)
      foldGroup(operation, group).calls.push({
        name: operation.name,
        isOwn: group.isOne,
        clauses: group.clauses,
        facts: compatible,
      });
  }
  for (const [key, operation] of old) if (!now.has(key)) getGroup(operation).removed.push(operation.name);
  return [
    ...[...groups.values()].flatMap((group) => buildLines(comparison, group)),
    ...[...folds.values()].flatMap(unfold).map((fold) => foldedLine(comparison, fold)),
  ];
};

const descriptions = new WeakMap<Model, JsonSchema>();

/** Cached, because an editor compares one version with many. */
const buildDescription = (model: Model): JsonSchema => {
  const known =
    descriptions.get(model) ??
    buildOpenapi(model, allRoles(model), { version: 0, cookie: "session", refusals: false, imports: false });
  descriptions.set(model, known);
  return known;
};

const buildLines = (
  { before, after }: Comparison,
  { key, of, isOne, clauses, removed, added, unchanged, breaking }: Group,
): readonly ComparedLine[] => {
  const lines: ComparedLine[] = [];
  const isNew = !before.entities.has(key) && after.entities.has(key);
  const line = (effect: ComparedLine["effect"], message: Message, loses: ComparedLine["loses"] = null): void => {
    lines.push(
      createLine(
        { point: 7, subject: key, effect, message, loses },
        {
          before: effect === "adds" ? undefined : clauses.before,
          after: effect === "removes" ? undefined : clauses.after,
        },
      ),
    );
  };
  if (removed.length > 0)
    line(
      "removes",
      unchanged.length + added.length === 0 && removed.length > 1
        ? say("calls.removed", { of, names: commaList(removed) })
        : say("call.removed", { names: alternatives(removed) }),
      "compatibility",
    );
  if (added.length > 0 && !isNew) line("adds", say("call.added", { names: commaList(added) }));
  if (added.length > 0 && isNew) line("adds", say("calls.added", { of, names: commaList(added) }));
  if (breaking.length > 0)
    line(
      "changes",
      say(isOne ? "call.breaking" : "calls.breaking", { of, facts: listFacts(breaking, isOne) }),
      "compatibility",
    );
  return lines;
};

/** Puts each call of the document that changes in a way of its own into a line of its own. */
const unfold = (fold: FoldedGroup): readonly FoldedGroup[] => {
  const isShared = (call: FoldedGroup["calls"][number]): boolean =>
    !call.isOwn ||
    fold.calls.some(
      (other) =>
        other !== call &&
        call.facts.every(({ id, name }) => other.facts.some((fact) => fact.id === id && fact.name === name)),
    );
  const shared = fold.calls.filter(isShared);
  const alone = fold.calls.filter((call) => !isShared(call));
  return [
    ...(shared.length > 0 ? [{ ...fold, calls: shared }] : []),
    ...alone.map((call) => ({ ...fold, calls: [call] })),
  ];
};

/** One line for the compatible changes of several calls of an entity. */
const foldedLine = ({ before, after, words }: Comparison, { key, clauses, calls }: FoldedGroup): ComparedLine => {
  const entity = after.entities.get(key) ?? before.entities.get(key);
  const [first, ...more] = calls;
  const about = (name: string, facts: readonly CallFact[]): Message =>
    say("call.compatible", { of: say("call.of", { name }), facts: listFacts(facts, true) });
  const isOne = more.length === 0 || entity === undefined;
  return createLine(
    {
      point: 7,
      subject: key,
      effect: "changes",
      message:
        isOne && first !== undefined
          ? about(first.name, first.facts)
          : say("calls.compatible", {
              count: calls.length,
              many: entity === undefined ? key : words.many(entity),
              facts: listFacts(
                calls.flatMap(({ facts }) => facts),
                false,
              ),
            }),
      ...(isOne ? {} : { parts: calls.map(({ name, facts }) => about(name, facts)) }),
    },
    isOne && first !== undefined ? first.clauses : clauses,
  );
};

/** Facts whose names are status codes and content types. */
const factsOfFormats: readonly CallFact["id"][] = [
  "fact.status",
  "fact.not.status",
  "fact.answers.as",
  "fact.not.answers.as",
];

/** Facts that are told together if they are about the same names. */
const toldTogether = [
  ["fact.limited.by", "fact.sorted.by", "facts.filtered.sorted"],
  ["fact.not.limited.by", "fact.not.sorted.by", "facts.not.filtered.sorted"],
  ["fact.gives", "fact.accepts", "facts.gives.accepts"],
  ["fact.not.gives", "fact.not.accepts", "facts.not.gives.accepts"],
] as const;

/** "can now be filtered and sorted by due_day, and now give due_day" */
const listFacts = (facts: readonly CallFact[], isOne: boolean): MessageValue => {
  const names = new Map<CallFact["id"], Set<string>>();
  // A page has its records in `items`.
  for (const { id, name } of facts) names.set(id, (names.get(id) ?? new Set()).add(name.replace(/^items\./u, "")));
  const getFactName = (id: CallFact["id"], name: string): MessageValue => {
    if (name === anyInput) return say("fact.input", {});
    if (name === anyAnswer) return say("fact.answer", {});
    // A name can be a word of the sentence: “now require “form””.
    return factsOfFormats.includes(id) ? name : quoted(name);
  };
  const phrases = [...names].flatMap(([id, those]): readonly Message[] => {
    const together = toldTogether.find(
      ([first, second]) => (id === first || id === second) && hasSameNames(names.get(first), names.get(second)),
    );
    if (together !== undefined && id === together[1]) return [];
    const values = { names: andList([...those].map((name) => getFactName(id, name))), one: isOne };
    return [together === undefined ? say(id, values) : say(together[2], values)];
  });
  return phrases.reduce((before, next, at) =>
    at === phrases.length - 1 ? say("facts.last", { before, next }) : say("facts.next", { before, next }),
  );
};

const hasSameNames = (one?: ReadonlySet<string>, other?: ReadonlySet<string>): boolean =>
  one !== undefined && one.size === other?.size && [...one].every((name) => other.has(name));

/** The values in the shapes that a response uses, by shape and name. */
const shapeValues = (call: Call, shapes: Model["shapes"]): ReadonlyMap<string, Gives> => {
  const found = new Map<string, Gives>();
  const visit = (gives: Gives, path: string): void => {
    if (gives.kind === "names") for (const [name, of] of gives.of) visit(of, `${path}.${name}`);
    else if (!found.has(path)) {
      found.set(path, gives);
      const shape = gives.kind === "shape" ? shapes.get(gives.shape) : undefined;
      if (gives.kind === "shape" && shape !== undefined) visit(shape, gives.shape);
    }
  };
  const { does } = call;
  for (const { gives } of does.kind === "steps" ? does.steps : [does]) if (gives !== null) visit(gives, "");
  return new Map([...found].filter(([path]) => path !== "" && !path.startsWith(".")));
};

/**
 * True if a shape that both calls use has another value for a name. Added and removed names are found in the
 * descriptions.
 */
const hasOtherValues = (one: Call, before: Model["shapes"], other: Call, after: Model["shapes"]): boolean => {
  const later = shapeValues(other, after);
  return [...shapeValues(one, before)].some(
    ([path, gives]) => later.has(path) && !hasSameMeaning(gives, later.get(path)),
  );
};

/** Lines about custom endpoints, apart from their schema: callers, records, and written values. */
const compareOwnCalls = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const byName = (calls: readonly Call[]) => new Map(calls.map((call) => [withoutNames(call.name), call]));
  return pairUp(byName(before.calls), byName(after.calls)).both.flatMap((pair): readonly ComparedLine[] => {
    const [one, other] = [pair.before, pair.after];
    const line = (effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
      createLine({ point: 7, subject: other.name, effect, message, ...more }, pair);
    const lines: ComparedLine[] = [];
    if (!hasSameMeaning(one.by?.toSorted(), other.by?.toSorted())) {
      const fewer = other.by !== null && (one.by === null || one.by.some((role) => other.by?.includes(role) !== true));
      lines.push(
        line(
          fewer ? "forbids" : "allows",
          other.by === null
            ? say("call.by.everybody", { name: other.name })
            : say("call.by", { name: other.name, roles: andList(other.by) }),
          {
            loses: fewer ? "access" : null,
          },
        ),
      );
    }
    if (!hasSameMeaning(one.errors, other.errors))
      lines.push(line("changes", say("call.errors", { name: other.name }), { loses: "compatibility" }));
    if (one.ignoresUnknown !== other.ignoresUnknown)
      lines.push(
        other.ignoresUnknown
          ? line("allows", say("call.unknown.ignored", { name: other.name }))
          : line("forbids", say("call.unknown.refused", { name: other.name }), { loses: "compatibility" }),
      );
    for (const form of bodyForms)
      if (one.accepts[form] !== other.accepts[form])
        lines.push(
          other.accepts[form]
            ? line("allows", say(`call.accepts.${form}`, { name: other.name }))
            : line("forbids", say(`call.refuses.${form}`, { name: other.name }), { loses: "compatibility" }),
        );
    if (one.omitsMissing !== other.omitsMissing)
      lines.push(
        line("changes", say(other.omitsMissing ? "call.missing.omitted" : "call.missing.null", { name: other.name }), {
          loses: "compatibility",
        }),
      );
    const others = findOtherMembers(withoutChoices(one), withoutChoices(other), [
      ...(["name", "by", "path", "status", "errors", "ignoresUnknown", "omitsMissing", "accepts"] as const),
    ]);
    const described = describeCall(one, before.shapes, other, after.shapes);
    const isOther =
      others.some((member) => member !== "headers") || hasOtherValues(one, before.shapes, other, after.shapes);
    const messages = [
      ...(others.includes("headers") ? [say("call.headers", { name: other.name })] : []),
      ...(isOther ? (described ?? [say("call.differently", { name: other.name })]) : []),
    ];
    lines.push(...messages.map((message) => line("changes", message, { certainty: "possible" })));
    return lines;
  });
};

/** Removes the sort fields and the selectable members of a call, because the descriptions show their differences. */
const withoutChoices = (call: Call): Call =>
  call.does.kind !== "steps"
    ? call
    : {
        ...call,
        does: {
          ...call.does,
          steps: call.does.steps.map((step) => ({
            ...step,
            selectable: [],
            does: step.does.kind === "list" ? { ...step.does, sorting: noSorting } : step.does,
          })),
        },
      };
