import { iterators } from "../../src/core/expression/operations/iterators.ts";
import { type Operation, operationRow } from "../../src/core/expression/operations/operations.ts";
import { type Signature, signatures, splitListType } from "../../src/core/expression/operations/signature.ts";
import fc from "../chance.ts";

/**
 * Random expressions of a type, as text, over the entities of `world.ts`. Operators and functions come from the
 * operation table, so new rows are covered automatically.
 */
export type Sort = (typeof plainSorts)[number] | "boolean" | "User" | "Item" | "Line";

const plainSorts = ["integer", "decimal", "money", "text", "date", "time", "datetime", "duration", "choice"] as const;

const records = ["User", "Item", "Line"] as const;
export const sorts: readonly Sort[] = [...plainSorts, "boolean", ...records];

/** The types to try for each type variable of a signature. */
const several: Readonly<Record<string, readonly Sort[]>> = {
  same: sorts,
  ordered: plainSorts.filter((sort) => sort !== "choice"),
  ranked: plainSorts.filter((sort) => sort !== "choice" && sort !== "duration"),
  any: sorts.filter((sort) => sort !== "boolean"),
};

/** The variables of enclosing lists, outermost first. */
type Variables = readonly Sort[];

/** Expressions without operators. Optional fields occur twice as often. */
const leaves = (sort: Sort, variables: Variables): readonly string[] => {
  const own = (plainSorts as readonly Sort[]).includes(sort)
    ? [1, 2, 2, 3, 3].map((n) => `${sort}_${n}`).concat(`parent.${sort}_1`, `old.${sort}_2`)
    : [];
  return [...own, ...(extra[sort] ?? []), ...variables.flatMap((of, i) => elements(sort, of, `v${i}`))];
};

/** A depth below which values are never missing. */
const required = -1;

const always = (sort: Sort): readonly string[] => {
  if (sort === "boolean") return ["open", "owner.active"];
  if (sort === "User") return ["user", "owner"];
  if (sort === "Item") return ["this"];
  return [`${sort}_1`, ...(sort === "integer" ? ["owner.allowance"] : sort === "datetime" ? ["now"] : [])];
};

const extra: Readonly<Partial<Record<Sort, readonly string[]>>> = {
  integer: [
    "0",
    "2",
    "-7",
    "most",
    "limits.most",
    "part",
    "owner.allowance",
    "user.allowance",
    "helper.manager.allowance",
    "User.deputy.allowance",
  ],
  decimal: ["0.5", "2.345", "rate"],
  money: ["dear"],
  time: ["noon"],
  text: [
    "'a'",
    '"\\u{1f600}"',
    "input.text",
    "owner.name",
    "helper.name",
    "User.deputy.name",
    "id",
    "helper.id",
    "user.id",
  ],
  date: ["today", "leap_day"],
  datetime: ["now", "launch"],
  duration: ["14 days", "36 hours", "1 month", "patience"],
  boolean: ["open", "true", "owner.active", "helper.active", "parent.open"],
  User: ["user", "owner", "helper", "owner.manager", "parent.owner", "User.deputy", "User.deputy.manager"],
  Item: ["this", "parent", "old", "parent.parent"],
};

/** Expressions on an element of a list. */
const elements = (sort: Sort, of: Sort, name: string): readonly string[] => {
  const fields: Partial<Record<Sort, Partial<Record<Sort, readonly string[]>>>> = {
    Line: {
      decimal: [`${name}.amount`],
      money: [`${name}.price`],
      integer: [`${name}.count`],
      text: [`${name}.note`],
      date: [`${name}.day`],
      boolean: [`${name}.done`],
      Item: [`${name}.item`],
      User: [`${name}.item.helper`],
    },
    User: {
      integer: [`${name}.allowance`],
      text: [`${name}.name`, `${name}.id`, `${name}.manager.id`],
      boolean: [`${name}.active`],
      User: [`${name}.manager`],
    },
    Item: {
      integer: [`${name}.integer_2`],
      date: [`${name}.date_2`],
      choice: [`${name}.choice_1`],
      User: [`${name}.owner`],
    },
  };
  // Lists of references are iterated by id, so `v` can stand alone.
  return [...(of === sort ? [name] : []), ...(fields[of]?.[sort] ?? [])];
};

/** The rows with a result type, and the resulting value of their type variable. */
interface Giving {
  readonly signature: Signature;
  readonly bound: Sort | undefined;
}

const rowsGiving = (sort: Sort): readonly Giving[] =>
  signatures.flatMap((signature): readonly Giving[] => {
    const { returns } = operationRow(signature.operation);
    if (returns === sort) return [{ signature, bound: undefined }];
    return several[returns]?.includes(sort) ? [{ signature, bound: sort }] : [];
  });

const known = new Map<string, fc.Arbitrary<string>>();

/** Builds each generator once. Those of a list consist of hundreds, and every expression that is drawn asks for several. */
const once =
  <A extends readonly unknown[]>(
    name: string,
    build: (...args: A) => fc.Arbitrary<string>,
  ): ((...args: A) => fc.Arbitrary<string>) =>
  (...args) => {
    const key = JSON.stringify([name, ...args]);
    const arbitrary = known.get(key) ?? build(...args);
    known.set(key, arbitrary);
    return arbitrary;
  };

/** Expressions of a type up to a depth. */
export const expressions = (sort: Sort, depth: number, variables: Variables = []): fc.Arbitrary<string> =>
  generate(sort, depth, variables);

const generate = once("expressions", (sort: Sort, depth: number, variables: Variables): fc.Arbitrary<string> => {
  if (depth === required && sort !== "Line") return fc.constantFrom(...always(sort));
  const read = leaves(sort, variables);
  const rows = rowsGiving(sort);
  const leaf = read.length > 0 ? [{ weight: depth > 0 ? 1 : 8, arbitrary: fc.constantFrom(...read) }] : [];
  // A type without leaves here (a line outside its lists) needs an operator at every depth.
  if (depth <= 0 && read.length > 0) return fc.oneof(...leaf);
  const inner = Math.max(depth - 1, 0);
  const applied = fc
    .constantFrom(...rows)
    .chain(({ signature, bound }) => applications(signature, inner, variables, bound));
  const through = sort === "boolean" && depth > 0 ? [{ weight: 1, arbitrary: throughAll(inner, variables) }] : [];
  return fc.oneof(
    ...leaf,
    { weight: 3, arbitrary: sort === "Line" ? onlyLine(inner, variables) : applied },
    ...through,
  );
});

const onlyLine = (depth: number, variables: Variables) =>
  lists("Line", depth, variables).map((list) => `${list}.one()`);

/** `.filter()`, `.map()` or `.all()` of a list. */
const goingThrough = (operation: string, depth: number): fc.Arbitrary<string> => {
  if (operation === ".all()") return throughAll(depth, []);
  const mapping = operation === ".map()";
  return fc
    .constantFrom<Sort>("Line", "integer")
    .chain((from) =>
      fc
        .tuple(lists(from, 0, []), expressions(mapping ? "integer" : "boolean", depth, [from]))
        .map(([list, body]) => `${list}${operation.slice(0, -1)}v0, ${body}).${mapping ? "sum" : "count"}()`),
    );
};

const throughAll = once("throughAll", (depth: number, variables: Variables) =>
  fc
    .constantFrom<Sort>("Line", "User", "integer")
    .chain((of) =>
      fc
        .tuple(lists(of, depth, variables), expressions("boolean", depth, [...variables, of]))
        .map(([list, body]) => `${list}.all(v${variables.length}, ${body})`),
    ),
);

/** Applications of a row. */
const applications = (
  { name, form, parameters, operation }: Signature,
  depth: number,
  variables: Variables = [],
  bound?: Sort,
): fc.Arbitrary<string> => {
  const constant = constants[operation];
  const variable = parameters.map((word) => splitListType(word).stem).find((stem) => stem in several);
  const choices = bound ? [bound] : variable ? (several[variable] ?? []) : [undefined];
  return fc.constantFrom(...choices).chain((sort) => {
    const operands = parameters.map((word, i) => {
      const { stem, list } = splitListType(word);
      if (stem === "null") return fc.constant("null");
      if (constant && i === parameters.length - 1) return fc.constantFrom(...constant);
      const of = (stem in several ? sort : stem) as Sort;
      if (list) return lists(of, depth, variables);
      // A bare name of a choice needs another operand that determines its type.
      if (of === "choice" && i === 1 && name !== "?")
        return fc.oneof(expressions(of, depth, variables), fc.constant("sick"));
      if (name === "?" && i === 2) return fc.oneof(expressions(of, depth, variables), fc.constant(nothing(of)));
      return expressions(of, depth, variables);
    });
    return fc.tuple(...operands).map((args) => written(name, form, args));
  });
};

/** A missing value of a type. */
const nothing = (sort: Sort): string => (sort === "boolean" ? "false" : "null");

/** The last ones include an hour that clocks skip in spring and show twice in autumn. */
const workingHours = [
  "office_hours",
  "'Mon-Thu 08:00-12:00, 13:00-17:30, Fri 08:00-14:00'",
  "'Sun-Thu 00:00-24:00'",
  "'Sat Sun 01:30-03:30, Sun 23:00-24:00'",
];

/** Values for the last operand of rows that require a constant. */
const constants: Partial<Record<Operation, readonly string[]>> = {
  "round(decimal, integer)": ["0", "1", "2", "10"],
  "round(money, integer)": ["0", "2"],
  "round_half_up(decimal, integer)": ["0", "1", "2", "10"],
  "round_half_up(money, integer)": ["0", "2"],
  "round_up(decimal, integer)": ["0", "1", "2", "10"],
  "round_up(money, integer)": ["0", "2"],
  "round_down(decimal, integer)": ["0", "1", "2", "10"],
  "round_down(money, integer)": ["0", "2"],
  "text(decimal, integer)": ["0", "1", "2", "10"],
  "text(money, integer)": ["0", "2"],
  "working_hours(datetime, datetime, text)": workingHours,
  "working_hours(datetime, datetime, [date], text)": workingHours,
  "add_working_hours(datetime, decimal, text)": workingHours,
  "add_working_hours(datetime, decimal, [date], text)": workingHours,
  "matches(text, text)": [
    "'a'",
    "'^.$'",
    "'[^a-z]'",
    "'^(a|b)*$'",
    "'\\\\d|%'",
    "'(?:a.?){1,2}b'",
    "'\\s'",
    "'[\\u{1f600}-\\u{1f64f}]'",
    "'^[\\w\\-.]+$'",
    "'\\\\\\\\'",
    "'.{2,}'",
  ],
};

const written = (name: string, form: Signature["form"], operands: readonly string[]): string => {
  const [a, b, c] = operands;
  if (form === "function") return `${name}(${operands.join(", ")})`;
  if (c !== undefined) return `(${a} ? ${b} : ${c})`;
  return b === undefined ? `(${name}${a})` : `(${a} ${name} ${b})`;
};

/** Lists of a type: fields, entities, literal, filtered and mapped lists. */
const lists = once("lists", (of: Sort, depth: number, variables: Variables): fc.Arbitrary<string> => {
  const fields: Readonly<Partial<Record<Sort, readonly string[]>>> = {
    integer: ["numbers", "parent.numbers"],
    text: ["tags", "parent.tags"],
    decimal: ["amounts", "parent.amounts"],
    money: ["prices"],
    date: ["days", "days(date_1, date_1 + 3 days)", "days(date_2, date_3)"],
    datetime: ["moments"],
    time: ["times"],
    duration: ["waits", "parent.waits"],
    User: ["watchers", "parent.watchers", "old.watchers", "User"],
    Line: ["lines", "parent.lines", "Line"],
    Item: ["Item", "owner.watched", "helper.watched"],
  };
  const name = `v${variables.length}`;
  const inner = Math.max(depth - 1, 0);
  const plain = [
    ...(fields[of] ? [fc.constantFrom(...fields[of])] : []),
    ...(of === "Line"
      ? []
      : [
          fc
            .array(fc.constantFrom(...leaves(of, variables)), { maxLength: 3, minLength: 1 })
            .map((all) => `[${all.join(", ")}]`),
        ]),
  ];
  if (depth <= 0) return fc.oneof(...plain);
  const source = fc.constantFrom<Sort>("Line", "User", "integer");
  const mapped = source.chain((from) =>
    fc
      .tuple(lists(from, inner, variables), expressions(of, inner, [...variables, from]))
      .map(([list, body]) => `${list}.map(${name}, ${body})`),
  );
  const filtered = fc
    .tuple(lists(of, inner, variables), expressions("boolean", inner, [...variables, of]))
    .map(([list, body]) => `${list}.filter(${name}, ${body})`);
  const chosen = fc
    .tuple(expressions("boolean", inner, variables), lists(of, inner, variables), lists(of, inner, variables))
    .map(([condition, one, other]) => `(${condition} ? ${one} : ${other})`);
  const joined = fc
    .tuple(lists(of, inner, variables), lists(of, inner, variables))
    .map(([one, other]) => `(${one} + ${other})`);
  return fc.oneof(...plain, filtered, chosen, joined, ...(of === "Line" ? [] : [mapped]));
});

/** The last element of a list, because lists cannot be compared. */
const oneOf = (signature: Signature, depth: number): fc.Arbitrary<string> => {
  const applied = applications(signature, depth);
  const { stem, list } = splitListType(operationRow(signature.operation).returns);
  return list ? applied.map((list) => `${list}.${stem === "any" ? "count" : "max"}()`) : applied;
};

/** Expressions with one operation at the top or directly below. */
export const expressionsOf = (operation: string, depth: number): fc.Arbitrary<string> => {
  const signature = signatures.find((signature) => signature.operation === operation);
  const top = signature ? oneOf(signature, depth) : goingThrough(operation, depth);
  // With operands that are never missing, the result is missing only if the operation fails.
  const alone = signature ? oneOf(signature, required) : top;
  return fc.oneof(
    { weight: 4, arbitrary: top },
    { weight: 2, arbitrary: alone.map((a) => `!(${a} != ${a})`) },
    { weight: 1, arbitrary: top.map((a) => `!([${a}].exists(v, v == v))`) },
  );
};

/** Every operation and list operation, for the counts. */
export const operations: readonly string[] = [
  ...signatures.map((signature) => signature.operation),
  ...Object.keys(iterators).map((name) => `.${name}()`),
];
