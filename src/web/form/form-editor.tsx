import { type FormEvent, Fragment, type RefObject, useContext, useEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { PartsJson } from "../../core/wire/screens.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { hasFinePointer, useAddress, useApplication, useClient, usePerson } from "../app/app-context.tsx";
import { getSiblingsOfRecord, SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import type { LocaleContext } from "../format/locale-context.ts";
import { fieldInFragment } from "../format/names.ts";
import { getValue } from "../format/record-values.ts";
import { useWords, type Words } from "../i18n/words.tsx";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { Button, buttonClass } from "../ui/control/button.tsx";
import { FileAddressProvider } from "../ui/dom/file-address.tsx";
import { pasteFiles } from "../ui/dom/paste-files.ts";
import { sendByKey, useSendKey } from "../ui/dom/submit-shortcut.ts";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { useFailureWords } from "../ui/page/problem-note.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { NextStates } from "../workflow/next-states.tsx";
import { useTransition } from "../workflow/use-transition.ts";
import {
  findInitialState,
  nextActionInForm,
  nextActionsAfterCreate,
  nextStatesAfterCreate,
} from "../workflow/workflow.ts";
import { BoundField } from "./bound-field.tsx";
import { focusField } from "./error-summary.tsx";
import { FormFeedback } from "./form-feedback.tsx";
import { ComputedField, ReadOnlyField } from "./form-field.tsx";
import { useComputedValues, useNewRecordContext } from "./hooks/use-computed-values.tsx";
import { useForm } from "./hooks/use-form.ts";
import { useFormFacts } from "./hooks/use-form-facts.ts";
import { useStableUntil } from "./hooks/use-stable-until.ts";
import { useSuggestions } from "./hooks/use-suggestions.ts";
import { PartsTable } from "./parts-table.tsx";
import { type FormNode, findList, isChanged, type NodeChange } from "./state/form-node.ts";
import { fieldsOfParts, openForm, openLists } from "./state/open-form.ts";
import { prefillForm } from "./state/prefill.ts";
import "../record/record.css";

/** The content of a form in order: fields and lists of parts. */
export type FormContent = FieldJson | PartsJson;
export const isParts = (one: FormContent): one is PartsJson => "columns" in one;
export const contentName = (one: FormContent): string => (isParts(one) ? one.field : one.name);

interface EditorProps {
  readonly entity: EntityJson;
  readonly record: RecordJson | null;
  readonly shown: readonly FormContent[];
  /** The fields that this person can edit now; the others are shown read-only. */
  readonly open: readonly string[];
  readonly head: React.ReactNode;
}

/** A form with drafts, validation, saving, and merging of concurrent changes. */
export const FormEditor = ({ entity, record, shown, open, head }: EditorProps) => {
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
  const work = useForm({
    path,
    record,
    fieldsKey: required,
    open: () => openForm(record ? "update" : "create", fields, record, context, lists),
    prefill: (form) => (record === null ? prefillForm(form, search, context) : form),
    write: (body, key, { version }) =>
      record && version !== null
        ? calls.change(entity.calls, record.id, version, body)
        : calls.create(entity.calls, body, key),
    saved: async (written, further) => {
      void queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
      for (const { part } of lists) void queries.invalidateQueries({ queryKey: keys.of(part.calls) });
      if (further === null || !(await goOn(written, further)))
        toast(record ? say("form.saved") : say("form.made", { thing: entity.one }));
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

/**
 * Returns a function that makes a transition with a saved record, and says if its outcome was announced. A refusal is
 * shown on the record's page, or at once if there is none.
 */
const useTransitionAfterSaving = (
  entity: EntityJson,
): ((saved: RecordJson, transition: TransitionJson) => Promise<boolean>) => {
  const { unmade } = useClient();
  const { say } = useWords();
  const { screens } = useApplication();
  const toast = useToast();
  const { transit } = useTransition(entity);
  const failureWords = useFailureWords();
  return async (saved, transition) => {
    try {
      await transit(saved, transition, {}, { opens: recordAddress(screens, entity.name, saved.id) !== null });
      return true;
    } catch (thrown) {
      const failure = toFailure(thrown);
      // The user signs in over the page, where the record is already saved.
      if (failure.kind === "signed out") return false;
      if (recordAddress(screens, entity.name, saved.id) !== null) {
        unmade.set({ record: saved.id, transition, failure });
        return false;
      }
      toast(`${say("record.not.made", { transition: transition.label })}. ${failureWords(failure)}`);
      return true;
    }
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

interface FormContentsProps extends Omit<FormEntryProps, "content" | "isOpen"> {
  readonly shown: readonly FormContent[];
  /** The fields that this person can edit now. */
  readonly open: readonly FieldJson[];
}

/** The fields and lists of parts in order, and the values of other records beside the computed ones or at the end. */
const FormContents = ({ shown, open, ...props }: FormContentsProps) => {
  const { fieldValue } = useContext(SiblingValuesProvider);
  const facts = useFormFacts(props.entity, props.record, fieldValue);
  const lastComputed = shown.findLastIndex((one) => !isParts(one) && one.reckoned !== undefined);
  const factsAfter = lastComputed < 0 ? shown.length - 1 : lastComputed;
  return shown.map((one, at) => (
    <Fragment key={contentName(one)}>
      <FormEntry {...props} content={one} isOpen={open.some(({ name }) => name === contentName(one))} />
      {at === factsAfter &&
        facts.map(({ key, field, value }) => <ComputedField key={key} field={field} value={value} />)}
    </Fragment>
  ));
};

interface FormEntryProps {
  readonly entity: EntityJson;
  readonly record: RecordJson | null;
  readonly content: FormContent;
  readonly form: FormNode;
  /** True for a field that this person can edit now. */
  readonly isOpen: boolean;
  readonly computed: ReturnType<typeof useComputedValues>;
  readonly context: LocaleContext;
  readonly onNode: (change: NodeChange) => void;
}

/** One field or list of parts: editable, computed, or read-only. */
const FormEntry = ({ entity, record, content, form, isOpen, computed, context, onNode }: FormEntryProps) => {
  const { say } = useWords();
  const { permissionQuestion } = useClient();
  if (isParts(content)) {
    const list = findList(form, content.field);
    return list ? (
      <PartsTable node={form} list={list} computed={computed.rows} context={context} onNode={onNode} />
    ) : (
      <p className="help wide">{say("parts.long")}</p>
    );
  }
  const { name } = content;
  if (isOpen) return <BoundField node={form} field={content} marked broken={computed.broken} onNode={onNode} />;
  if (content.reckoned !== undefined) {
    const stored = record && !isChanged(form) ? getValue(record, name) : null;
    return <ComputedField field={content} value={name in computed.record ? computed.record[name] : stored} />;
  }
  return (
    <ReadOnlyField
      field={content}
      value={record ? getValue(record, name) : undefined}
      onAsk={() =>
        permissionQuestion.set({
          entity: entity.name,
          record: record?.id ?? null,
          what: record ? "update" : "create",
          field: name,
        })
      }
    />
  );
};

interface FormFootProps {
  readonly entity: EntityJson;
  readonly record: RecordJson | null;
  readonly work: Pick<ReturnType<typeof useForm>, "form" | "storedAt" | "restored" | "busy">;
  /** The transition that the form offers besides saving. */
  readonly onward: TransitionJson | null;
  readonly onwardRef: RefObject<HTMLButtonElement | null>;
  /** Called before the form is submitted to be saved only. */
  readonly onSave: () => void;
  readonly onOnward: (transition: TransitionJson) => void;
  readonly onDiscard: () => void;
}

/** The buttons of a form, and the state of its draft. */
const FormFoot = ({ entity, record, work, onward, onwardRef, onSave, onOnward, onDiscard }: FormFootProps) => {
  const { say, show } = useWords();
  const { screens } = useApplication();
  const { form, storedAt, restored, busy } = work;
  /** The button whose request is in progress. */
  const [pressed, setPressed] = useState<"save" | "onward">("save");
  const dirty = isChanged(form);
  const first = findInitialState(entity);
  const backTo = record ? recordAddress(screens, entity.name, record.id) : findListScreen(screens, entity.name)?.path;
  return (
    <footer className="form-foot">
      {onward && (
        <Button
          ref={onwardRef}
          look="primary"
          aria-keyshortcuts="Control+Enter"
          busy={busy && pressed === "onward"}
          // Enter in a field only saves; a transition needs a deliberate click, or Ctrl+Enter.
          onClick={({ detail }) => {
            if (busy || detail > 1) return;
            setPressed("onward");
            onOnward(onward);
          }}
        >
          {onward.label}
        </Button>
      )}
      <Button
        type="submit"
        form="form"
        look={onward ? "plain" : "primary"}
        busy={busy && pressed === "save"}
        onClick={() => {
          setPressed("save");
          onSave();
        }}
      >
        {record
          ? say("form.save")
          : onward !== null && first !== null
            ? say("form.save.as", { state: first.label })
            : say("form.save.new", { thing: entity.one })}
      </Button>
      {backTo && (
        <Link href={backTo} className={buttonClass("quiet")}>
          {say("form.cancel")}
        </Link>
      )}
      {dirty && restored === null && (
        <Button look="quiet" onClick={onDiscard} className="from-tablet">
          {say("form.discard")}
        </Button>
      )}
      {record === null && onward === null && <ThenWords entity={entity} />}
      <span className="kept" role="status">
        {storedAt !== null && dirty && (
          <>
            <Icon name="check" /> {say("form.kept", { at: show.time(storedAt) })}
          </>
        )}
      </span>
    </footer>
  );
};

/** Says that a transition usually follows. */
const ThenWords = ({ entity }: { entity: EntityJson }) => {
  const { say, show } = useWords();
  const first = findInitialState(entity);
  const onward = nextActionsAfterCreate(entity);
  if (first === null || onward.length === 0) return null;
  const transitions = show.list(
    onward.map(({ label }) => say("quoted", { words: label })),
    "disjunction",
  );
  return <span className="form-then">{say("form.then", { state: first.label, transitions })}</span>;
};

/** The state of a new record and its next transitions, as stated in point 4. */
const WhenSaved = ({ entity }: { entity: EntityJson }) => {
  const { say } = useWords();
  const person = usePerson();
  const first = findInitialState(entity);
  if (!first) return null;
  return (
    <aside className="aside">
      <h2>{say("form.when.saved")}</h2>
      <ol className="path">
        <li>
          <StateMark mark={first.mark} />
          <div>
            <b>{first.label}</b>
            <p className="small-words">{say("form.begins")}</p>
          </div>
        </li>
        <NextStates following={nextStatesAfterCreate(entity, person)} />
      </ol>
    </aside>
  );
};
