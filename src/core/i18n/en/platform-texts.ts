import { texts as people } from "./interface/people.ts";
import { texts as versions } from "./interface/versions.ts";
import { texts as workbench } from "./interface/workbench.ts";

/** Texts of accounts, imports and the workbench, which most people rarely open. */
export const texts = { ...people, ...workbench, ...versions };
