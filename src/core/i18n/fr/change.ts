import type { ChangeTexts } from "../change-arguments.ts";
import { texts as calls } from "./change/calls.ts";
import { texts as entities } from "./change/entities.ts";
import { texts as imports } from "./change/imports.ts";
import { texts as migration } from "./change/migration.ts";
import { texts as permissions } from "./change/permissions.ts";
import { texts as screens } from "./change/screens.ts";
import { texts as states } from "./change/states.ts";
import { texts as words } from "./change/words.ts";

export const texts = {
  ...words,
  ...screens,
  ...entities,
  ...states,
  ...permissions,
  ...calls,
  ...migration,
  ...imports,
} satisfies ChangeTexts;
