import { groupNumber, hasTotal, largestGroups, sumGroups } from "../../../core/derive/client/measured-values.ts";
import type { MeasureJson } from "../../../core/wire/screens.ts";
import { useWords } from "../../i18n/words.tsx";
import { Link } from "../../ui/link.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import type { DrawnGroups, NamedGroup } from "./chart-groups.ts";

/** The name of a group, which opens its records with a press anywhere in its row. */
export const GroupLink = ({ words, href }: { words: string; href: string | null }) => {
  const name = <bdi>{words}</bdi>;
  return href === null ? (
    <span className="cut" title={words}>
      {name}
    </span>
  ) : (
    <Link className="group-link cut" title={words} href={href}>
      {name}
    </Link>
  );
};

/** Horizontal bars by category, at most nine; if there are more, the smallest are combined. */
export const Bars = ({ groups, value, figure, addressOf }: DrawnGroups & { value: MeasureJson }) => {
  const { say, show } = useWords();
  const { shown, others } = largestGroups(groups, value);
  const named = shown as readonly NamedGroup[];
  const most = Math.max(...groups.map(groupNumber), others?.value ?? 0, 1e-9);
  const foremost = named.find((group) => groupNumber(group) === Math.max(...named.map(groupNumber)));
  const width = (number: number) => `${Math.max(0, Math.min(100, (number / most) * 100))}%`;
  return (
    <>
      <ul className="bars">
        {named.map((group) => (
          <li
            key={String(group.key)}
            data-hue={group.mark?.hue}
            className={group === foremost && !group.mark ? "bar foremost" : "bar"}
          >
            <span className="bar-name">
              {group.mark && <StateMark mark={group.mark} />}
              <GroupLink words={group.words} href={addressOf(group)} />
            </span>
            <span className="figures">{figure(group.value)}</span>
            <span className="bar-track">
              <i style={{ inlineSize: width(groupNumber(group)) }} />
            </span>
          </li>
        ))}
        {others && (
          <li className="bar others">
            <span className="bar-name">{say("chart.others", { count: others.count })}</span>
            <span className="figures">{others.value === null ? "" : show.number(others.value)}</span>
            <span className="bar-track">
              {others.value !== null && <i style={{ inlineSize: width(others.value) }} />}
            </span>
          </li>
        )}
      </ul>
      {hasTotal(value, groups) && (
        <p className="chart-total">
          <span>{say("chart.together")}</span>
          <b className="figures">{figure(String(sumGroups(groups)))}</b>
        </p>
      )}
    </>
  );
};

/** Parts of a whole: one bar with a legend. */
export const PartsOfTotal = ({ groups, value, figure, addressOf }: DrawnGroups & { value: MeasureJson }) => {
  const { say, show } = useWords();
  const { shown, others } = largestGroups(groups, value);
  const parts = [
    ...(shown as readonly NamedGroup[]).map((group) => ({
      key: String(group.key),
      words: group.words,
      hue: group.mark?.hue,
      value: groupNumber(group),
      text: figure(group.value),
      href: addressOf(group),
    })),
    ...(others?.value
      ? [
          {
            key: " others",
            words: say("chart.others", { count: others.count }),
            hue: "neutral" as const,
            value: others.value,
            text: show.number(others.value),
            href: null,
          },
        ]
      : []),
  ];
  const total = parts.reduce((sum, part) => sum + Math.max(0, part.value), 0);
  return (
    <>
      <p className="shares-total">
        <b className="big-figure">{figure(String(sumGroups(groups)))}</b>
      </p>
      <div className="shares" aria-hidden="true">
        {parts.map((part, at) => (
          <i
            key={part.key}
            data-hue={part.hue ?? getHue(at)}
            style={{ flexGrow: total > 0 ? Math.max(0, part.value) : 1 }}
          />
        ))}
      </div>
      <ul className="shares-key">
        {parts.map((part, at) => (
          <li key={part.key} data-hue={part.hue ?? getHue(at)}>
            <i aria-hidden="true" />
            <GroupLink words={part.words} href={part.href} />
            <span className="figures">{part.text}</span>
            <span className="figures small-words">
              {total > 0 ? show.percent(Math.max(0, part.value) / total) : ""}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};

/** Colours for groups without one of their own, in order. */
const order = ["blue", "amber", "violet", "olive", "teal", "plum", "bronze", "indigo"] as const;
const getHue = (at: number) => order[at % order.length] ?? "blue";
