import type { TextsLike } from "../catalogue.ts";
import type { texts as english } from "../en/targets.ts";

/** Texts about the target of a figure, on pages and in mails. */
export const texts = {
  "target.least": "Objectif : au moins {value}",
  "target.least.kept": "Objectif de {value} atteint",
  "target.least.missed": "Sous l’objectif de {value}",
  "target.most": "Limite : {value}",
  "target.most.kept": "Dans la limite de {value}",
  "target.most.missed": "Au-dessus de la limite de {value}",
} satisfies TextsLike<typeof english>;
