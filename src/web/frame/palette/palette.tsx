import { useQueries } from "@tanstack/react-query";
import { type KeyboardEvent, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { DEPUTY } from "../../../core/model/permissions.ts";
import { type Failure, toFailureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { isComposing } from "../../app/keyboard.ts";
import { candidateQuery, findCandidates } from "../../field/control/reference-candidates.ts";
import { findListScreen, findNewScreen, findSubject, listNavigation, recordAddress } from "../../routing/routes.ts";
import { assignLetters } from "../../routing/screen-shortcuts.ts";
import "./palette.css";
import { useAddress, useApplication, useClient, usePhone, useStore } from "../../app/app-context.tsx";
import type { Command } from "../../app/command-list.ts";
import { useWords } from "../../i18n/words.tsx";
import { useViews } from "../../list/filter/use-views.ts";
import { editsOf, rowInFocus } from "../../list/table/use-row-keyboard.ts";
import { IconButton } from "../../ui/control/button.tsx";
import { useCreateLabel } from "../../ui/control/create-button.tsx";
import { OptionButton } from "../../ui/control/option-button.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { useTheme } from "../../ui/control/theme.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { useReadFailureWords } from "../../ui/page/problem-note.tsx";
import { usePersonItems } from "../person-items.ts";
import { screenIcons } from "../screen-icons.ts";
import { beginsWith, findByWords } from "./match-words.ts";

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** Text at the end: the kind of record, or the shortcut. */
  readonly note?: string;
  /** The text of a record that contains the words typed, if its label does not. */
  readonly foundBy?: string;
  readonly run: () => void;
  readonly refused?: { readonly because: string };
  /** Further search words. */
  readonly also?: string;
  /** Not shown before somebody types. */
  readonly isSearchOnly?: boolean;
}

interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Keys that were pressed while the palette's code loaded. */
export interface EarlyKeys {
  readonly typed: string;
  /** True if Enter was the last of them. */
  readonly entered: boolean;
}

const perEntity = 5;

/** The input once typing pauses. */
const useDebounced = (typed: string): string => {
  const [query, setDebounced] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(typed), 160);
    return () => clearTimeout(timer);
  }, [typed]);
  return query;
};

/** Records of every list whose labels, or other identifying texts, match the input. */
const useFoundRecords = (
  typed: string,
): { readonly records: readonly Entry[]; readonly busy: boolean; readonly failure: Failure | null } => {
  const { calls, navigation } = useClient();
  const { screens, entities } = useApplication();
  const query = useDebounced(typed.trim());
  const listed = Object.values(entities).filter(({ name }) => findListScreen(screens, name) !== null);
  const found = useQueries({
    queries: listed.map((entity) => ({
      queryKey: keys.candidates(entity.calls, query),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        calls.list(entity.calls, candidateQuery(screens, query), signal),
      enabled: query.length > 1,
      staleTime: 10_000,
    })),
  });
  const failures = found.map(toFailureOf);
  const busy = typed.trim() !== query || found.some(({ isFetching }, at) => isFetching && !failures[at]);
  const records =
    query.length > 1
      ? listed.flatMap((entity, at): readonly Entry[] => {
          // Named after the list where it would be found.
          const kind = findListScreen(screens, entity.name)?.title ?? entity.many;
          return findCandidates(found[at]?.data?.items ?? [], typed, entity)
            .slice(0, perEntity)
            .flatMap(({ id, label, foundBy }) => {
              const to = recordAddress(screens, entity.name, id);
              if (to === null) return [];
              const entry = {
                id: `record ${id}`,
                label,
                icon: "record",
                note: kind,
                run: () => navigation.go(to),
              } as const;
              return [foundBy === undefined ? entry : { ...entry, foundBy }];
            });
        })
      : [];
  return { records, busy, failure: failures.find((one) => one !== null) ?? null };
};

/** The menu and the cells of the row that had the focus when the palette opened. Their acts are found by name. */
const useRowEntries = (): readonly Entry[] => {
  const { commands } = useClient();
  const { say } = useWords();
  const [link] = useState(rowInFocus);
  const list = useStore(commands.ofRow);
  const id = link?.dataset.row;
  if (list === null || link === null || id === undefined) return [];
  const label = link.getAttribute("aria-label") ?? link.textContent ?? "";
  const { fields, states } = list.entity;
  const acts = (states?.transitions ?? []).map((transition) => transition.label);
  return [
    {
      id: "row menu",
      // Its record is found by its own entry.
      label: say("row.menus"),
      icon: "more",
      note: label,
      also: [...acts, say("record.edit"), say("record.delete")].join(" "),
      run: () => list.menu(id, link),
    },
    ...editsOf(link).flatMap(({ field: edited, cell }): readonly Entry[] => {
      const field = fields.find(({ name }) => name === edited);
      if (field === undefined) return [];
      return [
        {
          id: `row ${field.name}`,
          label: say("record.field.edit", { field: field.label }),
          icon: "edit",
          note: label,
          isSearchOnly: true,
          run: () => list.edit({ id, field: field.name, cell }),
        },
      ];
    }),
  ];
};

/** Commands of the open page: those on its records first, and its tools. Possible ones come before refused ones. */
const usePageEntries = (): { readonly here: readonly Entry[]; readonly tools: readonly Entry[] } => {
  const { commands, permissionQuestion } = useClient();
  const { path } = useAddress();
  const { screens, entities } = useApplication();
  const { say } = useWords();
  const at = findSubject(screens, path);
  const row = useRowEntries();
  const toEntry = ({ label, note, run, refused, ask, isSearchOnly }: Command): Entry => {
    const named = { id: `here ${label}`, label, icon: "to", isSearchOnly: isSearchOnly === true } as const;
    const entry = { ...named, ...(note === undefined ? {} : { note }) };
    if (!refused) return { ...entry, run };
    const explain = () => at && permissionQuestion.set(at);
    return { ...entry, run: ask ?? explain, refused, also: say("may.why") };
  };
  const offered = useStore(commands);
  const possibleFirst = (entries: readonly Entry[], between: readonly Entry[] = []) => [
    ...entries.filter(({ refused }) => !refused),
    ...between,
    ...entries.filter(({ refused }) => refused),
  ];
  const why: readonly Entry[] =
    at === null || entities[at.entity] === undefined
      ? []
      : [
          {
            id: "here why",
            label: say("may.what"),
            icon: "why",
            note: "W",
            run: () => permissionQuestion.set(at),
            also: say("may.why"),
          },
        ];
  return {
    here: [...row, ...possibleFirst(offered.filter(({ isTool }) => !isTool).map(toEntry), why)],
    tools: possibleFirst(offered.filter(({ isTool }) => isTool).map(toEntry)),
  };
};

/** Pages: screens of the document, the user's views, and notifications. */
const usePlaces = (): readonly Entry[] => {
  const { navigation } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const views = useViews().data?.items ?? [];
  const letters = new Map([...assignLetters(listNavigation(screens))].map(([letter, path]) => [path, letter]));
  const go = (to: string) => () => navigation.go(to);
  return [
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
    ...views
      .filter((view) => screens.some(({ path }) => path === view.screen))
      .map(
        (view): Entry => ({
          id: `view ${view.id}`,
          label: view.title,
          icon: "view",
          note: say("views.title"),
          run: go(view.query === "" ? view.screen : `${view.screen}?${view.query}`),
        }),
      ),
    { id: "notifications", label: say("bell.all"), icon: "bell", run: go("/sign-in/notifications") },
  ];
};

/** Why the user cannot name a deputy, for somebody who looks for it. */
const useDeputyRefusal = (): readonly Entry[] => {
  const { deputies, entities } = useApplication();
  const { say } = useWords();
  const toast = useToast();
  if (deputies !== undefined && deputies.length > 0 && entities[DEPUTY]?.create) return [];
  const because = say(deputies === undefined ? "menu.deputy.none" : "menu.deputy.no.role");
  return [
    {
      id: "deputy",
      label: say("menu.deputy"),
      icon: "people",
      run: () => toast(because, undefined, { isRefusal: true }),
      refused: { because },
      also: say("menu.deputy.also"),
      isSearchOnly: true,
    },
  ];
};

/** The user's own commands, and the theme. */
const useSettings = (): readonly Entry[] => {
  const { navigation } = useClient();
  const { say } = useWords();
  const { theme, turn } = useTheme();
  return [
    ...usePersonItems().map(
      ({ key, label, icon = "to", href, act = () => {}, note, also }): Entry => ({
        id: key,
        label,
        icon,
        run: href === undefined ? act : () => navigation.go(href),
        ...(note === undefined ? {} : { note }),
        ...(also === undefined ? {} : { also }),
      }),
    ),
    {
      id: "theme",
      label: say(theme === "dark" ? "palette.theme.light" : "palette.theme.dark"),
      icon: theme === "dark" ? "sun" : "moon",
      run: turn,
    },
    ...useDeputyRefusal(),
  ];
};

interface FoundGroups {
  readonly groups: readonly Group[];
  readonly busy: boolean;
  /** The reason why not all records could be searched. */
  readonly failure: Failure | null;
  /** True if records that are still being searched will not come first. */
  readonly isFirstKnown: boolean;
}

/** Groups with an entry that begins with the input come first, and records that are found later do not move them. */
const useGroups = (typed: string): FoundGroups => {
  const { navigation } = useClient();
  const { screens, entities } = useApplication();
  const { say } = useWords();
  const makingWords = useCreateLabel();
  const { records, busy, failure } = useFoundRecords(typed);
  const { here, tools } = usePageEntries();
  const making = Object.values(entities).flatMap((entity): readonly Entry[] => {
    const form = entity.create ? findNewScreen(screens, entity.name) : null;
    return form
      ? [
          {
            id: `new ${entity.name}`,
            label: makingWords(form, entity),
            icon: "plus",
            run: () => navigation.go(form.path),
          },
        ]
      : [];
  });
  const begins = ({ label, id }: Entry) => (!id.startsWith("record ") && beginsWith(label, typed) ? 0 : 1);
  const recordsTitle = say("palette.records");
  const offered = [
    { title: say("palette.here"), entries: here },
    { title: recordsTitle, entries: records },
    { title: say("palette.screens"), entries: usePlaces() },
    { title: say("palette.actions"), entries: making },
    { title: say("palette.tools"), entries: tools },
    { title: say("menu.settings"), entries: useSettings() },
  ];
  const searched = offered
    .flatMap(({ entries }) => entries)
    .filter(({ id, isSearchOnly = false }) => !id.startsWith("record ") && !(isSearchOnly && typed.trim() === ""));
  const textOf = ({ label, also = "" }: Entry) => `${label} ${also}`;
  const matching = new Set(findByWords(searched, textOf, typed, say("palette.small.words")));
  const groups = offered
    .map(({ title, entries }) => ({
      title,
      entries: entries
        .filter((entry) => entry.id.startsWith("record ") || matching.has(entry))
        .filter(({ id }, place, all) => all.findIndex((other) => other.id === id) === place)
        .toSorted((one, other) => begins(one) - begins(other)),
    }))
    .toSorted((one, other) => Math.min(1, ...one.entries.map(begins)) - Math.min(1, ...other.entries.map(begins)));
  const beforeRecords = groups.slice(
    0,
    groups.findIndex(({ title }) => title === recordsTitle),
  );
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    busy,
    failure,
    isFirstKnown: !busy || beforeRecords.some(({ entries }) => entries.length > 0),
  };
};

/** Finds records, screens and commands of the page by name. */
const Palette = ({ typedAhead, onClose }: { typedAhead: () => EarlyKeys; onClose: () => void }) => {
  const { say } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  /** The id of the entry that was chosen with the arrow keys or the pointer; null for the first one. */
  const [chosen, setChosen] = useState<string | null>(null);
  const [entered, setEntered] = useState(false);
  const listId = useId();
  const { groups, busy, failure, isFirstKnown } = useGroups(typed);
  const failureWords = useReadFailureWords();
  const phone = usePhone();
  const all = groups.flatMap(({ entries }) => entries);
  const active = all.find(({ id }) => id === chosen) ?? all[0] ?? null;

  // Before the next key: text typed ahead must precede it.
  useLayoutEffect(() => {
    const opened = dialog.current;
    const returnTo = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    opened?.showModal();
    const early = typedAhead();
    setTyped(early.typed);
    setEntered(early.entered);
    return () => {
      opened?.close();
      if (returnTo?.isConnected) returnTo.focus({ preventScroll: true });
    };
  }, [typedAhead]);
  const optionId = ({ id }: Entry) => `${listId} ${id}`.replaceAll(" ", "-");
  const id = active ? optionId(active) : undefined;
  useEffect(() => {
    if (id !== undefined) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);

  const run = useCallback(
    (entry: Entry) => {
      onClose();
      // Restore the focus before the command moves it.
      setTimeout(entry.run);
    },
    [onClose],
  );
  const handleKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setEntered(false);
      const at = active === null ? -1 : all.indexOf(active);
      setChosen(all[(at + by + all.length) % all.length]?.id ?? null);
    } else if (event.key === "Enter") {
      event.preventDefault();
      setEntered(true);
    }
  };
  // Enter waits for the records: before them, the first entry could be another one than is meant.
  useEffect(() => {
    if (!entered || (chosen === null && !isFirstKnown)) return;
    setEntered(false);
    if (active !== null) run(active);
  }, [entered, chosen, isFirstKnown, active, run]);

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
            setChosen(null);
            setEntered(false);
          }}
          onKeyDown={handleKey}
        />
        <kbd className="from-tablet">Esc</kbd>
        {phone && <IconButton icon="close" label={say("close")} small onClick={onClose} />}
      </div>
      <div id={listId} role="listbox" aria-label={say("palette.title")} className="palette-list" aria-busy={busy}>
        <PaletteGroups
          groups={groups}
          active={active}
          optionId={optionId}
          onPoint={({ id }) => setChosen(id)}
          onRun={run}
        />
        {all.length === 0 && failure === null && (
          <p className="option-none">{busy ? say("reference.searching") : say("reference.none", { typed })}</p>
        )}
      </div>
      {failure !== null && (
        <p className="palette-failure" role="status">
          <Icon name="alert" /> {failureWords(failure)}
        </p>
      )}
      <p className="palette-foot from-tablet" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> {say("palette.keys.choose")} <kbd>↵</kbd> {say("palette.keys.open")}
      </p>
    </dialog>
  );
};

interface PaletteGroupsProps {
  readonly groups: readonly Group[];
  readonly active: Entry | null;
  readonly optionId: (entry: Entry) => string;
  readonly onPoint: (entry: Entry) => void;
  readonly onRun: (entry: Entry) => void;
}

const PaletteGroups = ({ groups, active, optionId, onPoint, onRun }: PaletteGroupsProps) =>
  groups.map(({ title, entries }) => (
    // biome-ignore lint/a11y/useSemanticElements: a group of options
    <div key={title} role="group" aria-label={title}>
      <p className="palette-title" aria-hidden="true">
        {title}
      </p>
      {entries.map((entry) => (
        <OptionButton
          key={entry.id}
          id={optionId(entry)}
          className="palette-entry"
          isActive={entry === active}
          isRefused={entry.refused !== undefined}
          onPoint={() => onPoint(entry)}
          onChoose={() => onRun(entry)}
        >
          <Icon name={entry.refused ? "lock" : entry.icon} />
          <span className="menu-words">
            <bdi className="cut">{entry.label}</bdi>
            {entry.foundBy && <bdi className="menu-why cut">{entry.foundBy}</bdi>}
            {entry.refused && <span className="menu-why">{entry.refused.because}</span>}
          </span>
          {entry.note && <span className="menu-note">{entry.note}</span>}
        </OptionButton>
      ))}
    </div>
  ));

export default Palette;
