import { type Message, type MessageValue, quoted, say, semicolonList } from "../../i18n/message.ts";
import type { Entity } from "../../model/entity.ts";
import type { Model, Renaming } from "../../model/model.ts";
import type { JsonSchema } from "../../wire/json.ts";
import { findRenamings } from "../align/renamings.ts";
import { type ComparedLine, createLine } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { type CallFact, compareOperations, getOperations, pairDescriptions } from "./openapi-difference.ts";

/**
 * Lines about renamed addresses, members and values that programs use. They are the differences between two
 * descriptions of the earlier version: with its own names, and with those of the later one.
 */
export const compareCallNames = (
  { former, before, after, words }: Comparison,
  describe: (model: Model) => JsonSchema,
): readonly ComparedLine[] => {
  if (former === before) return [];
  const [own, renamed] = [describe(former), describe(before)];
  const [old, now] = [own, renamed].map((schema) => [...getOperations(schema)]);
  // Renaming keeps the order of operations. If two get the same address, fewer are left.
  if (old === undefined || now === undefined || old.length !== now.length) return [];
  const pair = pairDescriptions(own, renamed);
  const later = getOperations(describe(after));
  const addresses = new Map<string, Pair[]>();
  const facts: CallFact[] = [];
  for (const [i, [, operation]] of old.entries()) {
    const [key = "", other] = now[i] ?? [];
    if (other === undefined || !later.has(key)) continue;
    facts.push(...compareOperations(operation, other, pair));
    const [tag] = Array.isArray(other.node.tags) ? other.node.tags : [];
    if (operation.name !== other.name)
      addresses.set(String(tag), [...(addresses.get(String(tag)) ?? []), [operation.name, other.name]]);
  }
  const renamings = findRenamings(former, after);
  return [...before.entities.values()].flatMap((entity) => {
    const is = after.entities.get(entity.name);
    if (is === undefined) return [];
    const about = (message: Message): ComparedLine =>
      createLine(
        { point: 7, subject: entity.name, effect: "changes", loses: "compatibility", message },
        { before: entity, after: is },
      );
    const of = say("calls.of", { many: words.many(is) });
    const moved = withoutPrefix(addresses.get(entity.name) ?? [], findFormer(former, renamings, entity), entity);
    const names = renamings
      .filter((renaming) => renaming.entity === entity.name && isUsed(renaming, facts))
      .map(({ old, now }): Pair => [old, now]);
    return [
      ...(moved.length === 0 ? [] : [about(say("calls.addresses", { of, names: list(moved) }))]),
      ...(names.length === 0
        ? []
        : [about(say("calls.names", { of, names: list(names.map(([old, now]) => [quoted(old), quoted(now)])) }))]),
    ];
  });
};

/** An earlier name and the later one. */
type Pair = readonly [old: string, now: string];

const list = (pairs: readonly (readonly [MessageValue, MessageValue])[]) =>
  semicolonList(pairs.map(([before, now]) => say("name.now", { before, now })));

const findFormer = (former: Model, renamings: readonly Renaming[], { name }: Entity): Entity | undefined =>
  former.entities.get(renamings.find((renaming) => renaming.of === "entity" && renaming.now === name)?.old ?? name);

/** One pair for all addresses that differ only in the path of the entity. */
const withoutPrefix = (pairs: readonly Pair[], former: Entity | undefined, { path }: Entity): readonly Pair[] => {
  if (former === undefined || former.path === path) return pairs;
  const [old, now] = [`/api/${former.path}`, `/api/${path}`];
  const others = pairs.filter(([before, after]) => before.replace(old, now) !== after);
  return others.length === pairs.length ? pairs : [[old, now], ...others];
};

/** True if a renamed field or value occurs in a difference of the call as the last part of a path. */
const isUsed = ({ of, field, old }: Renaming, facts: readonly CallFact[]): boolean => {
  if (of !== "field" && of !== "value") return false;
  const kinds: readonly CallFact["id"][] = of === "field" ? memberKinds : valueKinds;
  const place = of === "field" ? old : field;
  return facts.some(({ id, name }) => kinds.includes(id) && (name.split(".").at(-1) ?? name) === place);
};

const memberKinds = ["fact.not.gives", "fact.not.accepts", "fact.not.limited.by", "fact.not.sorted.by"] as const;
const valueKinds = ["fact.gives.fewer", "fact.accepts.fewer", "fact.gives.more", "fact.accepts.more"] as const;
