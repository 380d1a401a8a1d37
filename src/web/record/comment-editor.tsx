import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { ConversationJson } from "../../core/wire/screens.ts";
import { reload } from "../api/reload.ts";
import type { Body } from "../api/requests.ts";
import { useClient, useCommands, useKeys } from "../app/app-context.tsx";
import { isComposing } from "../app/keyboard.ts";
import { SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import { inputs } from "../field/inputs.ts";
import { getSiblingsOfForm } from "../field/siblings-of-form.ts";
import { BoundField, bindField } from "../form/bound-field.tsx";
import { FieldErrors } from "../form/field-errors.tsx";
import { FormFeedback } from "../form/form-feedback.tsx";
import { useNewRecordContext } from "../form/hooks/use-computed-values.tsx";
import { useForm } from "../form/hooks/use-form.ts";
import { type Form, isChanged } from "../form/state/form-node.ts";
import { openForm } from "../form/state/open-form.ts";
import type { LocaleContext } from "../format/locale-context.ts";
import { useWords, type Words } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { FileAddressProvider } from "../ui/dom/file-address.tsx";
import { sendByKey } from "../ui/dom/form-keys.ts";
import { pasteFiles } from "../ui/dom/paste-files.ts";
import { useAnnounce } from "../ui/overlay/toast.tsx";

interface CommentEditorProps {
  readonly entity: EntityJson;
  readonly conversation: ConversationJson;
  /** The editable fields; the text comes first. */
  readonly open: readonly string[];
  /** The comment to edit; null for a new one. */
  readonly record: RecordJson | null;
  /** Key of the draft: the record that it is about. */
  readonly about: string;
  /** Values sent with a new comment: the record that it is about. */
  readonly fixed: Body;
  /** Called when a new comment was sent, and the page shows what has followed from it. */
  readonly onSent?: () => void;
  /** Closes the editor of an existing comment; a new one is only cleared. */
  readonly onClose?: () => void;
}

/** The fields of a comment that this person can enter, its text first. */
const useOpenFields = ({
  entity,
  conversation,
  open,
  fixed,
}: Pick<CommentEditorProps, "entity" | "conversation" | "open" | "fixed">): readonly FieldJson[] => {
  const [opened] = useState(() =>
    open
      .flatMap((name): readonly FieldJson[] => entity.fields.filter((field) => field.name === name && !(name in fixed)))
      .sort((one, other) => Number(other.name === conversation.text) - Number(one.name === conversation.text)),
  );
  return opened;
};

interface CommentFormProps extends Pick<CommentEditorProps, "entity" | "record" | "about" | "fixed"> {
  readonly opened: readonly FieldJson[];
  readonly context: LocaleContext;
  readonly onSaved: () => void;
  readonly onUnchanged: () => void;
}

const useCommentForm = ({ entity, record, about, fixed, opened, context, onSaved, onUnchanged }: CommentFormProps) => {
  const { say } = useWords();
  const { calls, queries } = useClient();
  const { politely } = useAnnounce();
  const work = useForm({
    path: `${entity.calls} ${record?.id ?? about}`,
    record,
    open: () => openForm(record ? "update" : "create", opened, record, context),
    write: async (body, key, { version }) => {
      if (record) await calls.change(entity.calls, record.id, version ?? record.version, { ...body, ...fixed });
      else await calls.create(entity.calls, { ...body, ...fixed }, key);
    },
    saved: async () => {
      work.reset();
      politely(say(record ? "form.saved" : "conversation.sent"));
      // The record may have changed as well.
      await reload(queries, { queryKey: ["of"] });
      onSaved();
    },
    unchanged: onUnchanged,
    again: ({ id }) => calls.record(entity.calls, id),
    wholeInNote: true,
  });
  return work;
};

/** Input for a comment: one line until the user writes, then with its further fields. */
export const CommentEditor = (props: CommentEditorProps) => {
  const { entity, conversation, open, record, about, fixed, onSent, onClose } = props;
  const { say } = useWords();
  const context = useNewRecordContext(record ? [] : entity.fields);
  const opened = useOpenFields({ entity, conversation, open, fixed });
  const [text, ...rest] = opened;
  const work = useCommentForm({
    entity,
    record,
    about,
    fixed,
    opened,
    context,
    onSaved: () => {
      if (record) return onClose?.();
      box()?.focus();
      onSent?.();
    },
    onUnchanged: () => close(),
  });
  const { form, setForm, restored, busy } = work;
  const [begun, setBegun] = useState(record !== null || restored !== null);
  const [textId, labelId, errorsId] = [useId(), useId(), useId()];
  const own = useRef<HTMLFormElement>(null);
  const box = () => own.current?.querySelector<HTMLElement>("textarea") ?? null;

  useEffect(() => {
    if (record === null) return;
    const area = own.current?.querySelector("textarea");
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, [record]);

  // The focus scrolls to the text alone; what it opens, such as who sees the comment, belongs to it.
  useEffect(() => {
    if (begun && own.current?.contains(document.activeElement)) own.current.scrollIntoView({ block: "nearest" });
  }, [begun]);

  useCommentKey(record === null ? say("related.add", { thing: entity.one }) : null, () => box()?.focus());

  const close = () => {
    work.reset();
    setBegun(false);
    onClose?.();
  };
  const handleKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape" && !event.defaultPrevented && !isChanged(form)) close();
  };
  if (text === undefined) return null;
  const Input = inputs[text.type];
  const { errors, ...bound } = bindField(form, text.name, context, setForm);
  const choices = listChoices(rest, form, say);
  // Errors of hidden fields are shown above the editor.
  const elsewhere = form.errors.filter(
    (error) => error.kind === "refused" && !opened.some(({ name }) => name === error.field),
  );
  const shown = [...errors, ...elsewhere];

  return (
    <FileAddressProvider entity={entity} record={record}>
      <SiblingValuesProvider value={getSiblingsOfForm(form, record?.id ?? null, context, collectIds(fixed))}>
        <form
          ref={own}
          className={begun ? "say-box begun" : "say-box"}
          noValidate
          onSubmit={work.submit}
          onKeyDown={handleKey}
          onKeyDownCapture={sendByKey}
          onFocus={() => setBegun(true)}
          onPaste={pasteFiles}
        >
          <FormFeedback
            work={work}
            title={record ? say("form.not.saved") : say("related.not.made", { thing: entity.one })}
            summed={false}
          />
          <label id={labelId} htmlFor={textId} className="hidden-words">
            {text.label}
          </label>
          <Input
            field={text}
            id={textId}
            labelId={labelId}
            {...bound}
            describedBy={errors.length > 0 ? errorsId : undefined}
            invalid={errors.length > 0}
            placeholder={
              choices.length === 0
                ? say("related.add", { thing: entity.one })
                : say("conversation.add", { thing: entity.one, choices: choices.join(", ") })
            }
          />
          {shown.length > 0 && (
            <div role="alert">
              <FieldErrors errors={shown} field={text} id={errorsId} />
            </div>
          )}
          {begun && (
            <>
              {rest.length > 0 && (
                <div className="say-rest">
                  {rest.map((field) => (
                    <BoundField key={field.name} node={form} field={field} onNode={setForm} />
                  ))}
                </div>
              )}
              <CommentFoot
                isNew={record === null}
                busy={busy}
                canClose={record !== null || isChanged(form)}
                onClose={close}
              />
            </>
          )}
        </form>
      </SiblingValuesProvider>
    </FileAddressProvider>
  );
};

/** Choices, such as who will see it, which are shown before the editor is opened. */
const listChoices = (fields: readonly FieldJson[], form: Form, say: Words["say"]): readonly string[] =>
  fields.flatMap(({ name, type, label, values }) => {
    const chosen = values?.find(({ value }) => value === form.entered[name]);
    return type === "choice" && chosen ? [say("list.filter", { field: label, values: chosen.label })] : [];
  });

/** Begins a new comment by R and from the palette; `label` is null while an existing comment is edited. */
const useCommentKey = (label: string | null, begin: () => void): void => {
  useKeys(
    label === null
      ? {}
      : {
          r: (event) => {
            event.preventDefault();
            begin();
          },
        },
  );
  useCommands(label === null ? [] : [{ label, keys: "R", run: begin }]);
};

interface CommentFootProps {
  readonly isNew: boolean;
  readonly busy: boolean;
  readonly canClose: boolean;
  readonly onClose: () => void;
}

const CommentFoot = ({ isNew, busy, canClose, onClose }: CommentFootProps) => {
  const { say } = useWords();
  return (
    <footer className="say-foot">
      <Button type="submit" look="primary" busy={busy} title={say("conversation.send.key")}>
        {say(isNew ? "conversation.send" : "form.save")}
      </Button>
      {isNew && <span className="small-words from-tablet">{say("conversation.keys")}</span>}
      {canClose && (
        <Button look="quiet" onClick={onClose}>
          {say(isNew ? "form.discard" : "form.cancel")}
        </Button>
      )}
    </footer>
  );
};

const collectIds = (fixed: Body): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(fixed).map(([name, id]) => [name, Array.isArray(id) ? String(id[0]) : String(id)]));
