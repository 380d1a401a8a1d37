import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never } from "../../field.ts";

/** Assigned by the program, never entered. The input is for filters. */
export const sequence: FieldView = {
  // Figures of one width would also widen the hyphens of a pattern such as HD-2026-00041.
  Shown: ({ value }) => <bdi dir="ltr">{String(value)}</bdi>,
  Input: (props) => <TextBox {...props} className="figures" dir="ltr" />,
  wide: false,
  end: false,
  group: never,
};
