import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never } from "../../field.ts";

export const phone: FieldView = {
  Shown: ({ value, cell }) =>
    cell ? (
      <bdi dir="ltr">{String(value)}</bdi>
    ) : (
      <a className="link figures" dir="ltr" href={`tel:${String(value).replace(/[^+\d]/g, "")}`}>
        {String(value)}
      </a>
    ),
  Input: (props) => <TextBox {...props} type="tel" inputMode="tel" dir="ltr" className="figures" />,
  wide: false,
  end: false,
  group: never,
};
