import type { TextsLike } from "../catalogue.ts";
import type { texts as english } from "../en/targets.ts";

/** Texts about the target of a figure, on pages and in mails. */
export const texts = {
  "target.least": "Ziel: mindestens {value}",
  "target.least.kept": "Ziel von {value} erreicht",
  "target.least.missed": "Unter dem Ziel von {value}",
  "target.most": "Grenze: {value}",
  "target.most.kept": "Innerhalb der Grenze von {value}",
  "target.most.missed": "Über der Grenze von {value}",
} satisfies TextsLike<typeof english>;
