import { useId } from "react";
import { DEPUTY } from "../../../core/model/permissions.ts";
import type { NotificationJson, OtherNoticesJson } from "../../../core/wire/notifications.ts";
import type { ScreenJson } from "../../../core/wire/screens.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient, useLocale, usePerson } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { HandedWork } from "../../people/account/handed-over.tsx";
import { SHOW_DEPUTIES } from "../../routing/platform-pages.ts";
import { recordAddress } from "../../routing/routes.ts";
import { Link } from "../../ui/link.tsx";
import { LazyWhyButton } from "../../ui/page/why-sentence.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateWord } from "../../ui/state-mark.tsx";

export const notificationRecord = ({ path }: NotificationJson): string | null => path?.split("/").at(-1) ?? null;

/** Address of the record's own page, or of the page of the record that lists it; null also if it is known to be gone. */
export const findAddress = (screens: readonly ScreenJson[], { shown, ...item }: NotificationJson): string | null => {
  const id = notificationRecord(item);
  if (item.path?.startsWith("/workbench/")) return item.path;
  // An arrangement that has ended has no page; the account page lists the others.
  if (item.entity === DEPUTY) return `/sign-in/account?${SHOW_DEPUTIES}`;
  if (item.label === null) return null;
  const own = id === null ? null : recordAddress(screens, item.entity, id);
  return own ?? (shown === undefined ? null : recordAddress(screens, shown.entity, shown.record));
};

/** The state in which the record is now: a notification that asks for a decision stays when somebody has decided. */
export const StateNow = ({ item: { entity, shown, state } }: { readonly item: NotificationJson }) => {
  const { entities } = useApplication();
  const { say } = useWords();
  const found = entities[shown?.entity ?? entity]?.states?.states.find(({ name }) => name === state);
  return (
    found && (
      <span className="told-state">
        <span className="hidden-words">{say("bell.state")}</span> <StateWord state={found} />
      </span>
    )
  );
};

/** The notification by which a person hands work to their deputy. */
const NAMED = `4.${DEPUTY}.after.create`;

/** The work that somebody hands to the user, with the notification that says so, until the arrangement has ended. */
const Handed = ({ item }: { readonly item: NotificationJson }) => {
  const { person, standIns = [] } = useApplication();
  const { today } = useLocale();
  const { say } = useWords();
  const found = standIns.find(({ id, deputy }) => id === notificationRecord(item) && deputy.id === person?.id);
  if (!item.clause.startsWith(NAMED) || !found?.handed) return null;
  const { person: away, first_day, handed } = found;
  return (
    <HandedWork
      before={say(first_day <= today ? "bell.deputy" : "bell.deputy.coming", { person: away.label })}
      work={handed}
    />
  );
};

/** The text of a notification and its record. */
export const NotificationText = ({
  item,
  follow,
  isFirst = false,
  isWhole = false,
}: {
  readonly item: NotificationJson;
  readonly follow?: () => void;
  /** True if a panel begins with it. */
  readonly isFirst?: boolean;
  /** True if all parts that it names are shown, without their record, which the page shows. */
  readonly isWhole?: boolean;
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
    if (item.read) return;
    const done = () => queries.invalidateQueries({ queryKey: keys.notifications(person) });
    calls.readNotifications({ ...(id !== null && { record: id }), notifications: [item.id] }).then(done, () => {});
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
      <Handed item={item} />
      {item.others !== undefined && <Others others={item.others} isWhole={isWhole} />}
      <div className="small-words told-when">
        <RelativeTime at={item.at} />
        {!isWhole && <StateNow item={item} />}{" "}
        <span className="told-why">
          <LazyWhyButton words={item.text} clause={item.clause} describedBy={words} />
        </span>
      </div>
    </li>
  );
};

/** The further parts that a notification is about. */
const Others = ({
  others: { count, texts, label },
  isWhole,
}: {
  readonly others: OtherNoticesJson;
  readonly isWhole: boolean;
}) => {
  const { say } = useWords();
  if (!isWhole)
    return (
      <p className="told-others">
        {label === null ? say("bell.others", { count }) : say("bell.others.of", { count, label })}
      </p>
    );
  const unnamed = count - texts.length;
  return (
    <>
      {texts.map((text, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: texts can be equal and never move
        <p key={i} className="told-words">
          {text}
        </p>
      ))}
      {unnamed > 0 && <p className="told-others">{say("bell.others", { count: unnamed })}</p>}
    </>
  );
};
