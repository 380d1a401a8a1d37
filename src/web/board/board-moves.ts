import type { EntityJson, FieldJson, StateMarkJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import { findTargets } from "../workflow/workflow.ts";

/** A column of a board: one value of its field. */
export interface BoardColumn {
  readonly value: string;
  readonly label: string;
  readonly mark: StateMarkJson | null;
}

export const boardColumns = (entity: EntityJson, field: FieldJson): readonly BoardColumn[] =>
  (field.values ?? []).map(({ value, label }) => ({
    value,
    label,
    mark: field.type === "state" ? (entity.states?.states.find(({ name }) => name === value)?.mark ?? null) : null,
  }));

/** The effect of moving a card to a column. */
export type CardMove =
  | { readonly kind: "here" }
  | { readonly kind: "transition"; readonly transition: TransitionJson }
  | { readonly kind: "change" }
  /** The transition to that state is not possible now. */
  | { readonly kind: "refused"; readonly transition: TransitionJson | null; readonly why: WhyNot }
  /** No transition leads to that state. */
  | { readonly kind: "no way" };

/** The action that moves a card to a column; among several transitions, the first possible one. */
export const findMove = (entity: EntityJson, field: FieldJson, record: RecordJson, to: string): CardMove => {
  const from = record[field.name];
  if (from === to) return { kind: "here" };
  const { may } = record;
  if (field.type !== "state") {
    if (may?.update.includes(field.name) === true) return { kind: "change" };
    return may?.updateRefused ? { kind: "refused", transition: null, why: may.updateRefused } : { kind: "no way" };
  }
  const leading = (entity.states?.transitions ?? []).filter(
    (transition) => transition.from.includes(String(from)) && findTargets(transition, record).includes(to),
  );
  const open = leading.find(({ name }) => may?.transitions.includes(name));
  if (open) return { kind: "transition", transition: open };
  const refused = leading.find(({ name }) => may?.refused[name]);
  const why = refused ? may?.refused[refused.name] : undefined;
  return refused && why ? { kind: "refused", transition: refused, why } : { kind: "no way" };
};

export const isOpenMove = ({ kind }: CardMove): boolean => kind === "transition" || kind === "change";

/** The data of a dragged card. */
export const toDragData = (record: RecordJson): Record<string, unknown> => ({ kind: "card", record });

/** The record of a dragged card; null if something else is dragged. */
export const getDragged = (data: Record<string | symbol, unknown>): RecordJson | null =>
  data.kind === "card" ? (data.record as RecordJson) : null;
