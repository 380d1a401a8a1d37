import type { Grammar, TitleTexts } from "../grammar.ts";

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
          ...["secretary", "steward", "warden", "citizen", "guard", "partner", "colleague"],
        ],
        except: { ends: ["ment"] },
      },
    },
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

/** Titles of parts that the program adds to a document. */
export const titles: TitleTexts = {
  "deputies.one": "deputy",
  "deputies.many": "deputies",
  "deputies.role": "{role} (deputy)",
  "deputies.away": "Person who is away",
  "deputies.person": "Person",
  "deputies.deputy": "Deputy",
  "deputies.first_day": "First day",
  "deputies.last_day": "Last day",
  "deputies.notice": "{person} names you as deputy from {first} to {last}.",
  "deputies.notice.changed": "{person} changed the last day on which you stand in: it is now {last}.",
  "deputies.notice.ended": "You no longer stand in for {person}. It was planned from {first} to {last}.",
  "deputies.notice.ended.own": "{deputy} no longer stands in for you. It was planned from {first} to {last}.",
  "deputies.represented": "In the name of",
  "approvals.void": "Approvals void",
};
