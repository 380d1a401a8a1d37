import type { TitleTexts } from "../grammar.ts";

/** Titles of parts that the program adds to a document. */
export const titles: TitleTexts = {
  "deputies.one": "Vertretung",
  "deputies.many": "Vertretungen",
  "deputies.role": "{role} (Vertretung)",
  "deputies.away": "Vertretene Person",
  "deputies.person": "Vertretene Person",
  "deputies.deputy": "Vertretung",
  "deputies.first_day": "Erster Tag",
  "deputies.last_day": "Letzter Tag",
  "deputies.notice": "{person} benennt Sie als Vertretung vom {first} bis {last}.",
  "deputies.notice.changed": "Der letzte Tag, an dem Sie {person} vertreten, ist jetzt der {last}.",
  "deputies.notice.changed.own": "Der letzte Tag, an dem {deputy} Sie vertritt, ist jetzt der {last}.",
  "deputies.notice.ended": "Sie vertreten {person} nicht mehr. Geplant war es vom {first} bis {last}.",
  "deputies.notice.ended.own": "{deputy} vertritt Sie nicht mehr. Geplant war es vom {first} bis {last}.",
  "deputies.notice.begins": "Sie vertreten jetzt {person}, bis zum {last}.",
  "deputies.notice.begins.own": "{deputy} vertritt Sie jetzt, bis zum {last}.",
  "deputies.notice.over": "Sie vertreten {person} nicht mehr: Der letzte Tag war der {last}.",
  "deputies.notice.over.own": "{deputy} vertritt Sie nicht mehr: Der letzte Tag war der {last}.",
  "deputies.represented": "Im Namen von",
  "approvals.void": "Genehmigungen verfallen",
};
