import { builtInErrors } from "../../model/errors.ts";
import { toTitle, withArticle } from "../../model/inflection.ts";
import type { DraftRule } from "../draft-entities.ts";
import { toWords, wordsOfEntity } from "../names.ts";
import { type DraftedColumn, INCOMPARABLE } from "./draft-columns.ts";
import { toBound, WHOLE_NUMBER } from "./field-bounds.ts";
import { type NamedTable, notDrafted } from "./name-tables.ts";
import type { CheckOperator, CheckPart } from "./parse-check.ts";

/** Makes a new error code from words. */
export type ToRuleCode = (words: string) => string;

/** Codes differ from each other and from the built-in errors. */
export const createRuleCodes = (): ToRuleCode => {
  const taken = new Set<string>(Object.keys(builtInErrors));
  return (words) => {
    const plain = /^[A-Z]/u.test(words) ? words : `RULE_${words}`;
    for (let count = 1; ; count++) {
      const code = count === 1 ? plain.slice(0, 56) : `${plain.slice(0, 56)}_${count}`;
      if (taken.has(code)) continue;
      taken.add(code);
      return code;
    }
  };
};

/** A rule, or the question that remains where the language has none. */
type DraftedRule = DraftRule | { readonly question: string } | undefined;

/** Drafts unique combinations, and the checks of a table that no key of a field states. */
export const draftRules = (
  named: NamedTable,
  columns: readonly DraftedColumn[],
  toCode: ToRuleCode,
): { readonly rules: readonly DraftRule[]; readonly questions: readonly string[] } => {
  const find: FindColumn = (name) => columns.find(({ column }) => column.name === name);
  const drafted = [
    ...findCombinedKeys(named).map((key) => draftUniqueness(named, key, find, toCode)),
    ...named.parts.map(({ name, part }) => draftCheck(name, part, find, toCode)),
  ].filter((item) => item !== undefined);
  return {
    rules: drafted.flatMap((item) => ("question" in item ? [] : [item])),
    questions: drafted.flatMap((item) => ("question" in item ? [item.question] : [])),
  };
};

type FindColumn = (name: string) => DraftedColumn | undefined;

/** A key of several columns. */
interface CombinedKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly missingIsSame: boolean;
}

const PRIMARY_KEY = "primary key";

const findCombinedKeys = ({ table }: NamedTable): readonly CombinedKey[] => [
  ...(table.primaryKey.length > 1 ? [{ name: PRIMARY_KEY, columns: table.primaryKey, missingIsSame: false }] : []),
  ...table.unique.filter(({ columns }) => columns.length > 1),
];

const draftUniqueness = (
  { entity, table }: NamedTable,
  { name, columns, missingIsSame }: CombinedKey,
  find: FindColumn,
  toCode: ToRuleCode,
): DraftedRule => {
  const found = columns.flatMap((column) => find(column) ?? []);
  // A number that the database gives each row differs anyway.
  const isNumbered = (name: string) =>
    table.columns.some((column) => column.name === name && column.fill === "numbered");
  if (columns.some((column) => find(column) === undefined && isNumbered(column))) return undefined;
  if (
    found.length < columns.length ||
    found.some(({ field, type }) => field.keys.many === true || INCOMPARABLE.has(type))
  )
    return { question: `How “${name}” (${columns.join(", ")}) applies here is not shown.` };
  const words = wordsOfEntity(entity);
  const names = found.map(({ field }) => field.name);
  return {
    keys: {
      unique: names,
      ...(missingIsSame ? { missing: "same" } : {}),
      source: name === PRIMARY_KEY ? name : `unique by ${name}`,
    },
    code: toCode(`${words.join("_").toUpperCase()}_EXISTS`),
    message: `There is already ${withArticle(words.join(" "))} with the same ${names.map((field) => toTitle(field).toLowerCase()).join(" and ")}.`,
  };
};

/** Undefined for a check that the field states itself, and for one of a column that is not drafted. */
const draftCheck = (name: string, part: CheckPart, find: FindColumn, toCode: ToRuleCode): DraftedRule => {
  if (part.kind === "columns") return draftComparison(name, part, find, toCode);
  const drafted = find(part.column);
  if (drafted === undefined) return undefined;
  const { type } = drafted;
  // The bounds of codes are those of the choice.
  if (part.kind === "bound" && type === "choice") return undefined;
  if (part.kind === "bound")
    return toBound(part, type) === undefined ? draftBound(name, part, drafted, toCode) : undefined;
  const isStated = part.kind === "length" ? type === "text" : type === "choice";
  return isStated ? undefined : { question: `How the check “${name}” of “${part.column}” applies here is not shown.` };
};

const draftBound = (
  name: string,
  { column, operator, value }: Extract<CheckPart, { kind: "bound" }>,
  { field, type, isOptional }: DraftedColumn,
  toCode: ToRuleCode,
): DraftedRule => {
  if (type !== "decimal" && !(type === "integer" && WHOLE_NUMBER.test(value)))
    return { question: notDrafted(name, `${column} ${operator} ${value}`) };
  return {
    keys: {
      rule: `${field.name} ${toOperator(operator)} ${value}`,
      ...(isOptional ? { when: `${field.name} != null` } : {}),
      source: `check ${name}`,
    },
    code: toCode(toWords(name).join("_").toUpperCase()),
    message: `${toTitle(field.name)} must be ${numberWords[operator]} ${value}.`,
  };
};

/** Types whose values a rule can compare. */
const COMPARABLE: ReadonlySet<string> = new Set(["integer", "decimal", "date", "datetime", "time", "text"]);

const draftComparison = (
  name: string,
  part: Extract<CheckPart, { kind: "columns" }>,
  find: FindColumn,
  toCode: ToRuleCode,
): DraftedRule => {
  const { operator } = part;
  const [left, right] = [find(part.left), find(part.right)];
  const isComparable =
    left !== undefined &&
    right !== undefined &&
    left.type === right.type &&
    left !== right &&
    COMPARABLE.has(left.type) &&
    left.field.keys.many !== true &&
    right.field.keys.many !== true;
  if (!isComparable) return { question: notDrafted(name, `${part.left} ${operator} ${part.right}`) };
  const guards = [left, right].flatMap(({ isOptional, field }) => (isOptional ? [`${field.name} != null`] : []));
  const isTime = /^(?:date|time)/u.test(left.type);
  return {
    keys: {
      rule: `${left.field.name} ${toOperator(operator)} ${right.field.name}`,
      ...(guards.length === 0 ? {} : { when: guards.join(" && ") }),
      source: `check ${name}`,
    },
    code: toCode(toWords(name).join("_").toUpperCase()),
    message: `${toTitle(left.field.name)} must ${isTime ? timeWords[operator] : `be ${numberWords[operator]}`} ${toTitle(right.field.name).toLowerCase()}.`,
  };
};

/** Operators of SQL that documents write differently. */
const operators: Readonly<Record<string, string>> = { "=": "==", "<>": "!=" };

const toOperator = (operator: CheckOperator): string => operators[operator] ?? operator;

const numberWords: Readonly<Record<CheckOperator, string>> = {
  "<": "less than",
  "<=": "at most",
  ">": "greater than",
  ">=": "at least",
  "=": "equal to",
  "<>": "different from",
};

const timeWords: Readonly<Record<CheckOperator, string>> = {
  "<": "be before",
  "<=": "not be after",
  ">": "be after",
  ">=": "not be before",
  "=": "be the same as",
  "<>": "differ from",
};
