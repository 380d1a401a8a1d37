import { type Expr, subexpressions } from "../expr.ts";
import type { EntityShape } from "../values/type.ts";

/** The read set of an expression. */
export interface ReadSet {
  /** Fields of the current record, before or after the write. */
  readonly fields: ReadonlySet<string>;
  /** Paths from the current record at full length, such as `employee.manager`. */
  readonly paths: ReadonlySet<string>;
  readonly limits: ReadonlySet<string>;
  /** Names that the context defines. */
  readonly names: ReadonlySet<string>;
  readonly user: boolean;
  /** True if it reads the record before the write. */
  readonly old: boolean;
  /** True if it depends on the current time. */
  readonly clock: boolean;
  readonly recordReads: readonly RecordRead[];
}

/**
 * Other records that an expression depends on: the records of `entity` whose field `by` equals the value of the path
 * `key` of the current record, where `""` is the current record itself. Without `by`, any record of the entity. Only a
 * write that creates or deletes such a record or changes one of its `fields` can change the result.
 *
 * `days <= employee.allowance` depends on `{ entity: "User", by: "id", key: "employee", fields: ["allowance"] }`.
 */
export interface RecordRead extends Source {
  readonly fields: ReadonlySet<string>;
}

/** The source of a set of records. */
interface Source {
  readonly entity: string;
  readonly by?: string;
  readonly key?: string;
  /** Values of choices and states that restrict the records: `r.status in [submitted, granted]`. */
  readonly only?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** True if a write that changes the field can affect the read. */
export const dependsOn = ({ fields, by }: RecordRead, changed: string): boolean =>
  fields.has("*") || fields.has(changed) || by === changed;

/** True if a write that changes these fields can affect the read; `null` stands for creation or deletion. */
export const intersects = (read: RecordRead, changed: ReadonlySet<string> | null): boolean =>
  changed === null || read.fields.has("*") || [...changed].some((field) => dependsOn(read, field));

/** The restriction that covers two reads of the same records. */
export const eitherOnly = (a: Source["only"], b: Source["only"]): Source["only"] => {
  const both = [...(a ?? [])].flatMap(([field, values]): readonly (readonly [string, ReadonlySet<string>])[] => {
    const others = b?.get(field);
    return others === undefined ? [] : [[field, new Set([...values, ...others])]];
  });
  return both.length === 0 ? undefined : new Map(both);
};

/** Cache by expression, since several components ask for the same one. */
const cache = new WeakMap<Expr, ReadSet>();

/**
 * The read set of an expression: its own record and others. Used for locks, indexes and the choice of rules to check.
 */
export const collectReadSet = (expr: Expr): ReadSet => {
  const before = cache.get(expr);
  if (before !== undefined) return before;
  const reads = new ReadCollector().collect(expr);
  cache.set(expr, reads);
  return reads;
};

/** True if the expression reads the current record, or records that it refers to. */
export const readsItsRecord = (expr: Expr): boolean => collectReadSet(expr).paths.size > 0;

/** One set for all that are empty: most sets of most expressions are, and each is kept. */
const nothing: ReadonlySet<string> = new Set();

const withItem = (set: Set<string> | undefined, item: string): Set<string> => (set ?? new Set()).add(item);

/** Walks through one expression. Its sets are made with their first item. */
class ReadCollector {
  #fields: Set<string> | undefined;
  #paths: Set<string> | undefined;
  #limits: Set<string> | undefined;
  #names: Set<string> | undefined;
  #user = false;
  #old = false;
  #clock = false;
  #recordReads: Map<string, Omit<RecordRead, "fields"> & { readonly fields: Set<string> }> | undefined;
  /** Entities whose rows are derived from others; an expression that reads them depends on those others too. */
  #because: Map<string, ReadonlySet<string>> | undefined;

  collect(expr: Expr): ReadSet {
    this.#visit(expr, []);
    return {
      fields: this.#fields ?? nothing,
      paths: this.#paths ?? nothing,
      limits: this.#limits ?? nothing,
      names: this.#names ?? nothing,
      user: this.#user,
      old: this.#old,
      clock: this.#clock,
      recordReads: this.#listRecordReads(),
    };
  }

  #listRecordReads(): readonly RecordRead[] {
    if (this.#recordReads === undefined) return [];
    return [...this.#recordReads.values()].flatMap((item): readonly RecordRead[] => {
      const others = this.#because?.get(item.entity);
      return others === undefined ? [item] : [...others].map((entity) => ({ entity, fields: anything }));
    });
  }

  #note(shape: EntityShape | undefined): void {
    if (shape?.because === undefined) return;
    this.#because ??= new Map();
    this.#because.set(shape.name, shape.because);
  }

  #depend(source: Source, field?: string): void {
    const key = `${source.entity}\n${source.by ?? ""}\n${source.key ?? ""}`;
    const known = this.#recordReads?.get(key);
    const { only: narrower, ...rest } = source;
    const only = known === undefined ? narrower : eitherOnly(known.only, narrower);
    const fields = known?.fields ?? new Set();
    if (field !== undefined) fields.add(field);
    this.#recordReads ??= new Map();
    this.#recordReads.set(key, { ...rest, ...(only === undefined ? {} : { only }), fields });
  }

  /** `elements` are the sources of the enclosing lists; `source` is the source of a list itself. */
  #visit(expr: Expr, elements: readonly Source[], source?: Source): void {
    if (expr.kind === "user") this.#user = true;
    else if (expr.kind === "old") this.#old = true;
    else if (expr.kind === "now" || expr.kind === "today") this.#clock = true;
    else if (expr.kind === "name" && expr.seedRecord === undefined) this.#names = withItem(this.#names, expr.name);
    else if (expr.kind === "constant" && expr.limit !== undefined) this.#limits = withItem(this.#limits, expr.limit);
    else if (expr.kind === "all") {
      this.#note(expr.entity);
      this.#depend(source ?? { entity: expr.entity.name });
    } else if (expr.kind === "field") this.#visitField(expr, elements);
    if (expr.kind === "each") {
      const elementsOf =
        (expr.row === "filter" ? source : undefined) ?? findSource(expr.row === "filter" ? expr : expr.list);
      this.#visit(expr.list, elements, elementsOf);
      this.#visit(expr.body, [...elements.slice(0, expr.level), elementsOf ?? { entity: "" }]);
    } else for (const part of subexpressions(expr)) this.#visit(part, elements);
  }

  #visitField(expr: Expr & { kind: "field" }, elements: readonly Source[]): void {
    const { of, entity, field, target } = expr;
    this.#note(entity);
    this.#note(target);
    const path = findPath(expr);
    if (path !== undefined) this.#addPath(path);
    if (of.kind === "this" || of.kind === "old") this.#fields = withItem(this.#fields, field.name);
    if (field.inverse) this.#depend(asSource(field.inverse.entity, field.inverse.by, of));
    else if (of.kind === "variable") this.#depend(elements[of.level] ?? { entity: entity.name }, field.name);
    else if (of.kind !== "this" && of.kind !== "old" && field.name !== "id")
      this.#depend(asSource(entity.name, "id", of), field.name);
  }

  /** Keeps a path only at its full length. */
  #addPath(path: string): void {
    let isCovered = false;
    for (const known of this.#paths ?? []) {
      if (path.startsWith(`${known}.`)) this.#paths?.delete(known);
      isCovered ||= known.startsWith(`${path}.`);
    }
    if (!isCovered) this.#paths = withItem(this.#paths, path);
  }
}

/** Stands for all fields. */
const anything: ReadonlySet<string> = new Set(["*"]);

/** A path from the current record; `""` is the record itself. Undefined for a path from the record before the write. */
const findPath = (expr: Expr): string | undefined => {
  if (expr.kind === "this") return "";
  if (expr.kind !== "field") return undefined;
  const of = findPath(expr.of);
  return of === undefined ? undefined : `${of}${of === "" ? "" : "."}${expr.field.name}`;
};

/** The records of an entity whose field equals an expression; without a key if the expression is no path. */
const asSource = (entity: string, by: string, to: Expr): Source => {
  const key = findPath(to);
  return key === undefined ? { entity } : { entity, by, key };
};

/** The source of a list's elements; undefined if they are not records. */
const findSource = (list: Expr): Source | undefined => {
  if (list.kind === "all") return { entity: list.entity.name };
  if (list.kind === "field" && list.field.inverse)
    return asSource(list.field.inverse.entity, list.field.inverse.by, list.of);
  if (list.kind === "each" && list.row === "filter") {
    const source = findSource(list.list);
    if (source === undefined) return undefined;
    const narrowed = source.by === undefined ? (narrowSource(list.body, list.level, source) ?? source) : source;
    const only = new Map([...(source.only ?? []), ...getRestrictions(list.body, list.level)]);
    return only.size === 0 ? narrowed : { ...narrowed, only };
  }
  if (list.type.kind !== "list" || list.type.of.kind !== "record") return undefined;
  return list.kind === "field" ? asSource(list.type.of.entity, "id", list) : { entity: list.type.of.entity };
};

/** Narrows a source by `r.employee == employee` or `employee in r.helpers`, alone or in a conjunction. */
const narrowSource = (body: Expr, level: number, { entity }: Source): Source | undefined => {
  if (body.kind !== "call") return undefined;
  if (body.row === "boolean && boolean")
    return body.args.map((arg) => narrowSource(arg, level, { entity })).find((source) => source !== undefined);
  const [a, b] = body.args;
  // `employee in r.helpers` also matches records by a field with several references.
  const pairs =
    body.row === "same == same"
      ? [
          [a, b],
          [b, a],
        ]
      : body.row === "same in [same]"
        ? [[b, a]]
        : [];
  for (const [one, other] of pairs) {
    const key = other && findPath(other);
    const isOwn = one?.kind === "field" && one.of.kind === "variable" && one.of.level === level;
    if (isOwn && key !== undefined) return { entity, by: one.field.name, key };
  }
  return undefined;
};

/** Restrictions such as `r.status in [submitted, granted]` and `r.kind == sick`, alone or in a conjunction. */
const getRestrictions = (body: Expr, level: number): ReadonlyMap<string, ReadonlySet<string>> => {
  if (body.kind !== "call") return new Map();
  if (body.row === "boolean && boolean") return new Map(body.args.flatMap((arg) => [...getRestrictions(arg, level)]));
  const [a, b] = body.args;
  const isOwnChoice = (item: Expr | undefined): item is Expr & { readonly kind: "field" } =>
    item?.kind === "field" && item.of.kind === "variable" && item.of.level === level && item.type.kind === "choice";
  const texts = (items: readonly Expr[]): readonly string[] | undefined => {
    const values = items.map((item) => (item.kind === "constant" && typeof item.value === "string" ? item.value : ""));
    return values.includes("") ? undefined : values;
  };
  const narrowField = (field: Expr | undefined, items: readonly Expr[]): ReadonlyMap<string, ReadonlySet<string>> => {
    const values = texts(items);
    return isOwnChoice(field) && values !== undefined ? new Map([[field.field.name, new Set(values)]]) : new Map();
  };
  if (body.row === "same == same") {
    const found = b === undefined ? new Map() : narrowField(a, [b]);
    return found.size === 0 && a !== undefined ? narrowField(b, [a]) : found;
  }
  if (body.row === "same in [same]" && b?.kind === "list") return narrowField(a, b.items);
  return new Map();
};
