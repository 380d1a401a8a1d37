import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { NotificationJson } from "../../../core/wire/notifications.ts";
import { toLastFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useClient, usePerson } from "../../app/app-context.tsx";
import { useNotifications } from "../../app/use-notifications.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button, buttonClass } from "../../ui/control/button.tsx";
import { Link } from "../../ui/link.tsx";
import { focusFirst, type Popup } from "../../ui/overlay/popup.tsx";
import { FailedRegion } from "../../ui/page/region-status.tsx";
import { NotificationText } from "./notification-text.tsx";

/** Number shown; the notifications page has all. */
const SHOWN = 12;

/** The newest notifications, unread ones first. */
const BellContents = ({ popup }: { readonly popup: Popup }) => {
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
  return (
    <>
      <div className="bell-head">
        <h2>{say("bell.title")}</h2>
        {unread > 0 && newest && (
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
          {shown.map((item, i) => (
            <NotificationText key={item.id} item={item} follow={popup.close} isFirst={i === 0} />
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
