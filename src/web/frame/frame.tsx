import { type ReactNode, useEffect } from "react";
import { matchScreen } from "../../core/derive/http/match-screen.ts";
import type { ViewJson } from "../../core/wire/lists.ts";
import type { FormScreenJson, ScreenJson } from "../../core/wire/screens.ts";
import { useAddress, useApplication, useClient, usePerson, usePhone, useStore } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { useViews } from "../list/filter/use-views.ts";
import { findNeighbours } from "../routing/record-pager.ts";
import { findNewScreen, findWorkbench, getScreenEntity, listNavigation } from "../routing/routes.ts";
import { AppMark } from "../ui/avatar.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { useCreateLabel } from "../ui/control/create-button.tsx";
import { ThemeButton, ThemeLine } from "../ui/control/theme.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { leaveFrontSheet } from "../ui/overlay/leave-sheet.ts";
import { Menu } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { Main, SkipLink } from "../ui/page/page.tsx";
import { PrintFooter } from "../ui/page/print-footer.tsx";
import { NotificationBell } from "./notifications/notifications.tsx";
import { PersonMenu, StandInLinks } from "./person-menu.tsx";
import { screenIcons } from "./screen-icons.ts";
import { StatusBars } from "./status-bars.tsx";

const tabs = 3;

/** The sidebar, the rail, or a phone's two bars, around a screen. */
export const Frame = ({ children }: { children: ReactNode }) => {
  const { say } = useWords();
  const { path, visit } = useAddress();
  useSheetPulls();
  useBackFromSheets();
  return (
    <>
      <SkipLink>{say("skip")}</SkipLink>
      <StatusBars />
      <div className="frame">
        <Sidebar />
        <TopBar />
        <Main key={path} visit={visit}>
          {children}
          <PrintFooter />
        </Main>
        <TabBar />
      </div>
    </>
  );
};

/** On a phone, a finger pulls sheets down. Without their code, a press beside them closes them. */
const useSheetPulls = () => {
  const phone = usePhone();
  useEffect(() => {
    if (!phone) return;
    const stop = import("../ui/overlay/pull-down.ts").then(
      ({ watchPulls }) => watchPulls(),
      () => () => {},
    );
    return () => void stop.then((end) => end());
  }, [phone]);
};

/** Back leaves what covers the page before it leaves the page. */
const useBackFromSheets = () => {
  const { navigation } = useClient();
  const phone = usePhone();
  useEffect(() => navigation.onBack(() => leaveFrontSheet(phone)), [navigation, phone]);
};

/** The current screen; a record belongs to the list that it was opened from, otherwise to one of its entity. */
const useCurrent = (): ScreenJson | null => {
  const { screens } = useApplication();
  const { path } = useAddress();
  const from = useStore(useClient().trail);
  const { screen: at, parameters = {} } = matchScreen(screens, path) ?? {};
  const all = listNavigation(screens);
  if (!at || all.includes(at)) return at ?? null;
  const [id] = Object.values(parameters);
  if (at.kind === "record" && from !== null && id !== undefined && findNeighbours(from, at.entity, id) !== null) {
    const opened = matchScreen(screens, from.address.split("?")[0] ?? "")?.screen;
    if (opened && all.includes(opened)) return opened;
  }
  return all.find((screen) => getScreenEntity(screen) === getScreenEntity(at)) ?? null;
};

const Brand = () => {
  const { name } = useApplication();
  return (
    <Link className="brand" href="/">
      <AppMark />
      <span className="nav-words cut">{name}</span>
    </Link>
  );
};

/** Help in sight: nobody who is new looks for it in the menu of the account. */
const HelpLine = () => {
  const { help } = useClient();
  const { say } = useWords();
  return (
    <button type="button" className="nav" aria-keyshortcuts="?" onClick={() => help.set("page")}>
      <Icon name="why" />
      <span className="nav-words">{say("help.title")}</span>
    </button>
  );
};

const Sidebar = () => {
  const { screens, name, signIn } = useApplication();
  const person = usePerson();
  const current = useCurrent();
  const workbench = findWorkbench(person);
  const managing = /^\/workbench\/(?:people|sign-ins|unsent)/u.test(useAddress().path);
  const { say } = useWords();
  const views = useListedViews();
  return (
    <nav className="sidebar" aria-label={name}>
      <Brand />
      {person && <SearchButton />}
      {listNavigation(screens).map((screen) => (
        <Link
          key={screen.path}
          className="nav"
          href={screen.path}
          aria-current={screen === current && views.open === undefined ? "page" : undefined}
        >
          <Icon name={screenIcons[screen.kind]} />
          <span className="nav-words cut">{screen.title}</span>
        </Link>
      ))}
      <SavedViews {...views} />
      <div className="sidebar-end">
        {person?.administrator && (
          <Link className="nav" href="/workbench/people" aria-current={managing ? "page" : undefined}>
            <Icon name="people" />
            <span className="nav-words">{say("menu.people")}</span>
          </Link>
        )}
        {workbench !== null && (
          <Link className="nav" href={workbench}>
            <Icon name="document" />
            <span className="nav-words">{say("menu.workbench")}</span>
          </Link>
        )}
        {person && <StandInLinks />}
        <NotificationBell wide />
        <ThemeLine />
        {person && <HelpLine />}
        {person ? (
          <PersonMenu wide />
        ) : signIn.off ? null : (
          <Link className="nav" href="/sign-in">
            <Icon name="signIn" />
            <span className="nav-words">{say("sign.in.title")}</span>
          </Link>
        )}
      </div>
    </nav>
  );
};

interface ListedViews {
  readonly views: readonly ViewJson[];
  /** The one that the page shows. */
  readonly open: ViewJson | undefined;
}

/** Saved views that the sidebar lists, own and shared. */
const useListedViews = (): ListedViews => {
  const { screens } = useApplication();
  const { path, search } = useAddress();
  const all = (useViews().data?.items ?? []).filter((view) => screens.some((screen) => screen.path === view.screen));
  const views = all.slice(0, mostViews);
  return { views, open: views.find(({ screen, query }) => screen === path && query === search) };
};

const SavedViews = ({ views, open }: ListedViews) => {
  const { say } = useWords();
  if (views.length === 0) return null;
  return (
    <>
      <p className="sidebar-title">{say("views.title")}</p>
      {views.map((view) => (
        <Link
          key={view.id}
          className="nav"
          href={view.query === "" ? view.screen : `${view.screen}?${view.query}`}
          aria-current={view === open ? "page" : undefined}
        >
          <Icon name="view" />
          <span className="nav-words cut">{view.title}</span>
        </Link>
      ))}
    </>
  );
};

/** Maximum number shown; the list offers all. */
const mostViews = 8;

const onApple = /Mac|iPhone|iPad/u.test(navigator.userAgent);

/** Opens the command palette and shows its shortcut. */
const SearchButton = () => {
  const { palette } = useClient();
  const { say } = useWords();
  return (
    <button
      type="button"
      className="nav search-button"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => palette.set(true)}
    >
      <Icon name="search" />
      <span className="nav-words">{say("palette.open")}</span>
      <kbd>{onApple ? "⌘K" : `${say("key.control")} K`}</kbd>
    </button>
  );
};

const TopBar = () => {
  const { palette } = useClient();
  const { signIn } = useApplication();
  const person = usePerson();
  const { say } = useWords();
  return (
    <header className="topbar">
      <Brand />
      {person && (
        <IconButton
          icon="search"
          size={20}
          className="topbar-button"
          label={say("palette.open")}
          onClick={() => palette.set(true)}
        />
      )}
      <NotificationBell />
      <ThemeButton className="topbar-button" />
      {person ? (
        <PersonMenu />
      ) : signIn.off ? null : (
        <Link className="button quiet topbar-button" href="/sign-in" aria-label={say("sign.in.title")}>
          <Icon name="signIn" size={20} />
        </Link>
      )}
    </header>
  );
};

/** The first three screens, a create button, and the others under "More". */
const TabBar = () => {
  const { screens, entities, name } = useApplication();
  const { path } = useAddress();
  const current = useCurrent();
  const { say } = useWords();
  const more = usePopup();
  const all = listNavigation(screens);
  const rest = all.slice(tabs);
  const makingWords = useCreateLabel();
  const words = (form: FormScreenJson) => {
    const entity = entities[form.entity];
    return entity ? makingWords(form, entity) : form.title;
  };
  const making = [...(current ? [current] : []), ...all]
    .map(getScreenEntity)
    .flatMap((entity) => (entity && entities[entity]?.create ? (findNewScreen(screens, entity) ?? []) : []))
    .at(0);
  if (all.length === 0) return null;
  const short = say("form.new.short");
  /** A name that contains the visible word, once: "New ticket", but "New: Report a problem". */
  const makingLabel = (form: FormScreenJson) => {
    const value = words(form);
    return value.toLowerCase().includes(short.toLowerCase()) ? value : say("label.value", { label: short, value });
  };
  return (
    <nav className="tabbar" aria-label={say("frame.screens", { name })}>
      {all.slice(0, tabs).map((screen) => (
        <Link
          key={screen.path}
          href={screen.path}
          aria-current={screen === current && path !== making?.path ? "page" : undefined}
        >
          <Icon name={screenIcons[screen.kind]} size={21} />
          <span>{screen.title}</span>
        </Link>
      ))}
      {making && (
        <Link
          href={making.path}
          aria-current={path === making.path ? "page" : undefined}
          aria-label={makingLabel(making)}
        >
          <Icon name="tabNew" size={21} />
          <span>{short}</span>
        </Link>
      )}
      {rest.length > 0 && (
        <>
          <button
            type="button"
            aria-haspopup="menu"
            {...more.control}
            data-current={rest.some((screen) => screen === current) || undefined}
          >
            <Icon name="more" size={21} />
            <span>{say("frame.more")}</span>
          </button>
          <Menu
            popup={more}
            label={say("frame.more")}
            items={rest.map((screen) => ({
              key: screen.path,
              label: screen.title,
              icon: screenIcons[screen.kind],
              href: screen.path,
              current: screen === current,
            }))}
          />
        </>
      )}
    </nav>
  );
};
