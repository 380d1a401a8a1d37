import { useState } from "react";
import { useAddress, useApplication, useClient, useStore } from "../../app/app-context.tsx";
import type { Command } from "../../app/command-list.ts";
import { useWords } from "../../i18n/words.tsx";
import { editsOf, rowInFocus } from "../../list/table/use-row-keyboard.ts";
import { findSubject } from "../../routing/routes.ts";
import type { PaletteEntry } from "./palette-entry.ts";

/** The menu and the cells of the row that had the focus when the palette opened. Their acts are found by name. */
const useRowEntries = (): readonly PaletteEntry[] => {
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
    ...editsOf(link).flatMap(({ field: edited, cell }): readonly PaletteEntry[] => {
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
export const usePageEntries = (): {
  readonly here: readonly PaletteEntry[];
  readonly tools: readonly PaletteEntry[];
} => {
  const { commands, permissionQuestion } = useClient();
  const { path } = useAddress();
  const { screens, entities } = useApplication();
  const { say } = useWords();
  const at = findSubject(screens, path);
  const row = useRowEntries();
  const toEntry = ({ label, note, keys, run, refused, ask, isSearchOnly }: Command): PaletteEntry => {
    const named = { id: `here ${label}`, label, icon: "to", isSearchOnly: isSearchOnly === true } as const;
    const end = keys ?? note;
    const entry = { ...named, isKeyed: keys !== undefined, ...(end === undefined ? {} : { note: end }) };
    if (!refused) return { ...entry, run };
    const explain = () => at && permissionQuestion.set(at);
    return { ...entry, run: ask ?? explain, refused, also: say("may.why") };
  };
  const offered = useStore(commands);
  const possibleFirst = (entries: readonly PaletteEntry[], between: readonly PaletteEntry[] = []) => [
    ...entries.filter(({ refused }) => !refused),
    ...between,
    ...entries.filter(({ refused }) => refused),
  ];
  const why: readonly PaletteEntry[] =
    at === null || entities[at.entity] === undefined
      ? []
      : [
          {
            id: "here why",
            label: say("may.what"),
            icon: "why",
            note: "W",
            isKeyed: true,
            run: () => permissionQuestion.set(at),
            also: say("may.why"),
          },
        ];
  return {
    here: [...row, ...possibleFirst(offered.filter(({ isTool }) => !isTool).map(toEntry), why)],
    tools: possibleFirst(offered.filter(({ isTool }) => isTool).map(toEntry)),
  };
};
