import type { BehaviourLine } from "../../core/change/behaviour-line.ts";
import { findLikelyRenames } from "../../core/change/likely-renames.ts";
import type { PlanJson } from "../../core/change/plan.ts";
import { planOrder } from "../../core/change/version-summary.ts";
import { defaults, isDefaultCode } from "../../core/model/defaults.ts";
import type { Model } from "../../core/model/model.ts";
import type { ChangeJson, CountedRecords } from "../../core/wire/authoring/document.ts";
import { printable } from "../findings-text.ts";
import { placeClauses } from "./clause-places.ts";
import { hasOtherEntities, type VersionRead } from "./planned-version.ts";
import { formatReplay } from "./replay-text.ts";

const points: { readonly [P in BehaviourLine["point"]]: string } = {
  1: "Purpose",
  2: "Screens",
  3: "Entities and fields",
  4: "States and transitions",
  5: "Rules",
  6: "Roles and permissions",
  7: "Calls",
  8: "Errors",
  9: "Constants",
};

const marks: { readonly [E in BehaviourLine["effect"]]: { readonly sign: string; readonly colour: string } } = {
  allows: { sign: "+", colour: "32" },
  adds: { sign: "+", colour: "32" },
  forbids: { sign: "-", colour: "31" },
  removes: { sign: "-", colour: "31" },
  changes: { sign: "~", colour: "33" },
};

export const losses = {
  access: "loses access",
  data: "retires data",
  compatibility: "loses compatibility",
} as const;

/** Formats a plan for a terminal: behaviour by point, open points, data, and a last line with the totals. */
export const formatPlan = (plan: PlanJson, before: VersionRead, after: VersionRead, colour: boolean): string => {
  const paint = (code: string, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [was, is] = [placeClauses(before), placeClauses(after)];
  const line = (one: BehaviourLine): readonly string[] => {
    const { sign, colour: code } = marks[one.effect];
    const tags = [
      ...(one.certainty === "possible" ? ["possible"] : []),
      ...(one.loses === null ? [] : [losses[one.loses]]),
    ];
    const clauses = [
      ...(one.before === null ? [] : [`before ${was.name(one.before, one.spans?.before)}`]),
      ...(one.after === null ? [] : [`now ${is.name(one.after, one.spans?.after)}`]),
    ];
    return [
      `  ${paint(code, sign)} ${printable(one.text)}${tags.length === 0 ? "" : ` [${tags.join(", ")}]`}`,
      ...figuresLine(one),
      ...witnessLine(one),
      ...(plan.data === null && lacksFill(after.model, one)
        ? ["      Stored records without a value need “fill:”. With --data or --database, the plan counts them."]
        : []),
      ...(clauses.length === 0 ? [] : [`      ${printable(clauses.join(", "))}`]),
    ];
  };
  const behaviour = planOrder.flatMap((point) => {
    const own = plan.behaviour.filter((candidate) => candidate.point === point);
    return own.length === 0 ? [] : [paint("1", `${point} ${points[point]}`), ...own.flatMap(line), ""];
  });
  const { opened, closed } = plan.open;
  const open = [
    ...opened.map((openPoint) => `  + ${statement(openPoint)}`),
    ...closed.map((openPoint) => `  - ${statement(openPoint)} is decided now.`),
  ];
  const renames = findLikelyRenames(before.model, after.model).map(
    ({ entity, field, old, now }) =>
      `  ${printable([entity, field, now].filter((name) => name !== null).join("."))} is new, and ${printable(old)} is gone. If it is the same under a new name, add “was: ${printable(old)}”.`,
  );
  const data = plan.data === null ? [] : dataLines(plan.data);
  return [
    ...behaviour,
    ...(renames.length === 0 ? [] : [paint("1", "Renamed?"), ...renames, ""]),
    ...(open.length === 0 ? [] : [paint("1", "Open points"), ...open, ""]),
    ...(data.length === 0 ? [] : [paint("1", "Data"), ...data.map((text) => `  ${text}`), ""]),
    ...(plan.replay === undefined ? [] : [paint("1", "Replay"), ...formatReplay(plan.replay, was.name, is.name), ""]),
    ...(hasOtherEntities(before, after)
      ? [`${after.file} has none of the entities of ${before.file}. Perhaps it specifies another application.`]
      : []),
    `${before.file} → ${after.file}: ${totals(plan)}.`,
    "",
  ].join("\n");
};

/** True if stored records may lack a value that the line requires, and the specification gives them none. */
const lacksFill = ({ entities }: Model, { subject, message: { id, values } }: BehaviourLine): boolean => {
  const [entity = "", field = ""] = subject.split(".");
  const isRequired = id === "field.required" || (id === "field.added" && values.required === true);
  return isRequired && entities.get(entity)?.fields.get(field)?.fill === null;
};

/** The steps, or the reasons against them, each with the option that lists its records. */
const dataLines = ({ steps, records = [], refused }: ChangeJson): readonly string[] => {
  const list = (counted: CountedRecords | undefined): readonly string[] =>
    counted?.point === undefined || counted.count === 0 ? [] : [`    To list the records: --records ${counted.point}`];
  return [
    ...steps.flatMap((step, i) => [printable(step), ...list(records.find((one) => one.step === i))]),
    ...refused.flatMap(({ says, misfits }) => [printable(says), ...list(misfits)]),
  ];
};

const statement = ({ point, statement: text, default: code }: PlanJson["open"]["opened"][number]): string =>
  `point ${point}: ${printable(text) || "nothing is said"}${isDefaultCode(code) ? ` (${code}: ${defaults[code].inForce})` : ""}`;

/** "Today: 214 records, 3 people" */
const figuresLine = ({ figures }: BehaviourLine): readonly string[] => {
  if (figures === undefined) return [];
  const { records, people, example } = figures;
  const count = (number: number, one: string, many: string): string =>
    `${number > 10_000 ? "more than 10,000" : number.toLocaleString("en")} ${number === 1 ? one : many}`;
  const counts = [
    ...(records === null
      ? []
      : [`${count(records, "record", "records")}${example === null ? "" : `, such as ${example}`}`]),
    ...(people === null ? [] : [count(people, "person", "people")]),
  ];
  return counts.length === 0 ? [] : [`      Today: ${counts.join("; ")}`];
};

/** "For example, a keeper where status is lent" */
const witnessLine = ({ witness }: BehaviourLine): readonly string[] => {
  if (witness === null) return [];
  const values = Object.entries(witness.record).map(([path, value]) => `${path} is ${value}`);
  if (values.length === 0) return [];
  const role = witness.role === null ? "" : `with the role ${witness.role}, `;
  return [`      For example: ${printable(`${role}where ${values.join(" and ")}`)}`];
};

const totals = ({ behaviour, open, data }: PlanJson): string => {
  const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? "" : "s"}`;
  const lost = (["access", "data", "compatibility"] as const).flatMap((kind) => {
    const number = behaviour.filter(({ loses }) => loses === kind).length;
    const verb = kind === "data" ? "retire" : "lose";
    return number === 0 ? [] : [`${number} ${verb}${number === 1 ? "s" : ""} ${kind}`];
  });
  const points = open.opened.length + open.closed.length;
  if (behaviour.length === 0) {
    const other = [
      ...(points === 0 ? [] : [count(points, "changed open point")]),
      ...(data === null || data.steps.length === 0 ? [] : [`${count(data.steps.length, "change")} in the data`]),
      ...(data === null || data.refused.length === 0 ? [] : ["the data does not fit"]),
    ];
    return other.join(", ") || "no change";
  }
  const possible = behaviour.filter(({ certainty }) => certainty === "possible").length;
  return [
    `${count(behaviour.length, "change")} in behaviour`,
    ...lost,
    ...(possible === 0 ? [] : [`${possible} could not be decided`]),
  ].join(", ");
};
