import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import { isNothing } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { fields } from "./fields.ts";

/** A field's value of any type. A missing value is shown as "None", except in tables. */
export const FieldValue = ({
  field,
  value,
  cell = false,
}: {
  field: FieldJson;
  value: Json | undefined;
  cell?: boolean;
}) => {
  const { say } = useWords();
  if (isNothing(value) || value === undefined)
    return cell ? (
      <span className="hidden-words">{say("value.none")}</span>
    ) : (
      <span className="none">{say("value.none")}</span>
    );
  const View = fields[field.type].Shown;
  if (!Array.isArray(value)) return <View field={field} value={value} cell={cell} />;
  const few = cell ? value.slice(0, 2) : value;
  return (
    <span className="several">
      {few.map((one) => (
        <View key={JSON.stringify(one)} field={field} value={one as Json} cell={cell} />
      ))}
      {value.length > few.length && <span className="more">+{value.length - few.length}</span>}
    </span>
  );
};
