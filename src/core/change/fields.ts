import type { Expr } from "../expression/expr.ts";
import { type Condition, computedExpr, type Entity, type Field, isStored } from "../model/model.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp, withDifference } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";
import { compareConditions } from "./conditions.ts";
import { hasSameMeaning } from "./meaning.ts";

/** Lines about the fields of an entity (point 3), without its state. */
export const compareFields = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const own = (entity: Entity): ReadonlyMap<string, Field> =>
    new Map([...entity.fields].filter(([, { type }]) => type !== "state"));
  const { both, added, removed } = pairUp(own(before), own(after));
  return [
    ...added.map((field) => addedField(comparison, after, field)),
    ...removed.map((field) => removedField(comparison, before, field)),
    ...both.flatMap((pair) => compareField(comparison, after, pair.before, pair.after)),
  ];
};

const addedField = ({ words }: Comparison, entity: Entity, field: Field): ComparedLine => {
  const isRequired = field.held.as === "column" && !field.optional && field.set === null && field.default === null;
  return createLine(
    {
      point: 3,
      subject: `${entity.name}.${field.name}`,
      effect: "adds",
      text: `There is a new field ${words.field(entity, field.name)} of ${words.many(entity)}${isRequired ? ", which is required" : ""}.`,
    },
    { before: undefined, after: field },
  );
};

const removedField = ({ words }: Comparison, entity: Entity, field: Field): ComparedLine =>
  createLine(
    {
      point: 3,
      subject: `${entity.name}.${field.name}`,
      effect: "removes",
      loses: isStored(field) ? "data" : null,
      text: `The field ${words.field(entity, field.name)} of ${words.many(entity)} is removed.`,
    },
    { before: field, after: undefined },
  );

const compareField = (comparison: Comparison, entity: Entity, before: Field, after: Field): readonly ComparedLine[] => {
  const { words } = comparison;
  const name = `${words.field(entity, after.name)} of ${words.many(entity)}`;
  const line = (effect: ComparedLine["effect"], text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point: 3, subject: `${entity.name}.${after.name}`, effect, text, ...more }, { before, after });
  const missing = { role: null, record: { [after.name]: "missing" } };
  const given = (expr: Expr | null): boolean => expr !== null;
  const lines: ComparedLine[] = [];

  if (before.type !== after.type || before.many !== after.many) {
    const kind = ({ type, many }: Field): string => `${many ? "a list of " : ""}${type}`;
    lines.push(
      line("changes", `${name} is now ${kind(after)} instead of ${kind(before)}.`, {
        loses: isFollowed(before, after) ? null : "data",
      }),
    );
  }
  if (after.former.length > 0 && !hasSameMeaning(before.former, after.former))
    lines.push(line("changes", `The stored values of ${name} follow from ${listFormer(after)}, as “fill” says.`));
  else if (after.fill !== null && !hasSameMeaning(before.fill, after.fill))
    lines.push(
      line("changes", `${words.many(entity)} without ${words.field(entity, after.name)} get it from “fill” once.`),
    );
  if (before.entity !== after.entity && before.type === after.type)
    lines.push(
      line("changes", `${name} now refers to ${after.entity} instead of ${before.entity}.`, { loses: "data" }),
    );
  if (before.optional !== after.optional && before.held.as === "column" && after.held.as === "column")
    lines.push(
      before.optional
        ? line("forbids", `${name} is now required.`, { witness: missing })
        : line("allows", `${name} can now be left empty.`, { witness: missing }),
    );
  else if (before.optional !== after.optional)
    lines.push(
      line(after.optional ? "allows" : "forbids", `${name} can ${after.optional ? "now" : "no longer"} be missing.`, {
        certainty: "possible",
      }),
    );
  lines.push(...compareHolding(line, name, comparison, before, after));
  if (before.unique !== after.unique)
    lines.push(
      after.unique
        ? line(
            "forbids",
            `No two ${words.many(entity)} can now have the same value in ${words.field(entity, after.name)}.`,
          )
        : line(
            "allows",
            `Several ${words.many(entity)} can now have the same value in ${words.field(entity, after.name)}.`,
          ),
    );
  if (before.countsMissing !== after.countsMissing)
    lines.push(
      after.countsMissing
        ? line("forbids", `Only one of the ${words.many(entity)} can now have no ${words.field(entity, after.name)}.`)
        : line("allows", `Several ${words.many(entity)} can now have no ${words.field(entity, after.name)}.`),
    );
  if (before.personal !== after.personal)
    lines.push(
      line("changes", `${name} is ${after.personal ? "now" : "no longer"} marked as personal, for masked copies.`),
    );
  if (before.once !== after.once)
    lines.push(
      after.once
        ? line("forbids", `${name} can no longer be changed after creation.`, { loses: "access" })
        : line("allows", `${name} can now be changed after creation.`),
    );
  if (given(before.set) !== given(after.set))
    lines.push(
      after.set === null
        ? line("changes", `${name} is no longer filled in by the program.`)
        : line("changes", `${name} is now filled in by the program, and nobody can enter it.`, { loses: "access" }),
    );
  else if (!hasSameMeaning(before.set, after.set))
    lines.push(line("changes", `${name} is filled in with another value by the program.`));
  if (!hasSameMeaning(before.default, after.default))
    lines.push(
      line(
        "changes",
        after.default === null
          ? `${name} has no default any more.`
          : before.default === null
            ? `${name} now has a default.`
            : `${name} has another default.`,
      ),
    );
  lines.push(...compareValues(line, name, before, after));
  lines.push(...compareBound(line, name, before, after, "max"), ...compareBound(line, name, before, after, "min"));
  if (before.partOf !== after.partOf)
    lines.push(
      line(
        "changes",
        after.partOf
          ? `${words.many(entity)} are now parts of the record in ${words.field(entity, after.name)}, and are deleted with it.`
          : `${words.many(entity)} are no longer parts of the record in ${words.field(entity, after.name)}.`,
      ),
    );
  lines.push(
    ...compareConditionOf(comparison, before.among, after.among, {
      wider: line("allows", `${name} can now refer to more records.`),
      narrower: line("forbids", `${name} can now refer to fewer records.`),
    }),
    ...compareNeeded(comparison, before, after, {
      wider: line("allows", `${name} is now required in fewer cases.`),
      narrower: line("forbids", `${name} is now required in more cases.`),
    }),
  );
  if (before.title !== after.title) lines.push(line("changes", `${name} was called “${before.title}”.`));
  const others = findOtherMembers(before, after, [
    ...["name", "title", "type", "ruleType", "many", "entity", "optional", "held", "unique", "countsMissing"],
    ...["once", "set", "default", "fill", "former", "values", "min", "max", "partOf", "among", "needed", "isKey"],
    "personal",
  ] as (keyof Field)[]);
  if (others.length > 0)
    lines.push(line("changes", `${name} reads differently: ${others.join(", ")}.`, { certainty: "possible" }));
  return lines;
};

/** True if each stored value has a counterpart of the new type, or the document says which one. */
const isFollowed = (before: Field, after: Field): boolean => {
  if (after.former.length > 0) return true;
  if (before.type === after.type) return after.many;
  return !before.many && !after.many && widerTypes[before.type]?.includes(after.type) === true;
};

const widerTypes: { readonly [from in Field["type"]]?: readonly Field["type"][] } = {
  integer: ["decimal", "money", "text", "long text"],
  decimal: ["text", "long text"],
  money: ["text", "long text"],
  date: ["text", "long text"],
  choice: ["text", "long text"],
  email: ["text", "long text"],
  url: ["text", "long text"],
  phone: ["text", "long text"],
  text: ["long text"],
};

const listFormer = ({ former }: Field): string => former.map(({ name }) => name).join(" and ");

type WriteLine = (effect: ComparedLine["effect"], text: string, more?: Partial<ComparedLine>) => ComparedLine;

/** Lines about a computed value. */
const compareHolding = (
  line: WriteLine,
  name: string,
  comparison: Comparison,
  before: Field,
  after: Field,
): readonly ComparedLine[] => {
  const [one, other] = [computedExpr(before), computedExpr(after)];
  if (one === null && other !== null)
    return [
      line("changes", `${name} is now computed, and nobody can enter it.`, {
        loses: before.held.as === "column" ? "data" : null,
      }),
    ];
  if (one !== null && other === null) return [line("changes", `${name} is no longer computed.`)];
  if (one === null || other === null) {
    if (hasSameMeaning(before.held, after.held)) return [];
    return [line("changes", `${name} lists other records.`, { certainty: "possible" })];
  }
  if (hasSameMeaning(one, other)) return [];
  if (after.ruleType.kind !== "boolean" || before.ruleType.kind !== "boolean")
    return [line("changes", `${name} is computed differently.`, { certainty: "possible" })];
  const { wider, narrower } = compareConditions(comparison, one, other);
  return [
    ...(wider === undefined ? [] : [withDifference(line("changes", `${name} is now yes in more cases.`), wider)]),
    ...(narrower === undefined
      ? []
      : [withDifference(line("changes", `${name} is now yes in fewer cases.`), narrower)]),
  ];
};

const compareValues = (line: WriteLine, name: string, before: Field, after: Field): readonly ComparedLine[] => {
  if (after.type !== "choice" || before.type !== "choice") return [];
  const added = after.values.filter((value) => !before.values.includes(value));
  const removed = before.values.filter((value) => !after.values.includes(value));
  const list = (values: readonly string[]): string => values.join(", ");
  const witness = (value: string | undefined) => ({ role: null, record: { [after.name]: value ?? "" } });
  return [
    ...(added.length === 0
      ? []
      : [line("allows", `${name} can now be ${list(added)}.`, { witness: witness(added[0]) })]),
    ...(removed.length === 0
      ? []
      : [
          line("forbids", `${name} can no longer be ${list(removed)}.`, {
            loses: "data",
            witness: witness(removed[0]),
          }),
        ]),
  ];
};

const compareBound = (
  line: WriteLine,
  name: string,
  before: Field,
  after: Field,
  bound: "min" | "max",
): readonly ComparedLine[] => {
  const [one, other] = [before[bound], after[bound]];
  if (one === other) return [];
  const isText = /text|email|phone|url|slug/u.test(after.type);
  const [kind, unit] = [bound === "max" ? "most" : "least", isText ? " characters" : ""];
  const said =
    other === null
      ? `${name} has no limit of ${one}${unit} any more.`
      : `${name} is now at ${kind} ${other}${unit}${one === null ? "" : ` instead of ${one}`}.`;
  if (one === null) return [line("forbids", said)];
  if (other === null) return [line("allows", said)];
  const [a, b] = [Number(one), Number(other)];
  if (Number.isNaN(a) || Number.isNaN(b)) return [line("changes", said)];
  return [line(b > a === (bound === "max") ? "allows" : "forbids", said)];
};

/** Lines about a condition that a value has to meet; null if there is none. */
const compareConditionOf = (
  comparison: Comparison,
  before: Condition | null,
  after: Condition | null,
  lines: { readonly wider: ComparedLine; readonly narrower: ComparedLine },
): readonly ComparedLine[] => {
  if (hasSameMeaning(before, after)) return [];
  const { wider, narrower } = compareConditions(comparison, before?.holds ?? null, after?.holds ?? null);
  return [
    ...(wider === undefined ? [] : [withDifference(lines.wider, wider)]),
    ...(narrower === undefined ? [] : [withDifference(lines.narrower, narrower)]),
  ];
};

/** Lines about the condition under which a value is required; a missing condition never holds. */
const compareNeeded = (
  comparison: Comparison,
  before: Field,
  after: Field,
  lines: { readonly wider: ComparedLine; readonly narrower: ComparedLine },
): readonly ComparedLine[] => {
  if (hasSameMeaning(before.needed, after.needed) || before.optional !== after.optional) return [];
  const { earlier, later, findDifference } = comparison;
  const [one, other] = [
    before.needed === null ? null : earlier(before.needed.holds),
    after.needed === null ? null : later(after.needed.holds),
  ];
  const more = other === null ? undefined : findDifference([other], one === null ? [] : [[one]]);
  const fewer = one === null ? undefined : findDifference([one], other === null ? [] : [[other]]);
  return [
    ...(fewer === undefined ? [] : [withDifference(lines.wider, fewer)]),
    ...(more === undefined ? [] : [withDifference(lines.narrower, more)]),
  ];
};
