import { splitLines } from "../../../core/document/lines.ts";
import type { Entry, Mapping, Tree } from "../../../core/document/tree.ts";
import { readYaml } from "../../../core/document/yaml/read.ts";
import type { Finding } from "../../../core/findings.ts";
import { placesIn, type Source } from "../../../core/source-text.ts";

/** A story as its file has it. The model is not known yet, so values are still text. */
export interface Story {
  readonly people: readonly StoryPerson[];
  readonly acts: readonly StoryAct[];
}

export interface StoryPerson {
  readonly key: string;
  readonly values: readonly Entry[];
  readonly line: number;
}

/** The key of acts that nobody performs: time passes, so that automatic transitions happen. */
export const CLOCK = "clock";

export interface StoryAct {
  readonly entity: string;
  /** The key of the record within the story. */
  readonly record: string;
  readonly when: string;
  /** The key of a person, or `clock`. */
  readonly who: string;
  /** The name of a transition, or of an entity whose records are parts. Empty to create or to change the record. */
  readonly does: string;
  readonly values: readonly Entry[];
  readonly line: number;
}

/** A mistake in a story. */
export class StoryError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * Reads a story: `people`, and for each entity its records with their acts.
 *
 *     people:
 *       jonas: { name: Jonas Weber, roles: [keeper] }
 *     Loan:
 *       projector:
 *         -3 days 09:30 mei: { thing: projector, due_day: +2 days }
 *         -2 days 08:15 jonas hand_over:
 */
export const readStory = (source: Source): Story => {
  const lineAt = (tree: Tree): number => placesIn(source)(tree.span).line;
  const findings: Finding[] = [];
  const tree = readYaml({ ...source, lines: splitLines(source.text) }, findings);
  const [wrong] = findings;
  if (wrong !== undefined) throw new StoryError(placesIn(source)(wrong.span).line, wrong.message);
  const entriesOf = (one: Tree | undefined): readonly Entry[] => {
    if (one?.kind === "mapping") return one.entries;
    if (one === undefined || (one.kind === "scalar" && one.text === "")) return [];
    throw new StoryError(lineAt(one), "A story has keys with values here.");
  };
  const [people, ...entities] = entriesOf(tree);
  if (people?.key.text !== "people") throw new StoryError(1, "A story begins with “people”.");
  const persons = entriesOf(people.value).map(({ key, value }) => ({
    key: key.text,
    values: entriesOf(value),
    line: lineAt(key),
  }));
  const known = new Set([CLOCK, ...persons.map(({ key }) => key)]);
  const readAct = (entity: string, record: string, { key, value }: Entry): StoryAct => {
    const words = key.text.split(" ");
    const at = words.findLastIndex((word) => known.has(word));
    if (at < 1 || at < words.length - 2)
      throw new StoryError(lineAt(key), `“${key.text}” is not a time, a person and what the person does.`);
    const [when, who = "", does = ""] = [words.slice(0, at).join(" "), words[at], words[at + 1]];
    return { entity, record, when, who, does, values: entriesOf(value), line: lineAt(key) };
  };
  const acts = entities.flatMap(({ key: entity, value: records }) =>
    entriesOf(records).flatMap(({ key: record, value }) =>
      entriesOf(value).map((act) => readAct(entity.text, record.text, act)),
    ),
  );
  return { people: persons, acts };
};

/** The entry of a key, if any. */
export const findEntry = (entries: Mapping["entries"], name: string): Tree | undefined =>
  entries.find(({ key }) => key.text === name)?.value;
