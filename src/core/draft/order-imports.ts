import type { DraftColumn, DraftEntity } from "./draft-entities.ts";

/** A list with the columns that are written at once, and those whose records may not exist yet. */
export interface ImportStep {
  readonly entity: DraftEntity;
  readonly later: readonly DraftColumn[];
}

export const columnsOf = ({ columnsOfSource = [] }: DraftEntity): readonly DraftColumn[] => columnsOfSource;

/** Lists in an order in which the records that others refer to come first. Circles are cut at optional references. */
export const orderImports = (entities: readonly DraftEntity[]): readonly ImportStep[] => {
  const waiting = new Set(entities);
  const done = new Set<string>();
  const steps: ImportStep[] = [];
  while (waiting.size > 0) {
    const open = (draftEntity: DraftEntity, isCounted: (column: DraftColumn) => boolean) =>
      columnsOf(draftEntity).filter(
        (column) => column.target !== undefined && !done.has(column.target) && isCounted(column),
      );
    const isOther = (draftEntity: DraftEntity) => (column: DraftColumn) => column.target !== draftEntity.name;
    const all = [...waiting];
    const next =
      all.find((draftEntity) => open(draftEntity, isOther(draftEntity)).length === 0) ??
      all.find((draftEntity) => open(draftEntity, (column) => !column.isOptional).length === 0) ??
      all[0];
    if (next === undefined) break;
    steps.push({ entity: next, later: open(next, () => true) });
    waiting.delete(next);
    done.add(next.name);
  }
  return steps;
};

/** A column that tells the records of an entity apart, by which a second pass finds them. */
export const findKey = (entity: DraftEntity): DraftColumn | undefined =>
  columnsOf(entity).find(({ isUnique, target }) => isUnique && target === undefined);
