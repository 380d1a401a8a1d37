import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useClient, useStore } from "../../app/app-context.tsx";

/** The visible columns: the person's choice, or the document's. */
export const useChosenColumns = (
  screen: Pick<ListScreenJson, "path" | "columns">,
  entity: EntityJson,
): readonly string[] => {
  const { preferences } = useClient();
  const { columns } = useStore(preferences.screen(screen.path));
  const known = columns?.filter((name) => entity.fields.some((field) => field.name === name)) ?? [];
  return known.length > 0 ? known : screen.columns;
};
