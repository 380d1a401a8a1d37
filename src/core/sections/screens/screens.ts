import type { Named, Spanned } from "../../document/shape.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import { usualSections } from "../../model/facts/default-sections.ts";
import { letterName } from "../../model/facts/letter-name.ts";
import { isOfRecord } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Screen, Section } from "../../model/screen.ts";
import type { LinkedEntity } from "../entities/entities.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import { isOwnPartList, linkFormField } from "./form-fields.ts";
import { linkGroups } from "./group-key.ts";
import { linkLayout } from "./layouts.ts";
import { linkLetter } from "./letters.ts";
import { linkSection } from "./record-sections.ts";
import { findAudience, linkWhere, listShownFields, type ScreenContext, shownName, sortKey } from "./screen-fields.ts";
import type { ScreenSyntax, ScreensSyntax } from "./screens-syntax.ts";
import { linkSend } from "./send.ts";
import { linkTile } from "./tiles.ts";

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
  audiences: Pick<ScreenContext, "roles" | "recordRoles">,
  scope: Scope,
  linking: Linking,
): readonly Screen[] => {
  const declared: readonly Named<ScreenSyntax>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  return declared.flatMap((entry) => linkScreen(entry, { entities, ...audiences, scope, linking }) ?? []);
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
      group: linkGroups(value.group ?? [], linked, linking, clause.id),
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
        [...linked.fields.values()]
          .filter((field) => isOfRecord(field) || isOwnPartList(linked, field.name, entities))
          .map(({ name }) => name),
      columns,
    };
  }
  if (kind === "letter") return { ...base, kind, title, where, text: linkLetter(value, linked, clause, context) };
  const sections = value.sections?.flatMap((section): readonly Section[] =>
    linkSection(section, linked, clause, context),
  );
  return { ...base, kind, title, sections: sections ?? usualSections(linked.fields.values()) };
};

/** Removes screens and tiles of entities that are not stored. */
export const screensOn = (screens: readonly Screen[], stored: ReadonlySet<string>): readonly Screen[] =>
  screens.flatMap((screen): readonly Screen[] => {
    if (screen.kind !== "tiles") return stored.has(screen.entity) ? [screen] : [];
    return [{ ...screen, tiles: screen.tiles.filter(({ entity }) => stored.has(entity)) }];
  });
