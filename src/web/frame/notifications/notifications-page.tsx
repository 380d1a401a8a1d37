import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { NotificationJson } from "../../../core/wire/notifications.ts";
import { toFailureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useApplication, useClient, useDelayed, usePerson, useTitle } from "../../app/app-context.tsx";
import { followFocus } from "../../app/return-focus.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Link } from "../../ui/link.tsx";
import { FailedRegion, Progress, SkeletonLine } from "../../ui/page/region-status.tsx";
import { findAddress, NotificationText, notificationRecord, StateNow } from "./notification-text.tsx";
import "./notifications-page.css";

/** All notifications of the user by record, unread ones first. */
const NotificationsPage = () => {
  const { calls, queries } = useClient();
  const person = usePerson()?.id ?? "";
  const { say } = useWords();
  const [unread, setUnread] = useState(false);
  useTitle(say("bell.title"));
  const query = useInfiniteQuery({
    queryKey: keys.notificationsPage(person, unread),
    queryFn: ({ pageParam, signal }) =>
      calls.notifications(pageParam, signal, { label: "true", whole: "true", ...(unread ? { unread: "true" } : {}) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
  const loading = useDelayed(query.isPending);
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const unreadCount = query.data?.pages[0]?.unread ?? 0;
  const [newest] = items;
  const read = useMutation({
    mutationFn: (until: string) => calls.readNotifications({ until }),
    onSuccess: () => reload(queries, { queryKey: keys.notifications(person) }),
  });
  const readAll = useMutation({
    mutationFn: (notifications: readonly string[]) => calls.readNotifications({ notifications }),
    onSettled: () => reload(queries, { queryKey: keys.notifications(person) }),
  });
  const failure = toFailureOf(query);

  return (
    <article className="notifications" aria-busy={query.isFetching}>
      <header className="page-head">
        <h1>{say("bell.title")}</h1>
        <span className="grow" />
        {unreadCount > 0 && newest && (
          <Button
            busy={read.isPending}
            onClick={(event) => {
              // The button goes with the last unread notification.
              const goOn = followFocus(event.currentTarget);
              read.mutate(newest.id, { onSettled: goOn });
            }}
          >
            {say("bell.read")}
          </Button>
        )}
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: two views of one list, not a field */}
      <div className="notifications-which" role="group" aria-label={say("bell.which")}>
        {([false, true] as const).map((only) => (
          <Button key={String(only)} small aria-pressed={unread === only} onClick={() => setUnread(only)}>
            {only ? say("bell.only", { count: unreadCount }) : say("bell.every")}
          </Button>
        ))}
      </div>
      <Progress shown={query.isFetching && !query.isPending} />
      {failure && items.length === 0 ? (
        <div className="region">
          <FailedRegion failure={failure} retry={() => void query.refetch()} />
        </div>
      ) : query.isPending ? (
        loading && (
          <div className="region skeleton">
            <p className="hidden-words">{say("loading")}</p>
            <SkeletonLine width="40%" />
            <SkeletonLine width="60%" />
          </div>
        )
      ) : items.length === 0 ? (
        <p className="notifications-none">{say(unread ? "bell.none.unread" : "bell.none")}</p>
      ) : (
        groupByRecord(items).map((group) => <Group key={group.key} group={group} onRead={readAll.mutate} />)
      )}
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {say("related.more")}
        </Button>
      )}
    </article>
  );
};

export default NotificationsPage;

/** The notifications about one record. */
interface RecordNotifications {
  readonly key: string;
  readonly items: readonly NotificationJson[];
}

/** Grouped by the record whose page shows them, newest first; those with unread ones come first. */
const groupByRecord = (items: readonly NotificationJson[]): readonly RecordNotifications[] => {
  const groups = new Map<string, NotificationJson[]>();
  for (const item of items) {
    const { entity, record } = item.shown ?? { entity: item.entity, record: notificationRecord(item) ?? item.id };
    const key = `${entity} ${record}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const all = [...groups].map(([key, own]): RecordNotifications => ({ key, items: own }));
  const isNew = ({ items: own }: RecordNotifications) => own.some(({ read }) => !read);
  return [...all.filter(isNew), ...all.filter((group) => !isNew(group))];
};

const Group = ({
  group: { items },
  onRead,
}: {
  group: RecordNotifications;
  onRead: (notifications: readonly string[]) => void;
}) => {
  const { screens, entities } = useApplication();
  const { say } = useWords();
  const [first] = items;
  const [all, setAll] = useState(items.length <= SHOWN + 1);
  if (first === undefined) return null;
  const unread = items.flatMap(({ id, read }) => (read ? [] : [id]));
  const to = first.label === null ? null : findAddress(screens, first);
  const entity = first.shown?.entity ?? first.entity;
  const thing = entities[entity]?.one ?? entity;
  const label = first.label ?? say("bell.gone", { thing });
  return (
    <article className="notifications-group" aria-label={label}>
      <header>
        <h2>
          {to === null ? (
            <span className="none">{label}</span>
          ) : (
            <Link href={to}>
              <bdi>{label}</bdi>
            </Link>
          )}
        </h2>
        <StateNow item={first} />
        {unread.length > 0 && (
          <Button small look="quiet" onClick={() => onRead(unread)}>
            {say("bell.read.these")} <span className="hidden-words">{label}</span>
          </Button>
        )}
      </header>
      <ul>
        {(all ? items : items.slice(0, SHOWN)).map((item) => (
          <NotificationText key={item.id} item={item} isWhole />
        ))}
      </ul>
      {!all && (
        <Button small look="quiet" onClick={() => setAll(true)}>
          {say("history.parts.more", { count: items.length - SHOWN })}
        </Button>
      )}
    </article>
  );
};

/** Number shown per record; more are available on request. */
const SHOWN = 3;
