import { useEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { PartsJson } from "../../core/wire/screens.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { typesByHand, useAddress, useApplication, useClient, usePerson } from "../app/app-context.tsx";
import { getSiblingsOfForm, SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import { findDateRangeFields } from "../format/date-range-fields.ts";
import { fieldInFragment } from "../format/names.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { Button, buttonClass } from "../ui/control/button.tsx";
import { FileAddressProvider } from "../ui/dom/file-address.tsx";
import { pasteFiles } from "../ui/dom/paste-files.ts";
import { sendByKey } from "../ui/dom/submit-shortcut.ts";
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
import { useStableUntil } from "./hooks/use-stable-until.ts";
import { useSuggestions } from "./hooks/use-suggestions.ts";
import { PartsTable } from "./parts-table.tsx";
import { findList, isChanged } from "./state/form-node.ts";
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
  const { calls, queries, navigation, permissionQuestion, unmade } = useClient();
  const words = useWords();
  const { say, show } = words;
  const { screens, entities } = useApplication();
  const context = useNewRecordContext([
    ...(record === null ? entity.fields : []),
    ...fieldsOfParts(shown.filter(isParts), entities),
  ]);
  const { path, search } = useAddress();
  const toast = useToast();
  const formRef = useRef<HTMLFormElement>(null);

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
  const { transit } = useTransition(entity);
  const failureWords = useFailureWords();
  /**
   * Makes the transition and returns whether its outcome was announced. A refusal is shown on the record's page, or at
   * once if there is none.
   */
  const goOn = async (saved: RecordJson, transition: TransitionJson): Promise<boolean> => {
    try {
      await transit(saved, transition, {});
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
  /** The button whose request is in progress. */
  const [pressed, setPressed] = useState<"save" | "onward">("save");
  const work = useForm({
    path,
    record,
    fieldsKey: required,
    open: () =>
      openForm(record ? "change" : "make", fields, record, context, lists, findDateRangeFields(screens, entity)),
    begun: (form) => (record === null ? prefillForm(form, search, context) : form),
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
  const { form, setForm, storedAt, restored, busy } = work;
  useSuggestions(form, entity, context, setForm);
  const computed = useComputedValues(form, entity, record, context);
  const onward = nextActionInForm(entity, record, computed.closed);

  useEffect(() => {
    const targetField = fieldInFragment(location.hash);
    if (targetField !== null) {
      // A link to a single field focuses it once.
      history.replaceState(history.state, "", location.pathname + location.search);
      focusField(targetField);
    } else if (record === null && typesByHand())
      formRef.current?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true });
  }, [record]);

  const discard = () => {
    work.reset();
    const first = fields[0];
    if (first) requestAnimationFrame(() => focusField(first.name));
  };

  const dirty = isChanged(form);
  const backTo = record ? recordAddress(screens, entity.name, record.id) : findListScreen(screens, entity.name)?.path;

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
            onSubmit={work.submit}
            onKeyDownCapture={sendByKey}
            onPaste={pasteFiles}
          >
            <div className="form-body">
              <FormFeedback work={work} title={say("form.not.saved")} onDiscard={discard} />
              <SiblingValuesProvider value={getSiblingsOfForm(form, record?.id ?? null, context)}>
                {shown.map((one) => {
                  if (isParts(one)) {
                    const list = findList(form, one.field);
                    return list ? (
                      <PartsTable
                        key={one.field}
                        node={form}
                        list={list}
                        computed={computed.rows}
                        context={context}
                        onNode={setForm}
                      />
                    ) : (
                      <p key={one.field} className="help wide">
                        {say("parts.long")}
                      </p>
                    );
                  }
                  return fields.some(({ name }) => name === one.name) ? (
                    <BoundField
                      key={one.name}
                      node={form}
                      field={one}
                      marked
                      broken={computed.broken}
                      onNode={setForm}
                    />
                  ) : one.reckoned !== undefined ? (
                    <ComputedField
                      key={one.name}
                      field={one}
                      value={
                        one.name in computed.record
                          ? computed.record[one.name]
                          : record && !isChanged(form)
                            ? getValue(record, one.name)
                            : null
                      }
                    />
                  ) : (
                    <ReadOnlyField
                      key={one.name}
                      field={one}
                      value={record ? getValue(record, one.name) : undefined}
                      onAsk={() =>
                        permissionQuestion.set({
                          entity: entity.name,
                          record: record?.id ?? null,
                          what: record ? "update" : "create",
                          field: one.name,
                        })
                      }
                    />
                  );
                })}
              </SiblingValuesProvider>
            </div>
          </form>
        </FileAddressProvider>
        {record === null && <WhenSaved entity={entity} />}
      </div>
      <footer className="form-foot">
        {onward && (
          <Button
            look="primary"
            busy={busy && pressed === "onward"}
            // Enter in a field only saves; a transition needs a deliberate click.
            onClick={({ detail }) => {
              if (busy || detail > 1) return;
              setPressed("onward");
              work.submitFor(onward, computed.brokenWith(onward.name));
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
          onClick={() => setPressed("save")}
        >
          {record ? say("form.save") : say("form.save.new", { thing: entity.one })}
        </Button>
        {backTo && (
          <Link href={backTo} className={buttonClass("quiet")}>
            {say("form.cancel")}
          </Link>
        )}
        {dirty && restored === null && (
          <Button look="quiet" onClick={discard} className="from-tablet">
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
    </>
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
