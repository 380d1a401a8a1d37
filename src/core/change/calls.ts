import { buildOpenapi, everybody } from "../derive/openapi/openapi.ts";
import type { Call, Clause, Model } from "../model/model.ts";
import type { JsonSchema } from "../wire/json.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";
import { hasSameMeaning } from "./meaning.ts";
import {
  type CallFact,
  compareOperations,
  type DescribedOperation,
  operationsOf,
  pairDescriptions,
  withoutNames,
} from "./openapi-difference.ts";
import { andList } from "./words.ts";

/**
 * Lines about the calls (point 7), from the OpenAPI descriptions of both versions for a caller with every role. A line
 * that `loses` compatibility means that a program that worked before can fail.
 */
export const compareCalls = (comparison: Comparison): readonly ComparedLine[] => [
  ...compareDescriptions(comparison),
  ...compareOwnCalls(comparison),
];

/** Calls are compared together if they belong to one entity, and on their own if the document shows them. */
interface Group {
  readonly key: string;
  readonly title: string;
  readonly clause: Clause | null;
  readonly removed: string[];
  readonly added: string[];
  readonly kept: string[];
  readonly facts: CallFact[];
}

const compareDescriptions = (comparison: Comparison): readonly ComparedLine[] => {
  const { before, after, words } = comparison;
  const [one, other] = [descriptionOf(before), descriptionOf(after)];
  const pair = pairDescriptions(one, other);
  const [old, now] = [operationsOf(one), operationsOf(other)];
  const shown = new Map([...before.calls, ...after.calls].map((call) => [call.name, call]));
  const groups = new Map<string, Group>();
  const groupOf = ({ name, node }: DescribedOperation): Group => {
    const call = shown.get(String(node.operationId));
    const [tag] = Array.isArray(node.tags) ? node.tags : [];
    const key = call === undefined ? String(tag) : name;
    const entity = after.entities.get(key) ?? before.entities.get(key);
    const group = groups.get(key) ?? {
      key,
      title: entity === undefined ? `The call ${name}` : `The calls of ${words.many(entity)}`,
      clause: call?.clause ?? entity?.clause ?? null,
      removed: [],
      added: [],
      kept: [],
      facts: [],
    };
    groups.set(key, group);
    return group;
  };
  for (const [key, operation] of now) {
    const was = old.get(key);
    const group = groupOf(operation);
    if (was === undefined) group.added.push(operation.name);
    else {
      group.kept.push(operation.name);
      group.facts.push(...compareOperations(was, operation, pair));
    }
  }
  for (const [key, operation] of old) if (!now.has(key)) groupOf(operation).removed.push(operation.name);
  return [...groups.values()].flatMap((group) => linesOf(comparison, group));
};

const descriptions = new WeakMap<Model, JsonSchema>();

/** One version is often compared with many, as in an editor. */
const descriptionOf = (model: Model): JsonSchema => {
  const known = descriptions.get(model) ?? buildOpenapi(model, everybody(model), { version: 0, cookie: "session" });
  descriptions.set(model, known);
  return known;
};

const linesOf = ({ before, after }: Comparison, { key, title, clause, removed, added, kept, facts }: Group) => {
  const lines: ComparedLine[] = [];
  const isNew = !before.entities.has(key) && after.entities.has(key);
  const line = (effect: ComparedLine["effect"], text: string, loses: ComparedLine["loses"] = null): void => {
    lines.push(
      createLine(
        { point: 7, subject: key, effect, text, loses },
        {
          before: effect === "adds" ? undefined : { clause },
          after: effect === "removes" ? undefined : { clause },
        },
      ),
    );
  };
  const they = title.startsWith("The calls") ? "they" : "it";
  if (removed.length > 0)
    line(
      "removes",
      kept.length + added.length === 0 && removed.length > 1
        ? `${title} are removed: ${removed.join(", ")}.`
        : `There is no call ${removed.join(" or ")} any more.`,
      "compatibility",
    );
  if (added.length > 0 && !isNew) line("adds", `There is a new call: ${added.join(", ")}.`);
  if (added.length > 0 && isNew) line("adds", `${title} are new: ${added.join(", ")}.`);
  const breaking = factsText(facts.filter((fact) => fact.breaking));
  const compatible = factsText(facts.filter((fact) => !fact.breaking));
  if (breaking !== "")
    line("changes", `${title} can fail for programs that use them: ${they} ${breaking}.`, "compatibility");
  if (compatible !== "") line("changes", `${title} change in a compatible way: ${they} ${compatible}.`);
  return lines;
};

/** "no longer give remark and note, and now require due_day" */
const factsText = (facts: readonly CallFact[]): string => {
  const names = new Map<string, Set<string>>();
  // A page has its records in `items`.
  for (const { verb, name } of facts)
    names.set(verb, (names.get(verb) ?? new Set()).add(name.replace(/^items\./u, "")));
  return [...names].map(([verb, those]) => `${verb} ${andList([...those])}`).join("; ");
};

/** Lines about the calls that the document shows, apart from their form: callers, records, and written values. */
const compareOwnCalls = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const named = (calls: readonly Call[]) => new Map(calls.map((call) => [withoutNames(call.name), call]));
  return pairUp(named(before.calls), named(after.calls)).both.flatMap((pair): readonly ComparedLine[] => {
    const [one, other] = [pair.before, pair.after];
    const line = (effect: ComparedLine["effect"], text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
      createLine({ point: 7, subject: other.name, effect, text: `The call ${other.name} ${text}.`, ...more }, pair);
    const lines: ComparedLine[] = [];
    if (!hasSameMeaning(one.by?.toSorted(), other.by?.toSorted())) {
      const fewer = other.by !== null && (one.by === null || one.by.some((role) => other.by?.includes(role) !== true));
      lines.push(
        line(
          fewer ? "forbids" : "allows",
          `is now for ${other.by === null ? "everybody who can do what it does" : andList(other.by)}`,
          {
            loses: fewer ? "access" : null,
          },
        ),
      );
    }
    const others = findOtherMembers(one, other, ["name", "by", "path", "status"]);
    if (others.length > 0)
      lines.push(
        line("changes", others.includes("headers") ? "reads differently: its headers" : "works differently", {
          certainty: "possible",
        }),
      );
    return lines;
  });
};
