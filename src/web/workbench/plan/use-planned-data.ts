import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { DraftJson } from "../../../core/wire/authoring/document.ts";
import { useClient } from "../../app/app-context.tsx";

/** The server tries a draft on the tables, so it is asked only when typing has stopped: after milliseconds. */
const PAUSE = 500;

/** Drafts by number: their texts would make long keys. */
const numbers = new WeakMap<object, number>();
let last = 0;
export const identify = (files: object): number => {
  const number = numbers.get(files) ?? ++last;
  numbers.set(files, number);
  return number;
};

/**
 * The effect of a draft on stored data, asked from the server when typing pauses. A question about an outdated text is
 * cancelled. Undefined `files` are not asked about.
 */
export const usePlannedData = (base: string, files: DraftJson["files"] | undefined) => {
  const { calls } = useClient();
  const [planned, setPlanned] = useState<DraftJson["files"]>();
  useEffect(() => {
    const timer = setTimeout(() => setPlanned(files), PAUSE);
    return () => clearTimeout(timer);
  }, [files]);
  const isPlanned = files !== undefined && planned === files;
  const query = useQuery({
    queryKey: ["document", "plan", base, isPlanned ? identify(files) : 0],
    queryFn: ({ signal }) => calls.planDocument({ base, files: files ?? [] }, signal),
    enabled: isPlanned,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // An answer about another base is no plan of this draft.
    placeholderData: (previous, query) => (query?.queryKey[2] === base ? previous : undefined),
  });
  return { ...query, isBehind: files !== undefined && (!isPlanned || query.isPlaceholderData) };
};
