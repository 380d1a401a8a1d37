import type { Grammar, TitleTexts } from "../grammar.ts";

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
    /** A verb such as "Approuver", in contrast to "Tout est arrivé". */
    verb: { yes: { alone: { orBefore: [] }, ends: ["er", "ir", "dre", "ttre"] } },
    /** "d’Anna", "de Jonas". Before h it depends on the word; for names, "de" is more often correct. */
    begins: {
      vowel: { begins: ["a", "à", "â", "e", "é", "è", "ê", "ë", "i", "î", "ï", "o", "ô", "œ", "u", "ù", "û"] },
    },
  },
};

/** Titles of parts that the program adds to a document. */
export const titles: TitleTexts = {
  "deputies.one": "remplacement",
  "deputies.many": "remplacements",
  "deputies.role": "{role} (remplacement)",
  "deputies.away": "Personne absente",
  "deputies.person": "Personne",
  "deputies.deputy": "Remplaçant",
  "deputies.first_day": "Premier jour",
  "deputies.last_day": "Dernier jour",
  "deputies.notice": "{person} vous désigne comme remplaçant du {first} au {last}.",
  "deputies.notice.changed": "{person} a changé le dernier jour de votre remplacement : c’est maintenant le {last}.",
  "deputies.notice.ended": "Vous ne remplacez plus {person}. C’était prévu du {first} au {last}.",
  "deputies.notice.ended.own": "{deputy} ne vous remplace plus. C’était prévu du {first} au {last}.",
  "deputies.represented": "Au nom de",
  "approvals.void": "Approbations annulées",
};
