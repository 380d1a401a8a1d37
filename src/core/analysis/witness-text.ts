import type { Expr } from "../expression/expr.ts";
import type { JsRecord, Value } from "../expression/values/value.ts";
import type { Witness } from "../findings.ts";
import type { Entity } from "../model/entity.ts";
import { entityWords, withArticle } from "../model/inflection.ts";
import type { Example } from "../satisfiability/assignments.ts";

/** "a claim line" */
export const entityWithArticle = (entity: Pick<Entity, "name">): string => withArticle(entityWords(entity.name));

/** "draft", "draft or open", "draft, open or done" */
export const orList = (names: readonly string[]): string => {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
};

/** Values by path, as in the document. */
export type WitnessRecord = NonNullable<Witness["record"]>;

/** An example as in the document, by path. */
export const witnessRecord = (example: Example): WitnessRecord => {
  const user = example.find(({ path }) => path.kind === "user")?.value;
  return Object.fromEntries(
    example.flatMap(({ path, value }) =>
      path.kind === "field" || path.kind === "today" ? [[pathWords(path), valueWords(path, value, user ?? null)]] : [],
    ),
  );
};

/** "status is draft and author is user" */
export const recordWords = (record: WitnessRecord): string =>
  Object.entries(record)
    .map(([path, value]) => `${path} is ${value}`)
    .join(" and ");

const pathWords = (path: Expr): string => {
  if (path.kind !== "field") return path.kind;
  return path.of.kind === "this" ? path.field.name : `${pathWords(path.of)}.${path.field.name}`;
};

const valueWords = ({ type }: Expr, value: Value, user: Value): string => {
  if (value === null) return "missing";
  if (type.kind !== "record") return type.kind === "text" ? `“${value}”` : String(value);
  if (user !== null && (value as JsRecord).id === (user as JsRecord).id) return "user";
  if (type.entity !== "User") return `some ${type.entity}`;
  return user === null ? "someone" : "someone else";
};
