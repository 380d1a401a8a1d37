import type { Grammar } from "../grammar.ts";

export const grammar: Grammar = {
  capitalNouns: true,
  features: {
    /** "Zurückziehen" is something that one can do; "Es geht wieder" is not. */
    verb: { yes: { alone: { orBefore: [] }, ends: ["en", "ern", "eln"] } },
  },
};
