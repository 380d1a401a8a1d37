import {
  chooseColumns,
  type DraftEntity,
  type DraftField,
  findTakenNames,
  type Labels,
  labelFor,
  labelOfReferences,
  listFor,
} from "../draft-entities.ts";
import { breakCycles } from "./break-cycles.ts";
import type { DatabaseTable } from "./database-table.ts";
import {
  type DatabaseOptions,
  type DraftedColumn,
  type DraftedColumns,
  draftColumns,
  isEntityName,
} from "./draft-columns.ts";
import { createRuleCodes, draftRules, type ToRuleCode } from "./draft-rules.ts";
import { findJoinTables, type JoinTable, joinEvidence, nameReferences } from "./join-tables.ts";
import { idOf, type NamedTable, nameTables, type TablesById } from "./name-tables.ts";

/** Tables of a database → entities with fields and rules, each with the constraint that shows it. */
export const draftDatabase = (tables: readonly DatabaseTable[], options: DatabaseOptions): readonly DraftEntity[] => {
  const all = nameTables(tables);
  const tablesById = new Map(all.map((item) => [idOf(item.table), item]));
  const joins = findJoinTables(tablesById, options.most);
  const named = all.filter(({ table }) => !joins.some((join) => join.table === table));
  const drafted = breakCycles(
    named.map((item) => {
      const columns = draftColumns(item, tablesById, options);
      const own = joins.filter(({ owner }) => owner.to === idOf(item.table));
      return { named: item, drafted: { ...columns, references: draftReferences(own, columns, tablesById) } };
    }),
  );
  const incoming = findIncoming(drafted);
  const labels: Labels = new Map(
    drafted.map(({ named: { entity }, drafted: { columns } }) => {
      const fields = columns.map(({ field }) => field);
      return [entity, labelFor(fields, entity, incoming.has(entity))];
    }),
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
  tables: readonly { readonly named: NamedTable; readonly drafted: DraftedTable }[],
): ReadonlyMap<string, readonly IncomingReference[]> => {
  const incoming = new Map<string, IncomingReference[]>();
  for (const { named, drafted } of tables) {
    const one = drafted.columns.map(({ field, type }) => ({ name: field.name, type }));
    const many = drafted.references.map(({ field, target }) => ({ name: field.name, type: target }));
    for (const { name, type } of [...one, ...many])
      if (isEntityName(type)) incoming.set(type, [...(incoming.get(type) ?? []), { from: named.entity, field: name }]);
  }
  return incoming;
};

/** References of one record to several others, which a table between them shows. */
interface DraftedReferences {
  readonly field: DraftField;
  readonly target: string;
  readonly join: JoinTable;
}

type DraftedTable = DraftedColumns & { readonly references: readonly DraftedReferences[] };

const draftReferences = (
  joins: readonly JoinTable[],
  { columns }: DraftedColumns,
  tables: TablesById,
): readonly DraftedReferences[] => {
  const taken = new Set(columns.map(({ field }) => field.name));
  return joins.flatMap((join) => {
    const target = tables.get(join.other.to)?.entity;
    if (target === undefined) return [];
    const name = nameReferences(target, taken);
    taken.add(name);
    return [{ field: { name, type: `${target}?`, keys: { many: true, source: joinEvidence(join) } }, target, join }];
  });
};

const draftEntity = (
  named: NamedTable,
  { columns, references, remarks, questions }: DraftedTable,
  incoming: readonly IncomingReference[],
  labels: Labels,
  toCode: ToRuleCode,
): DraftEntity => {
  const fields = [...columns.map(({ field }) => field), ...references.map(({ field }) => field)];
  const taken = findTakenNames(fields);
  const lists = incoming.map((source) => {
    const list = listFor(source, taken, incoming.filter(({ from }) => from === source.from).length === 1);
    taken.add(list.name);
    return list;
  });
  const rules = draftRules(named, columns, toCode);
  const label = labels.get(named.entity) ?? labelOfReferences(fields, labels);
  return {
    name: named.entity,
    source: `table ${idOf(named.table)}`,
    about: named.table.comment,
    label,
    fields: [...fields, ...lists],
    columns: chooseColumns(
      label,
      columns.map(({ field }) => field),
    ),
    filters: columns.filter(isFilter).map(({ field }) => field.name),
    remarks,
    questions: [...questions, ...named.questions, ...rules.questions],
    rules: rules.rules,
    columnsOfSource: [
      ...columns.map(({ column, field, type, choices, isOptional }) => ({
        column: column.name,
        field: field.name,
        columnType: type === "date" ? "date" : column.type,
        choices,
        target: isEntityName(type) ? type : undefined,
        isOptional,
        isUnique: field.keys.unique === true,
      })),
      ...references.map(({ field, target, join: { table, owner, other } }) => ({
        column: other.columns.join(),
        field: field.name,
        columnType: undefined,
        choices: undefined,
        target,
        isOptional: true,
        isUnique: false,
        join: {
          schema: table.schema,
          table: table.name,
          column: owner.columns.join(),
          key: owner.toColumns.join(),
        },
      })),
    ],
  };
};

const isFilter = ({ type, field }: DraftedColumn): boolean =>
  (/^(?:choice|boolean)$/u.test(type) || isEntityName(type)) && field.keys.many !== true;
