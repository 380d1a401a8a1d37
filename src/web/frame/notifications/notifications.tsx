import { useMutation } from "@tanstack/react-query";
import { useId } from "react";
import type { NotificationJson } from "../../../core/wire/notifications.ts";
import type { ScreenJson } from "../../../core/wire/screens.ts";
import { toLastFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useApplication, useClient, useCommands, useKeys, usePerson, usePhone } from "../../app/app-context.tsx";
import { useNotifications } from "../../app/use-notifications.ts";
import { useWords } from "../../i18n/words.tsx";
import { recordAddress } from "../../routing/routes.ts";
import { Button, buttonClass } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../../ui/link.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { WhyButton } from "../../ui/overlay/why-sentence.tsx";
import { FailedRegion } from "../../ui/page/region-status.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

/** Number shown; the notifications page has all. */
const SHOWN = 12;

/** Opens the notifications by N and from the palette. The sidebar and the top bar each have a bell; one of them is shown. */
const useBellKey = (show: () => void, isShown: boolean): void => {
  const { say } = useWords();
  useKeys(
    isShown
      ? {
          n: (event) => {
            event.preventDefault();
            show();
          },
        }
      : {},
  );
  useCommands(isShown ? [{ label: say("bell.title"), note: "N", run: show, isTool: true }] : []);
};

/** Notifications with the number of unread ones. `wide` is the form in the sidebar. */
export const NotificationBell = ({ wide = false }: { wide?: boolean }) => {
  const { calls, queries } = useClient();
  const person = usePerson();
  const { say } = useWords();
  const popup = usePopup();
  const query = useNotifications();
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const unread = query.data?.pages[0]?.unread ?? 0;
  const [newest] = items;
  // Unread ones come first, even if they are older.
  const shown = [...items.filter(({ read }) => !read), ...items.filter(({ read }) => read)].slice(0, SHOWN);
  const read = useMutation({
    mutationFn: (until: string) => calls.readNotifications({ until }),
    onSuccess: () => reload(queries, { queryKey: keys.notifications(person?.id ?? "") }),
  });
  const phone = usePhone();
  useBellKey(popup.show, person !== null && phone !== wide);
  if (!person) return null;
  return (
    <>
      <button
        type="button"
        className={wide ? "nav" : "button quiet topbar-button"}
        aria-haspopup="dialog"
        aria-keyshortcuts="N"
        {...popup.control}
      >
        <Icon name="bell" />
        <span className={wide ? "nav-words" : "hidden-words"}>{say("bell.title")}</span>
        {unread > 0 && (
          <span className="bell-count figures">
            <span aria-hidden="true">{unread > 99 ? "99+" : unread}</span>
            <span className="hidden-words">{say("bell.unread", { count: unread })}</span>
          </span>
        )}
      </button>
      <PopupPanel
        popup={popup}
        side={wide ? "start" : "end"}
        label={say("bell.title")}
        className="bell"
        focus={items.length > 0 ? "first" : "panel"}
      >
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
      </PopupPanel>
    </>
  );
};

export const notificationRecord = ({ path }: NotificationJson): string | null => path?.split("/").at(-1) ?? null;

/** Address of the record's own page, or of the page of the record that lists it. */
export const findAddress = (screens: readonly ScreenJson[], { shown, ...item }: NotificationJson): string | null => {
  const id = notificationRecord(item);
  if (item.path?.startsWith("/workbench/")) return item.path;
  const own = id === null ? null : recordAddress(screens, item.entity, id);
  return own ?? (shown === undefined ? null : recordAddress(screens, shown.entity, shown.record));
};

/** The text of a notification and its record. */
export const NotificationText = ({
  item,
  follow,
  isFirst = false,
}: {
  readonly item: NotificationJson;
  readonly follow?: () => void;
  /** True if a panel begins with it. */
  readonly isFirst?: boolean;
}) => {
  const { screens } = useApplication();
  const { calls, queries } = useClient();
  const person = usePerson()?.id ?? "";
  const { say } = useWords();
  const words = useId();
  const id = notificationRecord(item);
  const to = findAddress(screens, item);
  // Opening the record marks its notifications as read, without waiting for it.
  const go = () => {
    follow?.();
    if (id === null || item.read) return;
    const done = () => queries.invalidateQueries({ queryKey: keys.notifications(person) });
    calls.readNotifications({ record: id }).then(done, () => {});
  };
  return (
    <li className="told" data-unread={!item.read || undefined}>
      <p id={words} className="told-words">
        {!item.read && <span className="hidden-words">{say("bell.new")}</span>}
        {to === null ? (
          item.text
        ) : (
          <Link className="tile-link" href={to} onClick={go} data-first={isFirst || undefined}>
            {item.text}
          </Link>
        )}
      </p>
      <div className="small-words told-when">
        <RelativeTime at={item.at} />{" "}
        <span className="told-why">
          <WhyButton words={item.text} clause={item.clause} describedBy={words} />
        </span>
      </div>
    </li>
  );
};
