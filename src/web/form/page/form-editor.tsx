import { type FormEvent, type RefObject, useEffect, useRef } from "react";
import type { EntityJson, FieldJson, TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { keys } from "../../api/query-keys.ts";
import type { Body } from "../../api/requests.ts";
import { hasFinePointer, useAddress, useApplication, useClient } from "../../app/app-context.tsx";
import { SiblingValuesProvider } from "../../field/control/sibling-values.tsx";
import { getSiblingsOfRecord } from "../../field/siblings-of-form.ts";
import { fieldInFragment } from "../../format/names.ts";
import { useWords, type Words } from "../../i18n/words.tsx";
import { findListScreen, recordAddress } from "../../routing/routes.ts";
import { FileAddressProvider } from "../../ui/dom/file-address.tsx";
import { sendByKey, useSendKey } from "../../ui/dom/form-keys.ts";
import { pasteFiles } from "../../ui/dom/paste-files.ts";
import { useToast } from "../../ui/overlay/toast.tsx";
import { nextActionInForm } from "../../workflow/workflow.ts";
import { focusField } from "../error-summary.tsx";
import { FormFeedback } from "../form-feedback.tsx";
import { useComputedValues, useNewRecordContext } from "../hooks/use-computed-values.tsx";
import { useForm } from "../hooks/use-form.ts";
import { useStableUntil } from "../hooks/use-stable-until.ts";
import { useSuggestions } from "../hooks/use-suggestions.ts";
import { useTransitionAfterSaving } from "../hooks/use-transition-after-saving.ts";
import type { Form, FormList } from "../state/form-node.ts";
import { fieldsOfParts, openForm, openLists } from "../state/open-form.ts";
import { prefillForm } from "../state/prefill.ts";
import { type FormContent, FormContents, isParts } from "./form-contents.tsx";
import { FormFoot } from "./form-foot.tsx";
import { WhenSaved } from "./when-saved.tsx";
import "../../record/record.css";

interface EditorProps {
  /** The title of the page. */
  readonly title: string;
  readonly entity: EntityJson;
  readonly record: RecordJson | null;
  readonly shown: readonly FormContent[];
  /** The fields that this person can edit now; the others are shown read-only. */
  readonly open: readonly string[];
  readonly head: React.ReactNode;
  /** Says that a record was edited, in these fields; in its parts, too, if they are null. */
  readonly noteEdit?: (before: RecordJson, after: RecordJson, fields: readonly FieldJson[] | null) => void;
}

/** A form with drafts, validation, saving, and merging of concurrent changes. */
export const FormEditor = ({ title, entity, record, shown, open, head, noteEdit }: EditorProps) => {
  const { calls, queries, navigation } = useClient();
  const { say } = useWords();
  const { screens, entities } = useApplication();
  const context = useNewRecordContext([
    ...(record === null ? entity.fields : []),
    ...fieldsOfParts(shown.filter(isParts), entities),
  ]);
  const { path, search } = useAddress();
  const toast = useToast();
  const formRef = useRef<HTMLFormElement>(null);
  const onwardRef = useRef<HTMLButtonElement>(null);

  const required = useStableUntil(record, () => ({
    fields: shown.filter((one): one is FieldJson => !isParts(one) && open.includes(one.name)),
    lists: openLists(
      shown.filter(isParts).filter(({ field }) => open.includes(field)),
      entities,
      record,
      context,
    ),
  }));
  const { fields, lists } = required;
  const leaveTo = (id: string | null) => {
    const address = id === null ? null : recordAddress(screens, entity.name, id);
    navigation.go(address ?? findListScreen(screens, entity.name)?.path ?? "/", "replace");
  };
  const goOn = useTransitionAfterSaving(entity);
  const { sent, write } = useWrite(entity, record, required);
  const work = useForm({
    path,
    record,
    fieldsKey: required,
    open: () => openForm(record ? "update" : "create", fields, record, context, lists),
    prefill: (form) => (record === null ? prefillForm(form, search, context) : form),
    write,
    saved: async (written, further) => {
      void queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
      for (const { part } of lists) void queries.invalidateQueries({ queryKey: keys.of(part.calls) });
      if (further === null || !(await goOn(written, further)))
        if (record) noteEdit?.(record, written, sent.current);
        else toast(say("form.made", { thing: entity.one }));
      leaveTo(written.id);
    },
    unchanged: async (further) => {
      if (further && record) await goOn(record, further);
      leaveTo(record?.id ?? null);
    },
    again: ({ id }) => (lists.length > 0 ? calls.recordWithParts : calls.record)(entity.calls, id),
  });
  const { form, setForm } = work;
  useSuggestions(form, entity, context, setForm);
  const computed = useComputedValues(form, entity, record, context);
  const { isRefused, leastLength } = computed;
  const beside = { ...getSiblingsOfRecord(form, entity, record, context), isRefused, leastLength };
  const onward = nextActionInForm(entity, record, computed.closed);

  const { submit, choose } = useSubmit(work, computed.brokenWith);
  useFirstFocus(formRef);
  useSendKey(formRef, onwardRef);

  const discard = () => {
    work.reset();
    const first = fields[0];
    if (first) requestAnimationFrame(() => focusField(first.name));
  };

  return (
    <>
      {head}
      <div className="columns">
        <FileAddressProvider entity={entity} record={record}>
          <form
            ref={formRef}
            id="form"
            className="form"
            noValidate
            onSubmit={submit}
            onKeyDownCapture={(event) => sendByKey(event, onwardRef.current)}
            onPaste={pasteFiles}
          >
            <div className="form-body">
              <FormFeedback work={work} title={titleOfAttempt(work.attempted, say)} onDiscard={discard} />
              <SiblingValuesProvider value={beside}>
                <FormContents
                  entity={entity}
                  record={record}
                  shown={shown}
                  open={fields}
                  form={form}
                  computed={computed}
                  context={context}
                  onNode={setForm}
                />
              </SiblingValuesProvider>
            </div>
          </form>
        </FileAddressProvider>
        {record === null && <WhenSaved entity={entity} />}
      </div>
      <FormFoot
        title={title}
        entity={entity}
        record={record}
        work={work}
        onward={onward}
        onwardRef={onwardRef}
        onSave={() => choose(null)}
        onOnward={(transition) => {
          choose(transition);
          formRef.current?.requestSubmit();
        }}
        onDiscard={discard}
      />
    </>
  );
};

/** Writes a record, and remembers the fields that were sent; null if parts were, too. */
const useWrite = (
  entity: EntityJson,
  record: RecordJson | null,
  { fields, lists }: { readonly fields: readonly FieldJson[]; readonly lists: readonly FormList[] },
) => {
  const { calls } = useClient();
  const sent = useRef<readonly FieldJson[] | null>(null);
  const write = (body: Body, key: string, { version }: Pick<Form, "version">) => {
    const isOfParts = lists.some(({ parts }) => Object.hasOwn(body, parts.field));
    sent.current = isOfParts ? null : fields.filter(({ name }) => Object.hasOwn(body, name));
    return record && version !== null
      ? calls.change(entity.calls, record.id, version, body)
      : calls.create(entity.calls, body, key);
  };
  return { sent, write };
};

/** Submits the form, and makes the chosen transition after saving. Both are a submission, so that uploads are awaited. */
const useSubmit = (
  work: Pick<ReturnType<typeof useForm>, "submit" | "submitFor">,
  brokenWith: ReturnType<typeof useComputedValues>["brokenWith"],
) => {
  const chosen = useRef<TransitionJson | null>(null);
  return {
    choose: (transition: TransitionJson | null) => {
      chosen.current = transition;
    },
    submit: (event: FormEvent) => {
      const further = chosen.current;
      chosen.current = null;
      if (further === null) return work.submit(event, brokenWith(null));
      event.preventDefault();
      work.submitFor(further, brokenWith(further.name));
    },
  };
};

/** The title above what went wrong: what was not done. */
const titleOfAttempt = (attempted: TransitionJson | null, say: Words["say"]): string =>
  attempted === null ? say("form.not.saved") : say("record.not.made", { transition: attempted.label });

/** Focuses the field that the address names, or the first field. */
const useFirstFocus = (formRef: RefObject<HTMLFormElement | null>): void => {
  useEffect(() => {
    const targetField = fieldInFragment(location.hash);
    if (targetField !== null) {
      // A link to a single field focuses it once.
      history.replaceState(history.state, "", location.pathname + location.search);
      focusField(targetField);
    } else if (hasFinePointer())
      formRef.current?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true });
  }, [formRef]);
};
