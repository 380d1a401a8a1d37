import { type DraftedColumn, type DraftedColumns, isEntityName } from "./draft-columns.ts";
import type { NamedTable } from "./name-tables.ts";

/** A table with its columns as fields. */
interface Drafted<T extends DraftedColumns> {
  readonly named: NamedTable;
  readonly drafted: T;
}

const isRequired = ({ type, isOptional }: DraftedColumn): boolean => isEntityName(type) && !isOptional;

const withoutRequirement = (column: DraftedColumn): DraftedColumn => ({
  ...column,
  isOptional: true,
  field: { ...column.field, type: `${column.type}?` },
});

const askAboutFirst = (table: string, column: string): string =>
  `“${column}” of ${table} requires a row that requires one of ${table}, so it is optional here, and how the first row comes about is not shown.`;

/**
 * Makes references optional until no records require each other in a circle. A database can check such references at the end of a
 * transaction; people create one record after the other, and could not create any of these.
 */
export const breakCycles = <T extends DraftedColumns>(tables: readonly Drafted<T>[]): readonly Drafted<T>[] => {
  const columns = new Map(tables.map(({ named, drafted }) => [named.entity, drafted.columns]));
  const requires = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (columns.get(from) ?? []).some((column) => isRequired(column) && requires(column.type, to, seen));
  };
  return tables.map(({ named, drafted }) => {
    const { entity, table } = named;
    const cut = drafted.columns.filter((column) => isRequired(column) && requires(column.type, entity));
    const own = drafted.columns.map((column) => (cut.includes(column) ? withoutRequirement(column) : column));
    columns.set(entity, own);
    const questions = cut.map(({ column }) => askAboutFirst(table.name, column.name));
    return { named, drafted: { ...drafted, columns: own, questions: [...drafted.questions, ...questions] } };
  });
};
