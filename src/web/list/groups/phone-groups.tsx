import type { ReactNode } from "react";
import type { ListSearch } from "../../../core/derive/http/list-query.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { CompactRows, RowsSkeleton } from "../table/compact-rows.tsx";
import { GroupBox } from "./group-box.tsx";
import { GroupCount, GroupHead, GroupSums } from "./group-head.tsx";
import { buildGroupAddress, narrowToGroup } from "./group-search.ts";
import { type GroupLevel, type GroupsView, groupPath, useGroupRows } from "./groups-view.ts";

/** The groups below each other, for narrow windows: each a section with its figures and compact rows. */
export const PhoneGroups = (props: GroupsView & GroupLevel): ReactNode => {
  const { groups, depth, path, within, fields, screen, open, selecting = false } = props;
  const field = fields[depth];
  if (field === undefined) return null;
  return groups.map((group) => {
    const own = groupPath(path, group);
    const inside = narrowToGroup(within, field, group.key);
    return (
      <section key={own} className="group-section" data-depth={depth}>
        <div className="group-top">
          {selecting && (
            // biome-ignore lint/a11y/noLabelWithoutControl: the box is inside it
            <label className="group-box">
              <GroupBox {...props} field={field} group={group} path={own} />
            </label>
          )}
          <GroupHead {...props} field={field} group={group} path={own} />
          <GroupSums {...props} figures={group} />
          <GroupCount {...props} figures={group} to={buildGroupAddress(screen, inside)} />
        </div>
        {open.has(own) &&
          (group.groups === undefined ? (
            <PhoneRows {...props} path={own} within={inside} count={group.count} />
          ) : (
            <PhoneGroups {...props} groups={group.groups} depth={depth + 1} path={own} within={inside} />
          ))}
      </section>
    );
  });
};

const PhoneRows = (props: GroupsView & { path: string; within: ListSearch; count: number }) => {
  const { path, within, count, ...drawn } = props;
  const { say } = useWords();
  const { query, rows, more, showMore, place, awaited } = useGroupRows<HTMLDivElement>(props, path, within, count);
  return (
    <div ref={place}>
      {awaited > 0 ? <RowsSkeleton count={awaited} /> : <CompactRows {...drawn} items={rows} isGroup />}
      {query.isError && <p className="aside-words">{say("list.more.failed")}</p>}
      {query.hasNextPage && (
        <Button look="quiet" busy={query.isFetchingNextPage} onClick={showMore}>
          {say("list.more", { count: more })}
        </Button>
      )}
    </div>
  );
};
