import type { Grammar } from "../grammar.ts";

export const grammar: Grammar = {
  capitalNouns: false,
  booleans: { yes: "Oui", no: "Non" },
  prose: {
    and: ["et"],
    articles: ["le", "la", "les"],
    they: ["ils", "elles"],
    are: ["sont", "est"],
    refersBack: /\b(?:lui|leurs?|eux|elles)\b|^(?:les? |la )?\p{L}+ (?:les? |la |l’)/iu,
  },
  features: {
    /** The last word of the name of a time: "À rendre le" becomes "À rendre dans 3 jours". */
    time: { preposition: { words: ["le", "au", "à"] }, joined: { words: ["dû", "due", "attendu", "attendue"] } },
    /** Titles of pages that say what to do: "Signaler un problème", in contrast to "Nouveau ticket". */
    task: { yes: { matches: /^\p{Lu}\p{L}*(?:er|ir|dre|ttre) (?:une?|des|les?|la|votre|vos) \p{L}/u } },
    /** A verb such as "Approuver", in contrast to "Tout est arrivé". */
    verb: { yes: { alone: { orBefore: [] }, ends: ["er", "ir", "dre", "ttre"] } },
    /** "d’Anna", "de Jonas". Before h it depends on the word; for names, "de" is more often correct. */
    begins: {
      vowel: { begins: ["a", "à", "â", "e", "é", "è", "ê", "ë", "i", "î", "ï", "o", "ô", "œ", "u", "ù", "û"] },
    },
  },
};
