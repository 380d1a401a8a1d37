import {
  either,
  keyed,
  later,
  list,
  map,
  type Named,
  name,
  optional,
  orNone,
  type Read,
  record,
  type Said,
  text,
  word,
} from "../document/shape.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Screen, Section } from "../model/model.ts";
import { pluralOf, titleOf, wordsOf } from "../model/words.ts";
import type { EntityDraft, LinkedEntity } from "./entities.ts";
import { clauseAt, type Linking, unknownName } from "./linking.ts";

/** Point 2: screens and routes. */
const sectionKeys = record("a section", {
  fields: optional(
    list(
      either<Said<string> | undefined>("a field", {
        scalar: name("field"),
        mapping: { takes: "a field", read: () => undefined },
      }),
    ),
  ),
  list: later,
  when: later,
});

const section = either<{ readonly history: true } | { readonly fields: readonly Said<string>[] } | undefined>(
  "“history”, or “fields:” with names",
  {
    scalar: map(word("history"), () => ({ history: true }) as const),
    mapping: map(sectionKeys, (keys) =>
      keys.fields === undefined ? undefined : { fields: keys.fields.filter((one) => one !== undefined) },
    ),
  },
);

const screen = record("a screen", {
  title: optional(text),
  list: optional(name("entity")),
  record: optional(name("entity")),
  form: optional(name("entity")),
  columns: optional(list(name("field"))),
  filters: optional(list(name("field"))),
  sort: optional(list(text)),
  sections: optional(list(section)),
  fields: optional(list(name("field"))),
  tiles: later,
  layouts: later,
  where: later,
  for: later,
  source: later,
});

export const screensShape = orNone(keyed("a mapping from addresses to screens", screen));

export type ScreensSyntax = Read<typeof screensShape>;
type ScreenSyntax = Read<typeof screen>;

/** Addresses that the program keeps for itself. */
const kept = /^\/(?:sign-in|workbench|api|_|assets)(?:\/|$)/u;

export const linkScreens = (
  syntax: ScreensSyntax | undefined,
  drafts: ReadonlyMap<string, EntityDraft>,
  entities: ReadonlyMap<string, LinkedEntity>,
  linking: Linking,
): readonly Screen[] => {
  const said: readonly Named<ScreenSyntax>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  return said.flatMap((one) => linkScreen(one, drafts, entities, linking) ?? []);
};

const linkScreen = (
  { name: path, key, value }: Named<ScreenSyntax>,
  drafts: ReadonlyMap<string, EntityDraft>,
  entities: ReadonlyMap<string, LinkedEntity>,
  linking: Linking,
): Screen | undefined => {
  const clause = clauseAt(`2.${path}`, key);
  if (!/^\/(?:[a-z0-9{][a-z0-9_.{}-]*(?:\/[a-z0-9{][a-z0-9_.{}-]*)*)?$/u.test(path) || kept.test(path)) {
    linking.report(
      finding(
        "BAD_VALUE",
        key,
        `“${path}” cannot be the address of a screen.`,
        kept.test(path)
          ? "That address is the program's own; choose another."
          : "Write for example /requests or /requests/{id}.",
        { clause: clause.id },
      ),
    );
    return undefined;
  }
  const mains = (["list", "record", "form"] as const).filter((main) => value[main] !== undefined);
  const [kind] = mains;
  if (kind === undefined) {
    // A screen of tiles was reported as NOT_EXECUTED; one that shows nothing is a mistake.
    if (!["tiles", "list", "record", "form"].some((main) => main in value.keys))
      linking.report(
        finding(
          "MISSING_KEY",
          key,
          `The screen ${path} shows nothing.`,
          "Add “list:”, “record:” or “form:” with an entity.",
          { clause: clause.id },
        ),
      );
    return undefined;
  }
  if (mains.length > 1)
    linking.report(
      finding(
        "BAD_VALUE",
        value.keys[mains[1] ?? kind] ?? key,
        `A screen is a ${mains.join(" or a ")}, not both.`,
        "Give each an address of its own.",
        { clause: clause.id },
      ),
    );
  const shown = value[kind];
  if (shown === undefined) return undefined;
  const draft = drafts.get(shown.value);
  const fields = entities.get(shown.value)?.fields;
  if (draft === undefined || fields === undefined) {
    unknownName(linking, shown.span, "entity", shown.value, drafts.keys());
    return undefined;
  }
  if ((kind === "record") !== path.endsWith("/{id}"))
    linking.report(
      finding(
        "BAD_VALUE",
        key,
        kind === "record" ? "A record's address ends in /{id}." : `A ${kind}'s address has no parameter.`,
        kind === "record" ? `Write ${path}/{id}.` : "Take the parameter out.",
        { clause: clause.id },
      ),
    );
  const known = (one: Said<string>): boolean => {
    if (fields.has(one.value)) return true;
    unknownName(linking, one.span, `field of ${shown.value}`, one.value, fields.keys());
    return false;
  };
  const names = (given: readonly Said<string>[] | undefined): readonly string[] | undefined =>
    given?.filter(known).map((one) => one.value);
  const everyField = [...fields.keys()];
  const base = { path, clause, entity: shown.value };
  if (kind === "list")
    return {
      ...base,
      kind,
      title: value.title?.value ?? titleOf(pluralOf(wordsOf(shown.value))),
      columns: names(value.columns) ?? everyField.slice(0, 6),
      filters: names(value.filters) ?? [],
      sort: (value.sort ?? [])
        .filter((one) => known({ value: one.value.replace(/^-/u, ""), span: one.span }))
        .map((one) => one.value),
    };
  const title = value.title?.value ?? titleOf(wordsOf(shown.value));
  if (kind === "form") return { ...base, kind, title, fields: names(value.fields) ?? everyField };
  const sections = value.sections?.flatMap((one): Section[] => {
    if (one === undefined) return [];
    return "history" in one ? [{ kind: "history" }] : [{ kind: "fields", fields: names(one.fields) ?? [] }];
  });
  return { ...base, kind, title, sections: sections ?? [{ kind: "fields", fields: everyField }, { kind: "history" }] };
};

export const silentScreens = (syntax: ScreensSyntax | undefined): readonly DefaultCode[] =>
  syntax === undefined ? ["SCREENS_OF_ENTITIES", "ROUTES_OF_ENTITIES", "ROUTE_BY_ID"] : [];
