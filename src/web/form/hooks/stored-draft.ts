import { useState } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { PartsJson } from "../../../core/wire/screens.ts";
import { useClient, usePerson } from "../../app/app-context.tsx";
import type { Draft } from "../../app/draft-store.ts";

/** The draft key of a record's parts edited on its page. */
export const partsPath = ({ calls }: EntityJson, record: string, { field }: PartsJson): string =>
  `${calls} ${record} ${field}`;

/** The stored draft of this person at a path. */
export const useStoredDraft = (path: string): Draft | null => {
  const { drafts } = useClient();
  const person = usePerson()?.id ?? "";
  const [found] = useState(() => drafts.find(person, path));
  return found;
};
