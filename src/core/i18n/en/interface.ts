import { texts as form } from "./interface/form.ts";
import { texts as frame } from "./interface/frame.ts";
import { texts as list } from "./interface/list.ts";
import { texts as overview } from "./interface/overview.ts";
import { texts as people } from "./interface/people.ts";
import { texts as record } from "./interface/record.ts";
import { texts as versions } from "./interface/versions.ts";
import { texts as workbench } from "./interface/workbench.ts";

export { grammar } from "./grammar.ts";

/**
 * The texts of the interface in ICU message syntax, by area. The first word of an id decides its area. Each message is
 * complete; only values of the document are inserted, and no message depends on properties of a person other than the
 * name.
 */
export const texts = {
  ...frame,
  ...list,
  ...overview,
  ...record,
  ...form,
  ...people,
  ...workbench,
  ...versions,
};
