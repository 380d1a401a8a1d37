import { useIsFetching } from "@tanstack/react-query";
import { type ComponentType, useEffect } from "react";
import { type Matched, matchScreen } from "../../core/derive/http/match-screen.ts";
import { useAddress, useApplication, useClient } from "../app/app-context.tsx";
import { PlatformWordsProvider, useWords } from "../i18n/words.tsx";
import type { PagePath } from "../routing/platform-pages.ts";
import { findLanding, matchPage } from "../routing/routes.ts";
import { ListScreenView } from "../screen/list-screen.tsx";
import { lazyComponent } from "../ui/page/lazy.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { Main, PageLoading, SkipLink } from "../ui/page/page.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { Frame } from "./frame.tsx";
import { ScreenBoundary } from "./screen-boundary.tsx";
import { StatusBars } from "./status-bars.tsx";

const SignInScreen = lazyComponent(() => import("../sign-in/sign-in.tsx"));

const RecordScreen = lazyComponent(() => import("../screen/record-screen.tsx"));
const FormScreen = lazyComponent(() => import("../screen/form-screen.tsx"));
const Landing = lazyComponent(async () => ({ default: (await import("../screen/landing.tsx")).Landing }));
const LetterScreen = lazyComponent(() => import("../screen/letter-screen.tsx"));
const DashboardScreen = lazyComponent(() => import("../screen/dashboard-screen.tsx"));

interface PlatformPage {
  /** Authors' pages have their own frame; the sign-in page has none. */
  readonly frame: "application" | "own" | "none";
  readonly Component: ComponentType<{ readonly id: string }>;
}

const platformPages: Readonly<Record<PagePath, PlatformPage>> = {
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

/** The page at the current address: a platform page or a screen of the document. */
export const CurrentPage = () => {
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
      const returnTo = path === "/" ? "" : `?to=${encodeURIComponent(search === "" ? path : `${path}?${search}`)}`;
      navigation.go(`/sign-in${returnTo}`, "replace");
    }
  }, [landing, mustSignIn, navigation, path, search]);

  const platformPage = matchPage(person, path);
  const { frame, Component } = platformPage
    ? platformPages[platformPage.page]
    : { frame: "application", Component: null };
  if (Component && frame === "none")
    return (
      <ScreenBoundary key={path}>
        <LoadingBoundary
          fallback={
            <Main>
              <PageLoading title={say("sign.in.title")} />
            </Main>
          }
        >
          <Component id="" />
        </LoadingBoundary>
      </ScreenBoundary>
    );
  if (landing !== null || mustSignIn) return null;
  if (Component && frame === "own")
    return (
      <ScreenBoundary key={path}>
        <SkipLink>{say("skip")}</SkipLink>
        <StatusBars />
        <LoadingBoundary
          fallback={
            <Main>
              <PageLoading title={say("menu.workbench")} />
            </Main>
          }
        >
          <PlatformWordsProvider>
            <Component key={platformPage?.id} id={platformPage?.id ?? ""} />
          </PlatformWordsProvider>
        </LoadingBoundary>
      </ScreenBoundary>
    );
  return (
    <Frame>
      <ScreenBoundary key={path}>
        {/* A page that may no longer be seen goes at once: it is not hidden until the one in its place has been loaded. */}
        <LoadingBoundary
          key={matched?.screen.path ?? "none"}
          fallback={<PageLoading title={matched?.screen.title ?? application.name} />}
        >
          {Component ? (
            <PlatformWordsProvider>
              <Component key={platformPage?.id} id={platformPage?.id ?? ""} />
            </PlatformWordsProvider>
          ) : matched ? (
            <Screen matched={matched} />
          ) : path === "/" ? (
            <Landing />
          ) : (
            <NotFound />
          )}
        </LoadingBoundary>
      </ScreenBoundary>
    </Frame>
  );
};

/** Loads the code of records when the rows of a list have arrived, so that a record opens at once. */
const LoadRecordScreen = () => {
  const isBusy = useIsFetching() > 0;
  useEffect(() => {
    if (isBusy) return;
    const timer = setTimeout(() => RecordScreen.load(), 300);
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
      // A link of a drawing has no path, and leads to a list.
      if (link instanceof HTMLAnchorElement && matchScreen(screens, link.pathname)?.screen.kind === "form")
        FormScreen.load();
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
  if (screen.kind === "tiles") return <DashboardScreen screen={screen} />;
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
