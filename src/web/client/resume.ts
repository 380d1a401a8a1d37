import type { RecordJson } from "../../core/wire/records.ts";
import type { Draft } from "./drafts.ts";
import { type Form, meetChange } from "./form.ts";
import type { Here } from "./here.ts";
import { draftsOf, restoreLists } from "./parts-merge.ts";

/** What of a form is kept while it is not saved. */
export const draftIn = ({ version, base, entered, lists }: Form, at: string): Draft => ({
  at,
  version,
  base,
  entered,
  lists: draftsOf(lists),
});

/** A form goes on from what was kept: over a record that changed since, that is merged as a save would be. */
export const resumeForm = (fresh: Form, record: RecordJson | null, draft: Draft | null, here: Here): Form => {
  if (!draft) return fresh;
  const known = (values: Draft["entered"]) =>
    Object.fromEntries(fresh.fields.map(({ name }) => [name, values[name] ?? fresh.base[name] ?? null]));
  const restored: Form = {
    ...fresh,
    version: draft.version,
    base: known(draft.base),
    entered: known(draft.entered),
    lists: restoreLists(fresh.lists, draft.lists, here),
  };
  return record && record.version !== draft.version ? meetChange(restored, record, here) : restored;
};
