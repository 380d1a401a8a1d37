import type { StandInJson } from "../../core/wire/application.ts";
import { useWords } from "../i18n/words.tsx";
import { useApplication, useLocale } from "./app-context.tsx";

interface StandIn extends StandInJson {
  /** “You stand in for Ada until 5 Dec”, or “You will stand in for Ada (5 – 9 Dec)”. */
  readonly sentence: string;
}

/** The arrangements of the user that are in force today, and those that begin later, each with a sentence. */
export const useStandIns = (): { readonly now: readonly StandIn[]; readonly coming: readonly StandIn[] } => {
  const { person, standIns = [] } = useApplication();
  const { today } = useLocale();
  const { say, show } = useWords();
  const arrangements = standIns.map((one) => {
    const isDeputy = one.deputy.id === person?.id;
    const names = {
      person: one.person.label,
      deputy: one.deputy.label,
      days: show.shortDays(one.first_day, one.last_day),
      until: show.shortDays(one.last_day, one.last_day),
    };
    const isComing = one.first_day > today;
    const sentence = isComing
      ? say(isDeputy ? "menu.stands.in.from" : "menu.represented.from", names)
      : say(isDeputy ? "menu.stands.in" : "menu.represented", names);
    return { ...one, isComing, sentence };
  });
  return {
    now: arrangements.filter(({ isComing, last_day }) => !isComing && today <= last_day),
    coming: arrangements.filter(({ isComing }) => isComing),
  };
};
