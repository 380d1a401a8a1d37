import { useId } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { SectionJson } from "../../core/wire/screens.ts";
import { FieldValue, isNothing } from "../field/field-value.tsx";
import { fields } from "../field/fields.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { FileAddressProvider } from "../ui/dom/file-address.tsx";
import type { News } from "./unseen-changes.ts";

/** Long texts span both columns, on a phone sooner. */
const findRoom = (field: FieldJson, value: Json | undefined): "wide" | "wide-on-phone" | undefined => {
  const letters = field.type === "text" && typeof value === "string" ? value.length : 0;
  if (fields[field.type].wide || letters > 56) return "wide";
  return letters > 22 ? "wide-on-phone" : undefined;
};

interface RecordFieldsProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly section: Extract<SectionJson, { kind: "fields" }>;
  /** Changes by others since the previous visit. */
  readonly news: News | null;
}

/** Fields with their labels; changed ones show their previous value. */
export const RecordFields = ({ entity, record, section, news }: RecordFieldsProps) => {
  const { say, rich } = useWords();
  const headId = useId();
  const isHidden = (name: string) =>
    section.conditional?.includes(name) === true && record._hidden?.includes(name) !== false;
  const shown = section.fields.flatMap((name): FieldJson[] => {
    const field = entity.fields.find((one) => one.name === name);
    return field && name in record && !isHidden(name) ? [field] : [];
  });
  if (shown.length === 0) return null;
  const list = (
    <FileAddressProvider entity={entity} record={record}>
      <dl className="fields">
        {shown.map((field) => {
          const value = getValue(record, field.name);
          const was = news?.before.get(field.name);
          // Changed and changed back: not shown as a change.
          const isNew = was !== undefined && JSON.stringify(was) !== JSON.stringify(value);
          return (
            <div key={field.name} className={findRoom(field, value)}>
              <dt>
                {field.label}
                {isNew && <span className="dot" />}
              </dt>
              <dd>
                <FieldValue field={field} value={value} />
                {isNew && (
                  <p className="was">
                    {rich("news.was", {
                      value: (
                        <del>{was === null ? say("value.none") : <FieldValue field={field} value={was} cell />}</del>
                      ),
                    })}
                  </p>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </FileAddressProvider>
  );
  if (section.title === undefined) return list;
  // An empty section shows only its heading.
  const isEmpty = shown.every(({ name }) => isNothing(getValue(record, name)) && !news?.before.has(name));
  return (
    <section className="titled" aria-labelledby={headId}>
      <h2 id={headId}>{section.title}</h2>
      {isEmpty ? <p className="none">{say("record.section.empty")}</p> : list}
    </section>
  );
};
