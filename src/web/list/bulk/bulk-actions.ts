import type { EntityJson, TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../../core/wire/records.ts";

/** An action on several records: those it is possible for, and the reasons for the others. */
export interface Bulk {
  readonly transition: TransitionJson;
  readonly able: readonly RecordJson[];
  readonly unable: readonly { readonly record: RecordJson; readonly why: WhyNot | null }[];
}

/** The transitions that are possible for some of the records, in document order. */
export const findBulkActions = (entity: EntityJson, records: readonly RecordJson[]): readonly Bulk[] =>
  (entity.states?.transitions ?? []).flatMap((transition): readonly Bulk[] => {
    const able = records.filter(({ may }) => may?.transitions.includes(transition.name));
    if (able.length === 0) return [];
    const unable = records
      .filter((record) => !able.includes(record))
      .map((record) => ({ record, why: record.may?.refused[transition.name] ?? null }));
    return [{ transition, able, unable }];
  });
