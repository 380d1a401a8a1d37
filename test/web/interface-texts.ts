import { texts as platform } from "../../src/core/i18n/en/platform-texts.ts";
import { texts as screens } from "../../src/core/i18n/en/screen-texts.ts";

/** All texts of the interface in English. */
export const interfaceTexts = { ...screens, ...platform };
