import type { FieldView } from "../../field.ts";
import { integer } from "./integer.tsx";

/** Edited like an integer. */
export const position: FieldView = integer;
