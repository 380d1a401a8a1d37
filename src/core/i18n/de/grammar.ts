import type { Grammar } from "../grammar.ts";

export const grammar: Grammar = {
  capitalNouns: true,
  booleans: { yes: "Ja", no: "Nein" },
  prose: {
    and: ["und"],
    articles: ["der", "die", "das"],
    they: ["sie"],
    are: ["sind", "ist"],
    refersBack: /\b(?:es|sie|ihn|ihm|ihnen|ihre[nrsm]?|diese[nrsm]?|darauf|damit|davon)\b/iu,
  },
  features: {
    /** The last word of the name of a time: "Fällig am" becomes "Fällig in 3 Tagen". */
    time: { preposition: { words: ["am", "um", "zum"] }, joined: { words: ["fällig"] } },
    /** Titles of pages that say what to do: "Problem melden", in contrast to "Neue Störung". */
    task: { yes: { matches: / \p{Ll}+(?:en|ern|eln)$/u } },
    /** A verb such as "Zurückziehen", in contrast to "Es geht wieder". */
    verb: { yes: { alone: { orBefore: [] }, ends: ["en", "ern", "eln"] } },
  },
};
