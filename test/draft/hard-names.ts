import { builtInErrors } from "../../src/core/model/errors.ts";
import { systemFields } from "../../src/core/sections/entities/reserved-names.ts";
import fc from "../chance.ts";

/** Names that files, sheets, tables and columns can have, and that mean something to Ninefold, SQL, YAML or JavaScript. */
export const hardNames: readonly string[] = [
  ...systemFields.map(({ name }) => name),
  ...Object.keys(builtInErrors).slice(0, 4),
  ..."assets Asset api APIs sign-in sign_in workbench Users user roles people mail history files imports trash".split(
    " ",
  ),
  ..."system input old this now today limits may true False NULL in state status state_since".split(" "),
  ..."select from where group order table user_id current_user localtime limit union primary check xmin ctid".split(
    " ",
  ),
  ..."list path title label fields columns source basis observed part of values keys was records not_shown".split(" "),
  ..."yes no on off y n ~ null - # & * ! % @ ` : {x} [x] 'x' \"x\"".split(" "),
  ..."constructor __proto__ toString hasOwnProperty prototype".split(" "),
  ..."news people person children series species staff data boxes quizzes buses status classes menus".split(" "),
  ..."1 2024 2024-01 1st 3D e-mail Größe Œuvre ﬁ 東京 ١٢ i s es ss".split(" "),
  ...["not shown", "sign in", "Order Details", "order_details", "is not shown.", "## 4. States", "x".repeat(120), " "],
];

/** One of these names, or two of them. */
export const hardName: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hardNames) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...hardNames), fc.constantFrom(...hardNames)).map((two) => two.join(" ")),
  },
);
