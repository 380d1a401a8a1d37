import type { GroupFieldJson } from "../../../core/derive/http/list-query.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import type { FiguresJson, GroupedJson } from "../../../core/wire/groups.ts";
import { FieldValue } from "../../field/field-value.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../../ui/link.tsx";
import { toSumValue } from "./group-search.ts";
import type { GroupsView } from "./groups-view.ts";

/** The value that the records of a group share. */
export const GroupName = ({ field, group: { key, label } }: { field: GroupFieldJson; group: GroupedJson }) => {
  const { say, show } = useWords();
  if (key === null) return <span className="none">{say("groups.none", { field: field.label })}</span>;
  if (field.step !== undefined) return show.period(String(key), field.step);
  if (field.type === "boolean") return show.boolean(key === true);
  // A reference is no link here, because the button around it unfolds the group.
  if (field.type === "reference") return <bdi>{label ?? "…"}</bdi>;
  return <FieldValue field={field} value={key} />;
};

/** The button with the name of a group, which unfolds it. */
export const GroupHead = ({
  field,
  group,
  path,
  open,
  toggle,
}: GroupsView & { field: FieldJson; group: GroupedJson; path: string }) => {
  const isOpen = open.has(path);
  return (
    <button type="button" className="group-fold" aria-expanded={isOpen} onClick={() => toggle(path)}>
      <Icon name={isOpen ? "down" : "next"} size={14} />
      <span className="cut">
        <span className="small-words">{field.label}:</span> <GroupName field={field} group={group} />
      </span>
    </button>
  );
};

/** The number of records and the sums, in one line. */
export const GroupFigures = ({
  summed,
  figures,
  to,
  entity,
}: GroupsView & { figures: FiguresJson; to: string | null }) => {
  const { say, show } = useWords();
  const count = say("bulk.things", { count: figures.count, thing: entity.one, things: entity.many });
  return (
    <span className="small-words figures">
      {to === null ? count : <Link href={to}>{count}</Link>}
      {summed.map((field) => (
        <span key={field.name}>
          {" · "}
          {say("label.value", {
            label: field.label,
            value: show.value(field, toSumValue(field, figures.sums[field.name] ?? "0")) ?? "",
          })}
        </span>
      ))}
    </span>
  );
};
