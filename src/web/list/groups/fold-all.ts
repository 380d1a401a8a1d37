import type { ListSearch } from "../../../core/derive/http/list-query.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useClient } from "../../app/app-context.tsx";

/** Instead of paths: all groups are unfolded. No path has this form. */
export const ALL_GROUPS = "*";

/** Unfolds or folds all groups of a list. */
export const useFoldAll = (screen: ListScreenJson, { grouped }: ListSearch) => {
  const store = useClient().preferences.screen(screen.path);
  return (isOpen: boolean) =>
    store.set({ ...store.get(), unfolded: { by: grouped.join(","), groups: isOpen ? [ALL_GROUPS] : [] } });
};
