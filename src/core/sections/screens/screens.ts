import { byKind, map, orNone } from "../../document/shape/combinators.ts";
import { keyed, list, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, plainText, word } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import { usualSections } from "../../model/facts/default-sections.ts";
import { letterName } from "../../model/facts/letter-name.ts";
import { type FieldStorage, isOfRecord } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Layout, Screen, Section } from "../../model/screen.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { letterPartShape, linkLetter } from "./letters.ts";
import { clauseAt, type Linking, linkExpression, reportUnknownName } from "../linking/link-context.ts";
import { linkPivot, pivotKeys } from "./pivot.ts";
import { findAudience, linkWhere, listShownFields, type ScreenContext, shownName, sortKey } from "./screen-fields.ts";
import { linkSend, sendShape } from "./send.ts";
import type { LetterPaths } from "../states/attached-letter.ts";
import { linkTile, tileShape } from "./tiles.ts";

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
  | {
      readonly kind: "fields";
      readonly title?: Spanned<string>;
      readonly fields: readonly ShapeValue<typeof shownField>[];
    };

const layoutMapping = record("a layout", {
  board: optional(name("field")),
  calendar: optional(listOrOne(name("field"))),
  ...pivotKeys,
});

/** `table`, `{ board: status }`, `{ calendar: [first_day, last_day] }`, `{ pivot: status, by: priority }`. */
const layout = byKind<LayoutSyntax>(
  "“table”, { board: status }, { calendar: first_day } or { pivot: status, by: priority }",
  { scalar: map(word("table"), (): LayoutSyntax => "table"), mapping: layoutMapping },
);

export type LayoutSyntax = "table" | ShapeValue<typeof layoutMapping>;

const screen = record("a screen", {
  title: optional(plainText),
  list: optional(name("entity")),
  record: optional(name("entity")),
  form: optional(name("entity")),
  tiles: optional(list(tileShape)),
  columns: optional(list(name("field"))),
  filters: optional(list(name("field"))),
  sort: optional(list(plainText)),
  sections: optional(list(section)),
  fields: optional(list(formField)),
  layouts: optional(list(layout)),
  where: optional(expression),
  for: optional(listOrOne(name("role"))),
  send: optional(sendShape),
  letter: optional(name("entity")),
  text: optional(list(letterPartShape)),
});

export const screensShape = orNone(keyed("a mapping from addresses to screens", screen));

export type ScreensSyntax = ShapeValue<typeof screensShape>;

type ScreenSyntax = ShapeValue<typeof screen>;

/** Reserved addresses. */
const reserved = /^\/(?:sign-in|workbench|api|_)(?:\/|$)/u;

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
  const declared: readonly Named<ScreenSyntax>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  return declared.flatMap((entry) => linkScreen(entry, { entities, roles, scope, linking }) ?? []);
};

const mains = ["list", "record", "form", "tiles", "letter"] as const;

const linkScreen = ({ name: path, key, value }: Named<ScreenSyntax>, context: ScreenContext): Screen | undefined => {
  const { linking } = context;
  const clause = clauseAt(`2.${path}`, key);
  const wrong = (code: "BAD_VALUE" | "MISSING_KEY", message: string, hint: string, span = key) =>
    linking.report(finding(code, span, message, hint, { clause: clause.id }));
  if (!isAddress(path) || reserved.test(path)) {
    wrong(
      "BAD_VALUE",
      `“${path}” can’t be the address of a screen.`,
      reserved.test(path)
        ? "Ninefold uses this address itself. Choose another one."
        : `Write for example ${addressMeant(path) ?? "/requests or /requests/{id}"}.`,
    );
    return undefined;
  }
  const [main, second] = mains.filter((main) => main in value.keys);
  if (main === undefined) {
    wrong(
      "MISSING_KEY",
      `The screen ${path} shows nothing.`,
      "Add “list:”, “record:”, “form:” or “letter:” with an entity, or “tiles:”.",
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
    const tiles = (value.tiles ?? []).flatMap((tile, i) => linkTile(tile, `${clause.id}.${i + 1}`, context) ?? []);
    const audience = findAudience(value.for, context.roles, linking);
    const title = value.title?.value ?? "Overview";
    const sent = linkSend(value.send, context.roles, linking, clause.id);
    if (sent.send?.attaches === "csv")
      wrong("BAD_VALUE", "An overview has no rows to attach.", "Remove “attach:”, or send a list.", value.keys.send);
    return { kind: "tiles", path, clause, title, for: audience, tiles, ...sent };
  }
  if (value.send !== undefined && main !== "list")
    wrong("BAD_VALUE", `A ${main} can’t be sent.`, "Send a list or an overview.", value.keys.send ?? key);
  if (value.where !== undefined && main !== "list" && main !== "letter")
    wrong(
      "BAD_VALUE",
      `A ${main} has no condition.`,
      "Write it at a list or a letter, or remove it.",
      value.keys.where,
    );
  if (value.text !== undefined && main !== "letter")
    wrong("BAD_VALUE", `A ${main} has no text.`, "Write it at a letter, or remove it.", value.keys.text ?? key);
  if (main === "letter") {
    if (letterName(path) === undefined)
      wrong(
        "BAD_VALUE",
        "The address of a letter must have /{id} and a name.",
        "Write for example /orders/{id}/letter.",
      );
  } else if ((main === "record") !== path.endsWith("/{id}"))
    wrong(
      "BAD_VALUE",
      main === "record"
        ? "The address of a record must end with /{id}."
        : `The address of a ${main} can’t have a parameter.`,
      main === "record" ? `Write ${path.replace(/\/\{[^/{}]*\}$/u, "")}/{id}.` : "Remove the parameter.",
    );
  const shown = value[main];
  return shown === undefined ? undefined : linkShown(main, shown, { path, clause, value }, context);
};

const linkShown = (
  kind: "list" | "record" | "form" | "letter",
  shown: Spanned<string>,
  { path, clause, value }: { readonly path: string; readonly clause: Clause; readonly value: ScreenSyntax },
  context: ScreenContext,
): Screen | undefined => {
  const { entities, roles, scope, linking } = context;
  const linked = entities.get(shown.value);
  if (linked === undefined) {
    reportUnknownName(linking, shown.span, "entity", shown.value, entities.keys());
    return undefined;
  }
  const inRecord: Scope = { ...scope, entity: shown.value };
  const known = (item: Spanned<string>) => shownName(linked, item, linking);
  const names = (items: readonly Spanned<string>[] | undefined): readonly string[] | undefined => items?.flatMap(known);
  const everyField = listShownFields(linked);
  const isPartList = ({ storage }: { readonly storage: FieldStorage }): boolean =>
    storage.as === "inverse" && entities.get(storage.entity)?.fields.get(storage.by)?.partOf === true;
  const base = { path, clause, entity: shown.value, for: findAudience(value.for, roles, linking) };
  const layouts = (value.layouts ?? []).flatMap((layout) => linkLayout(layout, linked, linking, clause.id));
  const where = linkWhere(value.where, inRecord, linking, clause.id);
  // Without its condition, a list would show too many records, and too many records would have a letter.
  if (where === "stopped") return undefined;
  if (kind === "list")
    return {
      ...base,
      kind,
      title: value.title?.value ?? toTitle(linked.called.many),
      columns: names(value.columns) ?? everyField.slice(0, 6),
      filters: names(value.filters) ?? [],
      sort: (value.sort ?? []).flatMap((item) => sortKey(item, linked, linking)),
      where,
      layouts: layouts.length === 0 ? [{ kind: "table" }] : layouts,
      ...linkSend(value.send, roles, linking, clause.id),
    };
  const title = value.title?.value ?? toTitle(linked.called.one);
  if (kind === "form") {
    const columns = new Map<string, readonly string[]>();
    const fields = value.fields?.flatMap((field) => linkFormField(field, linked, columns, context));
    return {
      ...base,
      kind,
      title,
      fields:
        fields ??
        [...linked.fields.values()].filter((field) => isOfRecord(field) || isPartList(field)).map(({ name }) => name),
      columns,
    };
  }
  if (kind === "letter") return { ...base, kind, title, where, text: linkLetter(value, linked, clause, context) };
  const sections = value.sections?.flatMap((section): readonly Section[] =>
    linkSection(section, linked, clause, context),
  );
  return { ...base, kind, title, sections: sections ?? usualSections(linked.fields.values()) };
};

/** A field of a form: a field of the record, or a list of its parts with columns. */
const linkFormField = (
  { field: fieldName, columns }: ShapeValue<typeof formField>,
  linked: LinkedEntity,
  into: Map<string, readonly string[]>,
  { entities, linking }: ScreenContext,
): readonly string[] => {
  const field = linked.fields.get(fieldName.value);
  if (field?.storage.as !== "inverse") {
    if (columns !== undefined && field !== undefined)
      linking.report(
        finding(
          "BAD_VALUE",
          fieldName.span,
          `${fieldName.value} is not a list of parts, so it can’t have columns.`,
          `Write only its name: “${fieldName.value}”.`,
        ),
      );
    return shownName(linked, fieldName, linking);
  }
  const part = entities.get(field.storage.entity);
  if (part === undefined || !isPartsOf(linked, fieldName, entities)) {
    linking.report(
      finding(
        "BAD_VALUE",
        fieldName.span,
        `The records in ${fieldName.value} are not parts of this record, and a form contains only parts.`,
        `Add “part of: true” to ${field.storage.entity}.${field.storage.by}, or show the list on the page of the record.`,
      ),
    );
    return [];
  }
  if (columns !== undefined)
    into.set(
      field.name,
      columns.flatMap((column) =>
        isPartsOf(part, column, entities) ? [column.value] : shownName(part, column, linking),
      ),
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

const linkSection = (
  syntax: SectionSyntax,
  linked: LinkedEntity,
  clause: Clause,
  context: ScreenContext,
): readonly Section[] => {
  const { linking } = context;
  const scope: Scope = { ...context.scope, entity: linked.name };
  if (syntax.kind === "history") return [{ kind: "history" }];
  if (syntax.kind === "list") return listed(linked, syntax.list, syntax.title, linking);
  const when = new Map<string, Expr>();
  const lists: Section[] = [];
  const fields = syntax.fields.flatMap((field) => {
    if (linked.fields.get(field.field.value)?.storage.as === "inverse") {
      lists.push(...listed(linked, field.field, undefined, linking));
      return [];
    }
    const known = shownName(linked, field.field, linking);
    if (field.when === undefined) return known;
    const condition = linkExpression(field.when, scope, { kind: "boolean" }, linking, clause.id);
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
  linked: LinkedEntity,
  said: Spanned<string>,
  title: Spanned<string> | undefined,
  linking: Linking,
): readonly Section[] => {
  const field = resolveField(linked, said, linking);
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

const ofType = (
  name: Spanned<string>,
  linked: LinkedEntity,
  types: readonly FieldTypeName[],
  hint: string,
  linking: Linking,
): readonly string[] => {
  const field = resolveField(linked, name, linking);
  if (field === undefined) return [];
  if (types.includes(field.type)) return [field.name];
  linking.report(finding("BAD_VALUE", name.span, `The layout can’t use ${name.value}.`, hint));
  return [];
};

const linkLayout = (
  syntax: LayoutSyntax,
  linked: LinkedEntity,
  linking: Linking,
  clause: string,
): readonly Layout[] => {
  if (syntax === "table") return [{ kind: "table" }];
  if ("pivot" in syntax.keys) {
    const pivot = linkPivot(syntax, linked, linking, clause);
    return pivot === undefined ? [] : [{ kind: "pivot", ...pivot }];
  }
  if ("by" in syntax.keys || "value" in syntax.keys)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.span,
        "Only a pivot has “by” and “value”.",
        "Write “pivot” with the field of its rows, or remove them.",
        { clause },
      ),
    );
  if (syntax.board !== undefined)
    return ofType(
      syntax.board,
      linked,
      ["state", "choice"],
      "A board has a column for each state, or for each value of a choice.",
      linking,
    ).map((field) => ({ kind: "board", field }));
  if (syntax.calendar === undefined) return [{ kind: "table" }];
  const [from, to] = syntax.calendar.flatMap((item) =>
    ofType(item, linked, ["date", "datetime"], "Use a date, or the first and the last date.", linking),
  );
  return from === undefined ? [] : [{ kind: "calendar", from, to: to ?? null }];
};

/** Removes screens and tiles of entities that are not stored. */
export const screensOn = (screens: readonly Screen[], stored: ReadonlySet<string>): readonly Screen[] =>
  screens.flatMap((screen): readonly Screen[] => {
    if (screen.kind !== "tiles") return stored.has(screen.entity) ? [screen] : [];
    return [{ ...screen, tiles: screen.tiles.filter(({ entity }) => stored.has(entity)) }];
  });

/** The addresses of all screens, including those not in force. */
export const screenPaths = (syntax: ScreensSyntax | undefined): readonly string[] =>
  syntax === undefined || syntax === "none" ? [] : syntax.map((entry) => entry.name);

/** The addresses of all letters by entity and name, for `attach` of effects. */
export const letterPaths = (syntax: ScreensSyntax | undefined): LetterPaths => {
  const found = new Map<string, Map<string, string[]>>();
  for (const { name: path, value } of syntax === undefined || syntax === "none" ? [] : syntax) {
    if (value.letter === undefined) continue;
    // A mistaken address has a finding of its own.
    const name = letterName(path) ?? path.slice(path.lastIndexOf("/") + 1);
    const ofEntity = found.get(value.letter.value) ?? new Map<string, string[]>();
    found.set(value.letter.value, ofEntity);
    ofEntity.set(name, [...(ofEntity.get(name) ?? []), path]);
  }
  return found;
};

export const silentScreens = (syntax: ScreensSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === "none") return [];
  if (syntax === undefined) return ["SCREENS_OF_ENTITIES", "ROUTES_OF_ENTITIES", "ROUTE_BY_ID"];
  const screens = syntax.map((entry) => entry.value);
  const lists = screens.filter((screen) => screen.list !== undefined);
  const has = (main: "record" | "form", entity: string | undefined) =>
    screens.some((screen) => screen[main]?.value === entity);
  const bare = lists.some((item) => !has("record", item.list?.value) || !has("form", item.list?.value));
  return [
    ...(bare ? (["RECORD_AND_FORMS_OF_LISTS"] as const) : []),
    ...(lists.some((item) => item.columns === undefined) ? (["FIRST_COLUMNS"] as const) : []),
    ...(lists.some((item) => item.sort === undefined) ? (["NEWEST_FIRST"] as const) : []),
  ];
};
