import { callArguments } from "./change-arguments/calls.ts";
import { entityArguments } from "./change-arguments/entities.ts";
import { importArguments } from "./change-arguments/imports.ts";
import { migrationArguments } from "./change-arguments/migration.ts";
import { permissionArguments } from "./change-arguments/permissions.ts";
import { screenArguments } from "./change-arguments/screens.ts";
import { stateArguments } from "./change-arguments/states.ts";
import { wordArguments } from "./change-arguments/words.ts";

/** The lines of behaviour, steps and refusals of a change, with their arguments. `many`: the records of an entity. */
export const changeArguments = {
  ...wordArguments,
  ...screenArguments,
  ...entityArguments,
  ...stateArguments,
  ...permissionArguments,
  ...callArguments,
  ...migrationArguments,
  ...importArguments,
} as const;

export type ChangeId = keyof typeof changeArguments;
export type ChangeTexts = { readonly [id in ChangeId]: string };
