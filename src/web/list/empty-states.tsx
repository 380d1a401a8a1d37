import { useEffect, useRef } from "react";
import type { ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { FormScreenJson, ListScreenJson, ScreenJson, TilesScreenJson } from "../../core/wire/screens.ts";
import { useApplication, usePerson } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button, buttonClass } from "../ui/control/button.tsx";
import { useCreateLabel } from "../ui/control/create-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { RegionNote } from "../ui/page/region-status.tsx";
import { useFilterWords } from "./filter/filter-text.ts";
import { getFieldFilters } from "./filter/list-search.ts";
import { useTileTitle } from "./filter/tile-title.ts";

/** The address contains filters that this list does not understand. */
export const BadSearchNote = ({ words, clear }: { words: string; clear: () => void }) => {
  const { say } = useWords();
  return (
    <RegionNote
      icon="filter"
      title={words}
      actions={
        <Button small onClick={clear}>
          {say("list.whole")}
        </Button>
      }
    />
  );
};

/** Names the unknown parts of the address; the rest applies. */
export const IgnoredFiltersNote = ({ names, clear }: { names: readonly string[]; clear: () => void }) => {
  const { say, show } = useWords();
  return (
    <div className="note left-aside" role="status">
      <Icon name="filter" size={18} />
      <p className="grow">{say("list.aside", { names: show.list(names.map((words) => say("quoted", { words }))) })}</p>
      <Button small look="quiet" onClick={clear}>
        {say("list.aside.clear")}
      </Button>
    </div>
  );
};

/** Nothing matches: shows the filters, with a button to clear them. The records of a tile are called by its title. */
export const NoMatchNote = ({
  entity,
  search,
  isDone = false,
  clear,
}: {
  entity: EntityJson;
  search: ListSearch;
  /** True if there were rows before. */
  isDone?: boolean;
  clear: () => void;
}) => {
  const { say, show } = useWords();
  const words = useFilterWords(entity);
  const tile = useTileTitle(search.where);
  const named = entity.fields.flatMap((field) => {
    const own = getFieldFilters(field, search.filters);
    return Object.keys(own).length > 0 ? [field.type === "reference" ? field.label : words(field, own)] : [];
  });
  const all = [...named, ...(search.words === "" ? [] : [say("quoted", { words: search.words })])];
  if (tile !== null && all.length === 0)
    return <EmptyQueue clause={search.where} title={tile} things={entity.many} isDone={isDone} showAll={clear} />;
  return (
    <RegionNote
      icon="filter"
      title={say("list.no.match", { things: entity.many })}
      actions={
        <Button small onClick={clear}>
          {say("list.clear")}
        </Button>
      }
    >
      {all.length > 0 && <p>{say("list.no.match.by", { filters: show.list(all) })}</p>}
    </RegionNote>
  );
};

interface QueueProps {
  /** The clause of its tile, or of its list. */
  readonly clause: string | null;
  readonly title: string;
  readonly things: string;
  /** The address of the whole list, or what shows it; undefined if there is no such list. */
  readonly showAll: string | (() => void) | undefined;
  /** True if the last of it was just done: its row had the focus, which the way on takes. */
  readonly isDone?: boolean;
}

/** The overview that has the tile, or else the first one. */
const findOverview = (screens: readonly ScreenJson[], clause: string | null): TilesScreenJson | undefined => {
  const all = screens.filter((screen) => screen.kind === "tiles");
  return all.find(({ tiles }) => tiles.some((tile) => tile.clause === clause)) ?? all[0];
};

/** A list of what is to be done, when it is done: other things that are to be done are on the overview. */
const EmptyQueue = ({ clause, title, things, showAll, isDone = false }: QueueProps) => {
  const { say } = useWords();
  const { screens } = useApplication();
  const overview = findOverview(screens, clause);
  const back = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    const isLost = document.activeElement?.matches("body, #main, h1") === true;
    if (isDone && isLost) back.current?.focus({ preventScroll: true });
  }, [isDone]);
  return (
    <RegionNote
      icon="empty"
      title={say("list.empty.title", { title })}
      actions={
        <>
          {overview && (
            <Link ref={back} href={overview.path} className={buttonClass("plain", "small")}>
              {say("list.empty.back", { title: overview.title })}
            </Link>
          )}
          {typeof showAll === "string" ? (
            <Link href={showAll} className={buttonClass("quiet", "small")}>
              {say("list.whole")}
            </Link>
          ) : (
            showAll && (
              <Button small look="quiet" onClick={showAll}>
                {say("list.whole")}
              </Button>
            )
          )}
        </>
      }
    >
      <p>{say("list.empty.queue", { things })}</p>
    </RegionNote>
  );
};

/**
 * An empty list: offers to create a record, or says who can. A list with a condition is a work queue, where a new
 * record might not appear.
 */
export const EmptyListNote = ({
  screen,
  entity,
  create,
}: {
  screen: ListScreenJson;
  entity: EntityJson;
  create: FormScreenJson | null;
}) => {
  const { say } = useWords();
  const person = usePerson();
  const createLabel = useCreateLabel();
  const { screens } = useApplication();
  const { many: things, createRefused } = entity;
  const wholeList = screens.find(
    (screen) => screen.kind === "list" && screen.entity === entity.name && screen.where === null,
  );
  if (screen.where !== null) {
    const { title, clause } = screen;
    return <EmptyQueue clause={clause} title={title} things={things} showAll={wholeList?.path} />;
  }
  return (
    <RegionNote
      icon="empty"
      title={say("list.empty", { things })}
      actions={
        create && entity.create ? (
          <Link href={create.path} className={buttonClass("plain", "small")}>
            <Icon name="plus" />
            {createLabel(create, entity)}
          </Link>
        ) : (
          createRefused &&
          person?.administrator && (
            <Link href="/workbench/people" className={buttonClass("plain", "small")}>
              {say("list.empty.roles")}
            </Link>
          )
        )
      }
    >
      <p>{createRefused ? createRefused.because : say("list.empty.words", { things })}</p>
    </RegionNote>
  );
};
