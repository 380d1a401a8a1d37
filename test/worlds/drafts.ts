import { compileAgain } from "./compile-again.ts";
import type { Random } from "./requests.ts";

/*
 * Changes of a document that depend on stored data: a field that is empty, a duplicate, longer or different value.
 * Their author learns about all records, including invisible ones.
 */

const changes: readonly { readonly what: string; readonly at: RegExp; readonly by: string }[] = [
  { what: "a field becomes required", at: /(?<=type: [\w ]+)\?(?=[ ,}])/gu, by: "" },
  { what: "a field becomes required", at: /(?<=^ +\w+: +\w+)\?$/gmu, by: "" },
  { what: "less is allowed", at: /(?<=max: )\d+/gu, by: "1" },
  { what: "more is needed", at: /(?<=min: )\d+/gu, by: "999" },
  {
    what: "a value must be unique",
    at: /(?<=type: (?:text|email|integer|date|long text))(?=,)/gu,
    by: ", unique: true",
  },
  { what: "a choice is gone", at: /(?<=values: \[)\w+, /gu, by: "" },
  { what: "a state is gone", at: /(?<=states: \[\w+), \w+/gu, by: "" },
  { what: "a field is gone", at: /^ {4}\w+: +\{ type: .*\}$\n/gmu, by: "" },
  { what: "a field is new and required", at: /(?<=^ +fields:\n)/gmu, by: "    xyzzy_added: { type: text }\n" },
  { what: "a field holds another kind of value", at: /(?<=\{ type: )(?:integer|date|text)(?=[,? }])/gu, by: "boolean" },
];

export interface Draft {
  readonly what: string;
  readonly text: string;
  /** The clause of the changed field, at which a plan counts records. */
  readonly point: string;
}

/** `3.Loan.due_day` for a place in the line of this field. */
const fieldAt = (text: string, place: number): string => {
  const before = text.slice(0, place);
  const [, field = ""] = /^ +(\w+): +.*$/mu.exec(text.slice(before.lastIndexOf("\n") + 1)) ?? [];
  const entity = [...before.matchAll(/^(\w+):$/gmu)].at(-1)?.[1] ?? "";
  return `3.${entity}.${field}`;
};

/** Some of the changes that result in a valid document. */
export const draftsOf = (text: string, random: Random, most: number): readonly Draft[] => {
  const all = changes.flatMap(({ what, at, by }) =>
    [...text.matchAll(at)].map((match) => ({
      what,
      point: fieldAt(text, match.index),
      text: text.slice(0, match.index) + by + text.slice(match.index + match[0].length),
    })),
  );
  const drafts: Draft[] = [];
  for (const draft of random.some(all, all.length)) {
    if (drafts.length >= most) break;
    if (compileAgain({ file: "specification.md", text: draft.text }).model !== undefined) drafts.push(draft);
  }
  return drafts;
};
