import { findGroupFieldJson, groupsCall, type ListSearch, pivotCall } from "../../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ListScreenJson, PivotFieldsJson } from "../../../core/wire/screens.ts";
import type { ApiClient } from "../../api/api.ts";
import type { Words } from "../../i18n/words.tsx";
import { listQuery } from "../filter/list-search.ts";
import { orderGroups } from "../groups/group-search.ts";
import { findPivotFields } from "../pivot/pivot-lines.ts";
import { findColumns } from "../table/column-widths.ts";
import { buildGroupsSheet, buildPivotSheet } from "./group-sheets.ts";

/** Maximum number of rows of a spreadsheet, which is generated in the browser. */
const MOST_ROWS = 10_000;

/** A list as it is shown. */
interface ListSource {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly calls: ApiClient;
  readonly words: Words;
}

/** All rows of the list, or the first ones of very many. */
export const readRows = async ({
  screen,
  entity,
  search,
  calls,
}: ListSource): Promise<{ readonly records: readonly RecordJson[]; readonly isCut: boolean }> => {
  const records: RecordJson[] = [];
  for (let after: string | null = null; ; ) {
    const page = await calls.list(entity.calls, listQuery(search, screen, { after, limit: screen.atOnce }));
    records.push(...page.items);
    after = page.next;
    if (after === null || records.length >= MOST_ROWS) break;
  }
  return { records, isCut: records.length >= MOST_ROWS };
};

/** The groups of the list with the sums of these fields. */
export const buildGroups = async (
  { screen, entity, search, calls, words }: ListSource,
  sums: readonly string[],
): Promise<BlobPart> => {
  const call = new URLSearchParams(groupsCall(search, screen, sums));
  const { groups, ...total } = await calls.groups(entity.calls, call);
  const summed = findColumns(sums, entity);
  const fields = search.grouped.flatMap((group) => findGroupFieldJson(entity, group) ?? []);
  const ordered = { ...total, groups: orderGroups(groups, search.sort, summed) };
  return buildGroupsSheet(screen.title, entity, fields, summed, ordered, words);
};

/** The pivot of the list. Throws if its fields are no longer there. */
export const buildPivot = async (
  { screen, entity, search, calls, words }: ListSource,
  of: PivotFieldsJson,
): Promise<BlobPart> => {
  const fields = findPivotFields(entity, of);
  if (fields === undefined) throw new Error("no such fields");
  const data = await calls.pivot(entity.calls, new URLSearchParams(pivotCall(search, screen, of)));
  return buildPivotSheet(screen.title, entity, fields, data, words);
};
