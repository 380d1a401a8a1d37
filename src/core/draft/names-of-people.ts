import { toWords } from "./names.ts";

/** “Ben Vogel”, “Ana de la Cruz”, “J. R. O’Neill”. */
const part = "\\p{Lu}(?:\\.|[\\p{L}’'-]+)";
const personName = new RegExp(`^${part}(?: (?:${part}|van|von|der|den|de|la|le|da|di|dos|bin|al))* ${part}$`, "u");

const titles: ReadonlySet<string> = new Set([
  ..."by name owner assignee assigned person people contact responsible staff lead client patient guest student".split(
    " ",
  ),
  ..."member employee nurse agent technician mechanic participant applicant tenant parent child who".split(" "),
  ..."von durch besitzer besitzerin verantwortlich verantwortliche zustandig bearbeiterin mitarbeiterin kundin kunde".split(
    " ",
  ),
  ..."par responsable nom proprietaire personne patiente cliente".split(" "),
]);

/** Words that end as those for people do, and name something else. */
const others: ReadonlySet<string> = new Set(
  "number order sector color colour center floor tower river printer computer container flavor folder letter paper quarter layer door motor monitor sensor error weather water power corner filter gender order cover shelter former other".split(
    " ",
  ),
);

/** A word for a person by what they do: gardener, editor, pianist, Fahrerin, vendeuse. */
const isAgent = (word: string): boolean => /(?:er|or|ist|ian|erin|eur|euse)$/u.test(word) && !others.has(word);

/** True if nearly all of these values of a column look like names of people, as its header says they are. */
export const areNamesOfPeople = (header: string, distinct: readonly string[]): boolean => {
  const words = toWords(header);
  if (!words.some((word) => titles.has(word)) && !isAgent(words.at(-1) ?? "")) return false;
  return distinct.filter((value) => personName.test(value)).length * 4 >= distinct.length * 3;
};
