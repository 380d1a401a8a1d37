import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient } from "../../app/app-context.tsx";
import type { LocaleContext } from "../../format/locale-context.ts";
import { useModuleIf } from "../../util/use-module-if.ts";
import type { Form, FormList } from "../state/form-node.ts";

const isSuggested = ({ default: begins }: FieldJson): boolean => typeof begins === "object" && "suggested" in begins;

const hasSuggested = ({ columns, below }: FormList): boolean => columns.some(isSuggested) || below.some(hasSuggested);

/**
 * Fills in the defaults of new records that depend on other values in the form, and keeps them up to date until
 * somebody enters another value. Records that they read are loaded with the rights of this person.
 */
export const useSuggestions = (
  form: Form,
  entity: EntityJson | null,
  context: LocaleContext,
  onForm: (change: (form: Form) => Form) => void,
): void => {
  const { calls } = useClient();
  const { entities } = useApplication();
  const cache = useQueryClient();
  const needed = entity !== null && (form.fields.some(isSuggested) || form.lists.some(hasSuggested));
  // If it can't be loaded, the fields start empty; the server fills them in anyway.
  const loaded = useModuleIf(needed, () => import("../state/suggestions.ts"));
  const known = {
    context,
    entities,
    find: ({ path, id }: { readonly path: string; readonly id: string }) =>
      cache.getQueryData<RecordJson>(keys.record(path, id)),
  };
  const toLoad = needed && loaded !== null ? loaded.recordsToLoad(form, entity, known) : [];
  useQueries({
    queries: toLoad.map(({ path, id }) => ({
      queryKey: keys.record(path, id),
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.record(path, id, signal),
    })),
  });
  useEffect(() => {
    if (!needed || loaded === null) return;
    const follow = (now: Form): Form => loaded.followSuggestions(now, entity, known);
    if (follow(form) !== form) onForm(follow);
  });
};
