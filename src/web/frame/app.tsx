import { useIsFetching, useQuery } from "@tanstack/react-query";
import { type ComponentType, Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { type Matched, matchScreen } from "../../core/derive/http/match-screen.ts";
import type { Application } from "../../core/wire/application.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import {
  ApplicationProvider,
  useAddress,
  useApplication,
  useClient,
  useKeys,
  usePerson,
  useStore,
} from "../app/app-context.tsx";
import { isSingleCharacter, readStroke } from "../app/keyboard.ts";
import { prepareOfflinePage } from "../app/offline-page.ts";
import { PlatformWordsProvider, useWords, WordsProvider } from "../i18n/words.tsx";
import type { PagePath } from "../routing/platform-pages.ts";
import { findLanding, findSubject, listNavigation, matchPage } from "../routing/routes.ts";
import { assignLetters } from "../routing/screen-shortcuts.ts";
import { Landing } from "../screen/landing.tsx";
import { ListScreenView } from "../screen/list-screen.tsx";
import { useAccent, useTheme } from "../ui/control/theme.tsx";
import { LiveRegions } from "../ui/overlay/toast.tsx";
import { lazyComponent, lazyDialog, PageNotLoaded } from "../ui/page/lazy.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { Main, PageLoading, SkipLink } from "../ui/page/page.tsx";
import { FailedRegion } from "../ui/page/region-status.tsx";
import { Frame } from "./frame.tsx";
import type { EarlyKeys } from "./palette/palette.tsx";
import { ScreenBoundary } from "./screen-boundary.tsx";
import { StatusBars } from "./status-bars.tsx";

const PreviewBar = lazyComponent(() => import("./preview-bar.tsx"), PageNotLoaded);
const SignInScreen = lazyComponent(() => import("../sign-in/sign-in.tsx"));
const SignInAgain = lazyDialog(() => import("./signed-out.tsx"));
const HelpDialog = lazyDialog(() => import("./help-dialog.tsx"));

const loadRecordScreen = () => import("../screen/record-screen.tsx");
const loadFormScreen = () => import("../screen/form-screen.tsx");
const RecordScreen = lazyComponent(loadRecordScreen);
const FormScreen = lazyComponent(loadFormScreen);

const LetterScreen = lazyComponent(() => import("../screen/letter-screen.tsx"));

const Palette = lazyDialog(() => import("./palette/palette.tsx"));
const CreateDialog = lazyDialog(() => import("../form/create-dialog.tsx"));
const WayBackDialog = lazyDialog(() => import("../actions/way-back-dialog.tsx"));
const PermissionsDialog = lazyDialog(() => import("../permissions/permissions-dialog.tsx"));
const OverviewScreen = lazyComponent(() => import("../screen/dashboard-screen.tsx"));

interface Page {
  /** Authors' pages have their own frame; the sign-in page has none. */
  readonly frame: "application" | "own" | "none";
  readonly Component: ComponentType<{ readonly id: string }>;
}

const platform: Readonly<Record<PagePath, Page>> = {
  "/sign-in": { frame: "none", Component: SignInScreen },
  "/sign-in/account": { frame: "application", Component: lazyComponent(() => import("../people/account/account.tsx")) },
  "/sign-in/notifications": {
    frame: "application",
    Component: lazyComponent(() => import("./notifications/notifications-page.tsx")),
  },
  "/sign-in/trash": { frame: "application", Component: lazyComponent(() => import("../screen/trash-page.tsx")) },
  "/workbench": { frame: "own", Component: lazyComponent(() => import("../workbench/questions/open-points.tsx")) },
  "/workbench/start": { frame: "own", Component: lazyComponent(() => import("../workbench/start/start-page.tsx")) },
  "/workbench/document": {
    frame: "own",
    Component: lazyComponent(() => import("../workbench/document/document-page.tsx")),
  },
  "/workbench/versions": {
    frame: "own",
    Component: lazyComponent(() => import("../workbench/versions/versions-page.tsx")),
  },
  "/workbench/retired": {
    frame: "own",
    Component: lazyComponent(() => import("../workbench/versions/retired-page.tsx")),
  },
  "/workbench/records": {
    frame: "own",
    Component: lazyComponent(() => import("../workbench/draft/planned-records-page.tsx")),
  },
  "/workbench/compare": {
    frame: "own",
    Component: lazyComponent(() => import("../workbench/versions/compare-page.tsx")),
  },
  "/workbench/proposals": {
    frame: "own",
    Component: lazyComponent(() => import("../workbench/proposals/proposals-page.tsx")),
  },
  "/workbench/proposals/{id}": {
    frame: "own",
    Component: lazyComponent(() => import("../workbench/proposals/proposal-page.tsx")),
  },
  "/workbench/map": { frame: "own", Component: lazyComponent(() => import("../workbench/map/map-page.tsx")) },
  "/workbench/who": {
    frame: "own",
    Component: lazyComponent(() => import("../workbench/permissions/permissions-page.tsx")),
  },
  "/workbench/people": { frame: "application", Component: lazyComponent(() => import("../people/people.tsx")) },
  "/workbench/sign-ins": { frame: "application", Component: lazyComponent(() => import("../people/sign-ins.tsx")) },
  "/workbench/unsent": { frame: "application", Component: lazyComponent(() => import("../people/unsent.tsx")) },
  "/workbench/people/{id}": { frame: "application", Component: lazyComponent(() => import("../people/person.tsx")) },
};

/** If the manifest cannot be loaded, the browser's language and time zone are used. */
export const App = () => {
  const { calls, queries, signedOut } = useClient();
  const query = useQuery({
    queryKey: keys.application,
    queryFn: async ({ signal }) => {
      const before = queries.getQueryData<Application>(keys.application);
      const now = await calls.application(signal);
      if (before?.person == null || now.person !== null) return now;
      // A later request was answered without a user: the session has ended, but the page remains.
      signedOut.set(true);
      return before;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const application = query.data;
  const failure = query.error ? toFailure(query.error) : query.failureReason ? toFailure(query.failureReason) : null;
  // Not before it is known in which language.
  if (!application && !failure) return null;
  return (
    <WordsProvider
      locale={application?.locale ?? navigator.language}
      timezone={application?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
    >
      {application ? (
        <ApplicationProvider value={application}>
          <Announcements application={application} />
        </ApplicationProvider>
      ) : (
        failure && (
          <main className="alone">
            <FailedRegion failure={failure} retry={() => void query.refetch()} />
          </main>
        )
      )}
    </WordsProvider>
  );
};

const Announcements = ({ application }: { application: Application }) => {
  const { locale, preview } = application;
  useLive();
  useAccent();
  useTheme();
  // Before painting, because a change of text direction moves the whole page.
  useLayoutEffect(() => {
    const root = document.documentElement;
    root.lang = locale;
    root.dir = getDirection(locale);
  }, [locale]);
  useEffect(() => prepareOfflinePage(window, locale), [locale]);
  return (
    <>
      {preview !== undefined && (
        <Suspense fallback={null}>
          <PreviewBar />
        </Suspense>
      )}
      <Screens />
      <SignedOut />
      <Help />
      <PaletteHost />
      <AskingHost />
      <CreationHost />
      <WayBackHost />
      <LiveRegions />
    </>
  );
};

/** The command palette, opened by Ctrl+K or ⌘K; and G followed by a letter for each screen. */
const PaletteHost = () => {
  const { palette, navigation, preferences } = useClient();
  const { screens } = useApplication();
  const person = usePerson();
  const open = useStore(palette);
  const single = useStore(preferences.singleKeys);
  const letters = useMemo(() => assignLetters(listNavigation(screens)), [screens]);
  const typedAhead = useEarlyKeys(open && person !== null);
  useEffect(() => {
    if (!person) return;
    let begun = 0;
    const struck = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        palette.set(!palette.get());
        return;
      }
      const key = single ? readStroke(event) : null;
      const to = Date.now() - begun < 1_500 && key !== null ? letters.get(key.toLowerCase()) : undefined;
      begun = key === "g" && to === undefined ? Date.now() : 0;
      if (to === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      navigation.go(to);
    };
    // Before single-key shortcuts: the second key belongs to G.
    window.addEventListener("keydown", struck, { capture: true });
    return () => window.removeEventListener("keydown", struck, { capture: true });
  }, [palette, navigation, letters, single, person]);
  return open && person ? (
    <Suspense fallback={null}>
      <Palette typedAhead={typedAhead} onClose={() => palette.set(false)} />
    </Suspense>
  ) : null;
};

const noKeys: EarlyKeys = { typed: "", entered: false };

/** Collects keys pressed while the palette's code loads, so that they are not taken as shortcuts, nor lost. */
const useEarlyKeys = (open: boolean): (() => EarlyKeys) => {
  const ahead = useRef(noKeys);
  useLayoutEffect(() => {
    if (!open) return;
    const struck = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      // An open dialog handles its keys itself.
      if (document.querySelector("dialog.palette[open]")) return;
      const { typed } = ahead.current;
      if (event.key === "Enter") ahead.current = { typed, entered: true };
      else if (isSingleCharacter(event.key)) ahead.current = { typed: typed + event.key, entered: false };
      else if (event.key === "Backspace") ahead.current = { typed: typed.slice(0, -1), entered: false };
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    ahead.current = noKeys;
    window.addEventListener("keydown", struck, { capture: true });
    return () => {
      ahead.current = noKeys;
      window.removeEventListener("keydown", struck, { capture: true });
    };
  }, [open]);
  return useCallback(() => ahead.current, []);
};

/** Explanations of permissions, opened by W on a list or record, and by refused controls. */
const AskingHost = () => {
  const { permissionQuestion, palette } = useClient();
  const { screens } = useApplication();
  const { path } = useAddress();
  const person = usePerson();
  const question = useStore(permissionQuestion);
  const subject = findSubject(screens, path);
  const acts = useMemo(
    () => ({ w: () => !palette.get() && permissionQuestion.get() === null && permissionQuestion.set(subject) }),
    [permissionQuestion, palette, subject],
  );
  useKeys(acts);
  // A question belongs to the page on which it was asked.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every page
  useEffect(() => permissionQuestion.set(null), [permissionQuestion, path]);
  return question && person ? (
    <Suspense fallback={null}>
      <PermissionsDialog question={question} onClose={() => permissionQuestion.set(null)} />
    </Suspense>
  ) : null;
};

/** The dialogs that create records for choices. They are outside of the forms that ask for them. */
const CreationHost = () => {
  const { creations } = useClient();
  const { path } = useAddress();
  const all = useStore(creations);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every page
  useEffect(() => creations.set([]), [creations, path]);
  return (
    <Suspense fallback={null}>
      {all.map((creation, depth) => (
        <CreateDialog
          key={`${creation.entity} ${creation.typed}`}
          creation={creation}
          onClose={() => creations.set(creations.get().slice(0, depth))}
        />
      ))}
    </Suspense>
  );
};

/** The dialog of a transition that takes the last one back. The row in which that was made may be gone. */
const WayBackHost = () => {
  const { wayBack } = useClient();
  const { entities } = useApplication();
  const { path } = useAddress();
  const asked = useStore(wayBack);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every page
  useEffect(() => wayBack.set(null), [wayBack, path]);
  const entity = entities[asked?.entity ?? ""];
  return asked && entity ? (
    <Suspense fallback={null}>
      <WayBackDialog entity={entity} wayBack={asked} onClose={() => wayBack.set(null)} />
    </Suspense>
  ) : null;
};

/** Subscribes to changes by others while somebody is signed in. */
const useLive = () => {
  const { live } = useClient();
  const person = usePerson()?.id;
  useEffect(() => (person === undefined ? undefined : live.start()), [live, person]);
};

const getDirection = (locale: string): "ltr" | "rtl" => {
  try {
    const intlLocale = new Intl.Locale(locale) as Intl.Locale & {
      getTextInfo?: () => { direction: "ltr" | "rtl" };
      textInfo?: { direction: "ltr" | "rtl" };
    };
    return intlLocale.getTextInfo?.().direction ?? intlLocale.textInfo?.direction ?? "ltr";
  } catch {
    return "ltr";
  }
};

/** Shown when the session has ended: sign in above the page, which remains. */
const SignedOut = () => {
  const { signedOut } = useClient();
  const person = usePerson();
  return useStore(signedOut) && person ? (
    <Suspense fallback={null}>
      <SignInAgain onClose={() => window.location.reload()} />
    </Suspense>
  ) : null;
};

/** The help, opened by ?, the menu of the person and the command palette. */
const Help = () => {
  const { help } = useClient();
  const shown = useStore(help);
  const person = usePerson();
  const acts = useMemo(() => ({ "?": () => help.set(true) }), [help]);
  useKeys(acts);
  return shown && person ? (
    <Suspense fallback={null}>
      <HelpDialog onClose={() => help.set(false)} />
    </Suspense>
  ) : null;
};

/** The page at the current address: a platform page or a screen of the document. */
const Screens = () => {
  const { navigation } = useClient();
  const application = useApplication();
  const { path, search } = useAddress();
  const { say } = useWords();
  const { screens, person } = application;
  const matched = matchScreen(screens, path);
  const landing = path === "/" && !matched ? findLanding(application) : null;
  const mustSignIn = person === null && path !== "/sign-in" && !matched && landing === null;

  useEffect(() => {
    if (landing !== null) navigation.go(landing, "replace");
    else if (mustSignIn) {
      const to = path === "/" ? "" : `?to=${encodeURIComponent(search === "" ? path : `${path}?${search}`)}`;
      navigation.go(`/sign-in${to}`, "replace");
    }
  }, [landing, mustSignIn, navigation, path, search]);

  const at = matchPage(person, path);
  const { frame, Component } = at ? platform[at.page] : { frame: "application", Component: null };
  if (Component && frame === "none")
    return (
      <ScreenBoundary key={path}>
        <Suspense
          fallback={
            <Main>
              <PageLoading title={say("sign.in.title")} />
            </Main>
          }
        >
          <Component id="" />
        </Suspense>
      </ScreenBoundary>
    );
  if (landing !== null || mustSignIn) return null;
  if (Component && frame === "own")
    return (
      <ScreenBoundary key={path}>
        <SkipLink>{say("skip")}</SkipLink>
        <StatusBars />
        <Suspense
          fallback={
            <Main>
              <PageLoading title={say("menu.workbench")} />
            </Main>
          }
        >
          <PlatformWordsProvider>
            <Component key={at?.id} id={at?.id ?? ""} />
          </PlatformWordsProvider>
        </Suspense>
      </ScreenBoundary>
    );
  return (
    <Frame>
      <ScreenBoundary key={path}>
        <Suspense fallback={<PageLoading title={matched?.screen.title ?? application.name} />}>
          {Component ? (
            <PlatformWordsProvider>
              <Component key={at?.id} id={at?.id ?? ""} />
            </PlatformWordsProvider>
          ) : matched ? (
            <Screen matched={matched} />
          ) : path === "/" ? (
            <Landing />
          ) : (
            <NotFound />
          )}
        </Suspense>
      </ScreenBoundary>
    </Frame>
  );
};

/** The next page loads the code again if this fails. */
const loadInAdvance = (load: () => Promise<unknown>): void => void load().catch(() => undefined);

/** Loads the code of records when the rows of a list have arrived, so that a record opens at once. */
const LoadRecordScreen = () => {
  const isBusy = useIsFetching() > 0;
  useEffect(() => {
    if (isBusy) return;
    const timer = setTimeout(() => loadInAdvance(loadRecordScreen), 300);
    return () => clearTimeout(timer);
  }, [isBusy]);
  return null;
};

/** Loads the code of forms when the pointer or the focus reaches a link to one. */
const useLoadFormScreen = (): void => {
  const { screens } = useApplication();
  useEffect(() => {
    const prepare = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest("a") : null;
      if (link && matchScreen(screens, link.pathname)?.screen.kind === "form") loadInAdvance(loadFormScreen);
    };
    for (const type of ["pointerover", "focusin"]) document.addEventListener(type, prepare);
    return () => {
      for (const type of ["pointerover", "focusin"]) document.removeEventListener(type, prepare);
    };
  }, [screens]);
};

const Screen = ({ matched: { screen, parameters } }: { matched: Matched }) => {
  const { entities } = useApplication();
  useLoadFormScreen();
  const id = Object.values(parameters)[0] ?? null;
  if (screen.kind === "tiles") return <OverviewScreen screen={screen} />;
  const entity = entities[screen.entity];
  if (!entity) return <NotFound />;
  switch (screen.kind) {
    case "list":
      return (
        <>
          <ListScreenView screen={screen} entity={entity} />
          <LoadRecordScreen />
        </>
      );
    case "record":
      return id === null ? <NotFound /> : <RecordScreen screen={screen} entity={entity} id={id} />;
    case "letter":
      return id === null ? <NotFound /> : <LetterScreen screen={screen} entity={entity} id={id} />;
    case "form":
      return <FormScreen screen={screen} entity={entity} id={id} />;
  }
};
