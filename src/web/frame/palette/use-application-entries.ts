import { DEPUTY } from "../../../core/model/permissions.ts";
import { useAddress, useApplication, useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { useViews } from "../../list/filter/use-views.ts";
import { listNavigation } from "../../routing/routes.ts";
import { assignLetters } from "../../routing/screen-shortcuts.ts";
import { useTheme } from "../../ui/control/theme.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { listWorkbenchTabs } from "../../workbench/tabs.ts";
import { usePersonItems } from "../person-items.ts";
import { screenIcons } from "../screen-icons.ts";
import type { PaletteEntry } from "./palette-entry.ts";

/** Pages: screens of the document, the user's views, notifications, and the tabs of the workbench. */
export const usePlaces = (): readonly PaletteEntry[] => {
  const { navigation } = useClient();
  const { screens, person } = useApplication();
  const { path: here } = useAddress();
  const { say } = useWords();
  const views = useViews().data?.items ?? [];
  const letters = new Map([...assignLetters(listNavigation(screens))].map(([letter, path]) => [path, letter]));
  const go = (to: string) => () => navigation.go(to);
  return [
    ...listNavigation(screens).map((screen): PaletteEntry => {
      const letter = letters.get(screen.path);
      return {
        id: `screen ${screen.path}`,
        label: screen.title,
        icon: screenIcons[screen.kind],
        ...(letter ? { note: `G ${letter.toUpperCase()}`, isKeyed: true } : {}),
        run: go(screen.path),
      };
    }),
    ...views
      .filter((view) => screens.some(({ path }) => path === view.screen))
      .map(
        (view): PaletteEntry => ({
          id: `view ${view.id}`,
          label: view.title,
          icon: "view",
          note: say("views.title"),
          run: go(view.query === "" ? view.screen : `${view.screen}?${view.query}`),
        }),
      ),
    { id: "notifications", label: say("bell.all"), icon: "bell", run: go("/sign-in/notifications") },
    ...listWorkbenchTabs(person).map(
      ({ path, icon, words }): PaletteEntry => ({
        id: `workbench ${path}`,
        label: say("label.value", { label: say("menu.workbench"), value: say(words) }),
        icon,
        run: go(path),
        isSearchOnly: !here.startsWith("/workbench"),
      }),
    ),
  ];
};

/** Why the user cannot name a deputy, for somebody who looks for it. */
const useDeputyRefusal = (): readonly PaletteEntry[] => {
  const { deputies, entities } = useApplication();
  const { say } = useWords();
  const toast = useToast();
  if (deputies && entities[DEPUTY]?.create) return [];
  const because = say(deputies === undefined ? "menu.deputy.none" : "menu.deputy.no.role");
  return [
    {
      id: "deputy",
      label: say("menu.deputy"),
      icon: "people",
      run: () => toast(because, undefined, { icon: "lock" }),
      refused: { because },
      also: say("menu.deputy.also"),
      isSearchOnly: true,
    },
  ];
};

/** The user's own commands, and the theme. */
export const useSettings = (): readonly PaletteEntry[] => {
  const { navigation } = useClient();
  const { person } = useApplication();
  const { say } = useWords();
  const { theme, turn } = useTheme();
  return [
    ...usePersonItems().map(
      ({ key, label, icon = "to", href, act = () => {}, note, also }): PaletteEntry => ({
        id: key,
        label,
        icon,
        run: href === undefined ? act : () => navigation.go(href),
        ...(note === undefined ? {} : { note, isKeyed: true }),
        ...(also === undefined ? {} : { also }),
      }),
    ),
    {
      id: "theme",
      label: say(theme === "dark" ? "palette.theme.light" : "palette.theme.dark"),
      icon: theme === "dark" ? "sun" : "moon",
      run: turn,
    },
    ...(person?.administrator
      ? [
          {
            id: "unsent",
            label: say("menu.unsent"),
            icon: "people" as const,
            run: () => navigation.go("/workbench/unsent"),
            isSearchOnly: true,
          },
        ]
      : []),
    ...useDeputyRefusal(),
  ];
};
