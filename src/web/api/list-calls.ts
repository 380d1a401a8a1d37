import { overviewCall } from "../../core/derive/http/preload-requests.ts";
import type { ChangesJson } from "../../core/wire/changes.ts";
import type { GroupsJson, PivotJson } from "../../core/wire/groups.ts";
import type { ImportJson, ImportSettings, ImportsJson } from "../../core/wire/imports.ts";
import type { LetterJson } from "../../core/wire/letters.ts";
import type { ListJson, ViewJson, ViewsJson } from "../../core/wire/lists.ts";
import type { OverviewJson } from "../../core/wire/overview.ts";
import { type Body, pathTo, type Requests } from "./requests.ts";

/** Lets the browser save the file at an address, as the server calls it if no name is given. */
const saveAs = (address: string, name = ""): void => {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
};

const letterQuery = (screen: string, language: string): URLSearchParams =>
  new URLSearchParams({ screen, ...(language === "" ? {} : { language }) });

/** Lists, dashboards, saved views, files of rows, and the feed of changes. */
export const createListCalls = ({ act, read }: Requests) => ({
  /** `path` is the path of the entity: `/api/loans`. */
  list: (path: string, query: URLSearchParams, signal?: AbortSignal): Promise<ListJson> =>
    read(`${path}?${query}`, { signal }),
  /** The groups of a list, with counts and sums. */
  groups: (path: string, query: URLSearchParams, signal?: AbortSignal): Promise<GroupsJson> =>
    read(`/_/groups/${path.split("/").at(-1)}?${query}`, { signal }),
  /** The records of a list by two fields. */
  pivot: (path: string, query: URLSearchParams, signal?: AbortSignal): Promise<PivotJson> =>
    read(`/_/pivot/${path.split("/").at(-1)}?${query}`, { signal }),
  /** The contents of a dashboard's tiles; `screen` is its path. */
  overview: (screen: string, signal?: AbortSignal): Promise<OverviewJson> => {
    const call = overviewCall(screen);
    return read(`${call.path}?${new URLSearchParams(call.query)}`, { signal });
  },
  /** The letter of a record; `screen` is its path. `language`: "" for that of the reader. */
  letter: (screen: string, id: string, language: string, signal?: AbortSignal): Promise<LetterJson> =>
    read(`${pathTo("/_/letters", id)}?${letterQuery(screen, language)}`, { signal }),
  /** Downloads the letter as a PDF. */
  downloadLetter: (screen: string, id: string, language: string): void =>
    saveAs(`${pathTo("/_/letters", id, "pdf")}?${letterQuery(screen, language)}`),
  /** Waits for changes after a position, or until a time limit; without a position, returns the current one. */
  changes: (after: string | null, signal: AbortSignal): Promise<ChangesJson> =>
    read(`/_/changes${after === null ? "" : `?after=${after}`}`, { signal }),
  views: (signal?: AbortSignal): Promise<ViewsJson> => read("/_/views", { signal }),
  saveView: (view: Pick<ViewJson, "screen" | "title" | "query" | "shared">): Promise<void> =>
    act("/_/views", { method: "POST", body: { ...view } }),
  removeView: (id: string): Promise<void> => act(pathTo("/_/views", id), { method: "DELETE" }),
  /** Downloads all rows of a list as a file. */
  download: (path: string, query: URLSearchParams, name: string): void =>
    saveAs(`/_/export/${path.split("/").at(-1)}.csv?${query}`, name),
  /** Downloads the groups of a list as a file. */
  downloadGroups: (path: string, query: URLSearchParams, name: string): void =>
    saveAs(`/_/groups/${path.split("/").at(-1)}.csv?${query}`, name),
  /** Downloads a pivot as a file. */
  downloadPivot: (path: string, query: URLSearchParams, name: string): void =>
    saveAs(`/_/pivot/${path.split("/").at(-1)}.csv?${query}`, name),
  /** The newest imports of the user into an entity; `path` is that of its calls. */
  imports: (path: string, signal?: AbortSignal): Promise<ImportsJson> => read(pathTo(path, "import"), { signal }),
  import: (path: string, id: string, signal?: AbortSignal): Promise<ImportJson> =>
    read(pathTo(path, "import", id), { signal }),
  actOnImport: (
    path: string,
    id: string,
    act: "check" | "run" | "undo" | "cancel",
    settings: ImportSettings | null,
  ): Promise<ImportJson> =>
    read(pathTo(path, "import", id, act), { method: "POST", body: { ...settings } as unknown as Body }),
});
