import { type ComponentProps, useId, useLayoutEffect, useMemo, useState } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { toFailureOf } from "../api/api-error.ts";
import { useApplication, useCommands, useEntity, usePhone } from "../app/app-context.tsx";
import { partsPath, useStoredDraft } from "../form/hooks/stored-draft.ts";
import { useWords } from "../i18n/words.tsx";
import { sortBy, unfilteredSearch } from "../list/filter/list-search.ts";
import { ImportButton } from "../list/import-button.tsx";
import { CompactRows } from "../list/table/compact-rows.tsx";
import { ListTable } from "../list/table/list-table.tsx";
import { RefusedButton } from "../permissions/explain-button.tsx";
import { recordAddress } from "../routing/routes.ts";
import { Button } from "../ui/control/button.tsx";
import { lazyComponent, lazyDialog, PageNotLoaded } from "../ui/page/lazy.tsx";
import { FailedRegion, Progress } from "../ui/page/region-status.tsx";
import { type ListSection, RelatedCount, useAddable, useRelated } from "./use-related.tsx";
import "./related-list.css";
import { LoadingBoundary } from "../util/loading-boundary.tsx";

const Conversation = lazyComponent(() => import("./comments.tsx"), PageNotLoaded);
const AddDialog = lazyDialog(() => import("../form/add-dialog.tsx"));
const PartsInPlace = lazyComponent(() => import("../form/inline-parts-editor.tsx"), PageNotLoaded);

/** Number shown at first; more are loaded on request. */
const SHOWN = 10;

/** The dialog that adds to a list. The bar of the record opens it too. */
export interface Adding {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
  /** Reports if this person can add to the list now. */
  readonly onAddable: (can: boolean) => void;
  /** Reports that the list is no longer shown. Its dialog does not open again with another one. */
  readonly onGone: () => void;
}

/** A list of records that refer to this one, with a button to add one. */
export const RelatedList = ({
  of,
  section,
  record,
  label,
  since,
  onNewComments,
  replies,
  adding,
}: {
  /** Entity of the record. */
  of: string;
  section: ListSection;
  record: RecordJson;
  label: string;
  adding: Adding;
  /** Time of the previous visit. */
  since: string | null;
  /** Reports the number of new comments, and whether the last one is of somebody else. */
  onNewComments: (count: number, isToAnswer: boolean) => void;
  /** How often the button for a comment was pressed. */
  replies: number;
}) => {
  const entity = useEntity(section.entity);
  if (entity && section.conversation)
    return (
      <LoadingBoundary fallback={<div className="related conversation-room" />}>
        <Conversation
          section={section}
          conversation={section.conversation}
          entity={entity}
          record={record}
          since={since}
          onNew={onNewComments}
          replies={replies}
        />
      </LoadingBoundary>
    );
  return entity ? (
    <Loaded of={of} section={section} entity={entity} record={record} label={label} adding={adding} />
  ) : null;
};

interface PartsToolsProps {
  readonly entity: EntityJson;
  readonly section: ListSection;
  /** The record that has the parts. */
  readonly id: string;
  readonly onEdit: () => void;
}

/** The buttons beside the heading of parts. */
const PartsTools = ({ entity, section: { by, title }, id, onEdit }: PartsToolsProps) => {
  const { say } = useWords();
  const parent = useMemo(() => ({ field: by, id }), [by, id]);
  return (
    <>
      <ImportButton entity={entity} parent={parent} />
      <Button small icon="edit" onClick={onEdit}>
        {say("parts.edit")} <span className="hidden-words">{title}</span>
      </Button>
    </>
  );
};

interface AddButtonProps {
  readonly thing: string;
  /** The reason why nothing can be added now. */
  readonly refused: ComponentProps<typeof RefusedButton>["why"] | undefined;
  readonly onAdd: () => void;
}

const AddButton = ({ thing, refused, onAdd }: AddButtonProps) => {
  const { say } = useWords();
  const label = say("related.add", { thing });
  return refused === undefined ? (
    <Button small icon="plus" aria-haspopup="dialog" onClick={onAdd}>
      {label}
    </Button>
  ) : (
    <RefusedButton label={label} why={refused} className="small" />
  );
};

/** The section as the screen of a list, which its rows need. */
const toScreen = (of: string, section: ListSection, { clause, name }: EntityJson): ListScreenJson => ({
  kind: "list",
  path: `/${of}/${section.entity}.${section.by}`,
  title: section.title,
  clause,
  entity: name,
  columns: section.columns,
  filters: [],
  sort: [],
  where: null,
  layouts: [{ kind: "table" }],
  atOnce: SHOWN,
});

const Loaded = ({
  of,
  section,
  entity,
  record,
  label,
  adding,
}: {
  of: string;
  section: ListSection;
  entity: EntityJson;
  record: RecordJson;
  label: string;
  adding: Adding;
}) => {
  const { screens } = useApplication();
  const { say } = useWords();
  const phone = usePhone();
  const headId = useId();
  const { parts } = section;
  const parent = useEntity(of);
  // Continues from a draft, if there is one.
  const draft = useStoredDraft(parent === null || parts === undefined ? "" : partsPath(parent, record.id, parts));
  const mayEdit = parts !== undefined && record.may?.update.includes(parts.field) === true;
  const [editing, setEditing] = useState(draft !== null && mayEdit);
  const [search, setSearch] = useState(unfilteredSearch);
  const place = section.parts?.place ?? null;
  // Parts with positions are sorted by position unless the user sorts otherwise.
  const sort = search.sort.length === 0 && place !== null ? [place] : search.sort;
  const { query, items, count } = useRelated(entity, section, record, {
    limit: SHOWN,
    ...(sort.length === 0 ? {} : { sort: sort.join(",") }),
  });
  const failure = toFailureOf(query);
  const addable = useAddable(entity, section, record.id);
  const notNow = record.may?.addRefused?.[`${entity.name}.${section.by}`];
  const isThrough = section.through !== undefined;
  const mayAdd = isThrough ? addable || notNow !== undefined : entity.create?.includes(section.by) === true;
  const canAdd = mayAdd && !mayEdit && notNow === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: report changes only
  useLayoutEffect(() => {
    adding.onAddable(canAdd);
    return () => adding.onAddable(false);
  }, [canAdd]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list goes
  useLayoutEffect(() => adding.onGone, []);
  const rows = {
    screen: toScreen(of, section, entity),
    entity,
    items,
    search,
    sort: (field: FieldJson) => setSearch(sortBy(search, field)),
    addressOf: (id: string) => recordAddress(screens, entity.name, id),
  };

  useCommands([
    ...(mayEdit && !editing
      ? [{ label: say("label.value", { label: say("parts.edit"), value: section.title }), run: () => setEditing(true) }]
      : []),
    ...(mayAdd && !mayEdit
      ? [
          {
            label: say("related.add", { thing: entity.one }),
            run: adding.open,
            ...(notNow === undefined ? {} : { refused: notNow }),
          },
        ]
      : []),
  ]);

  return (
    <section className="related" aria-labelledby={headId} aria-busy={query.isFetching}>
      <Progress shown={query.isFetching && !query.isPending} />
      <header className="related-head">
        <h2 id={headId} tabIndex={-1}>
          {section.title}
        </h2>
        <RelatedCount of={count} />
        <span className="grow" />
        {mayEdit && !editing && (
          <PartsTools entity={entity} section={section} id={record.id} onEdit={() => setEditing(true)} />
        )}
        {mayAdd && !mayEdit && <AddButton thing={entity.one} refused={notNow} onAdd={adding.open} />}
      </header>
      {editing && parts !== undefined ? (
        <LoadingBoundary fallback={null}>
          <PartsInPlace of={of} parts={parts} record={record} onClose={() => setEditing(false)} />
        </LoadingBoundary>
      ) : failure !== null && items.length === 0 ? (
        <FailedRegion failure={failure} retry={() => void query.refetch()} />
      ) : items.length > 0 ? (
        phone ? (
          <CompactRows {...rows} />
        ) : (
          <ListTable {...rows} isInset />
        )
      ) : (
        <p className={query.isPending ? "related-room" : "related-none"}>
          {query.isPending ? "" : say("list.empty", { things: entity.many })}
        </p>
      )}
      {query.hasNextPage && !editing && (
        <footer className="related-foot">
          <Button small busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {say("related.more")}
          </Button>
        </footer>
      )}
      {adding.isOpen && (
        <LoadingBoundary fallback={null}>
          <AddDialog
            entity={entity}
            by={section.by}
            through={section.through}
            to={{ id: record.id, label }}
            onClose={adding.close}
          />
        </LoadingBoundary>
      )}
    </section>
  );
};
