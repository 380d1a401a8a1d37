import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson, ReferenceJson } from "../../core/wire/records.ts";
import { isReference } from "./value-shapes.ts";

/** The people who made a transition that needs several, and how many it needs. */
export interface ApprovalProgress {
  readonly people: readonly ReferenceJson[];
  readonly needed: number;
}

/** Null if the transition needs one person, or the reader cannot know how many. */
export const findProgress = (record: RecordJson, { name, needs }: TransitionJson): ApprovalProgress | null => {
  const people = needs && record[needs.field];
  const needed = needs?.count ?? record.may?.needed?.[name];
  return Array.isArray(people) && needed !== undefined ? { people: people.filter(isReference), needed } : null;
};

/** A transition that some of the people it needs have made. */
export interface PartialApproval {
  readonly transition: TransitionJson;
  readonly progress: ApprovalProgress;
}

/** The transition for which a record waits for more people; null if nobody made one, or the reader cannot know that. */
export const findPartialApproval = ({ states }: EntityJson, record: RecordJson): PartialApproval | null => {
  for (const transition of states?.transitions ?? []) {
    const progress = transition.from.some((state) => state === record[states?.field ?? ""])
      ? findProgress(record, transition)
      : null;
    if (progress !== null && progress.people.length > 0 && progress.people.length < progress.needed)
      return { transition, progress };
  }
  return null;
};
