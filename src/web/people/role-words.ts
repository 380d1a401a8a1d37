import { useApplication } from "../part/context.tsx";
import { useWords } from "../words/words.tsx";

/** Roles as people read them: by their titles where the document gives some. */
export const useRoleWords = () => {
  const { roles } = useApplication();
  const { show } = useWords();
  const one = (role: string): string => roles[role] ?? role;
  return { one, all: (names: readonly string[]): string => show.list(names.map(one)) };
};
