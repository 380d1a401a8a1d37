import { andList, type Message, say } from "../../i18n/message.ts";
import type { Call, CallStep, Gives, TakenField } from "../../model/endpoint.ts";
import type { Model } from "../../model/model.ts";
import type { PagingBy } from "../../model/paging.ts";
import { findChangedKeys } from "../compared-line.ts";
import { hasSameMeaning } from "../meaning.ts";

/** Describes the differences of a call that its description does not show; undefined if they cannot be told in parts. */
export const describeCall = (
  one: Call,
  before: Model["shapes"],
  other: Call,
  after: Model["shapes"],
): readonly Message[] | undefined => {
  if (one.does.kind !== "steps" || other.does.kind !== "steps") return undefined;
  const [old, now] = [one.does.steps, other.does.steps];
  if (old.length !== now.length) return undefined;
  const messages: Message[] = [];
  for (const [i, step] of now.entries()) {
    const was = old[i];
    if (was === undefined || was.entity !== step.entity || was.does.kind !== step.does.kind) return undefined;
    messages.push(...describeStep(other.name, was, before, step, after));
  }
  return messages;
};

const describeStep = (
  name: string,
  one: CallStep,
  before: Model["shapes"],
  other: CallStep,
  after: Model["shapes"],
): readonly Message[] => {
  const withNames = (
    id: "call.query" | "call.query.rule" | "call.query.default" | "call.writes" | "call.takes" | "call.gives",
    names: readonly string[],
  ): readonly Message[] => (names.length === 0 ? [] : [say(id, { name, names: andList(names) })]);
  const queries = ({ query }: CallStep, member: "where" | "default" | "rule") =>
    new Map(query.map((parameter) => [parameter.name, parameter[member]]));
  const isSorted =
    one.does.kind !== "list" || other.does.kind !== "list" || hasSameMeaning(one.does.sort, other.does.sort);
  return [
    ...(hasSameMeaning(one.where, other.where) ? [] : [say("call.records", { name })]),
    ...(hasSameMeaning(one.when, other.when) ? [] : [say("call.when", { name })]),
    ...withNames("call.query", [
      ...changedIn(queries(one, "where"), queries(other, "where")),
      ...changedIn(pageStarts(one), pageStarts(other)),
    ]),
    ...withNames("call.query.rule", changedIn(queries(one, "rule"), queries(other, "rule"))),
    ...withNames("call.query.default", [
      ...changedIn(queries(one, "default"), queries(other, "default")),
      ...changedIn(pageSizes(one), pageSizes(other)),
    ]),
    ...(isSorted ? [] : [say("call.sorted", { name })]),
    ...withNames("call.writes", findChangedKeys(one.set, other.set)),
    ...withNames("call.takes", changedIn(takenFields(one.takes), takenFields(other.takes))),
    ...withNames("call.gives", changedIn(givenValues(one.gives, before), givenValues(other.gives, after))),
  ];
};

const pagesOf = ({ does }: CallStep): readonly PagingBy[] =>
  does.kind === "list" && does.paging.by !== "none" ? [does.paging] : [];

/** The parameter with which a page starts, and how. */
const pageStarts = (step: CallStep): ReadonlyMap<string, unknown> =>
  new Map(pagesOf(step).map(({ start, by }) => [start, by]));

/** The parameter for the number of records of a page, and how many there are without it. */
const pageSizes = (step: CallStep): ReadonlyMap<string, unknown> =>
  new Map(pagesOf(step).map(({ limit, size }) => [limit, size]));

/** Names in both versions with another value. The description shows names of one version. */
const changedIn = (before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): readonly string[] =>
  findChangedKeys(before, after).filter((name) => before.has(name) && after.has(name));

/** The fields in which the members of a request are stored. */
const takenFields = (takes: readonly TakenField[] | null): ReadonlyMap<string, unknown> =>
  new Map((takes ?? []).map(({ path, field, by }) => [path.join("."), [field, by]]));

/** The values of the members of a response, with those of the shapes that it applies. */
const givenValues = (gives: Gives | null, shapes: Model["shapes"]): ReadonlyMap<string, unknown> => {
  const found = new Map<string, unknown>();
  const visit = (value: Gives, path: string, applied: ReadonlySet<string>): void => {
    if (value.kind === "names") {
      for (const [name, inner] of value.of) visit(inner, path === "" ? name : `${path}.${name}`, applied);
      return;
    }
    found.set(path, value);
    if (value.kind !== "shape" || applied.has(value.shape)) return;
    const shape = shapes.get(value.shape);
    if (shape !== undefined) visit(shape, path, new Set([...applied, value.shape]));
  };
  if (gives !== null) visit(gives, "", new Set());
  found.delete("");
  return found;
};
