import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useClient, usePerson } from "../app/app-context.tsx";
import { collectUnseenChanges, type UnseenChanges } from "./unseen-changes.ts";

/** The history of a record, if the document shows it. */
export const useHistory = (entity: EntityJson, id: string, shown: boolean) => {
  const { calls } = useClient();
  return useQuery({
    queryKey: keys.history(entity.calls, id),
    queryFn: ({ signal }) => calls.history(entity.calls, id, signal),
    enabled: shown,
  });
};

/**
 * Changes by others since the user's previous visit. The current visit is recorded when the user leaves, so new changes
 * stay marked while the page is open.
 */
export const useUnseenChanges = (
  entity: EntityJson,
  record: RecordJson,
  shown: boolean,
): { readonly at: string | null; readonly news: UnseenChanges | null } => {
  const { calls } = useClient();
  const person = usePerson();
  const own = person !== null && person.looked !== true;
  const history = useHistory(entity, record.id, shown);
  const visit = useQuery({
    queryKey: keys.visit(entity.name, record.id),
    queryFn: ({ signal }) => calls.visit(entity.name, record.id, signal),
    enabled: own,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const shownAs = useRef(record.updated_at);
  shownAs.current = record.updated_at;
  const { name } = entity;
  const { id } = record;
  useEffect(() => {
    if (!own) return;
    // Failing to record the visit is not an error.
    const leave = () => void calls.saveVisit(name, id, shownAs.current).catch(() => {});
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [calls, own, name, id]);
  if (visit.data === undefined || person === null) return { at: null, news: null };
  return { at: visit.data.at, news: collectUnseenChanges(history.data?.items ?? [], visit.data, person.id) };
};
