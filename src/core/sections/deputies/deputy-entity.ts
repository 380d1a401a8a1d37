import type { Named, ReportFinding } from "../../document/shape.ts";
import type { Tree } from "../../document/tree.ts";
import { finding } from "../../findings.ts";
import { titleFor } from "../../i18n/titles.ts";
import { DEPUTY, toRepresentedField } from "../../model/permissions.ts";
import { type EntitySyntax, entitiesShape } from "../entities/entities-syntax.ts";
import { fieldsShape } from "../entities/field-syntax.ts";
import { buildMapping, buildScalar } from "../linking/build-tree.ts";
import type { DeputiesSyntax } from "../permissions/deputies-syntax.ts";
import { NO_PEOPLE } from "../states/approvals.ts";
import type { StatesSyntax } from "../states/states-syntax.ts";
import { type Expansion, listNamed } from "./deputy-conditions.ts";
import { findVotes } from "./votes.ts";

const deputyFields = ["person", "deputy", "first_day", "last_day"] as const;

/** Point 3: adds the entity `Deputy`. The document can add fields to it. */
export const withDeputyEntity = (
  entities: readonly Named<EntitySyntax>[],
  syntax: DeputiesSyntax,
  locale: string,
  report: ReportFinding,
): readonly Named<EntitySyntax>[] => {
  const { span } = syntax;
  const text = (value: string) => buildScalar(value, span);
  const title = (field: (typeof deputyFields)[number]) => ({ title: text(titleFor(`deputies.${field}`, locale)) });
  const fields: Readonly<Record<(typeof deputyFields)[number], Readonly<Record<string, Tree>>>> = {
    person: { type: text("User"), set: text("user"), ...title("person") },
    deputy: {
      type: text("User"),
      ...title("deputy"),
      ...(syntax.among === undefined ? {} : { among: syntax.among }),
    },
    first_day: { type: text("date"), default: text("today"), ...title("first_day") },
    last_day: { type: text("date"), ...title("last_day") },
  };
  const tree = buildMapping(span, {
    [DEPUTY]: buildMapping(span, {
      label: text("{person.name}: {deputy.name}"),
      title: buildMapping(span, {
        one: text(titleFor("deputies.one", locale)),
        many: text(titleFor("deputies.many", locale)),
      }),
      fields: buildMapping(
        span,
        mapValues(fields, (item) => buildMapping(span, item)),
      ),
    }),
  });
  const built = entitiesShape.read(tree, () => undefined);
  const [own] = listNamed(built);
  if (own === undefined) throw new Error("the entity of deputies can't be read");
  const declared = entities.find(({ name }) => name === DEPUTY);
  if (declared === undefined) return [...entities, own];
  for (const { name, key } of declared.value.fields ?? [])
    if (deputyFields.some((field) => field === name))
      report(
        finding(
          "NAME_TWICE",
          key,
          `${DEPUTY} has the field ${name} already, because of “deputies:” in point 6.`,
          "Remove it.",
          {
            clause: `3.${DEPUTY}.${name}`,
          },
        ),
      );
  const more = (declared.value.fields ?? []).filter(({ name }) => !deputyFields.some((field) => field === name));
  return entities.map((entity) =>
    entity === declared
      ? {
          ...entity,
          value: { ...own.value, ...definedKeys(entity.value), fields: [...(own.value.fields ?? []), ...more] },
        }
      : entity,
  );
};

/** The keys that the author has written. */
const definedKeys = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Partial<T>;

const mapValues = <K extends string, A, B>(all: Readonly<Record<K, A>>, change: (item: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries<A>(all).map(([key, value]) => [key, change(value)]));

/** The lists of the people whom deputies represented. */
export const withRepresentedFields = (
  entities: readonly Named<EntitySyntax>[],
  states: StatesSyntax | undefined,
  expansion: Expansion,
  locale: string,
): readonly Named<EntitySyntax>[] =>
  entities.map((entity) => {
    const own = listNamed(states).find(({ name }) => name === entity.name)?.value;
    const votes = own === undefined ? [] : findVotes(own, expansion);
    if (votes.length === 0) return entity;
    const fields = votes.flatMap(({ field: { value, span } }) => {
      const tree = buildMapping(span, {
        type: buildScalar("User", span),
        many: buildScalar("true", span),
        set: buildScalar(NO_PEOPLE, span),
        title: buildScalar(titleFor("deputies.represented", locale), span),
      });
      return fieldsShape.read(buildMapping(span, { [toRepresentedField(value)]: tree }), () => undefined) ?? [];
    });
    return { ...entity, value: { ...entity.value, fields: [...(entity.value.fields ?? []), ...fields] } };
  });
