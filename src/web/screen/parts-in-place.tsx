import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { EntityJson, PartsJson, RecordJson } from "../../core/wire.ts";
import { type Failure, failureOf } from "../client/failure.ts";
import { choose, meetChange, openForm, readForm, refuseForm, settle, withList } from "../client/form.ts";
import { openLists } from "../client/parts.ts";
import { keys } from "../client/queries.ts";
import { Button } from "../part/button.tsx";
import { useApplication, useClient, useEntity, useHere } from "../part/context.tsx";
import { ProblemNote } from "../part/problem-note.tsx";
import { useReckoned } from "../part/reckoned.tsx";
import { FailedRegion } from "../part/region.tsx";
import { useSay, useToast } from "../part/spoken.tsx";
import { useWords } from "../words/words.tsx";
import { FormConflict } from "./form-conflict.tsx";
import { FormParts } from "./form-parts.tsx";
import { FormSummary } from "./form-summary.tsx";
import { useSending } from "./use-sending.ts";

interface PartsInPlaceProps {
  readonly parts: PartsJson;
  /** The record as its page shows it; its parts are fetched with it. */
  readonly record: RecordJson;
  readonly whole: EntityJson;
  readonly onClose: () => void;
}

/** The parts of a record, edited where its page shows them, and saved with it in one step. */
const PartsInPlace = (props: Omit<PartsInPlaceProps, "whole"> & { readonly of: string }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const whole = useEntity(props.of);
  const query = useQuery({
    queryKey: keys.whole(whole?.calls ?? "", props.record.id),
    queryFn: ({ signal }) => calls.whole(whole?.calls ?? "", props.record.id, signal),
    enabled: whole !== null,
    // What one is typing over must not change underneath; a save notices if it did.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: "always",
  });
  if (whole === null) return null;
  if (query.isError) return <FailedRegion failure={failureOf(query.error)} retry={() => void query.refetch()} />;
  const { data } = query;
  if (data === undefined || (query.isFetching && !query.isFetchedAfterMount))
    return (
      <p className="related-none" aria-busy="true">
        {say("loading")}
      </p>
    );
  if (!(props.parts.field in data)) return <p className="related-none">{say("parts.long")}</p>;
  return <Editor {...props} whole={whole} record={data} />;
};

export default PartsInPlace;

const Editor = ({ parts, record, whole, onClose }: PartsInPlaceProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const { atOnce } = useSay();
  const toast = useToast();
  const here = useHere();
  const { entities } = useApplication();
  const [form, setForm] = useState(() =>
    openForm("change", [], record, here, openLists([parts], entities, record, here)),
  );
  const [failure, setFailure] = useState<Failure | null>(null);
  const { busy, send: sendOnce } = useSending();
  const reckoned = useReckoned(form, whole, record, here);
  const own = useRef<HTMLFormElement>(null);
  useEffect(() => {
    own.current?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
  }, []);

  const send = async (what: typeof form) => {
    const read = readForm(what, here);
    setFailure(null);
    if (read.kind === "form") return setForm(read.form);
    const { body } = read;
    if (Object.keys(body).length === 0) return onClose();
    try {
      await sendOnce(body, async () => {
        await calls.change(whole.calls, record.id, what.version ?? record.version, body);
        toast(say("form.saved"));
        await queries.invalidateQueries({ queryKey: ["of"] });
        onClose();
      });
    } catch (thrown) {
      const met = failureOf(thrown);
      if (met.kind === "refused" && met.problem.status === 412) {
        const now = await calls.whole(whole.calls, record.id).catch(() => null);
        if (now === null) setFailure(met);
        else setForm(meetChange(what, now, here));
      } else if (met.kind === "refused") {
        setForm(refuseForm(what, met.problem));
        atOnce(met.problem.detail);
      } else if (met.kind !== "signed out") setFailure(met);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!form.conflict) void send(form);
  };
  const [list] = form.lists;
  if (list === undefined) return null;

  return (
    <form ref={own} className="parts-edit" noValidate onSubmit={submit}>
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
      {form.answered && form.answered.toMend.length > 0 && (
        <FormSummary
          title={say("form.refused.title", { count: form.answered.toMend.length })}
          answered={form.answered}
          fields={[]}
          lists={form.lists}
          kept={false}
        />
      )}
      <FormParts
        list={list}
        whole={record.id}
        reckoned={reckoned.rows}
        here={here}
        onChange={(change) => setForm((now) => withList(now, parts.field, change))}
      />
      <footer className="parts-edit-foot">
        <Button type="submit" look="primary" busy={busy}>
          {say("form.save")}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {say("form.cancel")}
        </Button>
      </footer>
    </form>
  );
};
