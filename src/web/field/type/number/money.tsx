import { type FieldView, never } from "../../field.ts";
import { Figure } from "./integer.tsx";

export const money: FieldView = {
  Shown: Figure,
  wide: false,
  end: true,
  group: never,
};
