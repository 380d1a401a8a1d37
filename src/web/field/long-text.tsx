import { controlProps, type FieldView, never, textOf } from "./field.ts";

export const longText: FieldView = {
  Shown: ({ value, cell }) => (cell ? <bdi>{String(value)}</bdi> : <p className="long-text">{String(value)}</p>),
  Input: (props) => (
    <textarea
      {...controlProps(props)}
      className="box area"
      rows={4}
      value={textOf(props.entered)}
      onChange={(event) => props.onEnter(event.currentTarget.value)}
    />
  ),
  wide: true,
  end: false,
  group: never,
};
