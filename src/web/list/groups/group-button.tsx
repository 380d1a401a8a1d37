import { findGroupFieldJson, isAddedUp, type ListSearch } from "../../../core/derive/http/list-query.ts";
import { dateSteps, parseGroupKey, writeGroupKey } from "../../../core/model/facts/date-steps.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson, PivotFieldsJson } from "../../../core/wire/screens.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import { useMenuCommands } from "../../ui/overlay/menu-commands.ts";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { findGroupings } from "./group-search.ts";
import { useFoldAll } from "./groups-view.ts";

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
  if (all.length === 0) return null;
  return (
    <>
      <IconButton
        icon="group"
        small
        label={say("groups.title")}
        words={say("groups.do")}
        aria-haspopup="menu"
        aria-pressed={pivot !== null || search.grouped.length > 0}
        {...popup.control}
      />
      <GroupMenu {...props} popup={popup} all={all} />
    </>
  );
};

const GroupMenu = ({
  screen,
  entity,
  search,
  pivot,
  seek,
  popup,
  all,
}: GroupButtonProps & { popup: ReturnType<typeof usePopup>; all: readonly FieldJson[] }) => {
  const { say } = useWords();
  const foldAll = useFoldAll(screen, search);
  const grouped = pivot === null ? search.grouped : [pivot.rows, pivot.columns];
  const [outer, inner] = grouped;
  const group = (next: readonly string[]) => seek({ ...search, grouped: next });
  /** Without one of its fields, a pivot is a table in groups. */
  const removeField = (name: string) =>
    seek({
      ...search,
      grouped: grouped.filter((other) => parseGroupKey(other).field !== name),
      ...(pivot === null ? {} : asGroups),
    });
  const items: readonly MenuItem[] = [
    ...all.map((field): MenuItem => {
      const at = grouped.findIndex((group) => parseGroupKey(group).field === field.name);
      return {
        key: field.name,
        label: field.label,
        current: at >= 0,
        ...(at >= 0 ? { icon: "check", note: at === 0 ? "1" : "2" } : {}),
        act: () =>
          at >= 0
            ? removeField(field.name)
            : group(inner !== undefined && outer !== undefined ? [outer, field.name] : [...grouped, field.name]),
      };
    }),
    ...grouped.flatMap((one) =>
      periodItems(entity, one, (next) => group(grouped.map((other) => (other === one ? next : other))), say),
    ),
    ...(pivot === null ? [] : figureItems(entity, pivot, (figure) => seek({ ...search, figure }), say)),
    ...(inner === undefined || outer === undefined
      ? []
      : pivot === null
        ? [
            {
              key: " pivot",
              label: say("pivot.as.pivot"),
              icon: "table" as const,
              act: () => seek({ ...search, layout: "pivot" }),
            },
          ]
        : [
            { key: " swap", label: say("pivot.swap"), icon: "retry" as const, act: () => group([inner, outer]) },
            {
              key: " groups",
              label: say("pivot.as.groups"),
              icon: "group" as const,
              act: () => seek({ ...search, ...asGroups, grouped }),
            },
          ]),
    ...(outer === undefined || pivot !== null
      ? []
      : [
          { key: " unfold", label: say("groups.unfold"), icon: "down" as const, act: () => foldAll(true) },
          { key: " fold", label: say("groups.fold"), icon: "next" as const, act: () => foldAll(false) },
          { key: " none", label: say("groups.end"), icon: "close" as const, act: () => group([]) },
        ]),
  ];
  useMenuCommands(items, say("groups.title"));
  return <Menu popup={popup} label={say("groups.title")} items={items} />;
};

const periodWords = { month: "groups.by.month", quarter: "groups.by.quarter", year: "groups.by.year" } as const;

/** The periods by which a date is grouped. */
const periodItems = (
  entity: EntityJson,
  group: string,
  choose: (group: string) => void,
  say: ReturnType<typeof useWords>["say"],
): readonly MenuItem[] => {
  const field = findGroupFieldJson(entity, group);
  if (field?.step === undefined) return [];
  return dateSteps.map((step) => ({
    key: ` ${field.name} ${step}`,
    label: say(periodWords[step], { field: field.label }),
    current: step === field.step,
    ...(step === field.step ? { icon: "check" as const } : {}),
    act: () => choose(writeGroupKey({ field: field.name, step })),
  }));
};

const asGroups = { layout: "table", figure: null } as const;

/** The figures of a pivot: the number of records, or the sum of a field. */
const figureItems = (
  { fields, many }: EntityJson,
  { sum }: PivotFieldsJson,
  choose: (figure: string) => void,
  say: ReturnType<typeof useWords>["say"],
): readonly MenuItem[] =>
  [null, ...fields.filter(isAddedUp)].map((field) => {
    const isCurrent = sum === (field?.name ?? null);
    return {
      key: ` ${field?.name ?? ""}`,
      label:
        field === null ? say("pivot.figure.count", { things: many }) : say("pivot.figure.sum", { field: field.label }),
      current: isCurrent,
      ...(isCurrent ? { icon: "check" as const } : {}),
      act: () => choose(field?.name ?? ""),
    };
  });
