import type { Grammar } from "../grammar.ts";

export const grammar: Grammar = {
  capitalNouns: false,
  booleans: { yes: "Yes", no: "No" },
  prose: {
    and: ["and"],
    articles: ["the", "our"],
    they: ["they"],
    are: ["are", "is"],
    refersBack: /\b(?:it|its|them|their|they|this|these|those)\b/iu,
  },
  features: {
    /** The last word of the name of a time: "Due on" becomes "Due in 3 days", and "Answer due" "Answer due in 3 days". */
    time: { preposition: { words: ["on", "by", "at"] }, joined: { words: ["due"] } },
    /** "an item", "a loan" */
    begins: { vowel: { begins: ["a", "e", "i", "o"] } },
    /** "Jonas’ manager", "the employee’s manager" */
    ends: { s: { ends: ["s"] } },
    /** Words for one person, such as "keeper", in contrast to groups such as "Payroll". */
    person: {
      yes: {
        until: ["of", "for", "in", "at", "on"],
        ends: ["er", "or", "ist", "ee", "ian", "man", "woman", "person", "ent", "ant"],
        words: [
          ...["boss", "chair", "chief", "clerk", "deputy", "guest", "head", "host", "judge", "lead", "nurse"],
          ...["secretary", "steward", "warden", "citizen", "guard", "partner", "colleague", "mechanic", "medic"],
          ...["apprentice", "coach", "cook", "pilot", "expert"],
        ],
        except: { ends: ["ment"] },
      },
    },
    /** Groups that have an article: "the front desk", in contrast to "Payroll". */
    unit: {
      yes: {
        until: ["of", "for", "in", "at", "on"],
        words: [
          ...["desk", "office", "room", "team", "board", "committee", "council", "crew", "store", "shop", "workshop"],
          ...["warehouse", "department", "group", "jury", "lab", "laboratory", "kitchen", "library", "reception"],
        ],
      },
    },
    /** Titles of pages that say what to do: "Report a problem", in contrast to "New ticket". */
    task: { yes: { matches: /^\p{Lu}\p{Ll}+ (?:an?|the|your|some) \p{L}/u } },
    /** Transition titles that are verbs: "Hand over", in contrast to "Reported already". */
    verb: {
      yes: {
        alone: { orBefore: ["away", "back", "down", "in", "off", "on", "out", "over", "up"] },
        except: {
          ends: ["ed", "ing", "ly", "ion"],
          words: ["done", "late", "new", "ok", "open", "paid", "ready", "sent"],
        },
      },
    },
  },
};
