import type { CSSProperties } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useApplication } from "../app/app-context.tsx";
import { useShortTexts } from "../field/short-texts.ts";
import { useWords } from "../i18n/words.tsx";
import { listColumns } from "../list/table/column-widths.ts";
import { recordAddress } from "../routing/routes.ts";
import { Link } from "../ui/link.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { findState, isMarkedOff } from "../workflow/workflow.ts";
import type { CalendarEntry, Hours } from "./entry-layout.ts";
import { useEntryTitle } from "./entry-title.ts";
import type { End, RescheduleControls } from "./use-reschedule.ts";

const MOVE_KEYS = "Alt+ArrowRight Alt+ArrowLeft Alt+ArrowDown Alt+ArrowUp";

interface BarProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly entry: CalendarEntry;
  readonly controls: RescheduleControls;
  readonly className: string;
  readonly style: CSSProperties;
  /** Maps a point of the page to an end of the entry; null if the end is not displayed here. */
  readonly endAt: ((x: number, y: number) => End | null) | null;
  /** The hours shown, if the entry is drawn there: it lies within one day and shows its end time. */
  readonly hours?: Hours;
}

/**
 * An entry in the light shade of its state, with an icon and its first texts; links to the record, can be moved, and
 * resized at its end.
 */
export const EntryBar = ({ screen, entity, entry, controls, className, style, endAt, hours }: BarProps) => {
  const { screens } = useApplication();
  const { say, show } = useWords();
  const few = useShortTexts(entity);
  const { record, time, until } = entry;
  const ends = hours && until !== null ? until : null;
  const [, ...rest] = listColumns(screen, entity);
  const words = useEntryTitle(screen, entity)(record);
  // A second text distinguishes entries with the same first one. The time is visible already.
  const second = rest.find(({ type }) => type !== "state" && type !== "date" && type !== "datetime");
  const more = second ? few([second], record)[0]?.shown : undefined;
  const overdue = few(
    entity.fields.filter(({ deadline }) => deadline !== undefined),
    record,
  ).find(({ late }) => late);
  const state = findState(entity, record);
  const to = recordAddress(screens, entity.name, record.id);
  const hue = state?.mark.hue ?? "neutral";
  const off = state !== null && isMarkedOff(entity, state);
  const { blocked } = controls;
  const clash = blocked?.id === record.id ? "moved" : blocked?.by.id === record.id ? "other" : undefined;
  const inside = (
    <>
      {state && <StateMark mark={state.mark} />}
      <span className="cut">
        {time !== null && (
          <>
            <span className="bar-time figures">
              {show.clock(time)}
              {ends !== null && <span className="bar-until">{`–${show.clock(ends)}`}</span>}
            </span>{" "}
          </>
        )}
        <bdi className={overdue ? "bar-words overdue" : "bar-words"}>{words}</bdi>
        {more !== undefined && (
          <>
            {" "}
            <bdi className="bar-more">{more}</bdi>
          </>
        )}
      </span>
      {state && <span className="hidden-words">{state.label}</span>}
      {overdue && <span className="hidden-words">{overdue.shown}</span>}
      {controls.hasEnds && endAt && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: by the keyboard the bar's end is pulled with Shift and the arrows
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        <span
          className="bar-end"
          data-shut={controls.isEndOpen(record) ? undefined : ""}
          title={say("calendar.end")}
          onPointerDown={controls.holdEnd(entry, endAt)}
          // A resize is not a click on the link.
          onClick={(event) => event.preventDefault()}
        />
      )}
    </>
  );
  if (to === null)
    return (
      <span className={className} data-hue={hue} data-off={off || undefined} data-clash={clash} style={style}>
        {inside}
      </span>
    );
  return (
    <Link
      className={className}
      data-hue={hue}
      data-off={off || undefined}
      style={style}
      href={to}
      title={overdue ? `${record._label ?? words}, ${overdue.shown}` : record._label}
      draggable={false}
      data-entry={record.id}
      data-moving={controls.moving === record.id || undefined}
      data-clash={clash}
      aria-keyshortcuts={controls.hasEnds ? `${MOVE_KEYS} Shift+ArrowRight Shift+ArrowLeft` : MOVE_KEYS}
      onPointerDown={controls.hold(entry, hours ?? null)}
      {...controls.keys(entry, hours ?? null)}
    >
      {inside}
    </Link>
  );
};
