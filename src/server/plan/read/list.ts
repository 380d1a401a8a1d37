import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import { whoMay } from "../../../core/explain/who-may.ts";
import type { Format } from "../../../core/model/format.ts";
import { sql } from "../../../core/sql.ts";
import type { Count } from "../../../core/wire/lists.ts";
import type { Query } from "../../../postgres/database.ts";
import type { ListIntent } from "../../intent.ts";
import { forbid, type Refusal, refuse } from "../../refusal.ts";
import { type Action, JsonText, reply } from "../action.ts";
import { type Asker, type Context, entityOf, signatureOf, slotsWith } from "../context.ts";
import { eyesOf } from "../row/read-scope.ts";
import { columnsOf, keyLabelOf, readerOf } from "../row/record-columns.ts";
import { queryOf } from "../statements.ts";
import { cursorSeal, cursorSlots, readCursor, writeCursor } from "./cursor.ts";
import { filterSlots, filtersOf, shapeOf } from "./filter.ts";
import { countOf, pageOf, WIDE } from "./page-sql.ts";
import { limitedTo } from "./reference-candidates.ts";
import { shownBy, shownOn } from "./screen-conditions.ts";
import { searchFor } from "./search.ts";
import { cursorColumn, sortKeys } from "./sort.ts";

/** With so many keys, reading from each costs more than what lies between the records that are looked for. */
const KEYS = 1_000;
export const wideOf = ({ wide = KEYS }: Context): number => wide;

/**
 * The longest that a search of a list may take, in milliseconds: without an index it reads every record. It holds for the
 * statements behind it in the same transaction.
 */
const LONGEST_SEARCH = 5_000;
const SEARCH_LIMIT: Query = {
  name: "search limit",
  text: `select set_config('statement_timeout', '${LONGEST_SEARCH}', true)`,
  values: [],
};

/** Counting goes no further: "10,000+". */
export const COUNTED = 10_000;
export const countedOf = (counted: unknown): Count => {
  const count = Number(counted ?? 0);
  return count > COUNTED ? "10,000+" : count;
};

/**
 * A page of records in the order asked for, each with the permission in the WHERE, and the way to the next page. `far`: for
 * who has so many keys that records are not read from each.
 */
export const planList = (
  context: Context,
  intent: ListIntent,
  asker: Asker,
  format: Format,
  far = false,
): Action | Refusal => {
  const entity = entityOf(context, intent.entity);
  const { person } = asker;
  const who = [entity.name, signatureOf(person)];
  const eyes = context.statements.find(["eyes", ...who], () => eyesOf(context.model, entity, person, "t"));
  // Nobody may read anything: an empty list would say that there is nothing.
  if (eyes.gates.length === 0) return forbid(decidingClauseId(entity, "read"), whoMay(asker.tongue, entity, "read"));

  const sort = context.statements.find(["sort", ...who, intent.sort], () => sortKeys(eyes, intent.sort, context.past));
  if ("kind" in sort) return sort;
  const filters = filtersOf(eyes, intent, context.past);
  if ("kind" in filters) return filters;
  const where = shownBy(context.model, person, entity, intent.where);
  if ("kind" in where) return where;
  const limited = intent.among === null ? null : limitedTo(context, asker, intent.among, entity, sql`"t"."id"`);
  if (limited !== null && "kind" in limited) return limited;
  const seal = cursorSeal(intent);
  const cursor = intent.after === null ? null : readCursor(intent.after, sort, seal);
  if (cursor === undefined) return refuse("BAD_CURSOR");

  const wanted = { may: intent.may, label: intent.label };
  const shown = () => [...shownOn(context.model, person, entity, where)(), ...(limited?.conditions() ?? [])];
  const search = intent.search === null ? null : searchFor(context, eyes, asker, intent.search);
  const listing = { eyes, sort: intent.sort, filters, shown, search, cursor };
  const shape = [...who, intent.where, shapeOf(filters), limited?.shape ?? null, search?.shape ?? null];
  const page = context.statements.get(
    ["list", ...shape, intent.sort, cursor?.map((value) => value === null) ?? null, intent.may, intent.label, far],
    () => ({
      sql: pageOf(
        context,
        listing,
        {
          columns: (labels) => columnsOf(context, person, eyes, "t", wanted, labels),
          label: (reference, key) => keyLabelOf(context, person, eyes, reference, key),
        },
        { far },
      ),
      more: readerOf(context, person, eyes, wanted, format),
    }),
  );
  const slots = slotsWith(asker, filterSlots(filters), limited?.slots ?? {}, cursorSlots(cursor), search?.slots ?? {}, {
    limit: intent.limit + 1,
    wide: wideOf(context),
  });
  const limits: readonly Query[] = search === null ? [] : [SEARCH_LIMIT];
  const queries: Query[] = [...limits, queryOf(page, slots)];
  if (intent.count) {
    const count = context.statements.get(["count", ...shape], () => ({ sql: countOf(listing), more: undefined }));
    queries.push(queryOf(count, { ...slots, most: COUNTED + 1 }));
  }
  return {
    kind: "action",
    queries,
    settle: (results) => {
      const [rows = [], counts] = results.slice(limits.length);
      const found = rows.filter(({ id }) => id !== null);
      if (found.length < rows.length && rows.some((row) => row[WIDE] === true)) return "wide";
      const paged = found.slice(0, intent.limit);
      const last = found.length > intent.limit ? paged.at(-1) : undefined;
      const next =
        last === undefined
          ? null
          : writeCursor(
              sort.map((key, i) => last[cursorColumn(key, i)]),
              seal,
            );
      const count = intent.count ? `,"count":${JSON.stringify(countedOf(counts?.[0]?.count))}` : "";
      return reply(
        200,
        new JsonText(
          `{"items":[${paged.map((row) => page.more.text(row, asker.tongue)).join()}],"next":${JSON.stringify(next)}${count}}`,
        ),
      );
    },
    constraint: () => undefined,
    wide: () => planList(context, intent, asker, format, true),
  };
};
