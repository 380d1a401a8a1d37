import { chooseColumns, type DraftEntity, labelFor, listFor } from "../draft-entities.ts";
import type { DatabaseTable } from "./database-table.ts";
import {
  type DatabaseOptions,
  type DraftedColumn,
  type DraftedColumns,
  draftColumns,
  isEntityName,
} from "./draft-columns.ts";
import { createRuleCodes, draftRules, type ToRuleCode } from "./draft-rules.ts";
import { idOf, type NamedTable, nameTables } from "./name-tables.ts";

/** Tables of a database → entities with fields and rules, each with the constraint that shows it. */
export const draftDatabase = (tables: readonly DatabaseTable[], options: DatabaseOptions): readonly DraftEntity[] => {
  const named = nameTables(tables);
  const tablesById = new Map(named.map((item) => [idOf(item.table), item]));
  const drafted = named.map((item) => ({ named: item, drafted: draftColumns(item, tablesById, options) }));
  const incoming = findIncoming(drafted);
  const labels: Labels = new Map(
    drafted.map((item) => [item.named.entity, labelFor(item.drafted.columns.map(({ field }) => field))]),
  );
  const toCode = createRuleCodes();
  return drafted.map((item) =>
    draftEntity(item.named, item.drafted, incoming.get(item.named.entity) ?? [], labels, toCode),
  );
};

/** A reference to an entity. */
interface IncomingReference {
  readonly from: string;
  readonly field: string;
}

/** The references to each entity. */
const findIncoming = (
  tables: readonly { readonly named: NamedTable; readonly drafted: DraftedColumns }[],
): ReadonlyMap<string, readonly IncomingReference[]> => {
  const incoming = new Map<string, IncomingReference[]>();
  for (const { named, drafted } of tables)
    for (const { field, type } of drafted.columns)
      if (isEntityName(type))
        incoming.set(type, [...(incoming.get(type) ?? []), { from: named.entity, field: field.name }]);
  return incoming;
};

/** The label of each entity that has one of its own. */
type Labels = ReadonlyMap<string, string | undefined>;

const draftEntity = (
  named: NamedTable,
  { columns, remarks, questions }: DraftedColumns,
  incoming: readonly IncomingReference[],
  labels: Labels,
  toCode: ToRuleCode,
): DraftEntity => {
  const fields = columns.map(({ field }) => field);
  const taken = new Set(fields.map(({ name }) => name));
  const lists = incoming.map((source) => {
    const list = listFor(source, taken, incoming.filter(({ from }) => from === source.from).length === 1);
    taken.add(list.name);
    return list;
  });
  const rules = draftRules(named, columns, toCode);
  const label = labels.get(named.entity) ?? labelOfReferences(columns, labels);
  return {
    name: named.entity,
    source: `table ${idOf(named.table)}`,
    about: named.table.comment,
    label,
    fields: [...fields, ...lists],
    columns: chooseColumns(label, fields),
    filters: columns.filter(isFilter).map(({ field }) => field.name),
    remarks,
    questions: [...questions, ...named.questions, ...rules.questions],
    rules: rules.rules,
    columnsOfSource: columns.map(({ column, field, type, choices, isOptional }) => ({
      column: column.name,
      field: field.name,
      columnType: column.type,
      choices,
      target: isEntityName(type) ? type : undefined,
      isOptional,
      isUnique: field.keys.unique === true,
    })),
  };
};

const isFilter = ({ type, field }: DraftedColumn): boolean =>
  (/^(?:choice|boolean)$/u.test(type) || isEntityName(type)) && field.keys.many !== true;

/** A record that has no name of its own is called by the records that it connects. */
const labelOfReferences = (columns: readonly DraftedColumn[], labels: Labels): string | undefined => {
  const parts = columns.flatMap(({ field, type, isOptional }) => {
    const [, inner] = /^\{(\w+)\}/u.exec(labels.get(type) ?? "") ?? [];
    return inner === undefined || isOptional ? [] : [`{${field.name}.${inner}}`];
  });
  return parts.length === 0 ? undefined : parts.slice(0, 2).join(" – ");
};
