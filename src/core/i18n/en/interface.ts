import { texts as platform } from "./platform-texts.ts";
import { texts as screens } from "./screen-texts.ts";

export { grammar } from "./grammar.ts";

/**
 * The texts of the interface in ICU message syntax, by area. The first word of an id decides its area. Each message is
 * complete; only values of the document are inserted, and no message depends on properties of a person other than the
 * name.
 */
export const texts = { ...screens, ...platform };
