import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../../core/wire/records.ts";
import { findRefusedPrimary, type RecordAct } from "../../workflow/record-acts.ts";

/** An act on several records: those that it is possible for, and the reasons for the others. */
export interface BulkAct<A extends RecordAct = RecordAct> {
  readonly act: A;
  readonly able: readonly RecordJson[];
  readonly unable: readonly { readonly record: RecordJson; readonly why: WhyNot | null }[];
}

/**
 * The acts that are possible for some of the records. If each record awaits its next step, the primary transitions come
 * first. Then come those for most of them, as nothing else was selected for: editing before transitions, primary ones before
 * others, then in document order. A record whose primary transition a rule refuses counts for it, too, unless another leads
 * on: a single refusal makes no other act the main one. Deleting is always last.
 */
export const listBulkActs = (
  entity: EntityJson,
  records: readonly RecordJson[],
  buildActs: (record: RecordJson) => readonly RecordAct[],
): readonly BulkAct[] => {
  const acts = records.map((record) => {
    const acts = buildActs(record);
    const transitions = acts.filter((act) => act.kind === "transition");
    const next = transitions.find(({ primary }) => primary);
    return { record, acts, awaits: next?.key ?? findRefusedPrimary(entity, record, transitions)?.key };
  });
  const allAwait = acts.every(({ awaits }) => awaits !== undefined);
  const keys = ["edit", ...(entity.states?.transitions ?? []).map(({ name }) => `transition ${name}`), "delete"];
  return keys
    .flatMap((key) => {
      const found = acts.map(({ record, acts }) => ({ record, act: acts.find((act) => act.key === key) }));
      const able = found.filter(({ act }) => act?.refused === null);
      const act = able[0]?.act;
      if (act === undefined) return [];
      const unable = found
        .filter((one) => !able.includes(one))
        .map(({ record, act }) => ({ record, why: act?.refused ?? null }));
      const awaiting = acts.filter(({ awaits }) => awaits === key);
      const ableIds = new Set(able.map(({ record }) => record.id));
      const wanted = able.length + awaiting.filter(({ record }) => !ableIds.has(record.id)).length;
      return [{ bulk: { act, able: able.map(({ record }) => record), unable }, primary: awaiting.length, wanted }];
    })
    .toSorted(
      (one, other) =>
        Number(one.bulk.act.kind === "delete") - Number(other.bulk.act.kind === "delete") ||
        (allAwait ? other.primary - one.primary : 0) ||
        // Of two next steps, the one that fewer of the others would make in place of theirs.
        (allAwait && one.primary > 0 ? one.bulk.able.length - other.bulk.able.length : 0) ||
        other.wanted - one.wanted ||
        Number(other.bulk.act.kind === "edit") - Number(one.bulk.act.kind === "edit") ||
        other.primary - one.primary,
    )
    .map(({ bulk }) => bulk);
};
