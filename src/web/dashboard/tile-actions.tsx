import { Suspense, useRef, useState } from "react";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { lazyDialog } from "../ui/page/lazy.tsx";
import { useFailureWords } from "../ui/page/problem-note.tsx";
import { useTransition } from "../workflow/use-transition.ts";
import { listTileActions, opensDialog } from "../workflow/workflow.ts";

const TransitionDialog = lazyDialog(() => import("../actions/transition-dialog.tsx"));

/**
 * If an action removes its row, focus moves to the row that takes its place, not to a button, where another key press
 * could act; without rows, to the tile's link.
 */
const findFocusAfter = (group: HTMLElement | null) => {
  const tile = group?.closest("section");
  const rows = () => [...(tile?.querySelectorAll<HTMLElement>("tbody tr, li") ?? [])];
  const nth = rows().findIndex((row) => row.contains(group));
  return () => {
    if (document.activeElement !== document.body) return;
    const remaining = rows();
    const row = remaining[Math.min(nth, remaining.length - 1)];
    (row?.querySelector<HTMLElement>("a, button") ?? tile?.querySelector<HTMLElement>("a"))?.focus();
  };
};

/** Actions on a record within a tile. */
export const TileActions = ({ entity, record }: { entity: EntityJson; record: RecordJson }) => {
  const { queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const sentence = useFailureWords();
  const { transit, pending } = useTransition(entity);
  const [confirming, setConfirming] = useState<TransitionJson | null>(null);
  const group = useRef<HTMLDivElement>(null);
  const transitions = listTileActions(entity, record);
  if (transitions.length === 0) return null;
  const label = record._label ?? entity.one;
  const make = async (transition: TransitionJson, body: Parameters<typeof transit>[2]) => {
    const goOn = findFocusAfter(group.current);
    try {
      await transit(record, transition, body);
    } finally {
      await queries.invalidateQueries({ queryKey: keys.overviews });
      requestAnimationFrame(goOn);
    }
  };
  const press = (transition: TransitionJson) => {
    if (opensDialog(entity, transition)) setConfirming(transition);
    else
      make(transition, {}).catch((thrown: unknown) => {
        const failure = toFailure(thrown);
        if (failure.kind !== "signed out")
          toast(`${say("record.not.made", { transition: transition.label })} ${sentence(failure)}`);
      });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of commands, not of fields
    <div ref={group} className="tile-actions" role="group" aria-label={say("record.actions", { label })}>
      {transitions.map((transition, at) => {
        const words = opensDialog(entity, transition)
          ? say("record.asks", { transition: transition.label })
          : transition.label;
        return (
          <Button
            key={transition.name}
            small
            look={at === 0 ? "plain" : "quiet"}
            busy={pending?.transition === transition}
            aria-label={say("tile.act", { transition: words, label })}
            onClick={() => press(transition)}
          >
            {words}
          </Button>
        );
      })}
      {confirming && (
        <Suspense fallback={null}>
          <TransitionDialog
            entity={entity}
            record={record}
            label={label}
            transition={confirming}
            make={make}
            onClose={() => setConfirming(null)}
          />
        </Suspense>
      )}
    </div>
  );
};
