import type { Expr } from "../../../expression/expr.ts";
import { andList, type Message, type MessageValue, quoted, say } from "../../../i18n/message.ts";
import type { Entity } from "../../../model/entity.ts";
import { type Field, isActValue, isStored } from "../../../model/field.ts";
import { toValueTitle } from "../../../model/inflection.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp } from "../../compared-line.ts";
import type { Comparison } from "../../comparison.ts";
import { hasSameMeaning } from "../../meaning.ts";
import {
  compareAmong,
  compareBound,
  compareMerged,
  compareRequired,
  compareValues,
  hasNarrowerBound,
} from "./accepted-values.ts";
import type { ComparedField, FieldName } from "./compared-field.ts";
import { compareComputation, compareComputed } from "./computation.ts";
import { describeAccess } from "./field-access.ts";

/**
 * Lines about the fields of an entity (point 3), without its state. Lines about transitions say which values of the act
 * they ask for; those that are still asked for are compared here.
 */
export const compareFields = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const select = (entity: Entity, isSelected: (field: Field) => boolean): ReadonlyMap<string, Field> =>
    new Map([...entity.fields].filter(([, field]) => isSelected(field)));
  const isField = (field: Field): boolean => field.type !== "state" && !isActValue(field);
  const { both, added, removed } = pairUp(select(before, isField), select(after, isField));
  const acts = pairUp(select(before, isActValue), select(after, isActValue));
  return [
    ...added.flatMap((field) => addedField(comparison, after, field)),
    ...removed.map((field) => removedField(comparison, { before, after }, field)),
    ...[...both, ...acts.both].flatMap((pair) => compareField(comparison, after, pair.before, pair.after)),
  ];
};

const addedField = (comparison: Comparison, entity: Entity, field: Field): readonly ComparedLine[] => {
  const { words } = comparison;
  const isRequired = field.storage.as === "column" && !field.optional && field.set === null && field.default === null;
  const name = { field: words.field(entity, field.name), many: words.many(entity) };
  const line = (effect: ComparedLine["effect"], message: Message): ComparedLine =>
    createLine(
      { point: 3, subject: `${entity.name}.${field.name}`, effect, message },
      { before: undefined, after: field },
    );
  return [
    line(
      "adds",
      say("field.added", { ...name, required: isRequired, access: describeAccess(comparison, entity, field) }),
    ),
    ...(field.former.length === 0
      ? []
      : [line("changes", say("field.former", { ...name, names: andList(field.former.map((former) => former.name)) }))]),
  ];
};

const removedField = (
  { words }: Comparison,
  { before, after }: { readonly before: Entity; readonly after: Entity },
  field: Field,
): ComparedLine => {
  // A state of the same name takes over the column with its values.
  const isState = field.type === "choice" && !field.many && after.states?.field === field.name;
  const name = { field: words.field(before, field.name), many: words.many(before) };
  return createLine(
    {
      point: 3,
      subject: `${before.name}.${field.name}`,
      effect: isState ? "changes" : "removes",
      loses: isStored(field) && !isState ? "data" : null,
      message: isState ? say("field.state", name) : say("field.removed", name),
    },
    { before: field, after: undefined },
  );
};

const compareField = (comparison: Comparison, entity: Entity, before: Field, after: Field): readonly ComparedLine[] => {
  const { words } = comparison;
  const name = { field: words.field(entity, after.name), many: words.many(entity) };
  const line = (effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point: 3, subject: `${entity.name}.${after.name}`, effect, message, ...more }, { before, after });
  const field: ComparedField = { comparison, entity, before, after, name, line };
  const others = findOtherMembers(before, after, comparedMembers);
  return [
    ...compareType(field),
    ...(isActValue(after) ? [] : compareOptional(field)),
    ...compareComputed(field),
    ...compareComputation(field),
    ...compareFlags(field),
    ...compareGenerated(field),
    ...compareValues(field),
    ...compareMerged(field),
    // The line about another type has both clauses; bounds and units of another kind of value are not comparable.
    ...(isSameKind(before, after) ? [...compareBound(field, "max"), ...compareBound(field, "min")] : []),
    ...(before.partOf === after.partOf
      ? []
      : [line("changes", after.partOf ? say("field.part", name) : say("field.not.part", name))]),
    ...compareAmong(field),
    ...compareRequired(field),
    ...(before.title === after.title
      ? []
      : [line("changes", say("field.was.called", { ...name, before: quoted(before.title) }))]),
    ...compareDetails(field),
    ...(others.length === 0
      ? []
      : [line("changes", say("field.other", { ...name, members: others.join(", ") }), { certainty: "possible" })]),
  ];
};

/** Lines about the type, and about values that come from a former field or are filled in. */
const compareType = ({ line, name, before, after }: ComparedField): readonly ComparedLine[] => {
  const lines: ComparedLine[] = [];
  if (before.type !== after.type || before.many !== after.many) {
    const kind = ({ type, many }: Field): MessageValue => (many ? say("type.list", { type }) : type);
    lines.push(
      line(
        "changes",
        before.type === after.type
          ? say(after.many ? "field.many" : "field.one", name)
          : say("field.type", { ...name, now: kind(after), before: kind(before) }),
        { loses: isFollowed(before, after) || isActValue(after) ? null : "data" },
      ),
    );
  }
  if (after.former.length > 0 && !hasSameMeaning(before.former, after.former))
    lines.push(
      line("changes", say("field.former", { ...name, names: andList(after.former.map((former) => former.name)) })),
    );
  else if (after.fill !== null) {
    const isOutside = hasNarrowerBound(before, after);
    const isMissing = before.optional && !after.optional;
    if (isOutside) lines.push(line("changes", say("field.filled.outside", name)));
    if (isMissing || (!isOutside && !hasSameMeaning(before.fill, after.fill)))
      lines.push(line("changes", say("field.filled", name)));
  }
  if (before.entity !== after.entity && before.type === after.type)
    lines.push(
      line("changes", say("field.refers", { ...name, now: after.entity ?? "", before: before.entity ?? "" }), {
        loses: "data",
      }),
    );
  return lines;
};

const compareOptional = ({ line, name, before, after }: ComparedField): readonly ComparedLine[] => {
  if (before.optional === after.optional) return [];
  if (before.storage.as !== "column" || after.storage.as !== "column")
    return [
      line(after.optional ? "allows" : "forbids", say(after.optional ? "field.can.miss" : "field.cannot.miss", name), {
        certainty: "possible",
      }),
    ];
  const missing = { role: null, record: { [after.name]: "missing" } };
  return [
    before.optional
      ? line("forbids", say("field.required", name), { witness: missing })
      : line("allows", say("field.optional", name), { witness: missing }),
  ];
};

/** Lines about keys of a field that are either set or not. */
const compareFlags = ({ line, name, before, after }: ComparedField): readonly ComparedLine[] => {
  const lines: ComparedLine[] = [];
  if (before.unique !== after.unique)
    lines.push(
      after.unique ? line("forbids", say("field.unique", name)) : line("allows", say("field.not.unique", name)),
    );
  if (before.countsMissing !== after.countsMissing)
    lines.push(
      after.countsMissing
        ? line("forbids", say("field.one.missing", name))
        : line("allows", say("field.several.missing", name)),
    );
  if (before.personal !== after.personal)
    lines.push(line("changes", say(after.personal ? "field.personal" : "field.not.personal", name)));
  if (before.once !== after.once)
    lines.push(
      after.once
        ? line("forbids", say("field.once", name), { loses: "access" })
        : line("allows", say("field.not.once", name)),
    );
  return lines;
};

/** Lines about values that the document sets or proposes. */
const compareGenerated = ({ line, name, before, after }: ComparedField): readonly ComparedLine[] => {
  const lines: ComparedLine[] = [];
  if ((before.set === null) !== (after.set === null))
    lines.push(
      after.set === null
        ? line("changes", say("field.not.set", name))
        : line("changes", say("field.set", name), { loses: "access" }),
    );
  else if (!hasSameMeaning(before.set, after.set)) lines.push(line("changes", say("field.set.differently", name)));
  if (!hasSameMeaning(before.default, after.default))
    lines.push(
      line(
        "changes",
        after.default === null
          ? say("field.default.removed", name)
          : before.default === null
            ? say("field.default.added", name)
            : describeDefault(name, before.default, after.default, after.type === "choice"),
      ),
    );
  return lines;
};

/** Members of a field that have lines of their own. */
const comparedMembers: readonly (keyof Field)[] = [
  ...([
    "name",
    "title",
    "type",
    "ruleType",
    "many",
    "entity",
    "optional",
    "storage",
    "unique",
    "countsMissing",
  ] as const),
  ...(["currency", "series", "from", "unit", "help", "examples", "once", "set", "default", "fill", "former"] as const),
  ...(["values", "min", "max", "partOf", "among", "needed", "isKey", "personal"] as const),
];

/** The message about a changed default, with both values if they are constants. */
const describeDefault = (name: FieldName, before: Expr, after: Expr, isChoice: boolean): Message => {
  const text = ({ kind, value }: { kind: string; value?: unknown }): string | undefined => {
    if (kind !== "constant" || (typeof value !== "string" && typeof value !== "number")) return undefined;
    return isChoice ? toValueTitle(String(value)) : String(value);
  };
  const [was, now] = [text(before), text(after)];
  return was === undefined || now === undefined
    ? say("field.default.changed", name)
    : say("field.default.now", { ...name, now: quoted(now), before: quoted(was) });
};

/** Lines about details that do not restrict the values that people can enter. */
const compareDetails = ({ line, name, before, after }: ComparedField): readonly ComparedLine[] => {
  const lines: ComparedLine[] = [];
  if (before.currency !== null && after.currency !== null && before.currency !== after.currency)
    lines.push(line("changes", say("field.currency", { ...name, now: after.currency, before: before.currency })));
  // A changed type has a line of its own.
  if (before.type === after.type && !hasSameMeaning(before.series, after.series))
    lines.push(line("changes", say("field.series", name)));
  if (before.type === after.type && before.from !== after.from) lines.push(line("changes", say("field.from", name)));
  if (isSameKind(before, after) && before.unit !== after.unit) lines.push(line("changes", say("field.unit", name)));
  if (before.help !== after.help) lines.push(line("changes", say("field.help", name)));
  if (!hasSameMeaning(before.examples, after.examples)) lines.push(line("changes", say("field.examples", name)));
  return lines;
};

/** True for values of one kind, such as whole numbers and decimals. */
const isSameKind = ({ ruleType: one }: Field, { ruleType: other }: Field): boolean =>
  one.kind === other.kind || (isNumeric(one) && isNumeric(other));

const isNumeric = ({ kind }: Field["ruleType"]): boolean =>
  kind === "integer" || kind === "decimal" || kind === "money";

/** True if each stored value can be converted to the new type, or the document defines the conversion. */
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
