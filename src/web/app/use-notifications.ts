import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import type { NotificationJson, NotificationsJson } from "../../core/wire/notifications.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient, usePerson } from "./app-context.tsx";

/** Polling interval in milliseconds, in addition to the change feed. */
const EVERY = 60_000;

/** The notifications of the person, newest first. */
export const useNotifications = () => {
  const { calls } = useClient();
  const person = usePerson();
  return useInfiniteQuery({
    queryKey: keys.notifications(person?.id ?? ""),
    // The labels say which records are gone or hidden, so that nothing links to them.
    queryFn: ({ pageParam, signal }) => calls.notifications(pageParam, signal, { label: "true" }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: EVERY,
    enabled: person !== null,
  });
};

/** True for notifications about the record itself, rather than about one of its parts or comments. */
export const isAboutRecord = ({ path }: NotificationJson, record: string): boolean =>
  path?.endsWith(`/${record}`) === true;

/**
 * Returns a function that marks the notifications about records as read, after an act on them elsewhere than on their
 * pages: what they ask for is done. Those about their comments stay unread.
 */
export const useReadAfterAct = (): ((records: readonly string[]) => void) => {
  const { calls, queries } = useClient();
  const person = usePerson();
  return (records) => {
    if (person === null || person.looked === true) return;
    const queryKey = keys.notifications(person.id);
    const items = queries.getQueryData<InfiniteData<NotificationsJson>>(queryKey)?.pages.flatMap((page) => page.items);
    const notifications = (items ?? [])
      .filter((item) => !item.read && records.some((record) => isAboutRecord(item, record)))
      .map(({ id }) => id);
    if (notifications.length === 0) return;
    calls.readNotifications({ notifications }).then(
      () => reload(queries, { queryKey }),
      () => {},
    );
  };
};
