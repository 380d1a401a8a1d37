import { useCommands, useKeys, usePerson, usePhone } from "../../app/app-context.tsx";
import { useNotifications } from "../../app/use-notifications.ts";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";

const BellContents = lazyComponent(() => import("./bell-contents.tsx"), PageNotLoaded);

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
  useCommands(isShown ? [{ label: say("bell.title"), keys: "N", run: show, isTool: true }] : []);
};

/** Notifications with the number of unread ones. `wide` is the form in the sidebar. */
export const NotificationBell = ({ wide = false }: { wide?: boolean }) => {
  const person = usePerson();
  const { say } = useWords();
  const popup = usePopup();
  const query = useNotifications();
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const unread = query.data?.pages[0]?.unread ?? 0;
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
        <LoadingBoundary fallback={null}>
          <BellContents popup={popup} />
        </LoadingBoundary>
      </PopupPanel>
    </>
  );
};
