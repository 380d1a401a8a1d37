import type { TextsLike } from "../../catalogue.ts";
import type { wordArguments } from "../../change-arguments/words.ts";

export const texts = {
  // Lists and quotation marks
  quoted: "« {text} »",
  "list.and": "{before} et {last}",
  "list.or": "{before} ou {last}",
  "list.separator": " ; ",

  // People
  "holders.administrators": "les administrateurs",
  "holders.themselves": "les personnes concernées",
  "holders.group": "les personnes ayant le rôle « {title} »",
  "holders.held": "les personnes ayant le rôle « {title} »",
  "holders.group.foreign": "les personnes ayant le rôle « {title} »",
  "holders.held.foreign": "les personnes ayant le rôle « {title} »",
  "holders.some": "{holders} (dans certains cas)",
  "that.person": "cette personne",
  "the.person": "la personne",
} satisfies TextsLike<typeof wordArguments>;
