import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson, FormScreenJson, RecordJson } from "../../core/wire.ts";
import { type Body, newKey } from "../client/calls.ts";
import type { Draft } from "../client/drafts.ts";
import type { Entered } from "../client/entered.ts";
import { type Failure, failureOf } from "../client/failure.ts";
import {
  changed,
  changedFields,
  choose,
  enter,
  type Form,
  leave,
  meetChange,
  openForm,
  readForm,
  refuseForm,
  settle,
  type ToMend,
  toMendAt,
} from "../client/form.ts";
import type { Here } from "../client/here.ts";
import { keys } from "../client/queries.ts";
import { listScreenOf, recordAddress } from "../client/routes.ts";
import { followingOf, initialStateOf } from "../client/standing.ts";
import { valueIn } from "../client/values.ts";
import { BesideProvider, besideIn } from "../part/beside.tsx";
import { Button, buttonClass } from "../part/button.tsx";
import { typesByHand, useAddress, useApplication, useClient, useHere, usePerson, useTitle } from "../part/context.tsx";
import { FilesOf } from "../part/files.tsx";
import { Icon } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { ProblemNote } from "../part/problem-note.tsx";
import { Bone, FailedRegion, Refused } from "../part/region.tsx";
import { useSay, useToast } from "../part/spoken.tsx";
import { StateMark, StatePill } from "../part/state-mark.tsx";
import { useWords } from "../words/words.tsx";
import { useMakingWords } from "./create-control.tsx";
import { Crumbs } from "./crumbs.tsx";
import { FormConflict } from "./form-conflict.tsx";
import { FormField, StillField } from "./form-field.tsx";
import { FormSummary, focusField } from "./form-summary.tsx";
import { NextStates } from "./next-states.tsx";
import { NotFound } from "./not-found.tsx";

interface FormScreenProps {
  readonly screen: FormScreenJson;
  readonly entity: EntityJson;
  /** The record to change; null where one is to be made. */
  readonly id: string | null;
}

const FormScreen = ({ screen, entity, id }: FormScreenProps) =>
  id === null ? (
    <NewRecord screen={screen} entity={entity} />
  ) : (
    <ChangeRecord screen={screen} entity={entity} id={id} />
  );

export default FormScreen;

const fieldsNamed = (entity: EntityJson, names: readonly string[]): readonly FieldJson[] =>
  names.flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);

const NewRecord = ({ screen, entity }: { screen: FormScreenJson; entity: EntityJson }) => {
  const { say } = useWords();
  const { screens } = useApplication();
  const title = useMakingWords()(screen, entity);
  useTitle(title);
  const list = listScreenOf(screens, entity.name);
  const crumbs = list ? [{ label: list.title, href: list.path }] : [];
  const { create, createRefused } = entity;

  if (create === null)
    return (
      <>
        <Crumbs trail={crumbs} here={say("form.new.short")} />
        <header className="record-head">
          <h1>{title}</h1>
        </header>
        <div className="region">
          <Refused
            problem={{
              detail: createRefused?.because ?? say("form.refused", { things: entity.many }),
              ...(createRefused && { clause: createRefused.clause }),
            }}
          />
        </div>
      </>
    );

  return (
    <Editor
      entity={entity}
      record={null}
      shown={fieldsNamed(entity, screen.fields).filter(({ name }) => create.includes(name))}
      open={create}
      head={
        <>
          <Crumbs trail={crumbs} here={say("form.new.short")} />
          <header className="record-head form-head">
            <h1>{title}</h1>
            <InitialState entity={entity} />
          </header>
        </>
      }
    />
  );
};

const ChangeRecord = ({ screen, entity, id }: FormScreenProps & { id: string }) => {
  const { say } = useWords();
  const { calls } = useClient();
  const { screens } = useApplication();
  const query = useQuery({
    queryKey: keys.record(entity.calls, id),
    queryFn: ({ signal }) => calls.record(entity.calls, id, signal),
    // What one is typing over must not change underneath; a save notices if it did.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: "always",
  });
  const record = query.data;
  useTitle(record ? say("form.edit", { label: record._label ?? entity.one }) : null);
  const failure = query.error ? failureOf(query.error) : query.failureReason ? failureOf(query.failureReason) : null;
  const list = listScreenOf(screens, entity.name);
  const address = recordAddress(screens, entity.name, id);

  if (failure?.kind === "refused" && failure.problem.status === 404) return <NotFound />;
  if (!record || (query.isFetching && !query.isFetchedAfterMount))
    return failure ? (
      <div className="region">
        <h1 className="hidden-words">{screen.title}</h1>
        <FailedRegion failure={failure} retry={() => void query.refetch()} />
      </div>
    ) : (
      <FormSkeleton title={screen.title} count={screen.fields.length} />
    );

  const shown = fieldsNamed(entity, screen.fields);
  const open = record.may?.update ?? [];
  const label = record._label ?? entity.one;
  return (
    <Editor
      entity={entity}
      record={record}
      shown={shown.filter(({ name, automatic }) => open.includes(name) || (!automatic && name in record))}
      open={open}
      head={
        <>
          <Crumbs
            trail={[
              ...(list ? [{ label: list.title, href: list.path }] : []),
              ...(address ? [{ label, href: address }] : []),
            ]}
            here={say("form.edit.short")}
          />
          <header className="record-head form-head">
            <h1>{say("form.edit", { label })}</h1>
          </header>
        </>
      }
    />
  );
};

const InitialState = ({ entity }: { entity: EntityJson }) => {
  const first = initialStateOf(entity);
  return first ? <StatePill state={first} /> : null;
};

interface EditorProps {
  readonly entity: EntityJson;
  readonly record: RecordJson | null;
  readonly shown: readonly FieldJson[];
  /** Those that this person may give now; the others stand in their places and cannot be changed. */
  readonly open: readonly string[];
  readonly head: React.ReactNode;
}

/** The draft that a form begins from, if there is one: over a record that changed since, it is merged like a save. */
const begin = (fields: readonly FieldJson[], record: RecordJson | null, draft: Draft | null, here: Here): Form => {
  const fresh = openForm(record ? "change" : "make", fields, record, here);
  if (!draft) return fresh;
  const names = fields.map(({ name }) => name);
  const known = (values: Draft["entered"]) =>
    Object.fromEntries(names.map((name) => [name, values[name] ?? fresh.base[name] ?? null]));
  const restored: Form = { ...fresh, version: draft.version, base: known(draft.base), entered: known(draft.entered) };
  return record && record.version !== draft.version ? meetChange(restored, record, here) : restored;
};

const keptEvery = 2_000;

const Editor = ({ entity, record, shown, open, head }: EditorProps) => {
  const { calls, queries, navigation, drafts, asking } = useClient();
  const words = useWords();
  const { say, show } = words;
  const here = useHere();
  const { screens } = useApplication();
  const person = usePerson()?.id ?? "";
  const { path } = useAddress();
  const toast = useToast();
  const { atOnce } = useSay();
  const formRef = useRef<HTMLFormElement>(null);

  const [fields] = useState(() => shown.filter(({ name }) => open.includes(name)));
  const [found] = useState(() => drafts.find(person, path));
  const [form, setForm] = useState(() => begin(fields, record, found, here));
  const [kept, setKept] = useState<string | null>(found?.at ?? null);
  const [restored, setRestored] = useState(found !== null);
  const [failure, setFailure] = useState<Failure | null>(null);
  /** The key of the last body sent: the same body is the same record, however often it is sent. */
  const sent = useRef<{ readonly body: string; readonly key: string } | null>(null);
  const busy = useRef(false);
  const save = useMutation({
    mutationFn: ({ version, body, key }: { version: number | null; body: Body; key: string }) =>
      record && version !== null
        ? calls.change(entity.calls, record.id, version, body)
        : calls.create(entity.calls, body, key),
  });
  const latest = useRef(form);
  latest.current = form;

  const keep = useCallback(
    (what: Form) => {
      if (changedFields(what).length === 0) {
        drafts.drop(person, path);
        setKept(null);
        return;
      }
      const at = new Date().toISOString();
      const { version, base, entered } = what;
      if (drafts.keep(person, path, { at, version, base, entered })) setKept(at);
    },
    [drafts, person, path],
  );

  const lastKept = useRef(form.entered);
  useEffect(() => {
    const keepIfChanged = () => {
      if (lastKept.current === latest.current.entered || busy.current) return;
      lastKept.current = latest.current.entered;
      keep(latest.current);
    };
    const timer = setInterval(keepIfChanged, keptEvery);
    window.addEventListener("pagehide", keepIfChanged);
    return () => {
      clearInterval(timer);
      window.removeEventListener("pagehide", keepIfChanged);
      keepIfChanged();
    };
  }, [keep]);

  useEffect(() => {
    if (record === null && typesByHand())
      formRef.current?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true });
  }, [record]);

  const leaveTo = (id: string | null) => {
    const address = id === null ? null : recordAddress(screens, entity.name, id);
    navigation.go(address ?? listScreenOf(screens, entity.name)?.path ?? "/", "replace");
  };

  const send = async (what: Form) => {
    if (busy.current) return;
    const read = readForm(what, here);
    setFailure(null);
    if (read.kind === "form") {
      setForm(read.form);
      return;
    }
    if (record && Object.keys(read.body).length === 0) {
      drafts.drop(person, path);
      leaveTo(record.id);
      return;
    }
    busy.current = true;
    const body = JSON.stringify(read.body);
    if (sent.current?.body !== body) sent.current = { body, key: newKey() };
    try {
      const saved = await save.mutateAsync({ version: what.version, body: read.body, key: sent.current.key });
      lastKept.current = latest.current.entered;
      drafts.drop(person, path);
      void queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
      toast(record ? say("form.saved") : say("form.made", { thing: entity.one }));
      leaveTo(saved.id);
    } catch (thrown) {
      await meet(what, failureOf(thrown));
    } finally {
      busy.current = false;
    }
  };

  const meet = async (what: Form, met: Failure) => {
    keep(what);
    if (met.kind === "refused" && met.problem.status === 412 && record) {
      try {
        const now = await calls.record(entity.calls, record.id);
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
    drafts.drop(person, path);
    setForm(openForm(record ? "change" : "make", fields, record, here));
    lastKept.current = {};
    setKept(null);
    setRestored(false);
    const first = fields[0];
    if (first) requestAnimationFrame(() => focusField(first.name));
  };

  const onEnter = (name: string) => (entered: Entered) => setForm((now) => enter(now, name, entered, here));
  const onLeave = (name: string) => () => setForm((now) => leave(now, name, here));
  const mendAt = (field: FieldJson): readonly ToMend[] => {
    const answered = toMendAt(form, field.name);
    return answered.length === 0 && form.unreadable.includes(field.name)
      ? [{ kind: "unreadable", field: field.name, clause: field.clause }]
      : answered;
  };
  const dirty = changedFields(form).length > 0;
  const count = form.answered?.toMend.length ?? 0;
  const backTo = record ? recordAddress(screens, entity.name, record.id) : listScreenOf(screens, entity.name)?.path;

  return (
    <>
      {head}
      <div className="columns">
        <FilesOf entity={entity} record={record}>
          <form ref={formRef} id="form" className="form" noValidate onSubmit={submit}>
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
                  kept={kept !== null}
                />
              )}
              <BesideProvider value={besideIn(form, record?.id ?? null, here)}>
                {shown.map((field) =>
                  fields.some(({ name }) => name === field.name) ? (
                    <FormField
                      key={field.name}
                      field={field}
                      entered={form.entered[field.name] ?? null}
                      changed={changed(form, field.name)}
                      toMend={mendAt(field)}
                      onEnter={onEnter(field.name)}
                      onLeave={onLeave(field.name)}
                    />
                  ) : (
                    <StillField
                      key={field.name}
                      field={field}
                      value={record ? valueIn(record, field.name) : undefined}
                      onAsk={() =>
                        asking.set({
                          entity: entity.name,
                          record: record?.id ?? null,
                          what: record ? "update" : "create",
                          field: field.name,
                        })
                      }
                    />
                  ),
                )}
              </BesideProvider>
            </div>
          </form>
        </FilesOf>
        {record === null && <WhenSaved entity={entity} />}
      </div>
      <footer className="form-foot">
        <Button type="submit" form="form" look="primary" busy={save.isPending}>
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

const FormSkeleton = ({ title, count }: { title: string; count: number }) => {
  const { say } = useWords();
  return (
    <div className="form skeleton" aria-busy="true">
      <h1 className="hidden-words">{title}</h1>
      <p className="hidden-words">{say("loading")}</p>
      <div className="form-body">
        {Array.from({ length: Math.min(count, 6) }, (_, at) => `bone-${at}`).map((key) => (
          <div key={key} className="form-field">
            <Bone width="30%" />
            <div className="box" />
          </div>
        ))}
      </div>
    </div>
  );
};
