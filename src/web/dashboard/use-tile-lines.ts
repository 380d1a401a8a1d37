import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import { usePerson } from "../app/app-context.tsx";
import { useElementWidth } from "../ui/dom/use-element-width.ts";
import { divideTileLines } from "./tile-lines.ts";

/** Null until the width is known. */
export const useTileLines = (entity: EntityJson, cells: readonly FieldJson[]) => {
  const person = usePerson();
  const { ref, width } = useElementWidth<HTMLDivElement>();
  return { ref, lines: width === null ? null : divideTileLines(entity, cells, person, width) };
};
