import type { Column, Table } from "../derive/tables/table.ts";

/** Adds to each list of references the table that it refers to, which its link table shows. */
export const withListReferences = (tables: readonly Table[]): readonly Table[] => {
  const targets = new Map<string, string>();
  for (const { links, columns } of tables) {
    const target = columns.find(({ name }) => name === "refers")?.references;
    if (links !== undefined && target !== null && target !== undefined)
      targets.set(`${links.of}.${links.column}`, target);
  }
  return tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => {
      const target = targets.get(`${table.name}.${column.name}`);
      return target === undefined ? column : { ...column, listReferences: target };
    }),
  }));
};

type Referring = Pick<Column, "references" | "listReferences">;

/** True if two columns refer to the same table, or neither to any, whether with one value or several. */
export const refersToSame = (one: Referring, other: Referring): boolean =>
  (one.references ?? one.listReferences ?? null) === (other.references ?? other.listReferences ?? null);
