import { useQueries } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { DEPUTY } from "../../core/model/permissions.ts";
import { keys } from "../api/query-keys.ts";
import { isComposing } from "../app/keyboard.ts";
import { candidateQuery, findCandidates } from "../field/control/reference-candidates.ts";
import { NAME_DEPUTY } from "../routing/platform-pages.ts";
import {
  findListScreen,
  findNewScreen,
  findSubject,
  findWorkbench,
  listNavigation,
  recordAddress,
} from "../routing/routes.ts";
import { assignLetters } from "../routing/screen-shortcuts.ts";
import "./palette.css";
import { useAddress, useApplication, useClient, usePerson, useStore } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { useCreateLabel } from "../ui/control/create-button.tsx";
import { SearchInput } from "../ui/control/search-input.tsx";
import { useTheme } from "../ui/control/theme.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { screenIcons } from "./screen-icons.ts";

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** Text at the end: the kind of record, or the shortcut. */
  readonly note?: string;
  readonly run: () => void;
  readonly refused?: { readonly because: string; readonly clause: string };
  /** Further search words. */
  readonly also?: string;
}

interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const perEntity = 5;
const plain = (words: string) => words.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** The input once typing pauses. */
const useDebounced = (typed: string): string => {
  const [query, setDebounced] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(typed), 160);
    return () => clearTimeout(timer);
  }, [typed]);
  return query;
};

/** Records of every list whose labels match the input. */
const useFoundRecords = (typed: string): { readonly records: readonly Entry[]; readonly busy: boolean } => {
  const { calls, navigation } = useClient();
  const { screens, entities } = useApplication();
  const query = useDebounced(typed.trim());
  const listed = Object.values(entities).filter(({ name }) => findListScreen(screens, name) !== null);
  const found = useQueries({
    queries: listed.map((entity) => ({
      queryKey: keys.candidates(entity.calls, query),
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.list(entity.calls, candidateQuery(query), signal),
      enabled: query.length > 1,
      staleTime: 10_000,
    })),
  });
  const busy = typed.trim() !== query || found.some(({ isFetching }) => isFetching);
  const records =
    query.length > 1
      ? listed.flatMap((entity, at): readonly Entry[] => {
          // Named after the list where it would be found.
          const kind = findListScreen(screens, entity.name)?.title ?? entity.many;
          return findCandidates(found[at]?.data?.items ?? [], typed)
            .slice(0, perEntity)
            .flatMap(({ id, label }) => {
              const to = recordAddress(screens, entity.name, id);
              return to === null
                ? []
                : [{ id: `record ${id}`, label, icon: "record" as const, note: kind, run: () => navigation.go(to) }];
            });
        })
      : [];
  return { records, busy };
};

const useGroups = (typed: string): { readonly groups: readonly Group[]; readonly busy: boolean } => {
  const { commands, navigation, permissionQuestion } = useClient();
  const { path } = useAddress();
  const { screens, entities, trash, deputies = [] } = useApplication();
  const person = usePerson();
  const workbench = findWorkbench(person);
  const { say } = useWords();
  const { theme, turn } = useTheme();
  const matches = (label: string) =>
    plain(typed)
      .split(/\s+/)
      .every((word) => plain(label).includes(word));
  const { records, busy } = useFoundRecords(typed);
  const letters = new Map([...assignLetters(listNavigation(screens))].map(([letter, path]) => [path, letter]));
  const go = (to: string) => () => navigation.go(to);
  const makingWords = useCreateLabel();
  const at = findSubject(screens, path);
  // Possible commands come first, so that the preselected entry is never a refused one.
  const commanded = useStore(commands).map(({ label, note, run, refused, what }): Entry => {
    const entry = { id: `here ${label}`, label, icon: "to", ...(note === undefined ? {} : { note }) } as const;
    if (!refused) return { ...entry, run };
    const ask = () => at && permissionQuestion.set({ ...at, ...(what === undefined ? {} : { what }) });
    return { ...entry, run: ask, refused, also: say("may.why") };
  });
  const pageEntries = [
    ...commanded.filter(({ refused }) => !refused),
    ...(at === null || entities[at.entity] === undefined
      ? []
      : [
          {
            id: "here why",
            label: say("may.what"),
            icon: "why" as const,
            note: "W",
            run: () => permissionQuestion.set(at),
            also: say("may.why"),
          },
        ]),
    ...commanded.filter(({ refused }) => refused),
  ];
  const making = Object.values(entities).flatMap((entity): readonly Entry[] => {
    const form = entity.create ? findNewScreen(screens, entity.name) : null;
    return form
      ? [{ id: `new ${entity.name}`, label: makingWords(form, entity), icon: "plus", run: go(form.path) }]
      : [];
  });
  const places = [
    ...listNavigation(screens).map((screen): Entry => {
      const letter = letters.get(screen.path);
      return {
        id: `screen ${screen.path}`,
        label: screen.title,
        icon: screenIcons[screen.kind],
        ...(letter ? { note: `G ${letter.toUpperCase()}` } : {}),
        run: go(screen.path),
      };
    }),
    { id: "account", label: say("account.title"), icon: "person", run: go("/sign-in/account") } as const,
    ...(trash ? [{ id: "trash", label: say("trash.title"), icon: "delete" as const, run: go("/sign-in/trash") }] : []),
    ...(workbench === null
      ? []
      : [{ id: "workbench", label: say("workbench.title"), icon: "document" as const, run: go(workbench) }]),
  ];
  const settings: readonly Entry[] = [
    ...(deputies.length > 0 && entities[DEPUTY]?.create
      ? [
          {
            id: "deputy",
            label: say("deputies.name.open"),
            icon: "people" as const,
            run: go(`/sign-in/account?${NAME_DEPUTY}`),
            also: say("deputies.also"),
          },
        ]
      : []),
    {
      id: "theme",
      label: say(theme === "dark" ? "palette.theme.light" : "palette.theme.dark"),
      icon: theme === "dark" ? "sun" : "moon",
      run: turn,
    },
  ];
  const groups = [
    { title: say("palette.here"), entries: pageEntries },
    { title: say("palette.records"), entries: records },
    { title: say("palette.screens"), entries: places },
    { title: say("palette.actions"), entries: making },
    { title: say("account.settings"), entries: settings },
  ];
  return {
    groups: groups
      .map(({ title, entries }) => ({
        title,
        entries: entries.filter(({ label, id, also = "" }) => id.startsWith("record ") || matches(`${label} ${also}`)),
      }))
      .filter(({ entries }) => entries.length > 0),
    busy,
  };
};

/** Finds records, screens and commands of the page by name. */
const Palette = ({ typedAhead, onClose }: { typedAhead: () => string; onClose: () => void }) => {
  const { say } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const { groups, busy } = useGroups(typed);
  const all = groups.flatMap(({ entries }) => entries);
  const active = all[Math.min(at, all.length - 1)] ?? null;

  // Before the next key: text typed ahead must precede it.
  useLayoutEffect(() => {
    const opened = dialog.current;
    const returnTo = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    opened?.showModal();
    setTyped(typedAhead());
    return () => {
      opened?.close();
      if (returnTo?.isConnected) returnTo.focus({ preventScroll: true });
    };
  }, [typedAhead]);
  const id = active ? `${listId} ${active.id}`.replaceAll(" ", "-") : undefined;
  useEffect(() => {
    if (id !== undefined) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);

  const run = (entry: Entry | null) => {
    if (!entry) return;
    onClose();
    // Restore the focus before the command moves it.
    setTimeout(entry.run);
  };
  const strike = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setAt((now) => (Math.min(now, all.length - 1) + by + all.length) % Math.max(1, all.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(active);
    }
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: clicking outside is an alternative to Escape
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label={say("palette.title")}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className="palette-box">
        <Icon name="search" size={18} />
        <SearchInput
          role="combobox"
          aria-label={say("palette.title")}
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={id}
          placeholder={say("palette.placeholder")}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={strike}
        />
        <kbd className="from-tablet">Esc</kbd>
      </div>
      <div id={listId} role="listbox" aria-label={say("palette.title")} className="palette-list" aria-busy={busy}>
        {groups.map(({ title, entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options
          <div key={title} role="group" aria-label={title}>
            <p className="palette-title" aria-hidden="true">
              {title}
            </p>
            {entries.map((entry) => (
              <button
                key={entry.id}
                id={`${listId} ${entry.id}`.replaceAll(" ", "-")}
                type="button"
                role="option"
                tabIndex={-1}
                className="palette-entry"
                aria-selected={entry === active}
                aria-disabled={entry.refused ? true : undefined}
                onPointerMove={() => setAt(all.indexOf(entry))}
                onClick={() => run(entry)}
              >
                <Icon name={entry.refused ? "lock" : entry.icon} />
                <span className="menu-words">
                  <bdi className="cut">{entry.label}</bdi>
                  {entry.refused && <span className="menu-why">{entry.refused.because}</span>}
                </span>
                {entry.note && <span className="menu-note">{entry.note}</span>}
              </button>
            ))}
          </div>
        ))}
        {all.length === 0 && (
          <p className="option-none">{busy ? say("reference.searching") : say("reference.none", { typed })}</p>
        )}
      </div>
      <p className="palette-foot from-tablet" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> {say("palette.keys.choose")} <kbd>↵</kbd> {say("palette.keys.open")}
      </p>
    </dialog>
  );
};

export default Palette;
