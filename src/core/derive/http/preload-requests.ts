import type { Application } from "../../wire/application.ts";
import type { RecordScreenJson } from "../../wire/screens.ts";
import { firstPage, type Given, listCall, type Query, readSearch } from "./list-query.ts";
import { matchScreen } from "./match-screen.ts";

/** A call that reads, as its address says it. */
export interface ReadCall {
  readonly path: string;
  readonly query: Query;
}

/** The call for a record. Its screen is named where that shows something on a condition. */
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

/** The call for what the tiles of an overview hold. */
export const overviewCall = (screen: string): ReadCall => ({ path: "/_/overview", query: [["screen", screen]] });

export const conditionalScreen = ({ path, sections }: RecordScreenJson): string | null =>
  sections.some((section) => section.kind === "fields" && section.conditional) ? path : null;

/**
 * What the page at an address asks for as soon as it knows its application: it may be answered with the page. What is said
 * of it here costs nothing but time where it is wrong.
 */
export const firstCalls = (application: Application, path: string, given: Given): readonly ReadCall[] => {
  if (application.person === null) return [];
  const everywhere = ["/_/changes", "/_/views", "/_/notifications"].map((path): ReadCall => ({ path, query: [] }));
  const matched = matchScreen(application.screens, path);
  if (matched === null) return everywhere;
  const { screen, parameters } = matched;
  if (screen.kind === "tiles") return [...everywhere, overviewCall(screen.path)];
  const entity = application.entities[screen.entity];
  const [id] = Object.values(parameters);
  if (entity === undefined || screen.kind === "form") return everywhere;
  if (screen.kind === "record")
    return id === undefined ? everywhere : [...everywhere, recordCall(entity.calls, id, conditionalScreen(screen))];
  const search = readSearch(given, screen, entity);
  const layout = search.layout ?? screen.layouts[0]?.kind;
  return layout === "table"
    ? [...everywhere, { path: entity.calls, query: listCall(search, screen, firstPage(screen)) }]
    : everywhere;
};
