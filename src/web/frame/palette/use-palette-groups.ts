import type { Failure } from "../../api/api-error.ts";
import { useApplication, useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { findNewScreen } from "../../routing/routes.ts";
import { useCreateLabel } from "../../ui/control/create-button.tsx";
import { beginsWith, findByWords } from "./match-words.ts";
import type { PaletteEntry, PaletteGroup } from "./palette-entry.ts";
import { usePlaces, useSettings } from "./use-application-entries.ts";
import { useFoundRecords } from "./use-found-records.ts";
import { usePageEntries } from "./use-page-entries.ts";

interface FoundGroups {
  readonly groups: readonly PaletteGroup[];
  readonly busy: boolean;
  /** The reason why not all records could be searched. */
  readonly failure: Failure | null;
  /** True if records that are still being searched will not come first. */
  readonly isFirstKnown: boolean;
}

/** Groups with an entry that begins with the input come first, and records that are found later do not move them. */
export const usePaletteGroups = (typed: string): FoundGroups => {
  const { navigation } = useClient();
  const { screens, entities } = useApplication();
  const { say } = useWords();
  const makingWords = useCreateLabel();
  const { records, busy, failure } = useFoundRecords(typed);
  const { here, tools } = usePageEntries();
  const making = Object.values(entities).flatMap((entity): readonly PaletteEntry[] => {
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
  const begins = ({ label, isRecord }: PaletteEntry) => (!isRecord && beginsWith(label, typed) ? 0 : 1);
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
    .filter(({ isRecord, isSearchOnly }) => !isRecord && !(isSearchOnly && typed.trim() === ""));
  const textOf = ({ label, also = "" }: PaletteEntry) => `${label} ${also}`;
  const words = { small: say("palette.small.words"), synonyms: say("palette.synonyms") };
  const matching = new Set(findByWords(searched, textOf, typed, words));
  const groups = offered
    .map(({ title, entries }) => ({
      title,
      entries: entries
        .filter((entry) => entry.isRecord || matching.has(entry))
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
