import type { TextsLike } from "../../catalogue.ts";
import type { wordArguments } from "../../change-arguments/words.ts";

/** Lists, quotation marks, and people in lines about a change. */
export const texts = {
  // Lists and quotation marks
  quoted: "“{text}”",
  "list.and": "{before} and {last}",
  "list.or": "{before} or {last}",
  "list.separator": "; ",

  // People
  "holders.administrators": "Administrators",
  "holders.themselves": "The person concerned",
  "holders.group":
    "{title_person, select, yes {{plural}} other {{title_unit, select, yes {The {title_lower}} other {{title}}}}}",
  "holders.held": "The {title_lower}",
  "holders.group.foreign": "People with the role “{title}”",
  "holders.held.foreign": "The person with the role “{title}”",
  "holders.some": "{holders} in some cases",
  "that.person": "that person",
  "the.person": "the person",
} satisfies TextsLike<typeof wordArguments>;
