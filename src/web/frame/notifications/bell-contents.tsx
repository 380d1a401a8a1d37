import { useMutation } from "@tanstack/react-query";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { NotificationJson } from "../../../core/wire/notifications.ts";
import { toLastFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useApplication, useClient, usePerson } from "../../app/app-context.tsx";
import { useNotifications } from "../../app/use-notifications.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button, buttonClass } from "../../ui/control/button.tsx";
import { Link } from "../../ui/link.tsx";
import { focusFirst, type Popup } from "../../ui/overlay/popup.tsx";
import { FailedRegion } from "../../ui/page/region-status.tsx";
import { findAddress, NotificationText } from "./notification-text.tsx";

/** Number shown; the notifications page has all. */
const SHOWN = 12;

/** Up and down, Home and End move between the links of the notifications. */
const useEntryArrows = (panel: RefObject<HTMLElement | null>): void => {
  // Before the panel gives the focus to its first entry: the next key press can follow at once.
  useLayoutEffect(() => {
    const within = panel.current;
    const move = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const links = [...(within?.querySelectorAll<HTMLElement>(".told a") ?? [])];
      const current = document.activeElement?.closest(".told")?.querySelector<HTMLElement>("a");
      const at = current ? links.indexOf(current) : -1;
      const goals: Readonly<Record<string, number>> = {
        ArrowDown: Math.min(at + 1, links.length - 1),
        ArrowUp: Math.max(at - 1, 0),
        Home: 0,
        End: links.length - 1,
      };
      const goal = links[goals[event.key] ?? -1];
      if (goal === undefined) return;
      event.preventDefault();
      goal.focus();
    };
    within?.addEventListener("keydown", move);
    return () => within?.removeEventListener("keydown", move);
  }, [panel]);
};

/** The newest notifications, unread ones first. */
const BellContents = ({ popup }: { readonly popup: Popup }) => {
  const { screens } = useApplication();
  const { calls, queries } = useClient();
  const person = usePerson();
  const { say } = useWords();
  const query = useNotifications();
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const unread = query.data?.pages[0]?.unread ?? 0;
  const hasItems = items.length > 0;
  const [newest] = items;
  // Unread ones come first, even if they are older, and keep their place when they are read while the panel is open.
  const [first, setFirst] = useState<ReadonlySet<string>>(new Set());
  const newlyUnread = items.filter(({ id, read }) => !read && !first.has(id)).map(({ id }) => id);
  const isFirst = ({ id, read }: NotificationJson) => !read || (popup.open && first.has(id));
  const shown = [...items.filter(isFirst), ...items.filter((item) => !isFirst(item))].slice(0, SHOWN);
  if (popup.open && newlyUnread.length > 0) setFirst(new Set([...first, ...newlyUnread]));
  if (!popup.open && first.size > 0) setFirst(new Set());
  const read = useMutation({
    mutationFn: (until: string) => calls.readNotifications({ until }),
    onSuccess: () => reload(queries, { queryKey: keys.notifications(person?.id ?? "") }),
  });
  // The panel opens before this code is loaded. Notifications that arrive later do not move the focus.
  const began = useRef(hasItems);
  useEffect(() => {
    if (began.current) focusFirst(popup.panel.current);
  }, [popup.panel]);
  useEntryArrows(popup.panel);
  // The button that marks all as read goes, and would take the focus along.
  const canMarkRead = unread > 0 && newest !== undefined;
  useEffect(() => {
    if (!canMarkRead && document.activeElement === document.body) focusFirst(popup.panel.current);
  }, [canMarkRead, popup.panel]);
  const begins = shown.find((item) => findAddress(screens, item) !== null)?.id;
  return (
    <>
      <div className="bell-head">
        <h2>{say("bell.title")}</h2>
        {canMarkRead && (
          <Button small look="quiet" busy={read.isPending} onClick={() => read.mutate(newest.id)}>
            {say("bell.read")}
          </Button>
        )}
      </div>
      {query.isError && items.length === 0 ? (
        <FailedRegion failure={toLastFailure(query.error)} retry={() => void query.refetch()} />
      ) : items.length === 0 ? (
        <p className="bell-none">{query.isPending ? say("loading") : say("bell.none")}</p>
      ) : (
        <ul>
          {shown.map((item) => (
            <NotificationText key={item.id} item={item} follow={popup.close} isFirst={item.id === begins} />
          ))}
        </ul>
      )}
      <Link className={`${buttonClass("quiet")} small bell-all`} href="/sign-in/notifications" onClick={popup.close}>
        {say("bell.all")}
      </Link>
    </>
  );
};

export default BellContents;
