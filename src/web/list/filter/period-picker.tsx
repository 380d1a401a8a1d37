import { type KeyboardEvent, useId, useRef, useState } from "react";
import { type DaysPeriod, type PeriodName, parseDaysPeriod } from "../../../core/expression/values/periods.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { useTypeAhead } from "../../ui/dom/use-type-ahead.ts";
import { listPeriods } from "./list-periods.ts";
import { usePeriodDays, usePeriodName } from "./period-text.ts";

/** The past, the present and, where a time can lie ahead, the future are columns. */
const columnsOf = ({ past }: FieldJson): number => (past ? 2 : 3);
const MOST_DAYS = 9_999;

interface PickerProps {
  readonly field: FieldJson;
  /** The chosen period; null if there is none. */
  readonly current: string | null;
  readonly onChoose: (name: PeriodName) => void;
}

/** Periods that are relative to today. Arrow keys and typed letters move between them; Tab leaves them. */
export const PeriodPicker = ({ field, current, onChoose }: PickerProps) => {
  const { say } = useWords();
  const nameOf = usePeriodName();
  const daysOf = usePeriodDays(field);
  const grid = useRef<HTMLDivElement>(null);
  const findTyped = useTypeAhead();
  const offered = listPeriods(field);
  const columns = columnsOf(field);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      offered.findIndex((name) => name === (current ?? "today")),
    ),
  );
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const buttons = [...(grid.current?.querySelectorAll("button") ?? [])];
    const step = steps[event.key];
    if (step === undefined) return findTyped(event, buttons)?.focus();
    const next = at + step;
    if (next < 0 || next >= offered.length) return;
    event.preventDefault();
    buttons[next]?.focus();
  };
  const chosenDays = current === null ? null : daysOf(current);
  return (
    <div className="periods" data-columns={columns}>
      {/* biome-ignore lint/a11y/useSemanticElements: these are buttons, not form controls */}
      <div ref={grid} className="period-grid" role="group" aria-label={say("list.filter.periods")} onKeyDown={move}>
        {offered.map((name, i) => (
          <Button
            key={name}
            small
            aria-pressed={name === current}
            tabIndex={i === at ? 0 : -1}
            title={daysOf(name) ?? undefined}
            onFocus={() => setAt(i)}
            onClick={() => onChoose(name)}
          >
            {nameOf(name)}
          </Button>
        ))}
      </div>
      <Days past={field.past === true} current={current} onChoose={onChoose} />
      {chosenDays !== null && <p className="period-days">{chosenDays}</p>}
    </div>
  );
};

interface DaysProps extends Omit<PickerProps, "field"> {
  readonly past: boolean;
}

/** The last or the next days, as many as the person enters. */
const Days = ({ past, current, onChoose }: DaysProps) => {
  const { say } = useWords();
  const nameOf = usePeriodName();
  const chosen = current === null ? null : parseDaysPeriod(current);
  const [entered, setEntered] = useState(String(chosen?.count ?? 7));
  const id = useId();
  const count = Math.min(MOST_DAYS, Math.max(1, Math.trunc(Number(entered)) || 7));
  return (
    <div className="period-grid">
      <label className="period-count" htmlFor={id}>
        {say("list.filter.days")}
      </label>
      <div className="box">
        <input
          id={id}
          inputMode="numeric"
          value={entered}
          onChange={(event) => setEntered(event.currentTarget.value.replace(/\D/gu, "").slice(0, 4))}
        />
      </div>
      {(past ? (["last"] as const) : (["last", "next"] as const)).map((direction) => {
        const name: DaysPeriod = `${direction}_${count}_days`;
        return (
          <Button key={direction} small aria-pressed={name === current} onClick={() => onChoose(name)}>
            {nameOf(name)}
          </Button>
        );
      })}
    </div>
  );
};
