import type { Grammar } from "../grammar.ts";

export const grammar: Grammar = {
  capitalNouns: true,
  features: {
    /** A verb such as "Zurückziehen", in contrast to "Es geht wieder". */
    verb: { yes: { alone: { orBefore: [] }, ends: ["en", "ern", "eln"] } },
  },
};
