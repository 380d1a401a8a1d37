import type { StandInJson } from "../../core/wire/application.ts";
import { useWords } from "../i18n/words.tsx";
import { useApplication, useLocale } from "./app-context.tsx";

/** The arrangements of the user in force today, with “You stand in for Ada until 5 Dec 2026”. */
export const useStandIns = (): readonly (StandInJson & { readonly sentence: string })[] => {
  const { person, standIns = [] } = useApplication();
  const { today } = useLocale();
  const { say, show } = useWords();
  return standIns
    .filter(({ first_day, last_day }) => first_day <= today && today <= last_day)
    .map((one) => ({
      ...one,
      sentence: say(one.deputy.id === person?.id ? "menu.stands.in" : "menu.represented", {
        person: one.person.label,
        deputy: one.deputy.label,
        until: show.days(one.last_day, one.last_day),
      }),
    }));
};
