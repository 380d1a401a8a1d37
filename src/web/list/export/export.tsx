import { useState } from "react";
import { groupsCall, isAddedUp, type ListSearch, pivotCall } from "../../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { Count } from "../../../core/wire/lists.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ListScreenJson, PivotFieldsJson } from "../../../core/wire/screens.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { usePrint } from "../../ui/dom/use-print.ts";
import type { MenuItem } from "../../ui/overlay/menu.tsx";
import { useMenuCommands } from "../../ui/overlay/menu-commands.ts";
import { useToast } from "../../ui/overlay/toast.tsx";
import { importWithRetries } from "../../util/import-with-retries.ts";
import { wholeQuery, writeSearch } from "../filter/list-search.ts";
import { useTileTitle } from "../filter/tile-title.ts";
import { useViews } from "../filter/use-views.ts";
import { findColumns } from "../table/column-widths.ts";
import { useChosenColumns } from "../table/use-chosen-columns.ts";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const loadSheets = () => importWithRetries(() => import("./list-sheets.ts"));

const save = (content: BlobPart, name: string, type: string) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

/** Generates a spreadsheet with the visible columns; the code for it is loaded on demand. */
export const useExport = (
  screen: Pick<ListScreenJson, "path" | "columns" | "title">,
  entity: EntityJson,
  title = screen.title,
) => {
  const { show, locale, timezone } = useWords();
  const columns = findColumns(useChosenColumns(screen, entity), entity);
  return async (records: readonly RecordJson[]): Promise<void> => {
    const { buildSpreadsheet } = await importWithRetries(() => import("./xlsx.ts"));
    const content = await buildSpreadsheet(screen.title, columns, records, { show, locale, timezone });
    save(content, `${title}.xlsx`, XLSX);
  };
};

/** The title of what the list shows: of a saved view, of a tile, or its own. */
const useShownTitle = (screen: ListScreenJson, search: ListSearch): string => {
  const query = writeSearch(search, screen);
  const views = useViews().data?.items ?? [];
  const view = views.find((one) => one.screen === screen.path && one.query !== "" && one.query === query);
  const tile = useTileTitle(search.where);
  return view?.title ?? tile ?? screen.title;
};

export interface ExportProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly pivot: PivotFieldsJson | null;
  readonly count: Count | undefined;
}

/**
 * Exports of the list for its menu: all rows as CSV from the server, or the first rows as a spreadsheet. Groups and a
 * pivot are exported as they are shown.
 */
export const useExportItems = ({
  screen,
  entity,
  search,
  pivot,
  count,
}: ExportProps): { readonly items: readonly MenuItem[]; readonly busy: boolean } => {
  const { calls } = useClient();
  const words = useWords();
  const { say } = words;
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const columns = useChosenColumns(screen, entity);
  const sums = findColumns(columns, entity)
    .filter(isAddedUp)
    .map(({ name }) => name);
  const title = useShownTitle(screen, search);
  const csv = `${title}.csv`;
  const exportRecords = useExport(screen, entity, title);
  const print = usePrint();
  const query = wholeQuery(search, screen);
  query.set("columns", columns.join(","));
  const filtered = search.words !== "" || search.where !== null || Object.keys(search.filters).length > 0;
  const rows = say("export.rows", {
    counted: typeof count === "number",
    count: typeof count === "number" ? count : 0,
    filtered,
  });

  /** Shows progress, and says if it failed. */
  const create = async (write: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await write();
    } catch {
      toast(say("export.failed"));
    } finally {
      setBusy(false);
    }
  };
  const saveSheet = (content: BlobPart) => save(content, `${title}.xlsx`, XLSX);
  const source = { screen, entity, search, calls, words };
  const exportGroups = async () => {
    const { buildGroups } = await loadSheets();
    saveSheet(await buildGroups(source, sums));
  };
  const exportPivot = async (of: PivotFieldsJson) => {
    const { buildPivot } = await loadSheets();
    saveSheet(await buildPivot(source, of));
  };
  const spreadsheet = async () => {
    const { readRows } = await loadSheets();
    const { records, isCut } = await readRows(source);
    await exportRecords(records);
    if (isCut) toast(say("export.cut", { count: records.length }));
  };
  const items: readonly MenuItem[] = [
    ...(pivot === null
      ? []
      : [
          {
            key: "pivot",
            label: say("export.pivot"),
            act: () => calls.downloadPivot(entity.calls, new URLSearchParams(pivotCall(search, screen, pivot)), csv),
          },
          {
            key: "pivot xlsx",
            label: say("export.pivot.xlsx"),
            act: () => void create(() => exportPivot(pivot)),
          },
        ]),
    ...(search.grouped.length === 0 || pivot !== null
      ? []
      : [
          {
            key: "groups",
            label: say("export.groups"),
            act: () => calls.downloadGroups(entity.calls, new URLSearchParams(groupsCall(search, screen, sums)), csv),
          },
          { key: "groups xlsx", label: say("export.groups.xlsx"), act: () => void create(exportGroups) },
        ]),
    { key: "csv", label: say("export.csv", { rows }), act: () => calls.download(entity.calls, query, csv) },
    { key: "xlsx", label: say("export.xlsx", { rows }), act: () => void create(spreadsheet) },
  ];
  const printItem: MenuItem = { key: "print", label: say("record.print"), icon: "print", act: () => void print() };
  useMenuCommands([...items, printItem], say("export.title"));
  const exportLabel = (value: string) => say("label.value", { label: say("export.do"), value });
  return {
    items: [...items.map((item): MenuItem => ({ ...item, label: exportLabel(item.label), icon: "export" })), printItem],
    busy,
  };
};
