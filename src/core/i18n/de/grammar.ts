import type { Grammar, TitleTexts } from "../grammar.ts";

export const grammar: Grammar = {
  capitalNouns: true,
  features: {
    /** A verb such as "Zurückziehen", in contrast to "Es geht wieder". */
    verb: { yes: { alone: { orBefore: [] }, ends: ["en", "ern", "eln"] } },
  },
};

/** Titles of parts that the program adds to a document. */
export const titles: TitleTexts = {
  "approvals.void": "Genehmigungen verfallen",
};
