/*
 * Words of other languages in lower case, with our counterparts. A `name` can replace the word; a `hint` says what else
 * to write.
 */

export type Counterpart = { readonly name: string } | { readonly hint: string };

const size: Counterpart = { name: "size" };
const exists: Counterpart = { name: "exists" };
const contains: Counterpart = { hint: "Write `contains(text, 'part')` for a text, `value in list` for a list." };
const missing: Counterpart = { hint: "Write `… == null`, or for a list `list.size() == 0`." };
const sameCase: Counterpart = {
  hint: "There is no function that changes case. `matches(text, '…')` takes a pattern such as `[Aa]`.",
};
const noParts: Counterpart = {
  hint: "Write `before(text, ' ')` or `after(text, ' ')` for a part of a text.",
};
const joined: Counterpart = { hint: "Join texts with `+`." };
const between: Counterpart = { hint: "Write two comparisons: `a >= 1 && a <= 9`." };
const chosen: Counterpart = { hint: "Write `condition ? one : other`." };
const daysBetween: Counterpart = { hint: "Write `days_between(first, last)`, or add a duration: `first + 3 days`." };

export const foreignFunctions: ReadonlyMap<string, Counterpart> = new Map(
  Object.entries({
    ...{ length: size, len: size, char_length: size, strlen: size },
    ...{ some: exists, any: exists, every: { name: "all" }, foreach: { name: "map" }, where: { name: "filter" } },
    ...{ find: { hint: "Write `.one(r, …)` for the only one, or `.exists(r, …)`." } },
    ...{ includes: contains, indexof: contains, instr: contains, has: contains },
    ...{ isempty: missing, isnull: missing, isblank: missing, empty: missing, exists_: missing },
    ...{ tolower: sameCase, tolowercase: sameCase, lower: sameCase, upper: sameCase },
    ...{ toupper: sameCase, touppercase: sameCase },
    ...{ substring: noParts, substr: noParts, slice: noParts, left: noParts, right: noParts, split: noParts },
    ...{ trim: { hint: "Remove it. Texts are stored without blanks around them." }, concat: joined },
    ...{
      int: { name: "integer" },
      parseint: { name: "integer" },
      number: { name: "decimal" },
      string: { name: "text" },
    },
    ...{ between, if: chosen, iif: chosen },
    ...{ coalesce: { hint: "Write `a == null ? other : a`." }, ifnull: { hint: "Write `a == null ? other : a`." } },
    ...{ match: { name: "matches" }, regexp: { name: "matches" }, test: { name: "matches" } },
    ...{ datediff: daysBetween, dateadd: daysBetween, diff: daysBetween },
    ...{ average: { name: "avg" }, mean: { name: "avg" }, total: { name: "sum" }, ceiling: { name: "ceil" } },
    ...{ minimum: { name: "min" }, maximum: { name: "max" } },
    ...{ latest: { name: "last" }, earliest: { name: "first" }, top: { name: "last" } },
    ...{ currentdate: { name: "today" }, curdate: { name: "today" } },
    ...{ current_date: { name: "today" }, today: { name: "today" }, now: { name: "now" }, getdate: { name: "today" } },
    ...{ hasrole: { hint: "Write `'role' in user.roles`." }, xor: { hint: "Write `a != b`." } },
  } satisfies Record<string, Counterpart>),
);

export const foreignNames: ReadonlyMap<string, Counterpart> = new Map(
  Object.entries({
    ...{ null: { name: "null" }, none: { name: "null" }, nil: { name: "null" }, undefined: { name: "null" } },
    ...{ true: { name: "true" }, false: { name: "false" } },
    ...{ yes: { name: "true" }, no: { name: "false" } },
    ...{ tomorrow: { hint: "Write today + 1 day." }, yesterday: { hint: "Write today - 1 day." } },
    ...{ current_date: { name: "today" }, curdate: { name: "today" }, today: { name: "today" } },
    ...{ current_timestamp: { name: "now" }, current_user: { name: "user" }, currentuser: { name: "user" } },
    ...{ me: { name: "user" }, self: { name: "this" } },
    math: { hint: "Write only the function: `round(x)`, `abs(x)`, `[a, b].max()`." },
    select: { hint: "Use the entity: `Booking.count(b, b.room == this)`." },
  } satisfies Record<string, Counterpart>),
);
