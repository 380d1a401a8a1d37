import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication, useClient, useKeys, useStore, useTools } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findNeighbours } from "../routing/record-pager.ts";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { IconButton } from "../ui/control/button.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";

/** The list the user came from, with the previous and next record. */
export const RecordTrail = ({ entity, record }: { entity: EntityJson; record: RecordJson }) => {
  const { trail, navigation } = useClient();
  const { screens } = useApplication();
  const { say, show } = useWords();
  const from = useStore(trail);
  const list = findListScreen(screens, entity.name);
  const near = findNeighbours(from, entity.name, record.id);
  const back =
    near && from ? { label: from.title, href: from.address } : list ? { label: list.title, href: list.path } : null;
  const go = (id: string | null | undefined) => {
    const address = id ? recordAddress(screens, entity.name, id) : null;
    if (address) navigation.go(address, "replace");
  };
  useKeys({ j: () => go(near?.next), k: () => go(near?.previous) });
  useTools({
    ...(near?.previous && { [say("record.previous")]: () => go(near.previous) }),
    ...(near?.next && { [say("record.next")]: () => go(near.next) }),
  });

  return (
    <Breadcrumbs trail={back ? [back] : []}>
      {near && (
        <span className="neighbours">
          <span className="figures">
            {say("record.position", {
              position: show.number(near.position),
              count: typeof near.count === "number" ? show.number(near.count) : near.count,
            })}
          </span>
          <IconButton
            icon="up"
            small
            label={say("record.previous")}
            aria-disabled={near.previous === null || undefined}
            // At the end it keeps the focus that it has, but is no stop on the way to the actions.
            tabIndex={near.previous === null ? -1 : 0}
            onClick={() => go(near.previous)}
          />
          <IconButton
            icon="down"
            small
            label={say("record.next")}
            aria-disabled={near.next === null || undefined}
            tabIndex={near.next === null ? -1 : 0}
            onClick={() => go(near.next)}
          />
        </span>
      )}
    </Breadcrumbs>
  );
};
