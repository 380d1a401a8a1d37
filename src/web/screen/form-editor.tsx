import { type FormEvent, useEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson, PartsJson, RecordJson } from "../../core/wire.ts";
import { type Failure, failureOf } from "../client/failure.ts";
import {
  changedFields,
  choose,
  type Form,
  meetChange,
  openForm,
  readForm,
  refuseForm,
  settle,
  withList,
} from "../client/form.ts";
import { openLists } from "../client/parts.ts";
import { keys } from "../client/queries.ts";
import { resumeForm } from "../client/resume.ts";
import { listScreenOf, recordAddress } from "../client/routes.ts";
import { followingOf, initialStateOf } from "../client/standing.ts";
import { valueIn } from "../client/values.ts";
import { BesideProvider, besideIn } from "../part/beside.tsx";
import { Button, buttonClass } from "../part/button.tsx";
import { typesByHand, useAddress, useApplication, useClient, useHere } from "../part/context.tsx";
import { FilesOf } from "../part/files.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { pasteFiles } from "../part/pasted.ts";
import { ProblemNote } from "../part/problem-note.tsx";
import { useReckoned } from "../part/reckoned.tsx";
import { useSay, useToast } from "../part/spoken.tsx";
import { StateMark } from "../part/state-mark.tsx";
import { useWords } from "../words/words.tsx";
import { FieldInForm } from "./field-in-form.tsx";
import { FormConflict } from "./form-conflict.tsx";
import { ReckonedField, StillField } from "./form-field.tsx";
import { FormParts } from "./form-parts.tsx";
import { FormSummary, focusField } from "./form-summary.tsx";
import { NextStates } from "./next-states.tsx";
import { useDraft, useFound } from "./use-draft.ts";
import { useSending } from "./use-sending.ts";

/** What a form shows, in its order: fields, and lists of parts. */
export type Shown = FieldJson | PartsJson;
export const isParts = (one: Shown): one is PartsJson => "columns" in one;
export const nameOf = (one: Shown): string => (isParts(one) ? one.field : one.name);

interface EditorProps {
  readonly entity: EntityJson;
  readonly record: RecordJson | null;
  readonly shown: readonly Shown[];
  /** Those that this person may give now; the others stand in their places and cannot be changed. */
  readonly open: readonly string[];
  readonly head: React.ReactNode;
}

/** A form at work: what is typed is kept, judged, sent, and met with what others did meanwhile. */
export const FormEditor = ({ entity, record, shown, open, head }: EditorProps) => {
  const { calls, queries, navigation, asking } = useClient();
  const words = useWords();
  const { say, show } = words;
  const here = useHere();
  const { screens, entities } = useApplication();
  const { path } = useAddress();
  const toast = useToast();
  const { atOnce } = useSay();
  const formRef = useRef<HTMLFormElement>(null);

  const [fields] = useState(() => shown.filter((one): one is FieldJson => !isParts(one) && open.includes(one.name)));
  const [lists] = useState(() =>
    openLists(
      shown.filter(isParts).filter(({ field }) => open.includes(field)),
      entities,
      record,
      here,
    ),
  );
  const found = useFound(path);
  const opened = () => openForm(record ? "change" : "make", fields, record, here, lists);
  const [form, setForm] = useState(() => resumeForm(opened(), record, found, here));
  const { kept, keep, drop } = useDraft(path, form, found);
  const { busy, send: sendOnce } = useSending();
  const reckoned = useReckoned(form, entity, record, here);
  const [restored, setRestored] = useState(found !== null);
  const [failure, setFailure] = useState<Failure | null>(null);

  useEffect(() => {
    if (record === null && typesByHand())
      formRef.current?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true });
  }, [record]);

  const leaveTo = (id: string | null) => {
    const address = id === null ? null : recordAddress(screens, entity.name, id);
    navigation.go(address ?? listScreenOf(screens, entity.name)?.path ?? "/", "replace");
  };

  const send = async (what: Form) => {
    const read = readForm(what, here);
    setFailure(null);
    if (read.kind === "form") return setForm(read.form);
    const { body } = read;
    if (record && Object.keys(body).length === 0) {
      drop();
      return leaveTo(record.id);
    }
    try {
      await sendOnce(body, async (key) => {
        const saved =
          record && what.version !== null
            ? await calls.change(entity.calls, record.id, what.version, body)
            : await calls.create(entity.calls, body, key);
        drop();
        void queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
        for (const { part } of what.lists) void queries.invalidateQueries({ queryKey: keys.of(part.calls) });
        toast(record ? say("form.saved") : say("form.made", { thing: entity.one }));
        leaveTo(saved.id);
      });
    } catch (thrown) {
      await meet(what, failureOf(thrown));
    }
  };

  const meet = async (what: Form, met: Failure) => {
    keep(what);
    if (met.kind === "refused" && met.problem.status === 412 && record) {
      try {
        const now = await (what.lists.length > 0 ? calls.whole : calls.record)(entity.calls, record.id);
        setForm(meetChange(what, now, here));
      } catch (thrown) {
        setFailure(failureOf(thrown));
      }
    } else if (met.kind === "refused") {
      setForm(refuseForm(what, met.problem));
      atOnce(met.problem.detail);
    } else if (met.kind !== "signed out") setFailure(met);
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!form.conflict) void send(form);
  };

  const discard = () => {
    const fresh = opened();
    setForm(fresh);
    drop(fresh);
    setRestored(false);
    const first = fields[0];
    if (first) requestAnimationFrame(() => focusField(first.name));
  };

  const dirty = changedFields(form).length > 0;
  const count = form.answered?.toMend.length ?? 0;
  const backTo = record ? recordAddress(screens, entity.name, record.id) : listScreenOf(screens, entity.name)?.path;

  return (
    <>
      {head}
      <div className="columns">
        <FilesOf entity={entity} record={record}>
          <form ref={formRef} id="form" className="form" noValidate onSubmit={submit} onPaste={pasteFiles}>
            <div className="form-body">
              {restored && found && (
                <p className="restored wide">
                  <span className="grow">{say("form.restored", { at: show.moment(found.at) })}</span>
                  <Button small look="quiet" onClick={discard}>
                    {say("form.discard")}
                  </Button>
                </p>
              )}
              {failure && <ProblemNote title={say("form.not.saved")} failure={failure} />}
              {form.conflict && (
                <FormConflict
                  form={form}
                  onSettle={(chosen) => {
                    const settled = settle(chosen.reduce((now, { clash, side }) => choose(now, clash, side), form));
                    setForm(settled);
                    void send(settled);
                  }}
                />
              )}
              {form.answered && count > 0 && (
                <FormSummary
                  title={say("form.refused.title", { count })}
                  answered={form.answered}
                  fields={fields}
                  lists={form.lists}
                  kept={kept !== null}
                />
              )}
              <BesideProvider value={besideIn(form, record?.id ?? null, here)}>
                {shown.map((one) => {
                  if (isParts(one)) {
                    const list = form.lists.find(({ parts }) => parts.field === one.field);
                    return list ? (
                      <FormParts
                        key={one.field}
                        list={list}
                        whole={record?.id ?? null}
                        reckoned={reckoned.rows}
                        here={here}
                        onChange={(change) => setForm((now) => withList(now, one.field, change))}
                      />
                    ) : (
                      <p key={one.field} className="help wide">
                        {say("parts.long")}
                      </p>
                    );
                  }
                  return fields.some(({ name }) => name === one.name) ? (
                    <FieldInForm key={one.name} form={form} field={one} marked onForm={setForm} />
                  ) : one.reckoned !== undefined ? (
                    <ReckonedField
                      key={one.name}
                      field={one}
                      value={
                        one.name in reckoned.record
                          ? reckoned.record[one.name]
                          : record
                            ? valueIn(record, one.name)
                            : null
                      }
                    />
                  ) : (
                    <StillField
                      key={one.name}
                      field={one}
                      value={record ? valueIn(record, one.name) : undefined}
                      onAsk={() =>
                        asking.set({
                          entity: entity.name,
                          record: record?.id ?? null,
                          what: record ? "update" : "create",
                          field: one.name,
                        })
                      }
                    />
                  );
                })}
              </BesideProvider>
            </div>
          </form>
        </FilesOf>
        {record === null && <WhenSaved entity={entity} />}
      </div>
      <footer className="form-foot">
        <Button type="submit" form="form" look="primary" busy={busy}>
          {say(record ? "form.save" : "form.save.new")}
        </Button>
        {backTo && (
          <Link href={backTo} className={buttonClass("quiet")}>
            {say("form.cancel")}
          </Link>
        )}
        {dirty && !restored && (
          <Button look="quiet" onClick={discard} className="from-tablet">
            {say("form.discard")}
          </Button>
        )}
        <span className="kept" role="status">
          {kept !== null && dirty && (
            <>
              <Icon name="check" /> {say("form.kept", { at: show.time(kept) })}
            </>
          )}
        </span>
      </footer>
    </>
  );
};

/** What a new record begins as and what can follow: a named default of point 4. */
const WhenSaved = ({ entity }: { entity: EntityJson }) => {
  const { say } = useWords();
  const first = initialStateOf(entity);
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
        <NextStates following={followingOf(entity, first.name, [])} />
      </ol>
    </aside>
  );
};
