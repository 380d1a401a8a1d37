import type { PlatformTexts } from "../catalogue.ts";
import { texts as deputies } from "./interface/deputies.ts";
import { texts as people } from "./interface/people.ts";
import { texts as versions } from "./interface/versions.ts";
import { texts as workbench } from "./interface/workbench.ts";

export const texts = { ...deputies, ...people, ...workbench, ...versions } satisfies PlatformTexts;
