import { useRef } from "react";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { MissingActLine } from "../actions/missing-act-line.tsx";
import { RecordActDialog } from "../actions/record-act-dialog.tsx";
import { usePerform } from "../actions/use-perform.ts";
import type { Body } from "../api/requests.ts";
import type { RefusedTransitionNote } from "../app/app-state.ts";
import { followFocus } from "../app/return-focus.ts";
import { useWords } from "../i18n/words.tsx";
import { RefusedButton } from "../permissions/explain-button.tsx";
import { Button, IconButton } from "../ui/control/button.tsx";
import { Menu } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import {
  findReplacedAct,
  getControlLabel,
  listActsInstead,
  listTileActs,
  listTransitionActs,
} from "../workflow/record-acts.ts";
import { useTransition } from "../workflow/use-transition.ts";
import { countButtonsBesideMenu } from "./tile-lines.ts";

interface TileRowProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  /** Shows below the row why an action was refused; null if another action begins. */
  readonly onRefused: (refused: RefusedTransitionNote | null) => void;
}

/** Performs acts on a record within a tile, which then shows what has become of its rows. */
const useTileRow = ({ entity, record, onRefused }: TileRowProps) => {
  const { transit, pending } = useTransition(entity);
  const group = useRef<HTMLDivElement>(null);
  const make = async (transition: TransitionJson, body: Body) => {
    onRefused(null);
    const goOn = followFocus(group.current);
    try {
      await transit(record, transition, body);
    } finally {
      requestAnimationFrame(goOn);
    }
  };
  const performing = usePerform({
    entity,
    record,
    make,
    onFailed: (transition, failure) => onRefused({ record: record.id, transition, failure }),
  });
  const dialog = (
    <RecordActDialog
      entity={entity}
      record={record}
      label={record._label ?? entity.one}
      act={performing.asked}
      make={make}
      perform={performing.perform}
      onClose={performing.close}
    />
  );
  return { ...performing, pending, group, dialog };
};

interface TileActionsProps extends TileRowProps {
  /** The width in pixels that the buttons should not exceed: others are in a menu. Null if there is enough room. */
  readonly room: number | null;
}

/** Actions on a record within a tile. */
export const TileActions = ({ room, ...row }: TileActionsProps) => {
  const { entity, record } = row;
  const { say } = useWords();
  const { perform, toMenuItem, pending, group, dialog } = useTileRow(row);
  const popup = usePopup();
  const acts = listTileActs(entity, record);
  const labels = acts.map((act) => getControlLabel(act, say));
  const inMenu = room === null ? [] : acts.slice(countButtonsBesideMenu(labels, room));
  const label = record._label ?? entity.one;
  if (acts.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of commands, not of fields
    <div ref={group} className="tile-actions" role="group" aria-label={say("record.actions", { label })}>
      {acts.slice(0, acts.length - inMenu.length).map((act, at) => {
        if (act.refused !== null)
          return (
            <RefusedButton
              key={act.key}
              className="small"
              label={act.label}
              name={say("tile.act", { transition: act.label, label })}
              why={act.refused}
              question={{ what: `${entity.name}.${act.transition.name}`, record: record.id }}
              instead={{ acts: listActsInstead(listTransitionActs(entity, record), act), perform }}
            />
          );
        const words = getControlLabel(act, say);
        return (
          <Button
            key={act.key}
            small
            look={at === 0 ? "plain" : "quiet"}
            busy={pending?.transition === act.transition}
            aria-label={say("tile.act", { transition: words, label })}
            onClick={() => perform(act)}
          >
            {words}
          </Button>
        );
      })}
      {inMenu.length > 0 && (
        <>
          <IconButton icon="more" small label={say("record.more", { label })} aria-haspopup="menu" {...popup.control} />
          <Menu popup={popup} label={say("record.more", { label })} items={inMenu.map(toMenuItem)} />
        </>
      )}
      {dialog}
    </div>
  );
};

/** Says why the expected act is missing in a row, or locked, in the words of the rule. */
export const MissingAct = (row: TileRowProps) => {
  const { entity, record } = row;
  const { perform, group, dialog } = useTileRow(row);
  return (
    <div ref={group} className="tile-replaced">
      <MissingActLine
        entity={entity}
        record={record}
        // Without another in its place, a locked button names it.
        isNamed={findReplacedAct(entity, record) !== null}
        perform={perform}
      />
      {dialog}
    </div>
  );
};
