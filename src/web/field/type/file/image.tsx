import type { FieldView } from "../../field.ts";
import { file } from "./file.tsx";

/** A file that is shown inline. */
export const image: FieldView = file;
