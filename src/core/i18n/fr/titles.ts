import type { TitleTexts } from "../grammar.ts";

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
  "deputies.notice.changed": "Le dernier jour où vous remplacez {person} est maintenant le {last}.",
  "deputies.notice.changed.own": "Le dernier jour où {deputy} vous remplace est maintenant le {last}.",
  "deputies.notice.ended": "Vous ne remplacez plus {person}. C’était prévu du {first} au {last}.",
  "deputies.notice.ended.own": "{deputy} ne vous remplace plus. C’était prévu du {first} au {last}.",
  "deputies.notice.begins": "Vous remplacez maintenant {person}, jusqu’au {last}.",
  "deputies.notice.begins.own": "{deputy} vous remplace maintenant, jusqu’au {last}.",
  "deputies.notice.over": "Vous ne remplacez plus {person} : le dernier jour était le {last}.",
  "deputies.notice.over.own": "{deputy} ne vous remplace plus : le dernier jour était le {last}.",
  "deputies.represented": "Au nom de",
  "approvals.void": "Approbations annulées",
};
