import type { FieldView } from "../../field.ts";
import { integer } from "./integer.tsx";

export const position: FieldView = integer;
