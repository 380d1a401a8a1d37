import {
  byKind,
  expression,
  keyed,
  list,
  listOrOne,
  map,
  type Named,
  name,
  optional,
  orNone,
  plainText,
  type Read,
  record,
  required,
  type Spanned,
  word,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import type { Expr } from "../expression/expr.ts";
import type { Scope, Type } from "../expression/values/type.ts";
import { getFieldKind } from "../field/multi-valued.ts";
import { finding } from "../findings.ts";
import { usualSections } from "../model/default-sections.ts";
import type { DefaultCode } from "../model/defaults.ts";
import { toTitle } from "../model/inflection.ts";
import {
  type Aggregate,
  aggregates,
  type Clause,
  chartKinds,
  type FieldStorage,
  isMoment,
  isOfRecord,
  type Layout,
  type Screen,
  type Section,
  type Target,
  type Tile,
  targetBounds,
} from "../model/model.ts";
import type { FieldTypeName } from "../wire/entities.ts";
import { type LinkedEntity, resolveField } from "./entities/entities.ts";
import {
  checkExpression,
  clauseAt,
  isExecutableIn,
  type Linking,
  linkExpression,
  reportNotExecuted,
  reportUnknownName,
} from "./linking/link-context.ts";

/** Point 2: screens and routes. */
const shownField = byKind<{ readonly field: Spanned<string>; readonly when?: Scalar }>(
  "a field, or a field with its condition",
  {
    scalar: map(name("field"), (field) => ({ field })),
    mapping: map(record("a field", { field: required(name("field")), when: required(expression) }), (keys) => ({
      field: keys.field,
      when: keys.when,
    })),
  },
);

const columnsKey = optional(list(name("field")));

/** `note`, or a list of the record's parts with the form's columns for them. */
const formField = byKind<{ readonly field: Spanned<string>; readonly columns?: readonly Spanned<string>[] }>(
  "a field, or “list:” with the columns of its parts",
  {
    scalar: map(name("field"), (field) => ({ field })),
    mapping: map(
      record("a list of parts", { list: required(name("field")), columns: columnsKey }),
      ({ list: field, columns }) => ({ field, ...(columns === undefined ? {} : { columns }) }),
    ),
  },
);

const section = byKind<SectionSyntax>("“history”, { fields: [name] } or { list: comments }", {
  scalar: map(word("history"), (): SectionSyntax => ({ kind: "history" })),
  mapping: map(
    record("a section", {
      title: optional(plainText),
      fields: optional(list(shownField)),
      list: optional(name("field")),
    }),
    (keys): SectionSyntax => {
      const title = keys.title === undefined ? {} : { title: keys.title };
      return keys.list === undefined
        ? { kind: "fields", ...title, fields: keys.fields ?? [] }
        : { kind: "list", ...title, list: keys.list };
    },
  ),
});

export type SectionSyntax =
  | { readonly kind: "history" }
  | { readonly kind: "list"; readonly title?: Spanned<string>; readonly list: Spanned<string> }
  | { readonly kind: "fields"; readonly title?: Spanned<string>; readonly fields: readonly Read<typeof shownField>[] };

const tile = record("a tile", {
  title: optional(plainText),
  count: optional(name("entity")),
  list: optional(name("entity")),
  chart: optional(word(...chartKinds)),
  from: optional(name("entity")),
  where: optional(expression),
  columns: optional(list(name("field"))),
  sort: optional(list(plainText)),
  per: optional(expression),
  value: optional(expression),
  figure: optional(name("entity")),
  compare: optional(record("a comparison", { title: optional(plainText), where: optional(expression) })),
  target: optional(record("a target", { "at least": optional(expression), "at most": optional(expression) })),
});

/** `table`, `{ board: status }`, `{ calendar: [first_day, last_day] }`. */
const layout = byKind<LayoutSyntax>("“table”, { board: status } or { calendar: first_day }", {
  scalar: map(word("table"), (): LayoutSyntax => ({})),
  mapping: record("a layout", { board: optional(name("field")), calendar: optional(listOrOne(name("field"))) }),
});

export interface LayoutSyntax {
  readonly board?: Spanned<string> | undefined;
  readonly calendar?: readonly Spanned<string>[] | undefined;
}

const screen = record("a screen", {
  title: optional(plainText),
  list: optional(name("entity")),
  record: optional(name("entity")),
  form: optional(name("entity")),
  tiles: optional(list(tile)),
  columns: optional(list(name("field"))),
  filters: optional(list(name("field"))),
  sort: optional(list(plainText)),
  sections: optional(list(section)),
  fields: optional(list(formField)),
  layouts: optional(list(layout)),
  where: optional(expression),
  for: optional(listOrOne(name("role"))),
});

export const screensShape = orNone(keyed("a mapping from addresses to screens", screen));

export type ScreensSyntax = Read<typeof screensShape>;
type ScreenSyntax = Read<typeof screen>;

/** Reserved addresses. */
const kept = /^\/(?:sign-in|workbench|api|_|assets)(?:\/|$)/u;

/** An address consists of lower-case letters, digits, `_`, `-`, `.` and parameters in braces. */
const isAddress = (path: string): boolean =>
  path.length <= 200 &&
  /^\/[a-z0-9_.{}/-]*$/u.test(path) &&
  !path.includes("//") &&
  (path === "/" || !path.endsWith("/"));

/** Suggests `/rooms` for `rooms`, `/rooms/{id}` for `/Rooms/:id`. */
const addressMeant = (path: string): string | undefined => {
  const near = `/${path}`
    .replaceAll(/\/+/gu, "/")
    .toLowerCase()
    .replaceAll(/:([a-z_]+)/gu, "{$1}")
    .replace(/(?<=.)\/$/u, "");
  return isAddress(near) ? near : undefined;
};

export const linkScreens = (
  syntax: ScreensSyntax | undefined,
  entities: ReadonlyMap<string, LinkedEntity>,
  roles: ReadonlySet<string>,
  scope: Scope,
  linking: Linking,
): readonly Screen[] => {
  const said: readonly Named<ScreenSyntax>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  return said.flatMap((one) => linkScreen(one, { entities, roles, scope, linking }) ?? []);
};

interface Context {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  /** Global roles, which can be a screen's audience. */
  readonly roles: ReadonlySet<string>;
  readonly scope: Scope;
  readonly linking: Linking;
}

const mains = ["list", "record", "form", "tiles"] as const;

const linkScreen = ({ name: path, key, value }: Named<ScreenSyntax>, context: Context): Screen | undefined => {
  const { linking } = context;
  const clause = clauseAt(`2.${path}`, key);
  const wrong = (code: "BAD_VALUE" | "MISSING_KEY", message: string, hint: string, span = key) =>
    linking.report(finding(code, span, message, hint, { clause: clause.id }));
  if (!isAddress(path) || kept.test(path)) {
    wrong(
      "BAD_VALUE",
      `“${path}” can’t be the address of a screen.`,
      kept.test(path)
        ? "Ninefold uses this address itself. Choose another one."
        : `Write for example ${addressMeant(path) ?? "/requests or /requests/{id}"}.`,
    );
    return undefined;
  }
  const [main, second] = mains.filter((one) => one in value.keys);
  if (main === undefined) {
    wrong(
      "MISSING_KEY",
      `The screen ${path} shows nothing.`,
      "Add “list:”, “record:” or “form:” with an entity, or “tiles:”.",
    );
    return undefined;
  }
  if (second !== undefined)
    wrong(
      "BAD_VALUE",
      `A screen shows one thing, but this one has “${main}” and “${second}”.`,
      "Split it into two screens.",
      value.keys[second] ?? key,
    );
  if (main === "tiles") {
    const tiles = (value.tiles ?? []).flatMap((one, i) => linkTile(one, `${clause.id}.${i + 1}`, context) ?? []);
    const audience = findAudience(value.for, context.roles, linking);
    return { kind: "tiles", path, clause, title: value.title?.value ?? "Overview", for: audience, tiles };
  }
  if ((main === "record") !== path.endsWith("/{id}"))
    wrong(
      "BAD_VALUE",
      main === "record"
        ? "The address of a record must end with /{id}."
        : `The address of a ${main} can’t have a parameter.`,
      main === "record" ? `Write ${path.replace(/\/\{[^/{}]*\}$/u, "")}/{id}.` : "Remove the parameter.",
    );
  const shown = value[main];
  return shown === undefined ? undefined : linkShown(main, shown, value, path, clause, context);
};

const linkShown = (
  kind: "list" | "record" | "form",
  shown: Spanned<string>,
  value: ScreenSyntax,
  path: string,
  clause: Clause,
  { entities, roles, scope, linking }: Context,
): Screen | undefined => {
  const linked = entities.get(shown.value);
  if (linked === undefined) {
    reportUnknownName(linking, shown.span, "entity", shown.value, entities.keys());
    return undefined;
  }
  const inRecord: Scope = { ...scope, entity: shown.value };
  const known = (one: Spanned<string>) => shownName(shown.value, linked, one, linking);
  const names = (given: readonly Spanned<string>[] | undefined): readonly string[] | undefined => given?.flatMap(known);
  const everyField = listShownFields(linked);
  const isPartList = ({ storage }: { readonly storage: FieldStorage }): boolean =>
    storage.as === "inverse" && entities.get(storage.entity)?.fields.get(storage.by)?.partOf === true;
  const base = { path, clause, entity: shown.value, for: findAudience(value.for, roles, linking) };
  const layouts = (value.layouts ?? []).flatMap((one) => linkLayout(one, shown.value, linked, linking));
  const where = linkWhere(value.where, inRecord, linking, clause.id);
  // Without its condition, a list would show too many records.
  if (where === "stopped") return undefined;
  if (kind === "list")
    return {
      ...base,
      kind,
      title: value.title?.value ?? toTitle(linked.called.many),
      columns: names(value.columns) ?? everyField.slice(0, 6),
      filters: names(value.filters) ?? [],
      sort: (value.sort ?? []).flatMap((one) => sortKey(one, shown.value, linked, linking)),
      where,
      layouts: layouts.length === 0 ? [{ kind: "table" }] : layouts,
    };
  const title = value.title?.value ?? toTitle(linked.called.one);
  if (kind === "form") {
    const columns = new Map<string, readonly string[]>();
    const fields = value.fields?.flatMap((one) => linkFormField(one, shown.value, linked, entities, columns, linking));
    return {
      ...base,
      kind,
      title,
      fields:
        fields ??
        [...linked.fields.values()].filter((one) => isOfRecord(one) || isPartList(one)).map(({ name }) => name),
      columns,
    };
  }
  const sections = value.sections?.flatMap((one): readonly Section[] =>
    linkSection(one, shown.value, linked, inRecord, clause, linking),
  );
  return { ...base, kind, title, sections: sections ?? usualSections(linked.fields.values()) };
};

/** A field of a form: a field of the record, or a list of its parts with columns. */
const linkFormField = (
  { field: said, columns }: Read<typeof formField>,
  entity: string,
  linked: LinkedEntity,
  entities: ReadonlyMap<string, LinkedEntity>,
  into: Map<string, readonly string[]>,
  linking: Linking,
): readonly string[] => {
  const field = linked.fields.get(said.value);
  if (field?.storage.as !== "inverse") {
    if (columns !== undefined && field !== undefined)
      linking.report(
        finding(
          "BAD_VALUE",
          said.span,
          `${said.value} is not a list of parts, so it can’t have columns.`,
          `Write only its name: “${said.value}”.`,
        ),
      );
    return shownName(entity, linked, said, linking);
  }
  const part = entities.get(field.storage.entity);
  if (part === undefined || !isPartsOf(linked, said, entities)) {
    linking.report(
      finding(
        "BAD_VALUE",
        said.span,
        `The records in ${said.value} are not parts of this record, and a form contains only parts.`,
        `Add “part of: true” to ${field.storage.entity}.${field.storage.by}, or show the list on the page of the record.`,
      ),
    );
    return [];
  }
  const { entity: name } = field.storage;
  if (columns !== undefined)
    into.set(
      field.name,
      columns.flatMap((one) => (isPartsOf(part, one, entities) ? [one.value] : shownName(name, part, one, linking))),
    );
  return [field.name];
};

/** True if the name is a list of the record's own parts, which the form shows below its fields. */
const isPartsOf = (
  { fields }: LinkedEntity,
  { value }: Spanned<string>,
  entities: ReadonlyMap<string, LinkedEntity>,
): boolean => {
  const storage = fields.get(value)?.storage;
  return storage?.as === "inverse" && entities.get(storage.entity)?.fields.get(storage.by)?.partOf === true;
};

/** A sort key; `-due_day` sorts in descending order. References, long texts and JSON are not sortable. */
const sortKey = (said: Spanned<string>, entity: string, linked: LinkedEntity, linking: Linking): readonly string[] => {
  const name = said.value.replace(/^-/u, "");
  const [, ordered, direction] = /^-?(\S+)\s+(asc|desc)(?:ending)?$/iu.exec(said.value) ?? [];
  if (ordered !== undefined && direction !== undefined) {
    const near = `${direction.toLowerCase() === "desc" ? "-" : ""}${ordered}`;
    linking.report(
      finding("BAD_VALUE", said.span, `“${said.value}” is not a field to sort by.`, `Did you mean “${near}”?`, {
        nearest: near,
        fix: [{ span: said.span, text: near }],
      }),
    );
    return [];
  }
  const field = linked.fields.get(name);
  if (field !== undefined && !getFieldKind(field).lists.sorts) {
    linking.report(
      finding(
        "BAD_VALUE",
        said.span,
        `Lists can’t be sorted by ${name}.`,
        "Use a date, a number, a choice or a short text.",
      ),
    );
    return [];
  }
  return shownName(entity, linked, { value: name, span: said.span }, linking).length === 0 ? [] : [said.value];
};

/**
 * The roles that see a screen; null for everyone with read permission on its content. An audience does not hide
 * records; only point 6 does.
 */
const findAudience = (
  said: readonly Spanned<string>[] | undefined,
  roles: ReadonlySet<string>,
  linking: Linking,
): readonly string[] | null => {
  for (const role of said ?? []) {
    if (roles.has(role.value)) linking.rolesUsed.add(role.value);
    else reportUnknownName(linking, role.span, "role", role.value, roles);
  }
  return said?.map((role) => role.value) ?? null;
};

/** Resolves a field of the document, or the time of creation or last change. */
const shownName = (
  entity: string,
  linked: LinkedEntity,
  said: Spanned<string>,
  linking: Linking,
): readonly string[] => {
  if (isMoment(said.value)) return [said.value];
  const field = resolveField(entity, linked, said, linking);
  if (field === undefined || isOfRecord(field)) return field === undefined ? [] : [field.name];
  linking.report(
    finding(
      "BAD_VALUE",
      said.span,
      `${said.value} is a list of other records, so it can’t be shown as a field.`,
      `Give it a section of its own: “{ list: ${said.value} }”.`,
    ),
  );
  return [];
};

const linkSection = (
  syntax: SectionSyntax,
  entity: string,
  linked: LinkedEntity,
  scope: Scope,
  clause: Clause,
  linking: Linking,
): readonly Section[] => {
  if (syntax.kind === "history") return [{ kind: "history" }];
  if (syntax.kind === "list") return listed(entity, linked, syntax.list, syntax.title, linking);
  const when = new Map<string, Expr>();
  const lists: Section[] = [];
  const fields = syntax.fields.flatMap((one) => {
    if (linked.fields.get(one.field.value)?.storage.as === "inverse") {
      lists.push(...listed(entity, linked, one.field, undefined, linking));
      return [];
    }
    const known = shownName(entity, linked, one.field, linking);
    if (one.when === undefined) return known;
    const condition = linkExpression(one.when, scope, { kind: "boolean" }, linking, clause.id);
    // A condition that is not executable hides its field.
    if (condition === undefined) return [];
    for (const name of known) when.set(name, condition);
    return known;
  });
  // Lists among the fields move below them.
  return [{ kind: "fields", title: syntax.title?.value ?? null, fields, when }, ...lists];
};

/** A section with the records of an inverse reference. */
const listed = (
  entity: string,
  linked: LinkedEntity,
  said: Spanned<string>,
  title: Spanned<string> | undefined,
  linking: Linking,
): readonly Section[] => {
  const field = resolveField(entity, linked, said, linking);
  if (field?.storage.as === "inverse") return [{ kind: "list", title: title?.value ?? null, field: field.name }];
  if (field !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        said.span,
        `${said.value} is not a list of other records.`,
        `Show it as a field: “{ fields: [${said.value}] }”.`,
      ),
    );
  return [];
};

/** The condition of a screen or tile; `stopped` if it is not executable or has a mistake. */
const linkWhere = (at: Scalar | undefined, scope: Scope, linking: Linking, clause: string): Expr | null | "stopped" =>
  at === undefined ? null : (linkExpression(at, scope, { kind: "boolean" }, linking, clause) ?? "stopped");

const ofType = (
  said: Spanned<string>,
  entity: string,
  linked: LinkedEntity,
  types: readonly FieldTypeName[],
  hint: string,
  linking: Linking,
): readonly string[] => {
  const field = resolveField(entity, linked, said, linking);
  if (field === undefined) return [];
  if (types.includes(field.type)) return [field.name];
  linking.report(finding("BAD_VALUE", said.span, `The layout can’t use ${said.value}.`, hint));
  return [];
};

const linkLayout = (
  syntax: LayoutSyntax,
  entity: string,
  linked: LinkedEntity,
  linking: Linking,
): readonly Layout[] => {
  if (syntax.board !== undefined)
    return ofType(
      syntax.board,
      entity,
      linked,
      ["state", "choice"],
      "A board has a column for each state, or for each value of a choice.",
      linking,
    ).map((field) => ({ kind: "board", field }));
  if (syntax.calendar === undefined) return [{ kind: "table" }];
  const [from, to] = syntax.calendar.flatMap((one) =>
    ofType(one, entity, linked, ["date", "datetime"], "Use a date, or the first and the last date.", linking),
  );
  return from === undefined ? [] : [{ kind: "calendar", from, to: to ?? null }];
};

const tileMains = ["count", "list", "chart", "figure"] as const;

/** Links a tile; undefined if it is not executable. */
const linkTile = (
  syntax: Read<typeof tile>,
  clause: string,
  { entities, scope, linking }: Context,
): Tile | undefined => {
  const [main] = tileMains.filter((one) => one in syntax.keys);
  const entity = main === "chart" ? syntax.from : (syntax.count ?? syntax.list ?? syntax.figure);
  if (entity === undefined && main !== undefined && (main === "chart" ? "from" : main) in syntax.keys) return undefined;
  if (main === undefined || entity === undefined) {
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.span,
        "A tile needs “count”, “list”, “figure”, or “chart” with “from”.",
        "Name the entity to show.",
        { clause },
      ),
    );
    return undefined;
  }
  const linked = entities.get(entity.value);
  if (linked === undefined) {
    reportUnknownName(linking, entity.span, "entity", entity.value, entities.keys());
    return undefined;
  }
  const inRecord: Scope = { ...scope, entity: entity.value };
  const where = linkWhere(syntax.where, inRecord, linking, clause);
  const per = main === "chart" ? linkGroups(syntax, inRecord, linking, clause) : null;
  const isMeasured = main === "chart" || main === "figure";
  const value = isMeasured ? linkAggregate(syntax.value, inRecord, linking, clause) : null;
  const target = value == null ? null : linkTarget(syntax, value, scope, linking, clause);
  const compare = linkCompared(syntax, inRecord, linking, clause);
  reportUnusedKeys(syntax, main, linking, clause);
  const everyField = listShownFields(linked);
  const columns = syntax.columns?.flatMap((one) => shownName(entity.value, linked, one, linking));
  const sort = (syntax.sort ?? []).flatMap((one) => sortKey(one, entity.value, linked, linking));
  if (where === "stopped") return undefined;
  const base = {
    title: syntax.title?.value ?? toTitle(linked.called.many),
    clause: clauseAt(clause, syntax.span),
    entity: entity.value,
    where,
  };
  if (main === "count") return { ...base, kind: main };
  if (main === "list") return { ...base, kind: main, columns: columns ?? everyField.slice(0, 3), sort };
  if (value == null) return undefined;
  if (main === "figure") return compare === "stopped" ? undefined : { ...base, kind: main, value, compare, target };
  if (per == null) return undefined;
  return { ...base, kind: main, chart: syntax.chart?.value ?? "columns", per, value, target };
};

/** Reports keys of a figure on a tile that does not use them. A target is also the line of a chart over time. */
const reportUnusedKeys = (
  { compare, target, chart, span }: Read<typeof tile>,
  main: (typeof tileMains)[number],
  linking: Linking,
  clause: string,
): void => {
  const wrong = (message: string, hint: string) =>
    linking.report(finding("BAD_VALUE", span, message, hint, { clause }));
  if (compare !== undefined && main !== "figure")
    wrong("Only a figure has “compare”.", "Remove it, or write “figure” with the entity and “value”.");
  const hasLine = main === "chart" && (chart?.value ?? "columns") !== "bars" && chart?.value !== "parts";
  if (target !== undefined && main !== "figure" && !hasLine)
    wrong("Only figures, columns and lines have a target.", "Remove “target”.");
};

/** The other records of a figure; null if it is not compared. */
const linkCompared = (
  { compare }: Read<typeof tile>,
  inRecord: Scope,
  linking: Linking,
  clause: string,
): (Tile & { kind: "figure" })["compare"] | "stopped" => {
  if (compare === undefined) return null;
  const where = linkWhere(compare.where, inRecord, linking, clause);
  if (compare.title === undefined && !("title" in compare.keys))
    linking.report(
      finding(
        "MISSING_KEY",
        compare.span,
        "A comparison needs “title”.",
        "Add what the figure is compared with: “title: Last month”.",
        { clause },
      ),
    );
  return where === "stopped" || compare.title === undefined ? "stopped" : { title: compare.title.value, where };
};

/** The target of a chart or a figure: a number or a constant, of the type of its values. */
const linkTarget = (
  { target }: Read<typeof tile>,
  value: Aggregate,
  scope: Scope,
  linking: Linking,
  clause: string,
): Target | null => {
  if (target === undefined) return null;
  const given = targetBounds.flatMap((bound) => {
    const at = target[bound];
    return at === undefined ? [] : [{ bound, at }];
  });
  const [only, second] = given;
  if (only === undefined || second !== undefined) {
    if (second !== undefined || targetBounds.every((bound) => !(bound in target.keys)))
      linking.report(
        finding(
          "BAD_VALUE",
          target.span,
          "A target has one bound.",
          "Write “target: { at least: 90 }” or “target: { at most: 10 }”.",
          { clause },
        ),
      );
    return null;
  }
  const { bound, at } = only;
  const type: Type = value.of?.type.kind === "money" && value.how !== "count" ? value.of.type : { kind: "decimal" };
  const expr = checkExpression(at, scope, type, linking);
  if (expr === undefined) return null;
  if (expr.kind === "constant" && expr.value !== null) return { bound, value: expr };
  // The constant may be an open point.
  if (expr.kind === "constant" || expr.type.kind === "unknown")
    reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  else
    linking.report(
      finding("BAD_EXPRESSION", at.span, "A target can’t be computed.", "Write a number, or a constant of point 9.", {
        clause,
      }),
    );
  return null;
};

const groupable: readonly Type["kind"][] = ["date", "integer", "text", "choice", "boolean", "record"];

/** The grouping of a chart: `month_of(first_day)`, a choice, a reference. */
const linkGroups = (
  { per, span, keys }: Read<typeof tile>,
  scope: Scope,
  linking: Linking,
  clause: string,
): Expr | undefined => {
  if (per === undefined) {
    if (!("per" in keys))
      linking.report(
        finding(
          "MISSING_KEY",
          span,
          "A chart needs “per”.",
          "Add “per:” with the value to group by, such as month_of(day).",
          {
            clause,
          },
        ),
      );
    return undefined;
  }
  const expr = checkExpression(per, scope, undefined, linking);
  if (expr === undefined) return undefined;
  if (!isExecutableIn(linking)(expr)) {
    reportNotExecuted(linking, "reads what is not decided", per.span, clause);
    return undefined;
  }
  if (groupable.includes(expr.type.kind)) return expr;
  if (expr.type.kind !== "unknown")
    linking.report(
      finding(
        "BAD_EXPRESSION",
        per.span,
        "A chart can’t be grouped by this.",
        "Group by a date such as month_of(day), a choice, a reference, a text, a whole number or a boolean.",
        { clause },
      ),
    );
  return undefined;
};

const isAggregate = (name: string | undefined): name is Aggregate["how"] => aggregates.some((one) => one === name);
const summable: readonly Type["kind"][] = ["integer", "decimal", "money", "unknown"];

/** The aggregate of a chart or a figure over its records: `sum(days)`, `share(done)`. Counts by default. */
const linkAggregate = (
  at: Scalar | undefined,
  scope: Scope,
  linking: Linking,
  clause: string,
): Aggregate | undefined => {
  if (at === undefined) return { how: "count", of: null };
  const [, how, argument] = /^(\w+)\((.*)\)$/su.exec(at.text.trim()) ?? [];
  if (!isAggregate(how) || argument === undefined) {
    linking.report(
      finding(
        "BAD_EXPRESSION",
        at.span,
        `“${at.text}” is not an aggregate.`,
        "Write count(), sum(days), min(…), max(…), avg(…) or share(condition).",
      ),
    );
    return undefined;
  }
  if (argument.trim() === "") {
    if (how === "count") return { how, of: null };
    linking.report(
      finding(
        "BAD_EXPRESSION",
        at.span,
        `${how}() needs ${how === "share" ? "a condition" : "a field"}.`,
        `Write ${how === "share" ? "share(condition)" : `${how}(field)`}.`,
      ),
    );
    return undefined;
  }
  const start = at.text.indexOf(argument, at.text.indexOf("("));
  const inside: Scalar = { ...at, text: argument, locate: (offset) => at.locate(start + offset) };
  const of = checkExpression(inside, scope, how === "share" ? { kind: "boolean" } : undefined, linking);
  if (of === undefined) return undefined;
  if (how !== "count" && how !== "share" && !summable.includes(of.type.kind)) {
    linking.report(finding("BAD_EXPRESSION", at.span, `${how}() needs a number.`, `Use a number, or write count().`));
    return undefined;
  }
  if (isExecutableIn(linking)(of)) return { how, of };
  reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  return undefined;
};

/** Removes screens and tiles of entities that are not stored. */
export const screensOn = (screens: readonly Screen[], stored: ReadonlySet<string>): readonly Screen[] =>
  screens.flatMap((screen): readonly Screen[] => {
    if (screen.kind !== "tiles") return stored.has(screen.entity) ? [screen] : [];
    return [{ ...screen, tiles: screen.tiles.filter(({ entity }) => stored.has(entity)) }];
  });

/** The addresses of all screens, including those not in force. */
export const screenPaths = (syntax: ScreensSyntax | undefined): readonly string[] =>
  syntax === undefined || syntax === "none" ? [] : syntax.map((one) => one.name);

export const silentScreens = (syntax: ScreensSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === "none") return [];
  if (syntax === undefined) return ["SCREENS_OF_ENTITIES", "ROUTES_OF_ENTITIES", "ROUTE_BY_ID"];
  const screens = syntax.map((one) => one.value);
  const lists = screens.filter((one) => one.list !== undefined);
  const has = (main: "record" | "form", entity: string | undefined) =>
    screens.some((one) => one[main]?.value === entity);
  const bare = lists.some((one) => !has("record", one.list?.value) || !has("form", one.list?.value));
  return [
    ...(bare ? (["RECORD_AND_FORMS_OF_LISTS"] as const) : []),
    ...(lists.some((one) => one.columns === undefined) ? (["FIRST_COLUMNS"] as const) : []),
    ...(lists.some((one) => one.sort === undefined) ? (["NEWEST_FIRST"] as const) : []),
  ];
};

/** The default fields of a screen. */
const listShownFields = ({ fields }: LinkedEntity): readonly string[] =>
  [...fields.values()].filter((field) => isOfRecord(field) && !field.isKey).map((field) => field.name);
