import { isOther } from "../../../expression/boolean-exprs.ts";
import type { Expr } from "../../../expression/expr.ts";
import { alternatives, andList, type Message, type MessageValue, quoted, say } from "../../../i18n/message.ts";
import type { Condition } from "../../../model/clause.ts";
import type { Entity } from "../../../model/entity.ts";
import { computedExpr, type Field, isActValue, isStored } from "../../../model/field.ts";
import { toValueTitle } from "../../../model/inflection.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp, withDifference } from "../../compared-line.ts";
import type { Comparison } from "../../comparison.ts";
import { compareConditions } from "../../conditions.ts";
import { hasSameMeaning } from "../../meaning.ts";
import { describeAccess } from "./field-access.ts";
import { isReordered } from "../screen-order.ts";

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
  const lines = [
    ...compareType(line, name, before, after),
    ...(isActValue(after) ? [] : compareOptional(line, name, before, after)),
    ...compareComputed(line, name, comparison, before, after),
    ...compareComputation(line, name, comparison, entity, before, after),
    ...compareFlags(line, name, before, after),
    ...compareGenerated(line, name, before, after),
    ...compareValues(line, name, before, after),
    ...compareMerged(line, name, comparison, before, after),
    // The line about another type has both clauses; bounds and units of another kind of value are not comparable.
    ...(isSameKind(before, after)
      ? [...compareBound(line, name, before, after, "max"), ...compareBound(line, name, before, after, "min")]
      : []),
  ];
  if (before.partOf !== after.partOf)
    lines.push(line("changes", after.partOf ? say("field.part", name) : say("field.not.part", name)));
  lines.push(
    // One value and several have different conditions, also if they are among the same records.
    ...(before.many !== after.many && hasSameMeaning(before.among?.list, after.among?.list)
      ? []
      : compareFieldCondition(comparison, before.among, after.among, {
          wider: line("allows", say("field.among.more", name)),
          narrower: line("forbids", say("field.among.fewer", name)),
        })),
    ...compareRequired(comparison, before, after, {
      wider: line("allows", say("field.needed.fewer", name)),
      narrower: line("forbids", say("field.needed.more", name)),
    }),
  );
  if (before.title !== after.title)
    lines.push(line("changes", say("field.was.called", { ...name, before: quoted(before.title) })));
  lines.push(...compareDetails(line, name, before, after));
  const others = findOtherMembers(before, after, comparedMembers);
  if (others.length > 0)
    lines.push(line("changes", say("field.other", { ...name, members: others.join(", ") }), { certainty: "possible" }));
  return lines;
};

/** Lines about the type, and about values that come from a former field or are filled in. */
const compareType = (line: WriteLine, name: FieldName, before: Field, after: Field): readonly ComparedLine[] => {
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
  else if (after.fill !== null && !hasSameMeaning(before.fill, after.fill))
    lines.push(line("changes", say("field.filled", name)));
  if (before.entity !== after.entity && before.type === after.type)
    lines.push(
      line("changes", say("field.refers", { ...name, now: after.entity ?? "", before: before.entity ?? "" }), {
        loses: "data",
      }),
    );
  return lines;
};

const compareOptional = (line: WriteLine, name: FieldName, before: Field, after: Field): readonly ComparedLine[] => {
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
const compareFlags = (line: WriteLine, name: FieldName, before: Field, after: Field): readonly ComparedLine[] => {
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
const compareGenerated = (line: WriteLine, name: FieldName, before: Field, after: Field): readonly ComparedLine[] => {
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
const compareDetails = (line: WriteLine, name: FieldName, before: Field, after: Field): readonly ComparedLine[] => {
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

/** The field of an entity, for messages. */
interface FieldName {
  readonly field: MessageValue;
  readonly many: MessageValue;
}

type WriteLine = (effect: ComparedLine["effect"], message: Message, more?: Partial<ComparedLine>) => ComparedLine;

/** Lines about a computed value. */
const compareComputed = (
  line: WriteLine,
  name: FieldName,
  comparison: Comparison,
  before: Field,
  after: Field,
): readonly ComparedLine[] => {
  const [one, other] = [computedExpr(before), computedExpr(after)];
  if (one === null && other !== null)
    return [
      line("changes", say("field.computed", name), {
        loses: before.storage.as === "column" ? "data" : null,
      }),
    ];
  if (one !== null && other === null) return [line("changes", say("field.not.computed", name))];
  if (one === null || other === null) {
    if (hasSameMeaning(before.storage, after.storage)) return [];
    return [line("changes", say("field.lists", name), { certainty: "possible" })];
  }
  if (hasSameMeaning(one, other)) return [];
  if (after.ruleType.kind !== "boolean" || before.ruleType.kind !== "boolean") {
    const differently = line("changes", say("field.computed.differently", name), { certainty: "possible" });
    if (before.ruleType.kind !== after.ruleType.kind || !isCompared(after.ruleType)) return [differently];
    const { earlier, later, findDifference } = comparison;
    const difference = findDifference([isOther(earlier(one), later(other))], []);
    return difference === undefined ? [] : [withDifference(differently, difference)];
  }
  const { wider, narrower } = compareConditions(comparison, one, other);
  return [
    ...(wider === undefined ? [] : [withDifference(line("changes", say("field.yes.more", name)), wider)]),
    ...(narrower === undefined ? [] : [withDifference(line("changes", say("field.yes.fewer", name)), narrower)]),
  ];
};

/** Lines about the actions on which a value is computed. */
const compareComputation = (
  line: WriteLine,
  name: FieldName,
  { words }: Comparison,
  entity: Entity,
  before: Field,
  after: Field,
): readonly ComparedLine[] => {
  if (computedExpr(before) === null || computedExpr(after) === null) return [];
  const computationWords = ({ storage }: Field): Message => {
    if (storage.as !== "stored") return say("kept.always", {});
    if (storage.until === null) return say("kept.write", {});
    const fields = andList(storage.until.fields.map((field) => words.field(entity, field)));
    const transitions = andList(storage.until.transitions.map((transition) => words.transition(entity, transition)));
    if (storage.until.transitions.length === 0)
      return storage.until.fields.length === 0 ? say("kept.good", {}) : say("kept.fields", { fields });
    return storage.until.fields.length === 0
      ? say("kept.transitions", { transitions })
      : say("kept.both", { fields, transitions });
  };
  const sorted = ({ storage }: Field) =>
    storage.as === "stored" && storage.until !== null
      ? [storage.until.fields.toSorted(), storage.until.transitions.toSorted()]
      : storage.as === "stored";
  if (hasSameMeaning(sorted(before), sorted(after))) return [];
  return [
    line("changes", say("field.kept", { ...name, now: computationWords(after), before: computationWords(before) })),
  ];
};

/** True for types whose values an expression can compare for equality. */
const isCompared = ({ kind }: Field["ruleType"]): boolean => !["list", "file", "json", "unknown"].includes(kind);

const compareValues = (line: WriteLine, name: FieldName, before: Field, after: Field): readonly ComparedLine[] => {
  if (after.type !== "choice" || before.type !== "choice") return [];
  const added = after.values.filter((value) => !before.values.includes(value));
  const removed = before.values.filter((value) => !after.values.includes(value));
  const list = (values: readonly string[]): MessageValue =>
    alternatives(values.map((value) => quoted(toValueTitle(value))));
  const witness = (value: string | undefined) => ({ role: null, record: { [after.name]: value ?? "" } });
  return [
    ...(added.length === 0
      ? []
      : [line("allows", say("field.values.added", { ...name, names: list(added) }), { witness: witness(added[0]) })]),
    ...(removed.length === 0
      ? []
      : [
          line("forbids", say("field.values.removed", { ...name, names: list(removed) }), {
            // A record that has it needs `was`, so that nothing is retired.
            loses: "access",
            witness: witness(removed[0]),
          }),
        ]),
    ...(isReordered(before.values, after.values) ? [line("changes", say("field.values.order", name))] : []),
  ];
};

/** Lines about merged values (`was`). A value that is only renamed gives none. */
const compareMerged = (
  line: WriteLine,
  name: FieldName,
  { former }: Comparison,
  before: Field,
  after: Field,
): readonly ComparedLine[] => {
  if (after.type !== "choice" || before.type !== "choice") return [];
  const [, entity = "", field = ""] = before.clause.id.split(".");
  const own = former.entities.get(entity)?.fields.get(field)?.values ?? [];
  return findMerged(own, before.values).map(({ now, names }) =>
    line(
      "forbids",
      say("field.values.merged", {
        ...name,
        names: alternatives(names.map((value) => quoted(toValueTitle(value)))),
        now: quoted(toValueTitle(now)),
      }),
      {
        loses: "data",
        witness: { role: null, record: { [after.name]: names[0] ?? "" } },
      },
    ),
  );
};

/** The values that are merged under one later name, by that name. `later`: the later name of each. */
export const findMerged = (
  values: readonly string[],
  later: readonly string[],
): readonly { readonly now: string; readonly names: readonly string[] }[] =>
  [...new Set(later.filter((now, i) => later.indexOf(now) !== i))].map((now) => ({
    now,
    names: values.filter((value, i) => later[i] === now && value !== now),
  }));

/** True for values of one kind, such as whole numbers and decimals. */
const isSameKind = ({ ruleType: one }: Field, { ruleType: other }: Field): boolean =>
  one.kind === other.kind || (isNumeric(one) && isNumeric(other));

const isNumeric = ({ kind }: Field["ruleType"]): boolean =>
  kind === "integer" || kind === "decimal" || kind === "money";

const compareBound = (
  line: WriteLine,
  name: FieldName,
  before: Field,
  after: Field,
  bound: "min" | "max",
): readonly ComparedLine[] => {
  const [one, other] = [before[bound], after[bound]];
  if (one === other) return [];
  const characters = /text|email|phone|url|slug/u.test(after.type);
  const lines =
    other === null
      ? say("field.bound.removed", { ...name, bound: one ?? "", characters })
      : one === null
        ? say("field.bound.added", { ...name, which: bound, bound: other, characters })
        : say("field.bound.changed", { ...name, which: bound, bound: other, characters, before: one });
  if (one === null) return [line("forbids", lines)];
  if (other === null) return [line("allows", lines)];
  const [a, b] = [Number(one), Number(other)];
  if (Number.isNaN(a) || Number.isNaN(b)) return [line("changes", lines)];
  return [line(b > a === (bound === "max") ? "allows" : "forbids", lines)];
};

/** Lines about a condition that a value has to meet; null if there is none. */
const compareFieldCondition = (
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
const compareRequired = (
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
