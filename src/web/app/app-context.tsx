import {
  createContext,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { formatLocale } from "../../core/model/format.ts";
import type { Application, PersonJson } from "../../core/wire/application.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { LocaleContext } from "../format/locale-context.ts";
import { toLocalTime } from "../format/time-zone.ts";
import { useWords } from "../i18n/words.tsx";
import type { Store } from "../util/store.ts";
import type { Client } from "./app-state.ts";
import type { Command } from "./command-list.ts";
import { grownWindow } from "./font-scale.ts";
import { isSingleCharacter, readStroke } from "./keyboard.ts";

const ClientContext = createContext<Client | null>(null);
export const ClientProvider = ClientContext;

export const useClient = (): Client => {
  const client = useContext(ClientContext);
  if (!client) throw new Error("The client is used outside its provider.");
  return client;
};

const ApplicationContext = createContext<Application | null>(null);
export const ApplicationProvider = ApplicationContext;

export const useApplication = (): Application => {
  const application = useContext(ApplicationContext);
  if (!application) throw new Error("The application is used outside its provider.");
  return application;
};

export const useEntity = (name: string): EntityJson | null => useApplication().entities[name] ?? null;

export const usePerson = (): PersonJson | null => useApplication().person;

export const useStore = <T,>(store: Pick<Store<T>, "get" | "subscribe">): T =>
  useSyncExternalStore(store.subscribe, store.get);

export const useAddress = () => useStore(useClient().navigation);

/** The application's time zone, locale and current date. The date is read again with each navigation. */
export const useLocale = (): LocaleContext => {
  const { locale, timezone, person } = useApplication();
  const { booleans } = useWords().language.grammar;
  const { visit } = useAddress();
  const [id, name] = [person?.id, person?.name];
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new visit may be on a new day
  return useMemo(
    () => ({
      locale: formatLocale(locale),
      timezone,
      booleans,
      today: toLocalTime(new Date().toISOString(), timezone).day,
      ...(id !== undefined && name !== undefined && { person: { id, label: name } }),
    }),
    [locale, timezone, booleans, visit, id, name],
  );
};

const media = (query: string): Pick<Store<boolean>, "get" | "subscribe"> => {
  const list = window.matchMedia(query);
  return {
    get: () => list.matches,
    subscribe: (follower) => {
      list.addEventListener("change", follower);
      return () => list.removeEventListener("change", follower);
    },
  };
};
const phone = media(`(max-width: ${grownWindow(767)})`);
const twoColumns = media(`(min-width: ${grownWindow(1360)})`);
const print = media("print");
const dark = media("(prefers-color-scheme: dark)");

/** Narrower than 768 pixels: one column, two-line rows, bottom sheets. */
export const usePhone = (): boolean => useStore(phone);
/** At least 1360 pixels wide: two columns of tiles have room for names beside their actions. */
export const useTwoColumns = (): boolean => useStore(twoColumns);
/** True while the page is laid out for printing. */
export const usePrinting = (): boolean => useStore(print);
export const useSystemDark = (): boolean => useStore(dark);

/** False on touch devices, where focusing an input opens the keyboard over the page. */
export const hasFinePointer = (): boolean => window.matchMedia("(pointer: fine)").matches;

/** True once a state has lasted long enough to be shown, to avoid flashing. */
export const useDelayed = (lasts: boolean, ms = 150): boolean => {
  const [long, setLong] = useState(false);
  useEffect(() => {
    if (!lasts) {
      setLong(false);
      return;
    }
    const timer = setTimeout(() => setLong(true), ms);
    return () => clearTimeout(timer);
  }, [lasts, ms]);
  return lasts && long;
};

/** Single-key shortcuts, unless the person has turned them off. Arrow keys and the like always work. */
export const useKeys = (acts: { readonly [key: string]: ((event: KeyboardEvent) => void) | undefined }): void => {
  const { preferences } = useClient();
  const on = useStore(preferences.singleKeys);
  // Runs with React's commit, so that a key pressed right after something appears is not lost.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const key = readStroke(event);
      const act = key === null ? undefined : acts[key];
      if (act && key !== null && (on || !isSingleCharacter(key))) act(event);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [acts, on]);
};

/** Offers commands in the palette while the component is shown. */
export const useCommands = (commands: readonly Command[]): void => {
  const { commands: list } = useClient();
  const id = useId();
  useEffect(() => list.offer(id, commands), [list, id, commands]);
  useEffect(() => () => list.withdraw(id), [list, id]);
};

/** Offers tools of the page in the palette, by their labels. */
export const useTools = (tools: { readonly [label: string]: () => void }): void =>
  useCommands(Object.entries(tools).map(([label, run]) => ({ label, run, isTool: true })));

export const useTitle = (title: string | null): void => {
  const { name } = useApplication();
  useEffect(() => {
    document.title = title === null || title === name ? name : `${title} · ${name}`;
  }, [title, name]);
};
