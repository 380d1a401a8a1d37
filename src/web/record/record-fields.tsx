import { type MouseEvent, useId, useRef, useState } from "react";
import type { EntityJson, FieldJson, FieldTypeName } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { SectionJson } from "../../core/wire/screens.ts";
import { useApplication, useClient, useCommands, usePhone } from "../app/app-context.tsx";
import { FieldValue } from "../field/field-value.tsx";
import { fields } from "../field/fields.ts";
import { RecordValue } from "../field/record-value.tsx";
import { beginsPeriod } from "../format/date-range-fields.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { fieldsOnEditForm } from "../routing/routes.ts";
import { IconButton } from "../ui/control/button.tsx";
import { FileAddressProvider } from "../ui/dom/file-address.tsx";
import { lazyComponent } from "../ui/page/lazy.tsx";
import type { UnseenChanges } from "./unseen-changes.ts";
import "./record-fields.css";
import { isNothing } from "../format/value-shapes.ts";
import { LoadingBoundary } from "../util/loading-boundary.tsx";

const EditField = lazyComponent(() => import("./edit-field.tsx"));

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
  readonly news: UnseenChanges | null;
}

/** How a person can change a value here: not at all, not now, for a reason that can be asked for, or in place. */
type Editing = "no" | "locked" | "open";

const findEditing = (entity: EntityJson, { may }: RecordJson, offered: readonly string[]) => {
  const nothing = (may?.update.length ?? 0) === 0 && may?.updateRefused === undefined;
  return ({ name, automatic }: FieldJson): Editing => {
    if (may?.update.includes(name)) return offered.includes(name) ? "open" : "no";
    // Nobody asks why a computed value or a state is locked, nor a person who never changes such records.
    return nothing || automatic || name === entity.states?.field || !offered.includes(name) ? "no" : "locked";
  };
};

/** Types whose whole value is text of the label, without anything to open. */
const plainTypes: readonly FieldTypeName[] = ["text", "sequence", "integer sequence"];

/**
 * True if the title of the page, which is the label, shows the value, and there is nothing to do with it here. If nothing
 * of the record can be edited, the action “Edit” says why.
 */
const isInTitle = (field: FieldJson, record: RecordJson, editing: Editing): boolean =>
  field.inLabel === true &&
  (editing === "no" || (editing === "locked" && record.may?.updateRefused !== undefined)) &&
  plainTypes.includes(field.type) &&
  !isNothing(getValue(record, field.name));

/** True for a field without a value that only a transition fills, such as the reason of a refusal: it is not missing. */
const isYetToFill = ({ name, asked }: FieldJson, record: RecordJson): boolean =>
  asked === true && isNothing(getValue(record, name));

/** Links and players keep their own clicks, and selecting text is no click. */
const isOnValue = ({ target }: MouseEvent): boolean =>
  target instanceof Element &&
  target.closest("a, button, input, summary, audio, video") === null &&
  window.getSelection()?.isCollapsed !== false;

/** Fields with their labels; changed ones show their previous value. */
export const RecordFields = ({ entity, record, section, news }: RecordFieldsProps) => {
  const { say, rich } = useWords();
  const headId = useId();
  const { screens } = useApplication();
  const phone = usePhone();
  const { permissionQuestion } = useClient();
  const [edited, setEdited] = useState<string | null>(null);
  const fieldList = useRef<HTMLDListElement>(null);
  const editingOf = findEditing(entity, record, fieldsOnEditForm(screens, entity.name));
  const close = (name: string) => {
    setEdited(null);
    requestAnimationFrame(() => fieldList.current?.querySelector<HTMLElement>(`[data-edit="${name}"]`)?.focus());
  };
  const isHidden = (name: string) =>
    section.conditional?.includes(name) === true && record._hidden?.includes(name) !== false;
  const shown = section.fields.flatMap((name): FieldJson[] => {
    const field = entity.fields.find((candidate) => candidate.name === name);
    const isShown = field && name in record && !isHidden(name) && !isYetToFill(field, record);
    // A change by somebody else is shown with the value before.
    return isShown && (news?.before.has(name) || !isInTitle(field, record, editingOf(field))) ? [field] : [];
  });
  useCommands(
    shown
      .filter((field) => editingOf(field) === "open")
      .map(({ name, label }) => ({
        label: say("record.field.edit", { field: label }),
        run: () => setEdited(name),
        isTool: true,
        isSearchOnly: true,
      })),
  );
  if (shown.length === 0) return null;
  const list = (
    <FileAddressProvider entity={entity} record={record}>
      <dl className="fields" ref={fieldList}>
        {shown.map((field, at) => {
          const value = getValue(record, field.name);
          const was = news?.before.get(field.name);
          // Changed and changed back: not shown as a change.
          const isNew = was !== undefined && JSON.stringify(was) !== JSON.stringify(value);
          const editing = editingOf(field);
          const edit = () => setEdited(field.name);
          const explain = () =>
            permissionQuestion.set({ entity: entity.name, record: record.id, what: "update", field: field.name });
          // A phone shows no lock at each value: a tap on the value says why.
          const press = editing === "open" ? edit : editing === "locked" && phone ? explain : null;
          if (edited === field.name)
            return (
              <div key={field.name} className={findRoom(field, value) ?? "wide-on-phone"}>
                <dt className="hidden-words">{field.label}</dt>
                <dd>
                  <LoadingBoundary fallback={<FieldValue field={field} value={value} />}>
                    <EditField entity={entity} record={record} field={field} onClose={() => close(field.name)} />
                  </LoadingBoundary>
                </dd>
              </div>
            );
          return (
            <div
              key={field.name}
              className={beginsPeriod(field, shown[at + 1]) ? "pair-start" : findRoom(field, value)}
              data-editing={editing}
            >
              <dt>
                {field.label}
                {isNew && <span className="dot" />}
                {editing === "open" && (
                  <IconButton
                    icon="edit"
                    size={13}
                    small
                    className="edit-value"
                    data-edit={field.name}
                    label={say("record.field.edit", { field: field.label })}
                    onClick={edit}
                  />
                )}
                {editing === "locked" && (
                  <IconButton
                    icon="lock"
                    size={13}
                    small
                    className="edit-value"
                    label={say("form.still.why", { field: field.label })}
                    aria-haspopup="dialog"
                    onClick={explain}
                  />
                )}
              </dt>
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button beside the label is the way with keys */}
              <dd onClick={press === null ? undefined : (event) => isOnValue(event) && press()}>
                <RecordValue field={field} record={record} />
                {isNew && !isNothing(was) && (
                  <p className="was">
                    {rich("news.was", {
                      value: (
                        <del>
                          <FieldValue field={field} value={was} cell />
                        </del>
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
