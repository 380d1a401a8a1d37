import { useMemo } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useShortTexts } from "../field/short-texts.ts";
import { PEOPLE } from "../format/names.ts";
import { createTextRuler, useElementWidth } from "../ui/dom/use-element-width.ts";
import { listTileActs } from "../workflow/record-acts.ts";

/** Extra widths: padding of a cell, a state's icon, an avatar, padding of a button. */
const padding = 24;
const mark = 22;
const face = 33;
const button = 24;

/** Below this width, texts of different rows can no longer be distinguished. */
const readable = 180;

/**
 * True if the rows of a tile need two lines, because cells and buttons would leave too little room for their texts.
 * Null until the width is known.
 */
export const useTileLines = (
  entity: EntityJson,
  columns: readonly FieldJson[],
  cells: readonly FieldJson[],
  items: readonly RecordJson[],
) => {
  const few = useShortTexts(entity);
  const { ref, width } = useElementWidth<HTMLDivElement>();
  // Measured for the current rows only, and once for each.
  // biome-ignore lint/correctness/useExhaustiveDependencies: its words follow from the same
  const needed = useMemo(() => {
    const [plain, strong] = [createTextRuler(false), createTextRuler(true)];
    const wide = (field: FieldJson): number => {
      const markWidth = field.type === "state" ? mark : field.entity === PEOPLE ? face : 0;
      const ruler = field === cells[0] ? strong : plain;
      const widths = items.map((item) =>
        ruler(few(columns, item).find((fieldSummary) => fieldSummary.field === field)?.shown ?? ""),
      );
      return Math.min(readable, Math.max(0, ...widths)) + markWidth + padding;
    };
    const acts = items.map((item) =>
      listTileActs(entity, item).reduce((sum, { label }) => sum + strong(`${label}…`) + button, 0),
    );
    const widths = cells.map(wide);
    const all = widths.reduce((sum, width) => sum + width, 0) + Math.max(0, ...acts);
    return { all, first: widths[0] ?? 0 };
  }, [entity, items]);
  return {
    ref,
    twoLines: width === null ? null : needed.all > width,
    /** The share of the first column, with which it is not cut off. */
    first: `${Math.ceil((100 * needed.first) / needed.all)}%`,
  };
};
