import { toTitle } from "../../core/model/inflection.ts";
import { useApplication } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";

const ADMINISTRATOR = "administrator";

/** Titles of roles. Global roles are in the manifest; others come with their titles. */
export const useRoleWords = () => {
  const { roles } = useApplication();
  const { say, show } = useWords();
  const one = (role: string, title = roles[role]): string =>
    role === ADMINISTRATOR ? say("menu.administrator") : (title ?? toTitle(role));
  return {
    one,
    all: (names: readonly string[]): string => show.list(names.map((name) => one(name))),
  };
};
