import type { FieldView } from "../field.ts";
import { integer } from "./integer.tsx";

/** A place among others is a whole number like any. */
export const position: FieldView = integer;
