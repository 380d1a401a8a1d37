import { texts as deputies } from "./interface/deputies.ts";
import { texts as people } from "./interface/people.ts";
import { texts as versions } from "./interface/versions.ts";
import { texts as workbench } from "./interface/workbench.ts";

/** Texts of accounts, deputies, imports and the workbench, which most people rarely open. */
export const texts = { ...deputies, ...people, ...workbench, ...versions };
