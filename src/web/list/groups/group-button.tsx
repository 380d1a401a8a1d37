import { useId, useMemo } from "react";
import { isAddedUp, type ListSearch } from "../../../core/derive/http/list-query.ts";
import { dateSteps, parseGroupKey, writeGroupKey } from "../../../core/model/facts/date-steps.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson, PivotFieldsJson } from "../../../core/wire/screens.ts";
import { useKeys } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { MenuItem } from "../../ui/overlay/menu.tsx";
import { useMenuCommands } from "../../ui/overlay/menu-commands.ts";
import { type Popup, PopupPanel, SheetFoot, usePopup } from "../../ui/overlay/popup.tsx";
import { useFoldAll } from "./fold-all.ts";
import { findGroupings } from "./group-search.ts";
import "./group-panel.css";

interface GroupButtonProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  /** The pivot that is shown; null for a table. */
  readonly pivot: PivotFieldsJson | null;
  readonly seek: (next: ListSearch) => void;
}

/** Chooses the fields by which the table is grouped: one, and another within it, or as the columns of a pivot. */
export const GroupButton = (props: GroupButtonProps) => {
  const { screen, entity, pivot, search } = props;
  const { say } = useWords();
  const popup = usePopup();
  const all = findGroupings(screen, entity);
  const { show } = popup;
  useKeys(useMemo(() => ({ G: show }), [show]));
  if (all.length === 0) return null;
  return (
    <>
      <IconButton
        icon="group"
        small
        label={say("groups.title")}
        words={say("groups.do")}
        aria-haspopup="dialog"
        aria-keyshortcuts="Shift+G"
        aria-pressed={pivot !== null || search.grouped.length > 0}
        {...popup.control}
      />
      <GroupPanel {...props} popup={popup} all={all} />
    </>
  );
};

type PanelProps = GroupButtonProps & { popup: Popup; all: readonly FieldJson[] };

/** Choices of one part of the groups: the outer or the inner field, the rows, the columns or the figure of a pivot. */
interface Part {
  readonly title: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly choose: (value: string) => void;
}

const GroupPanel = (props: PanelProps) => {
  const { screen, search, pivot, seek, popup } = props;
  const { say } = useWords();
  const foldAll = useFoldAll(screen, search);
  const parts = useParts(props);
  const [rows, columns] = pivot === null ? search.grouped : [pivot.rows, pivot.columns];
  const isPair = rows !== undefined && columns !== undefined;
  const commands: readonly MenuItem[] = [
    ...(isPair && pivot !== null
      ? [
          {
            key: "swap",
            label: say("pivot.swap"),
            icon: "retry" as const,
            act: () => seek({ ...search, grouped: [columns, rows] }),
          },
          {
            key: "groups",
            label: say("pivot.as.groups"),
            icon: "group" as const,
            act: () => seek({ ...search, ...asGroups, grouped: [rows, columns] }),
          },
        ]
      : []),
    ...(rows === undefined || pivot !== null
      ? []
      : [
          { key: "unfold", label: say("groups.unfold"), icon: "down" as const, act: () => foldAll(true) },
          { key: "fold", label: say("groups.fold"), icon: "next" as const, act: () => foldAll(false) },
        ]),
    ...(isPair && pivot === null
      ? [
          {
            key: "pivot",
            label: say("pivot.as.pivot"),
            icon: "table" as const,
            act: () => seek({ ...search, layout: "pivot" }),
          },
        ]
      : []),
  ];
  useMenuCommands(
    [
      ...parts.flatMap(({ title, value, options, choose }) =>
        options
          .filter(([option]) => option !== value)
          .map(([option, label]) => ({
            key: `${title} ${option}`,
            label: say("label.value", { label: title, value: label }),
            act: () => choose(option),
          })),
      ),
      ...commands,
    ],
    null,
  );
  const id = useId();
  return (
    <PopupPanel popup={popup} side="end" label={say("groups.title")} className="menu group-panel">
      <p className="menu-title" aria-hidden="true">
        {say("groups.title")}
      </p>
      {parts.map(({ title, value, options, choose }) => (
        <div key={title} className="group-part">
          <label htmlFor={`${id} ${title}`}>{title}</label>
          <div className="box select">
            <select id={`${id} ${title}`} value={value} onChange={(event) => choose(event.currentTarget.value)}>
              {options.map(([option, label]) => (
                <option key={option} value={option}>
                  {label}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </div>
        </div>
      ))}
      {commands.length > 0 && (
        <div className="group-commands">
          {commands.map(({ key, label, icon, act }) => (
            <button
              key={key}
              type="button"
              className="menu-item"
              onClick={() => {
                popup.close();
                act?.();
              }}
            >
              {icon && <Icon name={icon} />}
              <span className="menu-words">{label}</span>
            </button>
          ))}
        </div>
      )}
      <SheetFoot popup={popup} />
    </PopupPanel>
  );
};

const asGroups = { layout: "table", figure: null } as const;

const periodWords = { month: "groups.by.month", quarter: "groups.by.quarter", year: "groups.by.year" } as const;

/** The choices of the groups, or of the pivot. A field can be chosen once: choosing that of the other part swaps them. */
const useParts = ({ entity, search, pivot, seek, all }: PanelProps): readonly Part[] => {
  const { say } = useWords();
  const options = all.flatMap((field) =>
    field.type === "date"
      ? dateSteps.map(
          (step) =>
            [writeGroupKey({ field: field.name, step }), say(periodWords[step], { field: field.label })] as const,
        )
      : [[field.name, field.label] as const],
  );
  const [outer = "", inner = ""] = pivot === null ? search.grouped : [pivot.rows, pivot.columns];
  const group = (grouped: readonly string[]) => seek({ ...search, grouped: grouped.filter((one) => one !== "") });
  const isSame = (one: string, other: string) => one !== "" && parseGroupKey(one).field === parseGroupKey(other).field;
  const chooseOuter = (value: string) => group([value, isSame(value, inner) ? outer : inner]);
  const chooseInner = (value: string) => group([isSame(value, outer) ? inner : outer, value]);
  if (pivot !== null)
    return [
      { title: say("pivot.rows"), value: outer, options, choose: chooseOuter },
      { title: say("pivot.columns"), value: inner, options, choose: chooseInner },
      {
        title: say("pivot.figure"),
        value: pivot.sum ?? "",
        options: [
          ["", say("pivot.figure.count", { things: entity.many })],
          ...entity.fields
            .filter(isAddedUp)
            .map(({ name, label }) => [name, say("pivot.figure.sum", { field: label })] as const),
        ],
        choose: (figure) => seek({ ...search, figure }),
      },
    ];
  const none = ["", say("groups.no.field")] as const;
  return [
    { title: say("groups.first"), value: outer, options: [none, ...options], choose: chooseOuter },
    ...(outer === ""
      ? []
      : [
          {
            title: say("groups.second"),
            value: inner,
            options: [none, ...options.filter(([value]) => !isSame(value, outer))],
            choose: chooseInner,
          },
        ]),
  ];
};
