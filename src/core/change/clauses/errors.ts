import { fillBraces } from "../../expression/syntax/braces.ts";
import { type Message, quoted, say } from "../../i18n/message.ts";
import type { ErrorEntry, Model } from "../../model/model.ts";
import { type ComparedLine, createLine, pairUp } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning } from "../meaning.ts";

/** The text with the values of constants: “at most 100” for `at most {limits.most}`. */
const withLimits = ({ limits }: Model, text: string): string =>
  fillBraces(text, (inside) => limits.all.get(inside.trim().replace(/^limits\./u, ""))?.value ?? `{${inside}}`);

/** Both texts with their values, or as they are written if only that differs. */
const showTexts = (was: string, is: string, { before, after }: { before: ErrorEntry; after: ErrorEntry }) =>
  was === is
    ? { now: quoted(after.message), before: quoted(before.message) }
    : { now: quoted(is), before: quoted(was) };

/** Lines about the error catalogue (point 8). */
export const compareErrors = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const { both } = pairUp(before.errors, after.errors);
  const about = (code: string) => ({ point: 8 as const, subject: code });
  return [
    ...[...after.errors].flatMap(([code, entry]) =>
      before.errors.has(code)
        ? []
        : [
            createLine(
              {
                ...about(code),
                effect: "adds",
                message: say("error.added", { code, message: quoted(withLimits(after, entry.message)) }),
              },
              { before: undefined, after: entry },
            ),
          ],
    ),
    ...[...before.errors].flatMap(([code, entry]) =>
      after.errors.has(code)
        ? []
        : [
            createLine(
              { ...about(code), effect: "removes", message: say("error.removed", { code }) },
              { before: entry, after: undefined },
            ),
          ],
    ),
    ...both.flatMap((pair) => {
      const line = (message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
        createLine({ ...about(pair.name), effect: "changes", message, ...more }, pair);
      const { before: one, after: other } = pair;
      return [
        ...(one.status === other.status
          ? []
          : [
              line(say("error.status", { code: pair.name, now: other.status, before: one.status }), {
                loses: "compatibility",
              }),
            ]),
        ...(one.message === other.message
          ? []
          : [
              line(
                say("error.message", {
                  code: pair.name,
                  ...showTexts(withLimits(before, one.message), withLimits(after, other.message), pair),
                }),
              ),
            ]),
        ...(one.help === other.help ? [] : [line(say("error.help", { code: pair.name }))]),
        ...(one.at === other.at ? [] : [line(say("error.at", { code: pair.name }))]),
        ...(hasSameMeaning(one.shape, other.shape)
          ? []
          : [line(say("error.shape", { code: pair.name }), { loses: "compatibility" })]),
      ];
    }),
  ];
};
