import { useMemo, useState } from "react";
import { isAddedUp, type ListSearch } from "../../../core/derive/http/list-query.ts";
import { parseGroupKey, writeGroupKey } from "../../../core/model/facts/date-steps.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson, PivotFieldsJson } from "../../../core/wire/screens.ts";
import { useKeys, usePhone } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { MenuItem } from "../../ui/overlay/menu.tsx";
import { useMenuCommands } from "../../ui/overlay/menu-commands.ts";
import { type Popup, PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import type { PickerOption } from "../filter/field-picker.tsx";
import { FieldPicker } from "../filter/late-field-picker.tsx";
import { ToolChoice } from "../filter/tool-choice.tsx";
import { useFoldAll } from "./fold-all.ts";
import { findGroupings, nameGroupings } from "./group-search.ts";
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
  const words = useWords();
  const { say } = words;
  const popup = usePopup();
  const phone = usePhone();
  const all = findGroupings(screen, entity);
  const { show } = popup;
  useKeys(useMemo(() => ({ G: show }), [show]));
  if (all.length === 0) return null;
  const by = nameGroupings(words, entity, pivot === null ? search.grouped : [pivot.rows, pivot.columns]).join(", ");
  // The name of the button must contain its words.
  const chosen = by === "" ? null : say("label.value", { label: say("groups.do"), value: by });
  return (
    <>
      <ToolChoice
        popup={popup}
        icon="group"
        label={chosen ?? say("groups.title")}
        words={chosen === null ? say("groups.do") : phone ? by : chosen}
        aria-haspopup="dialog"
        aria-keyshortcuts="Shift+G"
        // A pivot is always by two fields.
        {...(pivot === null ? {} : { "aria-pressed": true })}
        clear={
          pivot === null && search.grouped.length > 0
            ? { label: say("groups.clear"), act: () => props.seek({ ...search, grouped: [] }) }
            : undefined
        }
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
  readonly options: readonly PickerOption[];
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
          .filter(({ name }) => name !== value)
          .map(({ name, label }) => ({
            key: `${title} ${name}`,
            label: say("label.value", { label: title, value: label }),
            act: () => choose(name),
          })),
      ),
      ...commands,
    ],
    null,
  );
  const [shown, setShown] = useState(0);
  const part = parts[shown] ?? parts[0];
  const act = (choose: () => void) => {
    popup.close();
    choose();
  };
  return (
    <PopupPanel popup={popup} side="start" label={say("groups.title")} className="filter group-panel" focus="none">
      <p className="menu-title small-words phone-only" aria-hidden="true">
        {say("groups.title")}
      </p>
      {parts.length > 1 && (
        // biome-ignore lint/a11y/useSemanticElements: toggle buttons, not form controls
        <div className="group-parts" role="group" aria-label={say("groups.title")}>
          {parts.map(({ title, value, options }, at) => (
            <button key={title} type="button" aria-pressed={parts[at] === part} onClick={() => setShown(at)}>
              <span className="small-words">{title}</span>
              <span className="hidden-words">: </span>
              <span className="cut">{options.find(({ name }) => name === value)?.label}</span>
            </button>
          ))}
        </div>
      )}
      {part && (
        <LoadingBoundary fallback={null}>
          <FieldPicker
            key={part.title}
            label={part.title}
            options={part.options}
            current={part.value}
            onChoose={(name) => act(() => part.choose(name))}
          />
        </LoadingBoundary>
      )}
      {commands.length > 0 && (
        <div className="group-commands">
          {commands.map(({ key, label, icon, act: run }) => (
            <button key={key} type="button" className="menu-item" onClick={() => act(() => run?.())}>
              {icon && <Icon name={icon} />}
              <span className="menu-words">{label}</span>
            </button>
          ))}
        </div>
      )}
    </PopupPanel>
  );
};

const asGroups = { layout: "table", figure: null } as const;

/** The choices of the groups, or of the pivot. A field can be chosen once: choosing that of the other part swaps them. */
const useParts = ({ entity, search, pivot, seek, all }: PanelProps): readonly Part[] => {
  const words = useWords();
  const { say } = words;
  // Quarters and years of dates follow the fields, which so stay a short list.
  const periods = (["quarter", "year"] as const).flatMap((step) =>
    all.filter(({ type }) => type === "date").map((field) => writeGroupKey({ field: field.name, step })),
  );
  const options = [...all.map((field) => field.name), ...periods].map((name): PickerOption => {
    const [label = name] = nameGroupings(words, entity, [name]);
    return { name, label };
  });
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
          { name: "", label: say("pivot.figure.count", { things: entity.many }) },
          ...entity.fields
            .filter(isAddedUp)
            .map(({ name, label }) => ({ name, label: say("pivot.figure.sum", { field: label }) })),
        ],
        choose: (figure) => seek({ ...search, figure }),
      },
    ];
  const none = { name: "", label: say("groups.no.field") };
  return [
    {
      title: say("groups.first"),
      value: outer,
      options: outer === "" ? options : [none, ...options],
      choose: chooseOuter,
    },
    ...(outer === ""
      ? []
      : [
          {
            title: say("groups.second"),
            value: inner,
            options: [none, ...options.filter(({ name }) => !isSame(name, outer))],
            choose: chooseInner,
          },
        ]),
  ];
};
