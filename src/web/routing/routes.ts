import { getParameter, listParameters, matchPath, matchScreen, segments } from "../../core/derive/http/match-screen.ts";
import type { Application, PersonJson } from "../../core/wire/application.ts";
import type { PartLine } from "../../core/wire/history.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import type {
  FormScreenJson,
  ListScreenJson,
  PartsJson,
  RecordScreenJson,
  ScreenJson,
} from "../../core/wire/screens.ts";
import { type PagePath, pages } from "./platform-pages.ts";

const isAdmitted = (audience: "person" | "author" | "administrator", person: PersonJson | null): boolean =>
  person !== null &&
  (audience === "person" || person.administrator || (audience === "author" && person.changes !== undefined));

/** The platform page at a path, if this person may open it. */
export const matchPage = (
  person: PersonJson | null,
  path: string,
): { readonly page: PagePath; readonly id: string } | null => {
  for (const page of Object.keys(pages) as PagePath[]) {
    const parameters = matchPath(page, path);
    if (!parameters) continue;
    const audience = pages[page];
    if (audience === "anybody" || isAdmitted(audience, person)) return { page, id: parameters.id ?? "" };
  }
  return null;
};

/** The page of the workbench that a person starts at; null for people who have none. */
export const findWorkbench = (person: PersonJson | null): string | null =>
  ["/workbench", "/workbench/proposals"].find((path) => matchPage(person, path) !== null) ?? null;

/** `/loans/{id}` with "a b" gives `/loans/a%20b`. */
const fill = (pattern: string, id: string) =>
  `/${segments(pattern)
    .map((segment) => (getParameter(segment) === null ? segment : encodeURIComponent(id)))
    .join("/")}`;

/** The entity of a screen; null for a dashboard. */
export const getScreenEntity = (screen: ScreenJson): string | null => (screen.kind === "tiles" ? null : screen.entity);

const isFor =
  (entity: string, kind: ScreenJson["kind"], parameters: 0 | 1) =>
  (screen: ScreenJson): boolean =>
    screen.kind === kind && getScreenEntity(screen) === entity && listParameters(screen.path) === parameters;

/** The entity and record at an address, for questions about permissions. */
export const findSubject = (
  screens: readonly ScreenJson[],
  path: string,
): { readonly entity: string; readonly record: string | null } | null => {
  const matched = matchScreen(screens, path);
  const entity = matched === null ? null : getScreenEntity(matched.screen);
  return matched === null || entity === null ? null : { entity, record: Object.values(matched.parameters)[0] ?? null };
};

export const findListScreen = (screens: readonly ScreenJson[], entity: string): ListScreenJson | null =>
  (screens.find(isFor(entity, "list", 0)) as ListScreenJson | undefined) ?? null;

export const findNewScreen = (screens: readonly ScreenJson[], entity: string): FormScreenJson | null =>
  (screens.find(isFor(entity, "form", 0)) as FormScreenJson | undefined) ?? null;

export const recordAddress = (screens: readonly ScreenJson[], entity: string, id: string): string | null => {
  const screen = screens.find(isFor(entity, "record", 1)) as RecordScreenJson | undefined;
  return screen ? fill(screen.path, id) : null;
};

const withTheirParts = (parts: readonly PartsJson[]): readonly PartsJson[] =>
  parts.flatMap((part) => [part, ...withTheirParts(part.parts ?? [])]);

/** The lists of parts on the screens of an entity, and of the parts of these: the lines of requests. */
export const listShownParts = (screens: readonly ScreenJson[], entity: string): readonly PartsJson[] =>
  screens.flatMap((screen): readonly PartsJson[] => {
    if (getScreenEntity(screen) !== entity) return [];
    if (screen.kind === "form") return withTheirParts(screen.parts ?? []);
    return screen.kind === "record"
      ? screen.sections.flatMap((section) =>
          section.kind === "list" && section.parts !== undefined ? withTheirParts([section.parts]) : [],
        )
      : [];
  });

/** The title of a list of parts where it is shown, or the plural of the parts. */
export const getPartsTitle = (
  screens: readonly ScreenJson[],
  entities: Application["entities"],
  address: string,
  { list, entity }: Pick<PartLine, "list" | "entity">,
): string => {
  for (const screen of screens) {
    if (getScreenEntity(screen) !== address) continue;
    if (screen.kind === "record")
      for (const section of screen.sections)
        if (section.kind === "list" && section.parts?.field === list) return section.title;
    const parts = screen.kind === "form" ? screen.parts?.find(({ field }) => field === list) : undefined;
    if (parts) return parts.label;
  }
  return entities[entity]?.many ?? list;
};

/** The letters of a record, with their addresses, or why the record does not have them now. */
export const listLetters = (
  screens: readonly ScreenJson[],
  entity: string,
  { id, _letters: absent }: Pick<RecordJson, "id" | "_letters">,
): readonly { readonly title: string; readonly href: string; readonly refused?: WhyNot }[] =>
  screens.filter(isFor(entity, "letter", 1)).map(({ title, path }) => {
    const refused = absent?.[path];
    return { title, href: fill(path, id), ...(refused === undefined ? {} : { refused }) };
  });

export const editAddress = (screens: readonly ScreenJson[], entity: string, id: string): string | null => {
  const screen = screens.find(isFor(entity, "form", 1));
  return screen ? fill(screen.path, id) : null;
};

/** The fields on the edit form of an entity; none without one. */
export const fieldsOnEditForm = (screens: readonly ScreenJson[], entity: string): readonly string[] => {
  const screen = screens.find(isFor(entity, "form", 1));
  return screen?.kind === "form" ? screen.fields : [];
};

/** Screens in the navigation: lists, and forms that no list links to. */
export const listNavigation = (screens: readonly ScreenJson[]): readonly ScreenJson[] =>
  screens.filter(
    (screen) =>
      listParameters(screen.path) === 0 && (screen.kind !== "form" || findListScreen(screens, screen.entity) === null),
  );

/** The start page; null if this person has no screens. */
export const findLanding = ({ screens }: Application): string | null =>
  screens.find((screen) => screen.path === "/")?.path ?? listNavigation(screens)[0]?.path ?? null;

/** Where to go after signing in; always an address of this site. */
export const returnAddress = (search: string): string => {
  const to = new URLSearchParams(search).get("to");
  return to !== null && /^\/(?![/\\])/.test(to) ? to : "/";
};
