import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import type { NotificationJson } from "../../core/wire/notifications.ts";
import type { ScreenJson } from "../../core/wire/screens.ts";
import { failureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, usePerson } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { recordAddress } from "../routing/routes.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Clause } from "../ui/clause.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { PopupPanel, usePopup } from "../ui/popup.tsx";
import { FailedRegion } from "../ui/region-status.tsx";
import { When } from "../ui/relative-time.tsx";

/** More stand on the page of their own. */
const SHOWN = 12;

/** So often it is asked anew, beside whenever something is heard to have changed. */
const every = 60_000;

const useNotifications = () => {
  const { calls } = useClient();
  const person = usePerson();
  return useInfiniteQuery({
    queryKey: keys.notifications(person?.id ?? ""),
    queryFn: ({ pageParam, signal }) => calls.notifications(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: every,
    enabled: person !== null,
  });
};

/** What the document told this person, and how much of it is new. `wide` is the sidebar's line. */
export const Bell = ({ wide = false }: { wide?: boolean }) => {
  const { calls, queries } = useClient();
  const person = usePerson();
  const { say } = useWords();
  const popup = usePopup();
  const query = useNotifications();
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const unread = query.data?.pages[0]?.unread ?? 0;
  const [newest] = items;
  // What is new comes first, also where it is older than what was read.
  const shown = [...items.filter(({ read }) => !read), ...items.filter(({ read }) => read)].slice(0, SHOWN);
  const read = useMutation({
    mutationFn: (until: string) => calls.readNotifications({ until }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.notifications(person?.id ?? "") }),
  });
  if (!person) return null;
  return (
    <>
      <button
        type="button"
        className={wide ? "nav" : "button quiet topbar-button"}
        aria-haspopup="dialog"
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
      <PopupPanel popup={popup} side={wide ? "start" : "end"} label={say("bell.title")} className="bell" focus="panel">
        <div className="bell-head">
          <h2>{say("bell.title")}</h2>
          {unread > 0 && newest && (
            <Button small look="quiet" busy={read.isPending} onClick={() => read.mutate(newest.id)}>
              {say("bell.read")}
            </Button>
          )}
        </div>
        {query.isError && items.length === 0 ? (
          <FailedRegion failure={failureOf(query.error)} retry={() => void query.refetch()} />
        ) : items.length === 0 ? (
          <p className="bell-none">{query.isPending ? say("loading") : say("bell.none")}</p>
        ) : (
          <ul>
            {shown.map((item) => (
              <Told key={item.id} item={item} follow={popup.close} />
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

export const recordOf = ({ path }: NotificationJson): string | null => path?.split("/").at(-1) ?? null;

/** The page on which it can be seen: the record's own, or that of the record in whose list it stands. */
export const addressOf = (screens: readonly ScreenJson[], { shown, ...item }: NotificationJson): string | null => {
  const id = recordOf(item);
  const own = id === null ? null : recordAddress(screens, item.entity, id);
  return own ?? (shown === undefined ? null : recordAddress(screens, shown.entity, shown.record));
};

/** The sentence of the document, and the record that it is about. */
export const Told = ({ item, follow }: { item: NotificationJson; follow?: () => void }) => {
  const { screens } = useApplication();
  const { calls, queries } = useClient();
  const person = usePerson()?.id ?? "";
  const { say } = useWords();
  const id = recordOf(item);
  const to = addressOf(screens, item);
  // Whoever goes to the record has read what is told of it; that it was kept is nothing to wait for.
  const go = () => {
    follow?.();
    if (id === null || item.read) return;
    const done = () => queries.invalidateQueries({ queryKey: keys.notifications(person) });
    calls.readNotifications({ record: id }).then(done, () => {});
  };
  return (
    <li className="told" data-unread={!item.read || undefined}>
      <p className="told-words">
        {!item.read && <span className="hidden-words">{say("bell.new")}</span>}
        {to === null ? (
          item.text
        ) : (
          <Link className="tile-link" href={to} onClick={go}>
            {item.text}
          </Link>
        )}
      </p>
      <p className="small-words told-when">
        <When at={item.at} />
        <span className="told-clause">
          {" · "}
          <Clause of={item.clause} />
        </span>
      </p>
    </li>
  );
};
