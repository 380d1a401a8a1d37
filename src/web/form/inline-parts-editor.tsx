import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { PartsJson } from "../../core/wire/screens.ts";
import { toLastFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useApplication, useClient, useEntity } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { FailedRegion } from "../ui/page/region-status.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";
import { FormFeedback } from "./form-feedback.tsx";
import { partsPath } from "./hooks/stored-draft.ts";
import { useComputedValues, useNewRecordContext } from "./hooks/use-computed-values.tsx";
import { useForm } from "./hooks/use-form.ts";
import { useSuggestions } from "./hooks/use-suggestions.ts";
import { PartsTable } from "./parts-table.tsx";
import { fieldsOfParts, openForm, openLists } from "./state/open-form.ts";

interface PartsInPlaceProps {
  readonly parts: PartsJson;
  /** The record as shown on its page; its parts are loaded with it. */
  readonly record: RecordJson;
  readonly parent: EntityJson;
  readonly onClose: () => void;
}

/** Edits the parts of a record on its page, and saves them together in one request. */
const PartsInPlace = (props: Omit<PartsInPlaceProps, "parent"> & { readonly of: string }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const parent = useEntity(props.of);
  const query = useQuery({
    queryKey: keys.recordWithParts(parent?.calls ?? "", props.record.id),
    queryFn: ({ signal }) => calls.recordWithParts(parent?.calls ?? "", props.record.id, signal),
    enabled: parent !== null,
    // Data being edited must not change underneath; saving detects conflicts.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: "always",
  });
  if (parent === null) return null;
  const { data } = query;
  // Later errors appear on saving and must not remove the rows.
  if (data === undefined && query.isError)
    return <FailedRegion failure={toLastFailure(query.error)} retry={() => void query.refetch()} />;
  if (data === undefined || (query.isFetching && !query.isFetchedAfterMount))
    return (
      <p className="related-none" aria-busy="true">
        {say("loading")}
      </p>
    );
  if (!(props.parts.field in data)) return <p className="related-none">{say("parts.long")}</p>;
  return <Editor {...props} parent={parent} record={data} />;
};

export default PartsInPlace;

const Editor = ({ parts, record, parent, onClose }: PartsInPlaceProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const { entities } = useApplication();
  const context = useNewRecordContext(fieldsOfParts([parts], entities));
  const close = useWhileMounted(onClose);
  const work = useForm({
    path: partsPath(parent, record.id, parts),
    record,
    open: () => openForm("update", [], record, context, openLists([parts], entities, record, context)),
    write: (body, _, { version }) => calls.change(parent.calls, record.id, version ?? record.version, body),
    saved: async () => {
      toast(say("form.saved"));
      await reload(queries, { queryKey: ["of"] });
      close();
    },
    unchanged: onClose,
    again: ({ id }) => calls.recordWithParts(parent.calls, id),
  });
  const { form, setForm, busy } = work;
  useSuggestions(form, parent, context, setForm);
  const computed = useComputedValues(form, parent, record, context);
  const own = useRef<HTMLFormElement>(null);
  useEffect(() => {
    own.current?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
  }, []);
  const [list] = form.lists;
  if (list === undefined) return null;

  return (
    <form ref={own} className="parts-edit" noValidate onSubmit={work.submit}>
      <FormFeedback work={work} title={say("form.not.saved")} onDiscard={work.reset} />
      <PartsTable node={form} list={list} computed={computed.rows} context={context} onNode={setForm} />
      <footer className="parts-edit-foot">
        <Button type="submit" look="primary" busy={busy}>
          {say("form.save")}
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            work.reset();
            onClose();
          }}
        >
          {say("form.cancel")}
        </Button>
      </footer>
    </form>
  );
};
