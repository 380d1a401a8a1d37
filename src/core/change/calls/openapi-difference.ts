import { filteredField } from "../../derive/http/list-query.ts";
import { specless } from "../../field/kind.ts";
import { fieldKinds } from "../../field/kinds.ts";
import type { ChangeId } from "../../i18n/change-arguments.ts";
import type { Json, JsonSchema } from "../../wire/json.ts";

/** The kinds of differences of a call: `fact.not.gives`. */
type FactId = Extract<ChangeId, `fact.${string}`>;

/** Used in place of a field name if a fact is about the whole request or response. */
export const anyInput = "(input)";
export const anyAnswer = "(answer)";

/** One difference of a call as a client sees it, such as “no longer gives” `remark`. */
export interface CallFact {
  readonly id: Exclude<FactId, "fact.input" | "fact.answer">;
  /** The field, parameter or status; or `anyInput` or `anyAnswer`. */
  readonly name: string;
  /** True if a client that worked before can fail. */
  readonly breaking: boolean;
}

/** Parameters that only Ninefold's own screens use. */
const ownParameters = new Set(["where"]);

type Node = { readonly [key: string]: Json };

/** Two descriptions, and the references to components that differ or that lead to one that does. */
export interface Descriptions {
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly changed: ReadonlySet<string>;
}

/** Finds the components that differ, so that the others need not be compared in each operation that uses them. */
export const pairDescriptions = (before: JsonSchema, after: JsonSchema): Descriptions => {
  const [old, now] = [componentTexts(before), componentTexts(after)];
  const all = [...new Set([...old.keys(), ...now.keys()])];
  const changed = new Set(all.filter((ref) => old.get(ref) !== now.get(ref)));
  const uses = all.map((ref) => ({ ref, refs: [...refsIn(old.get(ref)), ...refsIn(now.get(ref))] }));
  for (let size = -1; size !== changed.size; ) {
    size = changed.size;
    for (const { ref, refs } of uses) if (refs.some((ref) => changed.has(ref))) changed.add(ref);
  }
  return { before, after, changed };
};

/** Components as text, by reference: `#/components/schemas/Loan`. */
const componentTexts = (document: JsonSchema): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(nodeAt(document as Node, "components")).flatMap(([section, components]) =>
      Object.entries(isNode(components) ? components : {}).map(
        ([name, component]) => [`#/components/${section}/${name}`, JSON.stringify(component)] as const,
      ),
    ),
  );

const refsIn = (text: string | undefined): readonly string[] =>
  [...(text ?? "").matchAll(/"\$ref":"([^"]+)"/gu)].map(([, ref]) => ref ?? "");

const isNode = (value: Json | undefined): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const nodeAt = (node: Json | undefined, ...path: readonly string[]): Node => {
  const found = path.reduce<Json | undefined>((at, name) => (isNode(at) ? at[name] : undefined), node);
  return isNode(found) ? found : {};
};

const listAt = (node: Node, name: string): readonly Json[] => {
  const found = node[name];
  return Array.isArray(found) ? found : [];
};

/** Follows `$ref`: `#/components/schemas/Loan`. */
const resolve = (node: Json | undefined, document: JsonSchema): Node => {
  const found = isNode(node) ? node : {};
  const { $ref } = found;
  return typeof $ref === "string" ? resolve(nodeAt(document as Node, ...$ref.slice(2).split("/")), document) : found;
};

/** An operation of a description: `POST /api/loans`. */
export interface DescribedOperation {
  readonly name: string;
  readonly node: Node;
}

/** The operations of a description, by method and path without the names of path parameters, which do not matter. */
export const getOperations = (document: JsonSchema): ReadonlyMap<string, DescribedOperation> =>
  new Map(
    Object.entries(nodeAt(document as Node, "paths")).flatMap(([path, methods]) =>
      Object.entries(isNode(methods) ? methods : {}).flatMap(([method, node]) => {
        if (!isNode(node) || path.startsWith("/_/")) return [];
        const name = `${method.toUpperCase()} ${path}`;
        return [[withoutNames(name), { name, node }] as const];
      }),
    ),
  );

/** `GET /api/loans/{}` */
export const withoutNames = (path: string): string => path.replace(/\{[^}]*\}/gu, "{}");

/** The differences between two versions of an operation: parameters, body, and successful responses. */
export const compareOperations = (
  { node: before }: DescribedOperation,
  { node: after }: DescribedOperation,
  descriptions: Descriptions,
): readonly CallFact[] => {
  const text = JSON.stringify(after);
  if (JSON.stringify(before) === text && !refsIn(text).some((ref) => descriptions.changed.has(ref))) return [];
  return [
    ...compareParameters(before, after, descriptions),
    ...compareBodies(before, after, descriptions),
    ...compareResponses(before, after, descriptions),
  ];
};

const isPaging = (parameter: Node): boolean =>
  parameter["x-paging"] === true || parameter.name === "limit" || parameter.name === "after";

const fact = (id: CallFact["id"], name: string, breaking: boolean): CallFact => ({ id, name, breaking });

const getParameters = (operation: Node, document: JsonSchema): ReadonlyMap<string, Node> =>
  new Map(
    listAt(operation, "parameters").flatMap((json, i) => {
      const parameter = resolve(json, document);
      const name = String(parameter.name);
      // A path parameter is identified by its position.
      const key = parameter.in === "path" ? `path ${i}` : `${String(parameter.in)} ${name}`;
      return ownParameters.has(name) ? [] : [[key, parameter] as const];
    }),
  );

const compareParameters = (before: Node, after: Node, descriptions: Descriptions): readonly CallFact[] => {
  const { before: one, after: other } = descriptions;
  const [old, now] = [getParameters(before, one), getParameters(after, other)];
  const getParameterName = (parameter: Node): string => filteredField(String(parameter.name));
  return [
    ...[...now].flatMap(([key, parameter]) =>
      old.has(key)
        ? []
        : [
            parameter.required === true
              ? fact("fact.requires.parameter", getParameterName(parameter), true)
              : fact(isPaging(parameter) ? "fact.paged.by" : "fact.limited.by", getParameterName(parameter), false),
          ],
    ),
    ...[...old].flatMap(([key, parameter]): readonly CallFact[] => {
      const name = getParameterName(parameter);
      const later = now.get(key);
      if (later === undefined)
        return [fact(isPaging(parameter) ? "fact.not.paged.by" : "fact.not.limited.by", name, true)];
      const sameRequired =
        later.required === true && parameter.required !== true ? [fact("fact.requires.parameter", name, true)] : [];
      if (name === "sort" || parameter["x-sort"] === true) return [...sameRequired, ...compareSorts(parameter, later)];
      return [
        ...sameRequired,
        ...compareSchemas(parameter.schema, later.schema, name, "request", descriptions, new Set()),
      ];
    }),
  ];
};

const compareSorts = (before: Node, after: Node): readonly CallFact[] => {
  const getFields = (parameter: Node) =>
    new Set(listAt(nodeAt(parameter, "schema", "items"), "enum").map((json) => String(json).replace(/^-/u, "")));
  const [old, now] = [getFields(before), getFields(after)];
  return [
    ...[...old].filter((field) => !now.has(field)).map((field) => fact("fact.not.sorted.by", field, true)),
    ...[...now].filter((field) => !old.has(field)).map((field) => fact("fact.sorted.by", field, false)),
  ];
};

const compareBodies = (before: Node, after: Node, descriptions: Descriptions): readonly CallFact[] => {
  const [old, now] = [nodeAt(before, "requestBody", "content"), nodeAt(after, "requestBody", "content")];
  const [isOld, isNow] = [Object.keys(old).length > 0, Object.keys(now).length > 0];
  if (!isOld && !isNow) return [];
  const schemas = (content: Node): Json | undefined => nodeAt(Object.values(content)[0]).schema;
  return compareSchemas(
    isOld ? schemas(old) : { type: "object" },
    isNow ? schemas(now) : { type: "object" },
    "",
    "request",
    descriptions,
    new Set(),
  );
};

const isSuccess = (status: string): boolean => /^[23]/u.test(status);

const compareResponses = (before: Node, after: Node, descriptions: Descriptions): readonly CallFact[] => {
  const [old, now] = [nodeAt(before, "responses"), nodeAt(after, "responses")];
  return [
    ...Object.keys(old)
      .filter((status) => isSuccess(status) && now[status] === undefined)
      .map((status) => fact("fact.not.status", status, true)),
    ...Object.keys(now)
      .filter((status) => isSuccess(status) && old[status] === undefined)
      .map((status) => fact("fact.status", status, true)),
    ...Object.keys(old)
      .filter((status) => isSuccess(status) && now[status] !== undefined)
      .flatMap((status): readonly CallFact[] => {
        const [one, other] = [
          nodeAt(resolve(old[status], descriptions.before), "content"),
          nodeAt(resolve(now[status], descriptions.after), "content"),
        ];
        return [
          ...Object.keys(one).flatMap((type) =>
            other[type] === undefined
              ? [fact("fact.not.answers.as", type, true)]
              : compareSchemas(
                  nodeAt(one[type]).schema,
                  nodeAt(other[type]).schema,
                  "",
                  "response",
                  descriptions,
                  new Set(),
                ),
          ),
          ...Object.keys(other).flatMap((type) =>
            one[type] === undefined ? [fact("fact.answers.as", type, false)] : [],
          ),
        ];
      }),
  ];
};

/** Adding to a request or removing from a response can break a client; the opposite cannot. */
type Direction = "request" | "response";

/** Writes `{ anyOf: [{ enum: … }, { type: "null" }] }` as the first alternative, with null in its type. */
const withoutNull = (node: Node, document: JsonSchema): Node => {
  for (const choice of ["anyOf", "oneOf"]) {
    const list = listAt(node, choice);
    const others = list.filter((json) => !isNode(json) || json.type !== "null");
    const [only] = others;
    if (only === undefined || others.length !== 1 || others.length === list.length) continue;
    const rest = resolve(only, document);
    const types = Array.isArray(rest.type) ? rest.type : rest.type === undefined ? [] : [rest.type];
    return { ...rest, type: [...types, "null"] };
  }
  return node;
};

/** The schemas of which a value has to match one. */
const alternativesOf = (node: Node, document: JsonSchema): readonly Json[] => {
  const list = [...listAt(node, "anyOf"), ...listAt(node, "oneOf")];
  return list.length === 0
    ? [node]
    : list.flatMap((json) => {
        const nested = alternativesOf(resolve(json, document), document);
        return nested.length === 1 ? [json] : nested;
      });
};

/** Alternatives that both have are compared by their references; of the others, one may have come or gone. */
const compareAlternatives = (
  before: readonly Json[],
  after: readonly Json[],
  name: string,
  takes: boolean,
  compare: (before: Json, after: Json) => readonly CallFact[],
): readonly CallFact[] => {
  const isIn = (json: Json, list: readonly Json[]): boolean =>
    list.some((other) => JSON.stringify(other) === JSON.stringify(json));
  const within = before.filter((json) => isIn(json, after)).flatMap((json) => compare(json, json));
  const [gone, added] = [before.filter((json) => !isIn(json, after)), after.filter((json) => !isIn(json, before))];
  if (gone.length === added.length) return [...within, ...gone.flatMap((json, i) => compare(json, added[i] ?? null))];
  if (takes && gone.length === 0) return [...within, fact("fact.accepts.more", name, false)];
  if (added.length === 0) return [...within, fact(takes ? "fact.accepts.fewer" : "fact.gives.fewer", name, takes)];
  return [...within, fact(takes ? "fact.accepts.form" : "fact.gives.form", name, true)];
};

const bounds = [
  ["maxLength", "most"],
  ["maximum", "most"],
  ["maxItems", "most"],
  ["minLength", "least"],
  ["minimum", "least"],
  ["minItems", "least"],
] as const;

const compareSchemas = (
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  direction: Direction,
  descriptions: Descriptions,
  seen: ReadonlySet<string>,
): readonly CallFact[] => {
  const refs = `${isNode(before) ? String(before.$ref) : ""} ${isNode(after) ? String(after.$ref) : ""}`;
  if (refs.includes("#") && seen.has(refs)) return [];
  if (isNode(before) && isNode(after) && before.$ref === after.$ref && typeof after.$ref === "string")
    if (!descriptions.changed.has(after.$ref)) return [];
  const within = refs.includes("#") ? new Set([...seen, refs]) : seen;
  const [one, other] = [
    withoutNull(resolve(before, descriptions.before), descriptions.before),
    withoutNull(resolve(after, descriptions.after), descriptions.after),
  ];
  const takes = direction === "request";
  const name = path === "" ? (takes ? anyInput : anyAnswer) : path;
  const deeper = (old: Json | undefined, now: Json | undefined, at: string): readonly CallFact[] =>
    compareSchemas(old, now, at, direction, descriptions, within);
  const [old, now] = [alternativesOf(one, descriptions.before), alternativesOf(other, descriptions.after)];
  if (old[0] !== one || now[0] !== other)
    return compareAlternatives(old, now, name, takes, (before, after) => deeper(before, after, path));
  const [all, allNow] = [listAt(one, "allOf"), listAt(other, "allOf")];
  if (all.length !== allNow.length) return [fact(takes ? "fact.accepts.form" : "fact.gives.form", name, true)];
  if (all.length > 0) return all.flatMap((part, i) => deeper(part, allNow[i], path));
  const types = compareTypes(one, other, name, takes);
  // Everything else follows from another type.
  if (types.some(({ id }) => isOtherType(id))) return types;
  return [
    ...types,
    ...comparePatterns(one.pattern, other.pattern, name, takes),
    ...compareEnums(one, other, name, takes),
    ...bounds.flatMap(([bound, kind]) => compareBounds(one[bound], other[bound], kind, name, takes)),
    ...compareProperties(one, other, path, takes, deeper),
    ...(isNode(one.items) && isNode(other.items) ? deeper(one.items, other.items, path) : []),
  ];
};

const isOtherType = (id: CallFact["id"]): boolean => id === "fact.accepts.type" || id === "fact.gives.type";

/** The types of a schema; those of its values if it names only them. */
const getTypes = ({ type, format, enum: values }: Node): ReadonlySet<string> => {
  if (type === undefined && Array.isArray(values)) return new Set(values.map((value) => typeof value));
  return new Set(
    (Array.isArray(type) ? type : type === undefined ? [] : [type]).map((item) =>
      item === "null" || format === undefined ? String(item) : `${String(item)} ${String(format)}`,
    ),
  );
};

const compareTypes = (before: Node, after: Node, name: string, takes: boolean): readonly CallFact[] => {
  const [old, now] = [getTypes(before), getTypes(after)];
  const fewer = [...old].filter((type) => !now.has(type));
  const more = [...now].filter((type) => !old.has(type));
  if (fewer.length === 0 && more.length === 0) return [];
  const isNull = (types: readonly string[]): boolean => types.length === 1 && types[0] === "null";
  if (isNull(more) && fewer.length === 0)
    return [takes ? fact("fact.accepts.no.value", name, false) : fact("fact.gives.no.value", name, true)];
  if (isNull(fewer) && more.length === 0)
    return [takes ? fact("fact.not.missing", name, true) : fact("fact.always.gives", name, false)];
  if (takes && fewer.length === 0 && old.size > 0) return [fact("fact.accepts.more", name, false)];
  if (!takes && more.length === 0 && now.size > 0) return [fact("fact.gives.fewer", name, false)];
  return [fact(takes ? "fact.accepts.type" : "fact.gives.type", name, true)];
};

/** How many texts a pattern matches: all, all of several lines, all of one line, or some of those. */
const widthOf = (pattern: Json | undefined): number => (pattern === undefined ? 3 : textPatterns.indexOf(pattern) + 1);
const textPatterns = (["text", "long text"] as const).map((type) => fieldKinds[type].wire(specless).request.pattern);

const comparePatterns = (
  before: Json | undefined,
  after: Json | undefined,
  name: string,
  takes: boolean,
): readonly CallFact[] => {
  if (before === after) return [];
  const [old, now] = [widthOf(before), widthOf(after)];
  if (old === now) return [fact(takes ? "fact.accepts.type" : "fact.gives.type", name, true)];
  if (takes) return [now > old ? fact("fact.accepts.more", name, false) : fact("fact.accepts.fewer", name, true)];
  // A client that reads numbers from texts can fail if they are any texts.
  return [now > old ? fact("fact.gives.type", name, true) : fact("fact.gives.fewer", name, false)];
};

/** The only values of a schema, as texts; none if it names none. */
const getValues = (node: Node): readonly string[] =>
  node.const === undefined ? listAt(node, "enum").map(String) : [String(node.const)];

/** The values of a schema, and those of a boolean beside a schema that names values. */
const getValuesBeside = (node: Node, other: Node): readonly string[] =>
  node.type === "boolean" && getValues(other).length > 0 ? ["true", "false"] : getValues(node);

const compareEnums = (before: Node, after: Node, name: string, takes: boolean): readonly CallFact[] => {
  const [old, now] = [getValuesBeside(before, after), getValuesBeside(after, before)];
  if (old.length === 0 && now.length === 0) return [];
  if (before.const !== undefined && after.const !== undefined && before.const !== after.const)
    return [fact(takes ? "fact.accepts.other" : "fact.gives.other", name, true)];
  const fewer = now.length > 0 && (old.length === 0 || old.some((item) => !now.includes(item)));
  const more = old.length > 0 && (now.length === 0 || now.some((item) => !old.includes(item)));
  return [
    ...(fewer ? [fact(takes ? "fact.accepts.fewer" : "fact.gives.fewer", name, takes)] : []),
    ...(more ? [fact(takes ? "fact.accepts.more" : "fact.gives.more", name, false)] : []),
  ];
};

const compareBounds = (
  before: Json | undefined,
  after: Json | undefined,
  kind: "most" | "least",
  name: string,
  takes: boolean,
): readonly CallFact[] => {
  if (before === after || !takes) return [];
  const wide = kind === "most" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const [old, now] = [before, after].map((item) => (item === undefined ? wide : Number(item)));
  if (old === undefined || now === undefined || old === now) return [];
  const isNarrower = kind === "most" ? now < old : now > old;
  return [fact(isNarrower ? "fact.accepts.fewer" : "fact.accepts.more", name, isNarrower)];
};

const compareProperties = (
  before: Node,
  after: Node,
  path: string,
  takes: boolean,
  deeper: (old: Json | undefined, now: Json | undefined, at: string) => readonly CallFact[],
): readonly CallFact[] => {
  const [old, now] = [nodeAt(before, "properties"), nodeAt(after, "properties")];
  const getRequired = (schema: Node) => new Set(listAt(schema, "required").map(String));
  const [wasRequired, isRequired] = [getRequired(before), getRequired(after)];
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  return [
    ...Object.keys(old)
      .filter((name) => now[name] === undefined)
      .map((name) => fact(takes ? "fact.not.accepts" : "fact.not.gives", at(name), true)),
    ...Object.keys(now)
      .filter((name) => old[name] === undefined)
      .map((name) => {
        if (!takes) return fact("fact.gives", at(name), false);
        return isRequired.has(name) ? fact("fact.requires", at(name), true) : fact("fact.accepts", at(name), false);
      }),
    ...Object.keys(old)
      .filter((name) => now[name] !== undefined)
      .flatMap((name): readonly CallFact[] => {
        const [was, is] = [wasRequired.has(name), isRequired.has(name)];
        const need =
          was === is
            ? []
            : takes
              ? [fact(is ? "fact.requires" : "fact.not.requires", at(name), is)]
              : [fact(is ? "fact.always.gives" : "fact.can.leave.out", at(name), !is)];
        return [...need, ...deeper(old[name], now[name], at(name))];
      }),
  ];
};
