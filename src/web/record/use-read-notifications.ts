import { useEffect, useRef } from "react";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient, usePerson } from "../app/app-context.tsx";
import { isAboutRecord, useNotifications } from "../app/use-notifications.ts";

/** Milliseconds for which somebody looks at an open record before its new notifications count as read. */
const READING = 3_000;

/**
 * Marks the notifications of an open record as read: at once when it opens, and those that arrive later after some
 * seconds in a window that has the focus. Elsewhere they stay unread until somebody returns to it.
 */
export const useReadNotifications = (id: string): void => {
  const { calls, queries } = useClient();
  const person = usePerson();
  const personId = person?.looked === true ? null : (person?.id ?? null);
  const { data } = useNotifications();
  const unread = data?.pages
    .flatMap(({ items }) => items)
    .filter((item) => !item.read && (isAboutRecord(item, id) || item.shown?.record === id));
  // Parts of the record have notifications of their own.
  const ids = unread?.map((one) => one.id).join(" ") ?? "";
  const isLoaded = data !== undefined;
  const opened = useRef<string | null>(null);
  useEffect(() => {
    if (personId === null || !isLoaded) return;
    const delay = opened.current === id ? READING : 0;
    opened.current = id;
    if (ids === "") return;
    const markRead = () => {
      const done = () => reload(queries, { queryKey: keys.notifications(personId) });
      // Older ones about the record itself may not be loaded.
      calls.readNotifications({ record: id, notifications: ids.split(" ") }).then(done, () => {});
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible" && document.hasFocus()) timer = setTimeout(markRead, delay);
    };
    wait();
    for (const event of ["focus", "blur"]) window.addEventListener(event, wait);
    document.addEventListener("visibilitychange", wait);
    return () => {
      clearTimeout(timer);
      for (const event of ["focus", "blur"]) window.removeEventListener(event, wait);
      document.removeEventListener("visibilitychange", wait);
    };
  }, [calls, queries, personId, id, ids, isLoaded]);
};
