import { useClient, useCommands } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import type { MenuItem } from "./menu.tsx";

/**
 * Offers the items of a menu in the command palette, as tools of the page. The title comes before items that say too
 * little alone: "Group the list: Department".
 */
export const useMenuCommands = (items: readonly MenuItem[], title: string | null): void => {
  const { navigation } = useClient();
  const { say } = useWords();
  useCommands(
    items.flatMap(({ label, href, act, refused, ask }) => {
      const run = href === undefined ? act : () => navigation.go(href);
      if (run === undefined && refused == null) return [];
      return [
        {
          label: title === null ? label : say("label.value", { label: title, value: label }),
          run: run ?? (() => {}),
          isTool: true as const,
          ...(refused == null ? {} : { refused }),
          ...(ask === undefined ? {} : { ask }),
        },
      ];
    }),
  );
};
