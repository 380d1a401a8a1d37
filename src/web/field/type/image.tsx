import type { FieldView } from "../field.ts";
import { file } from "./file.tsx";

/** A picture is a file that is shown in its place. */
export const image: FieldView = file;
