import { MOST_RECORDS } from "../../core/change/replay/bounds.ts";
import type {
  ReplayCountJson,
  ReplayExampleJson,
  ReplayedActs,
  ReplayGapJson,
} from "../../core/wire/authoring/replay.ts";
import { printable } from "../findings-text.ts";

/** Maximum number of examples printed per clause; the JSON has more. */
const MAX_EXAMPLES = 3;

/** Maximum number of kinds of changes printed; the JSON has more. */
const MAX_KINDS = 10;

type Place = (clause: string) => string;

/**
 * Formats a replay for a terminal. `placeBefore` and `placeAfter` add the line of a clause in the text of each version.
 */
export const formatReplay = (replay: ReplayedActs, placeBefore: Place, placeAfter: Place): readonly string[] => {
  const { days, cut, kinds, acts, refused, refusals, allowed, effects, left } = replay;
  const total = (counts: readonly ReplayCountJson[]): number => counts.reduce((sum, item) => sum + item.acts, 0);
  const count = (number: number, one: string): string =>
    `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
  const [refusedActs, allowedActs, changedEffects] = [refused, allowed, effects].map(total);
  const countLines = (counts: readonly ReplayCountJson[], place: Place): readonly string[] =>
    counts.flatMap((item) => [
      `    ${item.acts.toLocaleString("en")} by ${clauseText(item, place)}`,
      ...examples(item),
    ]);
  return [
    `  Of ${count(acts, "change")} that people made in the last ${count(days, "day")}, ${
      refusedActs === 0 ? "none" : (refusedActs ?? 0).toLocaleString("en")
    } would have been refused${refusedActs === 0 ? "." : ":"}`,
    ...countLines(refused, placeAfter),
    ...(allowedActs === 0
      ? []
      : [
          `  Of ${count(refusals, "refused request")}, ${(allowedActs ?? 0).toLocaleString("en")} would no longer be refused for permission or state; their content is not stored:`,
          ...countLines(allowed, placeBefore),
        ]),
    ...(changedEffects === 0
      ? []
      : [
          `  ${count(changedEffects ?? 0, "effect or automatic transition")} would have turned out differently:`,
          ...countLines(effects, placeAfter),
        ]),
    ...(cut === null
      ? []
      : [
          `  The replay starts with the newest changes. It ended ${
            cut.by === "acts"
              ? "when enough changes of each kind were checked"
              : `after ${count(cut.seconds, "second")}`
          }; the oldest checked change is from ${formatTime(cut.at)}.`,
          ...kinds
            .slice(0, MAX_KINDS)
            .map(
              ({ entity, action, judged, changes }) =>
                `    ${printable(`${entity} ${action}`)}: ${judged.toLocaleString("en")} of ${count(changes, "change")} checked`,
            ),
          ...(kinds.length > MAX_KINDS ? [`    and ${count(kinds.length - MAX_KINDS, "other kind")}`] : []),
        ]),
    ...left.map(
      (gap) =>
        `  Not checked${gap.why === "other values" || gap.why === "other records" ? " wholly" : ""}: ${count(gap.acts, "change")}${gapText(gap)}`,
    ),
  ];
};

const clauseText = ({ clause, code, message }: ReplayCountJson, place: Place): string => {
  const named =
    clause.endsWith(code) || code === "EFFECT" || code === "TIMER" ? place(clause) : `${place(clause)}: ${code}`;
  return message === null ? named : `${named}: ${printable(message)}`;
};

const examples = ({ examples: some, acts }: ReplayCountJson): readonly string[] => {
  const shown = some.slice(0, MAX_EXAMPLES).map(exampleText);
  return shown.length === 0
    ? []
    : [
        `      ${printable(shown.join("; "))}${acts > shown.length ? `; and ${(acts - shown.length).toLocaleString("en")} more` : ""}`,
      ];
};

/** "Request 0199… submit, 2026-11-20 08:12" */
const exampleText = ({ at, entity, record, action, isGone }: ReplayExampleJson): string =>
  `${entity}${record === null ? "" : ` ${record}`} ${action}, ${formatTime(at)}${isGone ? " (deleted since)" : ""}`;

const formatTime = (at: string): string => at.slice(0, 16).replace("T", " ");

const gapText = ({ why, clause, reads }: ReplayGapJson): string => {
  const of = clause === null ? "" : ` ${printable(clause)}`;
  const read = printable(reads ?? "");
  switch (why) {
    case "refused before":
      return `. The live version refuses them too, by${of}: they belong to an earlier version.`;
    case "many records":
      return `.${of} reads records of ${read}. A replay reads at most ${MOST_RECORDS.toLocaleString("en")} records.`;
    case "changed type":
      return `.${of} checks ${read}, whose values had another type then.`;
    case "no history":
      return `.${of} reads ${read}, which the history does not contain.`;
    case "person":
      return ". The person of that time is not known.";
    case "record":
      return ". The record of that time is not known.";
    case "no entity":
      return `. The live version has no such entity or transition:${of}.`;
    case "other values":
      return `.${of} sets other values now; rules were checked with the values of that time.`;
    case "other records":
      return `.${of} can fail in other records too; only the written records were checked.`;
    case "content":
      return `.${of} depends on the content of a request, which a refusal does not keep.`;
  }
};
