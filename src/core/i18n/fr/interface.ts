import { texts as platform } from "./platform-texts.ts";
import { texts as screens } from "./screen-texts.ts";

export const texts = { ...screens, ...platform };
