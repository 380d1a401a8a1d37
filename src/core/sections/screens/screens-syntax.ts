import { orNone } from "../../document/shape/combinators.ts";
import { keyed, list, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { expression, plainText } from "../../document/shape/scalar.ts";
import type { ShapeValue } from "../../document/shape.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import { letterName } from "../../model/facts/letter-name.ts";
import type { LetterPaths } from "../states/attached-letter.ts";
import { formFieldShape } from "./form-fields.ts";
import { layoutShape } from "./layouts.ts";
import { letterPartShape } from "./letters.ts";
import { sectionShape } from "./record-sections.ts";
import { sendShape } from "./send.ts";
import { tileShape } from "./tiles.ts";

const screen = record("a screen", {
  title: optional(plainText),
  list: optional(name("entity")),
  record: optional(name("entity")),
  form: optional(name("entity")),
  tiles: optional(list(tileShape)),
  columns: optional(list(name("field"))),
  filters: optional(list(name("field"))),
  sort: optional(list(plainText)),
  group: optional(list(expression)),
  sections: optional(list(sectionShape)),
  fields: optional(list(formFieldShape)),
  layouts: optional(list(layoutShape)),
  where: optional(expression),
  for: optional(listOrOne(name("role"))),
  send: optional(sendShape),
  letter: optional(name("entity")),
  text: optional(list(letterPartShape)),
});

export const screensShape = orNone(keyed("a mapping from addresses to screens", screen));

export type ScreensSyntax = ShapeValue<typeof screensShape>;

export type ScreenSyntax = ShapeValue<typeof screen>;

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

export const listScreenDefaults = (syntax: ScreensSyntax | undefined): readonly DefaultCode[] => {
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
