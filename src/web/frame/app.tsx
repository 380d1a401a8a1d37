import { useQuery } from "@tanstack/react-query";
import { useEffect, useInsertionEffect, useRef } from "react";
import type { Application } from "../../core/wire/application.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { ApplicationProvider, useClient, usePerson } from "../app/app-context.tsx";
import { createAnnouncement } from "../app/app-state.ts";
import { prepareOfflinePage } from "../app/offline-page.ts";
import { useWords, WordsProvider } from "../i18n/words.tsx";
import { useAccent, useTheme } from "../ui/control/theme.tsx";
import { LiveRegions } from "../ui/overlay/toast.tsx";
import { lazyComponent, PageNotLoaded } from "../ui/page/lazy.tsx";
import { FailedRegion } from "../ui/page/region-status.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { CurrentPage } from "./current-page.tsx";
import { GlobalDialogs } from "./global-dialogs.tsx";

const PreviewBar = lazyComponent(() => import("./preview-bar.tsx"), PageNotLoaded);

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
  const failure = toFailureOf(query);
  // Not before it is known in which language.
  if (!application && !failure) return null;
  return (
    <WordsProvider
      locale={application?.locale ?? navigator.language}
      timezone={application?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
    >
      {application ? (
        <ApplicationProvider value={application}>
          <LoadedApp application={application} />
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

const LoadedApp = ({ application }: { application: Application }) => {
  const { locale, preview } = application;
  useLive();
  useRoleNote();
  useAccent();
  useTheme();
  // Before any part measures itself: language and direction style and lay out the whole page.
  useInsertionEffect(() => {
    const root = document.documentElement;
    root.lang = locale;
    root.dir = getDirection(locale);
  }, [locale]);
  useEffect(() => prepareOfflinePage(window, locale), [locale]);
  return (
    <>
      {preview !== undefined && (
        <LoadingBoundary fallback={null}>
          <PreviewBar />
        </LoadingBoundary>
      )}
      <CurrentPage />
      <GlobalDialogs />
      <LiveRegions />
    </>
  );
};

/** Subscribes to changes by others while somebody is signed in. */
const useLive = () => {
  const { live } = useClient();
  const person = usePerson()?.id;
  useEffect(() => (person === undefined ? undefined : live.start()), [live, person]);
};

/** Says which roles the person has gained or lost while the page was open. */
const useRoleNote = () => {
  const { toast } = useClient();
  const { say } = useWords();
  const words = useRoleWords();
  const person = usePerson();
  const before = useRef(person);
  useEffect(() => {
    const last = before.current;
    before.current = person;
    if (person === null || last?.id !== person.id) return;
    const granted = person.roles.filter((role) => !last.roles.includes(role));
    const taken = last.roles.filter((role) => !person.roles.includes(role));
    const sentences = [
      ...(granted.length > 0 ? [say("roles.granted", { roles: words.all(granted) })] : []),
      ...(taken.length > 0 ? [say("roles.taken", { roles: words.all(taken) })] : []),
    ];
    if (sentences.length > 0) toast.set(createAnnouncement(sentences.join(" ")));
  });
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
