import { type KeyboardEvent, useEffect, useMemo, useRef } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient } from "../app/app-context.tsx";
import { isComposing } from "../app/keyboard.ts";
import { SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import { getSiblingsOfRecord } from "../field/siblings-of-form.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { FileAddressProvider } from "../ui/dom/file-address.tsx";
import { sendByKey, sendFromSelect } from "../ui/dom/form-keys.ts";
import { openList } from "../ui/dom/open-list.ts";
import { pasteFiles } from "../ui/dom/paste-files.ts";
import { useAnnounce } from "../ui/overlay/toast.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";
import { BoundField } from "./bound-field.tsx";
import { useErrorFocus } from "./error-summary.tsx";
import { FormFeedback } from "./form-feedback.tsx";
import { useComputedValues, useNewRecordContext } from "./hooks/use-computed-values.tsx";
import { useForm } from "./hooks/use-form.ts";
import { isChanged } from "./state/form-node.ts";
import { openForm } from "./state/open-form.ts";
import "./edit-in-place.css";

interface EditInPlaceProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly field: FieldJson;
  /** Called after saving, and when the person gives up. */
  readonly onClose: () => void;
  /** Called with the saved record, before `onClose`. */
  readonly onSaved?: (written: RecordJson) => void;
}

const noFields: readonly FieldJson[] = [];

/** True if the value is one of a list, so that choosing another completes the edit. */
const isChosen = ({ type, many }: FieldJson) =>
  many !== true && (type === "choice" || type === "reference" || type === "boolean");

/** The keys that choose in a list. An arrow key or a letter only looks for a value, in some browsers by choosing it. */
const CHOOSING = new Set(["Enter", " "]);

/**
 * Edits one field of a record where its value is shown: a form with one field, with the same rules and conflicts. A list of
 * values is open at once, and choosing one saves.
 */
const EditInPlace = ({ entity, record, field, onClose, onSaved }: EditInPlaceProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const { politely } = useAnnounce();
  const context = useNewRecordContext(noFields);
  const close = useWhileMounted(onClose);
  const work = useForm({
    path: `${entity.calls} ${record.id} ${field.name}`,
    record,
    open: () => openForm("update", [field], record, context),
    write: (body, _, { version }) => calls.change(entity.calls, record.id, version ?? record.version, body),
    saved: async (written) => {
      politely(say("form.saved"));
      // The new value is shown at once; its permissions and computed values follow.
      queries.setQueriesData<RecordJson>(
        { queryKey: keys.record(entity.calls, record.id) },
        (before) => before && { ...before, ...written },
      );
      onSaved?.(written);
      close();
      await reload(queries, { queryKey: ["of"] });
    },
    unchanged: onClose,
    again: ({ id }) => calls.record(entity.calls, id),
  });
  const { form, setForm, busy } = work;
  const { broken, isRefused, leastLength, record: computed } = useComputedValues(form, entity, record, context);
  // biome-ignore lint/correctness/useExhaustiveDependencies: its values do not depend on what is typed
  const base = useMemo(() => ({ ...form, entered: form.base }), [form.base, form.record, form.fields, form.lists]);
  const { record: unchanged } = useComputedValues(base, entity, record, context);
  const own = useRef<HTMLFormElement>(null);
  useErrorFocus(form);
  useEffect(() => {
    const control = own.current
      ?.querySelector<HTMLElement>(".form-field")
      ?.querySelector<HTMLElement>(
        "[aria-checked=true], input:checked, input:not([type=hidden]), textarea, select, [role=combobox], button",
      );
    control?.focus();
    if (control instanceof HTMLInputElement && control.type === "text") control.select();
    openList(control);
  }, []);
  const lastKey = useRef<string | null>(null);
  const entered = form.entered[field.name] ?? null;
  const enteredBefore = useRef(entered);
  useEffect(() => {
    const isSame = enteredBefore.current === entered;
    enteredBefore.current = entered;
    // A cleared value may be on the way to another.
    if (isSame || entered === null || !isChosen(field)) return;
    if (lastKey.current === null || CHOOSING.has(lastKey.current)) own.current?.requestSubmit();
  }, [entered, field]);

  const cancel = () => {
    work.reset();
    onClose();
  };
  const handleKey = (event: KeyboardEvent<HTMLFormElement>) => {
    if (sendFromSelect(event)) return;
    // In an open list or calendar, Escape closes that.
    if (event.key !== "Escape" || event.defaultPrevented || isComposing(event)) return;
    if (own.current?.querySelector("[popover]:popover-open") !== null) return;
    event.stopPropagation();
    cancel();
  };
  return (
    <FileAddressProvider entity={entity} record={record}>
      <SiblingValuesProvider value={{ ...getSiblingsOfRecord(form, entity, record, context), isRefused, leastLength }}>
        <form
          ref={own}
          className="edit-in-place"
          noValidate
          onSubmit={work.submit}
          onKeyDown={handleKey}
          onKeyDownCapture={(event) => {
            lastKey.current = event.key;
            sendByKey(event);
          }}
          onPointerDownCapture={() => {
            lastKey.current = null;
          }}
          onPaste={pasteFiles}
        >
          <FormFeedback
            work={work}
            title={say("form.not.saved")}
            summed={form.errors.some((one) => one.field !== field.name)}
            onDiscard={work.reset}
          />
          <BoundField node={form} field={field} broken={broken} onNode={setForm} />
          <ComputedChanges
            fields={entity.fields}
            before={record}
            unchanged={unchanged}
            now={isChanged(form) ? computed : {}}
          />
          <footer className="edit-in-place-foot">
            <Button type="submit" look="primary" small busy={busy}>
              {say("form.save")}
            </Button>
            <Button look="quiet" small onClick={cancel}>
              {say("form.cancel")}
            </Button>
          </footer>
        </form>
      </SiblingValuesProvider>
    </FileAddressProvider>
  );
};

export default EditInPlace;

/** Maximum number of computed values that are shown beside the edited one. */
const MOST_SHOWN = 4;

/**
 * The computed values that saving would change. A formula whose value differs without any change reads more than the
 * form has, for example the lines of a request, so nothing is said about it.
 */
const ComputedChanges = ({
  fields,
  before,
  unchanged,
  now,
}: {
  readonly fields: readonly FieldJson[];
  readonly before: RecordJson;
  /** The computed values without any change. */
  readonly unchanged: { readonly [field: string]: Json };
  readonly now: { readonly [field: string]: Json };
}) => {
  const { say, show } = useWords();
  const changes = fields.flatMap((field) => {
    const [value, base] = [now[field.name], unchanged[field.name]];
    if (value === undefined || base === undefined) return [];
    const old = show.value(field, getValue(before, field.name));
    if (show.value(field, base) !== old) return [];
    const next = show.value(field, value);
    return old === next ? [] : [{ field, old: old ?? say("value.none"), next: next ?? say("value.none") }];
  });
  return (
    <output className="computed-changes">
      {changes.slice(0, MOST_SHOWN).map(({ field, old, next }) => (
        <span key={field.name}>
          {field.label} <s>{old}</s> <b>{next}</b>
        </span>
      ))}
    </output>
  );
};
