import type { Application } from "../../wire/application.ts";
import type { RecordScreenJson } from "../../wire/screens.ts";
import { firstPage, listCall, type QueryEntries, type QueryReader, readSearch } from "./list-query.ts";
import { matchScreen } from "./match-screen.ts";

/** A GET call, identified by its address. */
export interface ReadCall {
  readonly path: string;
  readonly query: QueryEntries;
}

/** The call for a record. It names the screen if the screen shows anything conditionally. */
export const recordCall = (calls: string, id: string, screen: string | null): ReadCall => ({
  path: `${calls}/${encodeURIComponent(id)}`,
  query:
    screen === null
      ? [["label", "true"]]
      : [
          ["label", "true"],
          ["screen", screen],
        ],
});

/** The call for the tiles of an overview. */
export const overviewCall = (screen: string): ReadCall => ({ path: "/_/overview", query: [["screen", screen]] });

export const conditionalScreen = ({ path, sections, conditionalLetters }: RecordScreenJson): string | null =>
  conditionalLetters || sections.some((section) => section.kind !== "history" && section.conditional) ? path : null;

/**
 * The calls that a page makes first, which the server can answer together with the page. A wrong guess costs only time.
 */
export const firstCalls = (application: Application, path: string, query: QueryReader): readonly ReadCall[] => {
  if (application.person === null) return [];
  const everywhere: readonly ReadCall[] = [
    { path: "/_/changes", query: [] },
    { path: "/_/views", query: [] },
    { path: "/_/notifications", query: [["label", "true"]] },
  ];
  const matched = matchScreen(application.screens, path);
  if (matched === null) return everywhere;
  const { screen, parameters } = matched;
  if (screen.kind === "tiles") return [...everywhere, overviewCall(screen.path)];
  const entity = application.entities[screen.entity];
  const [id] = Object.values(parameters);
  if (entity === undefined || screen.kind === "form" || screen.kind === "letter") return everywhere;
  if (screen.kind === "record")
    return id === undefined ? everywhere : [...everywhere, recordCall(entity.calls, id, conditionalScreen(screen))];
  const search = readSearch(query, screen, entity);
  const layout = search.layout ?? screen.layouts[0]?.kind;
  return layout === "table"
    ? [...everywhere, { path: entity.calls, query: listCall(search, screen, firstPage(screen)) }]
    : everywhere;
};
