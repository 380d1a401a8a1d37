import type { ScreenTexts } from "../catalogue.ts";
import { texts as form } from "./interface/form.ts";
import { texts as frame } from "./interface/frame.ts";
import { texts as list } from "./interface/list.ts";
import { texts as overview } from "./interface/overview.ts";
import { texts as record } from "./interface/record.ts";

export { grammar } from "./grammar.ts";

export const texts = { ...frame, ...list, ...overview, ...record, ...form } satisfies ScreenTexts;
