import type { TextsLike } from "../../catalogue.ts";
import type { wordArguments } from "../../change-arguments/words.ts";

export const texts = {
  // Lists and quotation marks
  quoted: "„{text}“",
  "list.and": "{before} und {last}",
  "list.or": "{before} oder {last}",
  "list.separator": "; ",

  // People
  "holders.administrators": "Administratoren",
  "holders.themselves": "die betreffenden Personen selbst",
  "holders.group": "Personen mit der Rolle „{title}“",
  "holders.held": "Personen mit der Rolle „{title}“",
  "holders.group.foreign": "Personen mit der Rolle „{title}“",
  "holders.held.foreign": "Personen mit der Rolle „{title}“",
  "holders.some": "{holders} (in manchen Fällen)",
  "that.person": "diese Person",
  "the.person": "die Person",
} satisfies TextsLike<typeof wordArguments>;
