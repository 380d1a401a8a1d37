import type { Check, Column, Exclusion, Index, Links, RowMaintenance, Table } from "../../core/derive/tables/table.ts";
import { HIDDEN, hiddenComments } from "../../core/migration/phases.ts";
import type { Retired, RetiredColumn } from "../../core/migration/retired.ts";
import { constant, render } from "../../core/sql.ts";
import type { Query, Row } from "../database.ts";

const columnsSql = `
  select c.relname as table, obj_description(c.oid, 'pg_class') as table_note, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         a.attnotnull as required, a.attgenerated <> '' as generated,
         case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end as initial, col_description(c.oid, a.attnum) as note, f.relname as references,
         not k.condeferrable and k.confdeltype = 'a' as hasty
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'app'
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  left join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum]
  left join pg_class f on f.oid = k.confrelid
  where c.relkind = 'r' and coalesce(obj_description(c.oid, 'pg_class'), '') <> ${render(constant(HIDDEN)).text} and coalesce(col_description(c.oid, a.attnum), '') not in (${hiddenComments.map((comment) => render(constant(comment)).text).join(", ")})
  order by c.relname, a.attnum`;

const checksSql = `
  select c.relname as table, k.conname as name, obj_description(k.oid, 'pg_constraint') as note
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'app'
  where k.contype = 'c' order by k.conname`;

/** Exclusion constraints do not count as checks. */
const exclusionsSql = `
  select c.relname as table, k.conname as name, not k.condeferrable as hasty, obj_description(k.oid, 'pg_constraint') as note
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'app'
  where k.contype = 'x' order by k.conname`;

/** The version of the rules by which this server sorts texts. With another version, an index has another order. */
export const TEXT_ORDER = `pg_collation_actual_version('pg_catalog."und-x-icu"'::regcollation)`;

/** An index of texts is outdated if it was built by another version of the rules. */
const indexesSql = `
  select c.relname as table, i.relname as name, x.indisunique as unique, k.oid is not null as waits, not k.condeferrable as hasty, obj_description(i.oid, 'pg_class') as note,
         exists (select from pg_collation o where o.oid = any (x.indcollation::oid[]) and o.collprovider = 'i')
           and (select text_order is distinct from ${TEXT_ORDER} from ninefold.release) as outdated
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'app'
  left join pg_constraint k on k.conindid = i.oid and k.contype = 'u'
  where not x.indisprimary and not x.indisexclusion order by i.relname`;

const getClause = (note: unknown): string => (typeof note === "string" ? note.replace(/^clause /u, "") : "none");

/** Our comments are JSON. Others were made by somebody else and stay unchanged. */
const findNote = (note: unknown): Row | undefined => {
  if (typeof note !== "string" || !note.startsWith("{")) return undefined;
  try {
    return JSON.parse(note) as Row;
  } catch {
    return undefined;
  }
};

/** Fields and entities that the document no longer has, oldest first. */
export const readRetired = async (query: (query: Query) => Promise<readonly Row[]>): Promise<readonly Retired[]> => {
  const rows = await query({
    text: "select id, kind, entity, field, table_name, column_name, definition, version, at::text as at from ninefold.retired order by id",
    values: [],
  });
  return rows.map((row): Retired => {
    const retired = {
      id: Number(row.id),
      entity: String(row.entity),
      table: String(row.table_name),
      version: Number(row.version),
      at: String(row.at),
    };
    return row.kind === "entity"
      ? { ...retired, kind: "entity", definition: row.definition as Table }
      : {
          ...retired,
          kind: "field",
          field: String(row.field),
          column: String(row.column_name),
          definition: row.definition as RetiredColumn,
        };
  });
};

/** The columns, as `table.column`, whose values a version replaced. */
export const readFormerColumns = async (
  query: (query: Query) => Promise<readonly Row[]>,
): Promise<ReadonlySet<string>> => {
  const rows = await query({
    text: `select table_name, column_name from ninefold.former_column c
           where exists (select from ninefold.former_value where column_id = c.id and version <= (select max(number) from ninefold.version))`,
    values: [],
  });
  return new Set(rows.map((row) => `${String(row.table_name)}.${String(row.column_name)}`));
};

/**
 * The expression of a computed column, which Postgres or a trigger computes; unknown if the column lacks our comment.
 */
const computedBy = ({ generated, note }: Row): Pick<Column, "generated" | "byTrigger"> => {
  const { generated: expression = "", byTrigger } = findNote(note) ?? {};
  if (generated === true) return { generated: String(expression) };
  return byTrigger === undefined ? {} : { generated: String(expression), byTrigger: String(byTrigger) };
};

/** The tables of the schema `app` as they are, in the same form as the tables derived from the document. */
export const introspect = async (query: (query: Query) => Promise<readonly Row[]>): Promise<readonly Table[]> => {
  const [columns, checks, indexes, exclusions] = [
    await query({ text: columnsSql, values: [] }),
    await query({ text: checksSql, values: [] }),
    await query({ text: indexesSql, values: [] }),
    await query({ text: exclusionsSql, values: [] }),
  ];
  const tables = new Map<
    string,
    {
      name: string;
      clause: string;
      columns: Column[];
      checks: Check[];
      indexes: Index[];
      exclusions: Exclusion[];
      links?: Links;
      rowMaintenance?: RowMaintenance;
    }
  >();
  for (const row of columns) {
    const name = String(row.table);
    const note = findNote(row.table_note);
    const clause = String(note?.clause ?? getClause(row.table_note));
    const links = note?.links as Links | undefined;
    const rowMaintenance = note?.kept as Omit<RowMaintenance, "run"> | undefined;
    const table = tables.get(name) ?? {
      ...{ name, clause, columns: [], checks: [], indexes: [], exclusions: [] },
      ...(links === undefined ? {} : { links }),
      ...(rowMaintenance === undefined ? {} : { rowMaintenance: { ...rowMaintenance, run: [] } }),
    };
    tables.set(name, table);
    table.columns.push({
      name: String(row.name),
      type: String(row.type),
      required: row.required === true,
      references: row.references === null ? null : String(row.references),
      initial: row.initial === null ? null : String(row.initial),
      ...(row.hasty === true ? { hasty: true as const } : {}),
      ...computedBy(row),
      clause: String(findNote(row.note)?.clause ?? getClause(row.note)),
    });
  }
  for (const row of checks) {
    const note = findNote(row.note);
    if (note === undefined) continue;
    const values = Array.isArray(note.values) ? note.values.map(String) : null;
    tables.get(String(row.table))?.checks.push({
      name: String(row.name),
      condition: String(note.condition),
      values,
      of: note.of === "type" ? "type" : "document",
      clause: String(note.clause),
    });
  }
  for (const row of indexes) {
    const note = findNote(row.note);
    if (note === undefined) continue;
    tables.get(String(row.table))?.indexes.push({
      name: String(row.name),
      on: row.hasty === true || row.outdated === true ? "" : String(note.on),
      unique: row.unique === true,
      ...(row.waits === true ? { waits: true as const } : {}),
      clause: String(note.clause),
    });
  }
  for (const row of exclusions) {
    const note = findNote(row.note);
    if (note === undefined) continue;
    const { clause, definition } = note;
    tables.get(String(row.table))?.exclusions.push({
      name: String(row.name),
      definition: row.hasty === true ? "" : String(definition),
      clause: String(clause),
    });
  }
  return [...tables.values()];
};
