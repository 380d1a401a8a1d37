import type { GroupFieldJson } from "../../../core/derive/http/list-query.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import type { FiguresJson, GroupedJson } from "../../../core/wire/groups.ts";
import { FieldValue } from "../../field/field-value.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Dotted } from "../../ui/dotted.tsx";
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

/** The button with the name of a group, which unfolds it. The button “Group” names the field; “Yes” alone says too little. */
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
        <span className={field.type === "boolean" ? "small-words" : "small-words group-field"}>{field.label}:</span>{" "}
        <GroupName field={field} group={group} />
      </span>
    </button>
  );
};

interface FiguresProps extends GroupsView {
  readonly figures: FiguresJson;
}

/** The number of records, which opens them. */
export const GroupCount = ({ figures, to, entity }: FiguresProps & { to: string | null }) => {
  const { say } = useWords();
  const count = say("bulk.things", { count: figures.count, thing: entity.one, things: entity.many });
  return to === null ? (
    <span className="small-words">{count}</span>
  ) : (
    <Link className="group-count small-words" href={to}>
      {count}
    </Link>
  );
};

/** The sums in one line: "Net: €2,664.00 · Tax: €506.16" */
export const GroupSums = ({ summed, figures }: FiguresProps) => {
  const { say, show } = useWords();
  if (summed.length === 0) return null;
  const sums = summed.map((field) =>
    say("label.value", {
      label: field.label,
      value: show.value(field, toSumValue(field, figures.sums[field.name] ?? "0")) ?? "",
    }),
  );
  return (
    <span className="group-sums small-words">
      <span className="dotted">
        {sums.map((sum, at) => (
          <Dotted key={summed[at]?.name} at={at}>
            {sum}
          </Dotted>
        ))}
      </span>
    </span>
  );
};
