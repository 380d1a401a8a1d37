import { useQuery } from "@tanstack/react-query";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { FormScreenJson } from "../../core/wire/screens.ts";
import { useEditNote } from "../actions/use-edit-note.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useTitle } from "../app/app-context.tsx";
import { contentName, type FormContent, isParts } from "../form/page/form-contents.tsx";
import { FormEditor } from "../form/page/form-editor.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { useCreateLabel } from "../ui/control/create-button.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { FailedRegion, RefusedNote, SkeletonLine } from "../ui/page/region-status.tsx";
import { StatePill } from "../ui/state-mark.tsx";
import { findInitialState } from "../workflow/workflow.ts";
import "../record/record.css";

interface FormScreenProps {
  readonly screen: FormScreenJson;
  readonly entity: EntityJson;
  /** Id of the record to edit; null for a new one. */
  readonly id: string | null;
}

const FormScreen = ({ screen, entity, id }: FormScreenProps) =>
  id === null ? (
    <NewRecord screen={screen} entity={entity} />
  ) : (
    <ChangeRecord screen={screen} entity={entity} id={id} />
  );

export default FormScreen;

const listContents = (screen: FormScreenJson, entity: EntityJson): readonly FormContent[] =>
  screen.fields.flatMap((name): readonly FormContent[] => {
    const found =
      screen.parts?.find(({ field }) => field === name) ?? entity.fields.find((field) => field.name === name);
    return found === undefined ? [] : [found];
  });

const NewRecord = ({ screen, entity }: { screen: FormScreenJson; entity: EntityJson }) => {
  const { say } = useWords();
  const { screens } = useApplication();
  const title = useCreateLabel()(screen, entity);
  useTitle(title);
  const list = findListScreen(screens, entity.name);
  const crumbs = list ? [{ label: list.title, href: list.path }] : [];
  const { create, createRefused } = entity;

  if (create === null)
    return (
      <>
        <Breadcrumbs trail={crumbs} current={say("form.new.short")} />
        <header className="record-head">
          <h1>{title}</h1>
        </header>
        <div className="region">
          <RefusedNote
            problem={{
              detail: createRefused?.because ?? say("form.refused", { things: entity.many }),
              ...(createRefused && { clause: createRefused.clause }),
            }}
          />
        </div>
      </>
    );

  return (
    <FormEditor
      title={title}
      entity={entity}
      record={null}
      shown={listContents(screen, entity).filter(
        (content) => create.includes(contentName(content)) || (!isParts(content) && content.reckoned !== undefined),
      )}
      open={create}
      head={
        <>
          <Breadcrumbs trail={crumbs} current={say("form.new.short")} />
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
  const noteEdit = useEditNote(entity);
  const query = useQuery({
    queryKey: screen.parts ? keys.recordWithParts(entity.calls, id) : keys.record(entity.calls, id),
    queryFn: ({ signal }) =>
      screen.parts ? calls.recordWithParts(entity.calls, id, signal) : calls.record(entity.calls, id, signal),
    // Data being edited must not change underneath; saving detects conflicts.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: "always",
  });
  const record = query.data;
  useTitle(record ? say("form.edit", { label: record._label ?? entity.one }) : null);
  const failure = toFailureOf(query);
  const list = findListScreen(screens, entity.name);
  const address = recordAddress(screens, entity.name, id);

  // If somebody deletes the record during editing, the form stays; saving reports it.
  if (!record && failure?.kind === "refused" && failure.problem.status === 404) return <NotFound />;
  if (!record || (query.isFetching && !query.isFetchedAfterMount))
    return failure ? (
      <>
        <Breadcrumbs trail={list ? [{ label: list.title, href: list.path }] : []} />
        <div className="region">
          <h1 className="hidden-words">{screen.title}</h1>
          <FailedRegion failure={failure} retry={() => void query.refetch()} />
        </div>
      </>
    ) : (
      <FormSkeleton title={screen.title} count={screen.fields.length} />
    );

  const shown = listContents(screen, entity);
  const open = record.may?.update ?? [];
  const label = record._label ?? entity.one;
  const title = say("form.edit", { label });
  return (
    <FormEditor
      title={title}
      entity={entity}
      record={record}
      shown={shown.filter(
        (content) =>
          open.includes(contentName(content)) ||
          (!isParts(content) && (!content.automatic || content.reckoned !== undefined) && content.name in record),
      )}
      open={open}
      noteEdit={noteEdit}
      head={
        <>
          <Breadcrumbs
            trail={[
              ...(list ? [{ label: list.title, href: list.path }] : []),
              ...(address ? [{ label, href: address }] : []),
            ]}
            current={say("form.edit.short")}
          />
          <header className="record-head form-head">
            <h1>{title}</h1>
          </header>
        </>
      }
    />
  );
};

const InitialState = ({ entity }: { entity: EntityJson }) => {
  const first = findInitialState(entity);
  return first ? <StatePill state={first} /> : null;
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
            <SkeletonLine width="30%" />
            <div className="box" />
          </div>
        ))}
      </div>
    </div>
  );
};
