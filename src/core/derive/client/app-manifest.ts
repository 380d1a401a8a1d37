import type { Phrases } from "../../explain/language.ts";
import type { Model } from "../../model/model.ts";
import { ADMINISTRATOR } from "../../model/permissions.ts";
import type { ListScreen } from "../../model/screen.ts";
import type { Application } from "../../wire/application.ts";
import type { EntityJson, FieldJson } from "../../wire/entities.ts";
import type { ScreenJson } from "../../wire/screens.ts";
import {
  grantsFor,
  isAutomatic,
  mightSeeTile,
  type Principal,
  readableFieldsFor,
  seesScreen,
} from "../authorization/grants.ts";
import { canFindTrash } from "../authorization/trash.ts";
import { isOverdueTile, isPartlySeen, tileFor } from "./dashboard-tiles.ts";
import { getScreens } from "./default-screens.ts";
import { toEntityJson, toFieldJson } from "./entity-manifest.ts";
import { toScreenJson } from "./screen-manifest.ts";

/**
 * The manifest for a caller's browser: the screens for the caller, and for their entities the fields that the caller
 * can read or set.
 */
export const buildManifest = (
  model: Model,
  person: Principal,
  phrases: Phrases,
  /** Outgoing calls without a configured address. */
  waiting: ReadonlySet<string> = new Set(),
): Pick<
  Application,
  "name" | "sentence" | "locale" | "timezone" | "accent" | "logo" | "roles" | "screens" | "entities" | "trash"
> => {
  const entities = new Map<string, EntityJson>();
  for (const entity of model.entities.values()) {
    if (!entity.served || grantsFor(model, entity, "read", person).length === 0) continue;
    entities.set(entity.name, toEntityJson(model, entity, person, phrases, waiting));
  }
  const seen = getScreens(model).filter((screen) => seesScreen(model, screen, person));
  const lists = seen.filter((screen) => screen.kind === "list" && entities.has(screen.entity)) as ListScreen[];
  const screens = seen.flatMap((screen): ScreenJson | readonly ScreenJson[] => {
    if (screen.kind !== "tiles")
      return toScreenJson(screen, entities.get(screen.entity), { model, person, entities, lists }) ?? [];
    const tiles = screen.tiles
      .filter((tile) => mightSeeTile(model, tile, person))
      .flatMap((tile) => {
        const reader = {
          readable: readableFieldsFor(model, tile.entity, person),
          isPartial: isPartlySeen(model, tile, person),
          isOverdue: isOverdueTile(model, tile),
          isConditional: !seesScreen(model, tile, person),
        };
        return tileFor(tile, entities, reader, lists);
      });
    const { kind, path, title, clause } = screen;
    return tiles.length === 0 ? [] : [{ kind, path, title, clause: clause.id, tiles }];
  });
  const { name, sentence, locale, timezone, accent, logo } = model;
  const roles = Object.fromEntries([...model.roles.values()].map((role) => [role.name, role.title]));
  const trash = [...model.entities.values()].filter((entity) => canFindTrash(model, entity, person));
  return {
    ...{ name, sentence, locale, timezone, accent, roles, screens, entities: Object.fromEntries(entities) },
    ...(logo === null ? {} : { logo: true as const }),
    ...(trash.length === 0 ? {} : { trash: { of: trash.map((entity) => entity.name), days: model.limits.trashDays } }),
  };
};

/** The fields for inviting a person: name, email address and other required fields. */
export const fieldsOfNewPeople = (model: Model): readonly FieldJson[] => {
  const user = model.entities.get("User");
  if (user === undefined) return [];
  return [...user.fields.values()]
    .filter((field) => !field.optional && field.type !== "boolean" && field.default === null)
    .filter((field) => !isAutomatic(user, field.name))
    .map((field) => toFieldJson(model, user, field, true));
};

/** The fields of a person who registers: those of every new person, and those that the document asks for. */
export const fieldsOfRegistering = (model: Model): readonly FieldJson[] => {
  const user = model.entities.get("User");
  const needed = fieldsOfNewPeople(model);
  if (user === undefined) return needed;
  const requested = (model.signIn.signUp?.asks ?? []).filter((name) => needed.every((field) => field.name !== name));
  return [
    ...needed,
    ...requested.flatMap((name) => {
      const field = user.fields.get(name);
      return field === undefined ? [] : [{ ...toFieldJson(model, user, field, true), optional: false }];
    }),
  ];
};

/**
 * The fields of a person who registers at once. References and files are left out: a visitor without an account can
 * read no records and has uploaded no file.
 */
export const fieldsOfRegistration = (model: Model): readonly FieldJson[] =>
  fieldsOfRegistering(model).filter(({ type }) => type !== "reference" && type !== "file" && type !== "image");

/** The roles that an administrator grants, in document order. */
export const grantableRoles = (model: Model): readonly string[] => [
  ...[...model.roles.values()].filter((role) => role.members === "granted").map((role) => role.name),
  ADMINISTRATOR,
];
