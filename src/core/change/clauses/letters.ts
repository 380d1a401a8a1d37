import { type Expr, subexpressions } from "../../expression/expr.ts";
import { andList, type Message, quoted, say } from "../../i18n/message.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import type { LetterScreen } from "../../model/screen.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning } from "../meaning.ts";

/** The values that a letter newly shows or no longer shows; if there are none, that its text or its totals differ. */
export const describeLetter = (
  { before: former, after: later }: Comparison,
  before: LetterScreen,
  after: LetterScreen,
): readonly Message[] => {
  const { path } = after;
  const [one, other] = [listValues(former, before), listValues(later, after)];
  const gained = [...other].filter((name) => !one.has(name));
  const lost = [...one].filter((name) => !other.has(name));
  const hasOtherTotals = !hasSameMeaning(listTotals(before), listTotals(after));
  const rows = (["where", "sort"] as const).filter(
    (member) => !hasSameMeaning(list(before, member), list(after, member)),
  );
  const titles = (names: readonly string[]) => andList(names.map(quoted));
  return [
    ...(gained.length === 0 ? [] : [say("screen.shows", { path, names: titles(gained) })]),
    ...(lost.length === 0 ? [] : [say("screen.shows.not", { path, names: titles(lost) })]),
    ...(hasOtherTotals ? [say("screen.other", { path, member: "totals" })] : []),
    ...rows.map((member) => say("screen.other", { path, member })),
    ...(gained.length + lost.length + rows.length === 0 && !hasOtherTotals
      ? [say("screen.other", { path, member: "text" })]
      : []),
  ];
};

/** The columns that each table of a letter adds up. */
const listTotals = ({ text }: LetterScreen): readonly (readonly string[])[] =>
  text.flatMap((part) =>
    part.kind === "table" ? [part.columns.flatMap(({ field, hasTotal }) => (hasTotal ? [field] : []))] : [],
  );

/** The conditions or the orders of the tables of a letter. */
const list = ({ text }: LetterScreen, member: "where" | "sort") =>
  text.flatMap((part) => (part.kind === "table" ? [part[member]] : []));

/** The titles of the fields in a letter: "Supplier / Name". */
const listValues = (model: Model, letter: LetterScreen): ReadonlySet<string> => {
  const titleOf = (entity: string, field: string): string =>
    model.entities.get(entity)?.fields.get(field)?.title ?? toTitle(field);
  const titleOfPath = (expr: Expr): string | undefined => {
    if (expr.kind !== "field") return undefined;
    const own = titleOf(expr.entity.name, expr.field.name);
    if (expr.of.kind === "this") return own;
    const before = titleOfPath(expr.of);
    return before === undefined ? undefined : `${before} / ${own}`;
  };
  const listPaths = (expr: Expr): readonly string[] => {
    const title = titleOfPath(expr);
    return title === undefined ? subexpressions(expr).flatMap(listPaths) : [title];
  };
  const titles = letter.text.flatMap((part) => {
    if (part.kind !== "table")
      return part.text.parts.flatMap((piece) => (typeof piece === "string" ? [] : listPaths(piece)));
    const target = model.entities.get(letter.entity)?.fields.get(part.field)?.entity ?? "";
    return part.columns.map(({ field }) => `${titleOf(letter.entity, part.field)} / ${titleOf(target, field)}`);
  });
  return new Set(titles);
};
