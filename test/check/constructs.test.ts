import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compareBehaviour } from "../../src/core/change/compare-behaviour.ts";
import { compile } from "../../src/core/compile.ts";
import { allRoles, buildOpenapi } from "../../src/core/derive/openapi/openapi.ts";
import { type PointNumber, pointNumbers, readDocument } from "../../src/core/document/read.ts";
import { type Schema, toJsonSchema } from "../../src/core/document/schema.ts";
import { format } from "../../src/core/format.ts";
import type { Model } from "../../src/core/model/model.ts";
import { pointShapes } from "../../src/core/sections/syntax.ts";
import { drive } from "../app/openapi/drive.ts";
import { serveText } from "../app/program.ts";
import { generated, openDocument, writeDocument } from "../worlds/documents.ts";
import { type Json, jsonOf, takes } from "./json-schema.ts";

/*
 * Each construct of `constructs.md` occurs in every proof of the language: in the random documents for comparing two
 * worlds, in OpenAPI, in `format`, in the exported schema, from which editors complete keys, and in the behaviour diff.
 */

/** A proof that cannot contain the construct, with the reason. */
interface Never {
  readonly never: string;
}
const never = (reason: string): Never => ({ never: reason });
const isNever = (cell: unknown): cell is Never => typeof cell === "object" && cell !== null && "never" in cell;

interface Construct {
  readonly name: string;
  /** Its text in the document. */
  readonly text: string;
  /** Another meaning in this place, and the clause, or the subject, of the line that reports it. */
  readonly changed: readonly [text: string, clause: string];
  /** With a mistake that the exported schema rejects; in an expression, one that only the checker reports. */
  readonly misspelt: string;
  /** The key, and where editors offer it: the point and the keys above it. For the schema, expressions are text. */
  readonly offered:
    | readonly [key: string, point: PointNumber, ...path: readonly string[]]
    | { readonly expression: string };
  /** In the random documents. */
  readonly random: RegExp;
  /** In the description of the API. */
  readonly openapi: RegExp | Never;
}

const NO_DIFFERENCE = "Callers see the value of the field, or the refusal, and not how it comes about.";
const hidden = never(NO_DIFFERENCE);
const screens = never("Screens are no part of the API.");

const constructs: readonly Construct[] = [
  {
    name: "a copied value that stays until its source is replaced",
    text: "kept: { until: [product, pay] }",
    changed: ["kept: for good", "3.Order.agreed"],
    misspelt: "kept: { untill: [product, pay] }",
    offered: ["kept", 3, "Order", "fields", "agreed"],
    random: /kept: \{ until: \[/u,
    openapi: hidden,
  },
  {
    name: "a default that reads a record that another field names",
    text: "default: product.keeper",
    changed: ["default: user", "3.Order.helper"],
    misspelt: "defualt: product.keeper",
    offered: ["default", 3, "Order", "fields", "helper"],
    random: /default: "project\.budget/u,
    openapi: hidden,
  },
  {
    name: "a default that reads another field of the record",
    text: 'default: "begins + 2 days"',
    changed: ['default: "begins + 3 days"', "3.Order.ends"],
    misspelt: 'defualt: "begins + 2 days"',
    offered: ["default", 3, "Order", "fields", "ends"],
    random: /default: "day \+ 3 days"/u,
    openapi: hidden,
  },
  {
    name: "a copied value that never changes",
    text: "first:   { type: money, kept: for good",
    changed: ["first:   { type: money, kept: true", "3.Order.first"],
    misspelt: "first:   { type: money, keept: for good",
    offered: ["kept", 3, "Order", "fields", "first"],
    random: /kept: for good/u,
    openapi: hidden,
  },
  {
    name: "a condition before a transition, with an error of its own",
    text: "before: pay",
    changed: ["before: [pay, back]", "5.Order.NO_COST"],
    misspelt: "befor: pay",
    offered: ["before", 5, "Order", "0"],
    random: /before: finish/u,
    openapi: /"NO_COST"/u,
  },
  {
    name: "`old` in a rule",
    text: "amount >= old.amount",
    changed: ["amount <= old.amount", "5.Order.FEWER"],
    misspelt: "amount >= odl.amount",
    offered: { expression: "old" },
    random: /cost >= old\.cost/u,
    openapi: /"FEWER"/u,
  },
  {
    name: "`set` of a transition that reads the values just entered",
    text: "set: { title: \"cost > 50 ? 'Dear' : title\" }",
    changed: ["set: { title: \"cost > 60 ? 'Dear' : title\" }", "4.Order.send_complete"],
    misspelt: "sets: { title: \"cost > 50 ? 'Dear' : title\" }",
    offered: ["set", 4, "Order", "transitions", "send"],
    random: /asks: \[cost\], set: \{ note:/u,
    openapi: hidden,
  },
  {
    name: "a constant of digits as text",
    text: "{ value: 1450, type: text }",
    changed: ["{ value: 1451, type: text }", "9.form_number"],
    misspelt: "{ value: 1450, typ: text }",
    offered: ["type", 9, "form_number"],
    random: /type: text \}\n/u,
    openapi: hidden,
  },
  {
    name: "a constant list of states",
    text: "undecided: [open, paid]",
    changed: ["undecided: [open]", "9.undecided"],
    misspelt: "Undecided: [open, paid]",
    offered: { expression: "undecided" },
    random: /undecided: \[draft/u,
    openapi: hidden,
  },
  {
    name: "a constant amount of money",
    text: "dear: { value: 500, type: money }",
    changed: ["dear: { value: 600, type: money }", "9.dear"],
    misspelt: "deer: { value: 500, type: money }",
    offered: { expression: "dear" },
    random: /: 500 EUR/u,
    openapi: hidden,
  },
  {
    name: "an overview that is sent on a schedule",
    text: "every: monday 08:00",
    changed: ["every: friday 08:00", "2./"],
    misspelt: "evry: monday 08:00",
    offered: ["send", 2, "/"],
    random: /send: \{ every: day/u,
    openapi: screens,
  },
  {
    name: "a currency of the document",
    text: "currency: CHF",
    changed: ["currency: EUR", "3.Order.cost"],
    misspelt: "curency: CHF",
    offered: ["currency", 1],
    random: /\ncurrency: EUR/u,
    openapi: /"CHF"/u,
  },
  {
    name: "rounding halves away from zero",
    text: "round_half_up(agreed * 0.93, 1)",
    changed: ["round(agreed * 0.93, 1)", "3.Order.net"],
    misspelt: "round_halfup(agreed * 0.93, 1)",
    offered: { expression: "round_half_up" },
    random: /round_half_up\(/u,
    openapi: hidden,
  },
  {
    name: "rounding halves to the even digit",
    text: "round(agreed / 7, 2)",
    changed: ["round(agreed / 7, 1)", "3.Order.even"],
    misspelt: "rond(agreed / 7, 2)",
    offered: { expression: "round" },
    random: /[^_]round\(/u,
    openapi: hidden,
  },
  {
    name: "rounding up and down",
    text: "round_down(agreed / 3, 1) + round_up(agreed / 3, 1)",
    changed: ["round_down(agreed / 3, 1) + round_down(agreed / 3, 1)", "3.Order.rest"],
    misspelt: "round_dwon(agreed / 3, 1) + round_up(agreed / 3, 1)",
    offered: { expression: "round_down" },
    random: /round_up\(/u,
    openapi: hidden,
  },
  {
    name: "values in a message",
    text: "{old.amount} can only rise.",
    changed: ["{amount} can only rise.", "8.FEWER"],
    misspelt: "{old.amonut} can only rise.",
    offered: { expression: "amount" },
    random: /NO_NOTE: "\{title\} has no note/u,
    openapi: never("A description has the code of an error; its message depends on the record."),
  },
  {
    name: "a rule on rows that exist because of others",
    text: "b.product == product && b.day == d) <= 2",
    changed: ["b.product == product && b.day == d) <= 3", "5.Order.BUSY"],
    misspelt: "b.prodcut == product && b.day == d) <= 2",
    offered: { expression: "product" },
    random: /Span\.count\(/u,
    openapi: /"BUSY"/u,
  },
  {
    name: "rows that exist because of others",
    text: 'rows of: { order: Order, day: "days(begins, ends)" }',
    changed: ['rows of: { order: Order, day: "days(begins, begins)" }', "3.Busy"],
    misspelt: 'row of: { order: Order, day: "days(begins, ends)" }',
    offered: ["rows of", 3, "Busy"],
    random: /rows of: \{ task: Task/u,
    openapi: /"Busy"/u,
  },
  {
    name: "working days",
    text: "working_days(begins, ends)",
    changed: ["days_between(begins, ends)", "3.Order.days"],
    misspelt: "workingdays(begins, ends)",
    offered: { expression: "working_days" },
    random: /[^_]working_days\(/u,
    openapi: hidden,
  },
  {
    name: "a date some working days later",
    text: "add_working_days(begins, 3, Holiday.map(h, h.day))",
    changed: ["add_working_days(begins, 4, Holiday.map(h, h.day))", "3.Order.due"],
    misspelt: "add_workingdays(begins, 3, Holiday.map(h, h.day))",
    offered: { expression: "add_working_days" },
    random: /add_working_days\(/u,
    openapi: hidden,
  },
  {
    name: "a time some working hours later",
    text: "add_working_hours(created_at, 8, Holiday.map(h, h.day), office_hours)",
    changed: ["add_working_hours(created_at, 9, Holiday.map(h, h.day), office_hours)", "3.Order.reply"],
    misspelt: "add_workinghours(created_at, 8, Holiday.map(h, h.day), office_hours)",
    offered: { expression: "add_working_hours" },
    random: /add_working_hours\(/u,
    openapi: hidden,
  },
  {
    name: "working hours",
    text: "working_hours(created_at, now, office_hours)",
    changed: ["working_hours(updated_at, now, office_hours)", "3.Order.hours"],
    misspelt: "workinghours(created_at, now, office_hours)",
    offered: { expression: "working_hours" },
    random: /[^_]working_hours\(/u,
    openapi: hidden,
  },
  {
    name: "a transition after some working hours",
    text: 'once: "add_working_hours(updated_at, 80, office_hours) <= now"',
    changed: ['once: "add_working_hours(updated_at, 90, office_hours) <= now"', "4.Order.expire"],
    misspelt: 'onec: "add_working_hours(updated_at, 80, office_hours) <= now"',
    offered: ["once", 4, "Order", "transitions", "expire"],
    random: /once: "add_working_hours\(/u,
    openapi: hidden,
  },
  {
    name: "the hours of a week",
    text: "office_hours: Mon-Thu 08:00-12:00, 13:00-17:00, Fri 08:00-14:00",
    changed: ["office_hours: Mon-Fri 08:00-12:00", "9.office_hours"],
    misspelt: "Office_hours: Mon-Thu 08:00-12:00, 13:00-17:00, Fri 08:00-14:00",
    offered: { expression: "office_hours" },
    random: /office_hours: Mon-/u,
    openapi: hidden,
  },
  {
    name: "a transition that needs several people",
    text: "needs: 2, recorded in: paid_by",
    changed: ["needs: 3, recorded in: paid_by", "4.Order.pay"],
    misspelt: "need: 2, recorded in: paid_by",
    offered: ["needs", 4, "Order", "transitions", "pay"],
    random: /needs: 2, recorded in/u,
    openapi: /"paid_by"/u,
  },
  {
    name: "changes that make earlier approvals void",
    text: "until: cost",
    changed: ["until: [cost, amount]", "Order.update"],
    misspelt: "untill: cost",
    offered: ["until", 4, "Order", "transitions", "pay"],
    random: /recorded in: finished_by, until: \[cost/u,
    openapi: hidden,
  },
  {
    name: "a transition that needs roles in turn",
    text: 'needs: [clerk, { role: boss, when: "cost > 50" }]',
    changed: ['needs: [clerk, { role: boss, when: "cost > 60" }]', "4.Order.send"],
    misspelt: 'needs: [clerk, { roll: boss, when: "cost > 50" }]',
    offered: ["recorded in", 4, "Order", "transitions", "send"],
    random: /needs: \[(clerk|head)/u,
    openapi: /"NEEDS_ANOTHER_PERSON"/u,
  },
  {
    name: "a transition back to the previous state",
    text: "to: previous, by: [clerk, boss], recorded in: held_from",
    changed: ["to: open, by: [clerk, boss]", "4.Order.resume"],
    misspelt: "too: previous, by: [clerk, boss], recorded in: held_from",
    offered: ["recorded in", 4, "Order", "transitions", "resume"],
    random: /to: previous/u,
    openapi: /"held_from"/u,
  },
  {
    name: "a value that only a transition needs",
    text: "{ reason: { type: text, max: 90 } }",
    changed: ["{ reason: { type: text?, max: 90 } }", "4.Order.remark"],
    misspelt: "{ reason: { tpye: text, max: 90 } }",
    offered: ["type", 4, "Order", "transitions", "remark", "asks", "1", "reason"],
    random: /asks: \[note, \{ reason: \{/u,
    openapi: /"Order\.remark":\{"type":"object","required":\["title","reason"\]/u,
  },
  {
    name: "what a transition proposes for a value, and among which records it is chosen",
    text: '{ mate: { type: User?, among: "[helper]", default: helper, discloses: true } }',
    changed: ['{ mate: { type: User?, among: "[helper]", default: user, discloses: true } }', "Order.mate"],
    misspelt: '{ mate: { type: User?, amongst: "[helper]", default: helper, discloses: true } }',
    offered: ["among", 4, "Order", "transitions", "remark", "asks", "2", "mate"],
    random: /reason: \{ type: text\?, max: 40, default: /u,
    openapi: /"mate":/u,
  },
  {
    name: "a choice with the values of another one",
    text: "asked:   { type: choice?, values: Order.size }",
    changed: ["asked:   { type: choice?, values: [small, XL] }", "Order.asked"],
    misspelt: "asked:   { type: choice?, value: Order.size }",
    offered: ["values", 3, "Order", "fields", "asked"],
    random: /values: Task\.kind/u,
    openapi: /"asked":/u,
  },
  {
    name: "deputies",
    text: "deputies: { for: boss, up to: 20 days",
    changed: ["deputies: { for: [boss, clerk], up to: 20 days", "6.deputies"],
    misspelt: "deputies: { four: boss, up to: 20 days",
    offered: ["for", 6, "deputies"],
    random: /deputies: \{ for:/u,
    openapi: /"DEPUTY_TOO_LONG"/u,
  },
  {
    name: "the people who can be deputies",
    text: "among: \"User.filter(u, u.handle != 'intern')\"",
    changed: ["among: \"User.filter(u, u.handle != 'trainee')\"", "3.Deputy.deputy"],
    misspelt: "amongst: \"User.filter(u, u.handle != 'intern')\"",
    offered: ["among", 6, "deputies"],
    random: /deputies: \{ for: .*among: /u,
    openapi: /"NOT_AMONG","x-clause":"3\.Deputy\.deputy"/u,
  },
  {
    name: "the deadline of a state",
    text: "deadline: due",
    changed: ["deadline: begins", "4.Order.open"],
    misspelt: "deadlien: due",
    offered: ["deadline", 4, "Order", "states", "0", "open"],
    random: /deadline: due/u,
    openapi: never("Callers see the date, and compare it themselves."),
  },
  {
    name: "the main action of a state",
    text: "main: true",
    changed: ["main: false", "4.Order.pay"],
    misspelt: "mian: true",
    offered: ["main", 4, "Order", "transitions", "pay"],
    random: /main: true/u,
    openapi: never("It only orders the buttons of screens."),
  },
  {
    name: "the values in the dialog of a transition",
    text: "shows: [cost, product.name]",
    changed: ["shows: [cost]", "4.Order.pay"],
    misspelt: "show: [cost, product.name]",
    offered: ["shows", 4, "Order", "transitions", "pay"],
    random: /shows: \[cost, owner\.name\]/u,
    openapi: never("It only chooses what dialogs show."),
  },
  {
    name: "sending a record back",
    text: "back: { from: paid, to: open, by: [clerk, boss], asks: title }",
    changed: ["back: { from: paid, to: open, by: [clerk, boss], asks: [title, cost] }", "4.Order.back"],
    misspelt: "back: { from: paid, to: open, by: [clerk, boss], ask: title }",
    offered: ["asks", 4, "Order", "transitions", "back"],
    random: /reopen: /u,
    openapi: /"Order\.back"/u,
  },
  {
    name: "a tile with one figure",
    text: "figure: Order\n      value: sum(cost)",
    changed: ["figure: Order\n      value: sum(net)", "2./.1"],
    misspelt: "figur: Order\n      value: sum(cost)",
    offered: ["figure", 2, "/", "tiles", "0"],
    random: /figure: Task/u,
    openapi: screens,
  },
  {
    name: "a figure beside another",
    text: 'compare: { title: A month ago, where: "begins < today - 30 days" }',
    changed: ['compare: { title: A month ago, where: "begins < today - 60 days" }', "2./.1"],
    misspelt: 'compare: { titel: A month ago, where: "begins < today - 30 days" }',
    offered: ["compare", 2, "/", "tiles", "0"],
    random: /compare: \{/u,
    openapi: screens,
  },
  {
    name: "a list that opens grouped",
    text: "group: [state, helper]",
    changed: ["group: [helper, state]", "2./orders"],
    misspelt: "gruop: [state, helper]",
    offered: ["group", 2, "/orders"],
    random: /group: \[kind, month_of\(day\)\]/u,
    openapi: screens,
  },
  {
    name: "a pivot as a layout of a list",
    text: "{ pivot: state, by: begins, value: sum(cost) }",
    changed: ["{ pivot: state, by: begins, value: sum(net) }", "2./orders"],
    misspelt: "{ pivot: state, bye: begins, value: sum(cost) }",
    offered: ["pivot", 2, "/orders", "layouts", "1"],
    random: /\{ pivot: kind, by: project, value: /u,
    openapi: screens,
  },
  {
    name: "a pivot as a tile",
    text: "pivot: helper, by: state, from: Order",
    changed: ["pivot: product, by: state, from: Order", "2./.4"],
    misspelt: "pivott: helper, by: state, from: Order",
    offered: ["by", 2, "/", "tiles", "3"],
    random: /pivot: status, by: day, from: Task/u,
    openapi: screens,
  },
  {
    name: "a tile for a role",
    text: `where: "state != sent", for: clerk`,
    changed: [`where: "state != sent", for: [clerk, boss]`, "2./.3"],
    misspelt: `where: "state != sent", four: clerk`,
    offered: ["for", 2, "/", "tiles", "2"],
    random: /count: Task, .*for: /u,
    openapi: screens,
  },
  {
    name: "a target",
    text: "target: { at least: 90 }",
    changed: ["target: { at least: 80 }", "2./.2"],
    misspelt: "target: { atleast: 90 }",
    offered: ["at least", 2, "/", "tiles", "1", "target"],
    random: /target: \{/u,
    openapi: screens,
  },
  {
    name: "a share",
    text: "share(state == sent)",
    changed: ["share(state == paid)", "2./.2"],
    misspelt: "shares(state == sent)",
    offered: { expression: "share" },
    random: /share\(/u,
    openapi: screens,
  },
  {
    name: "signing in by a unique field",
    text: "by: handle",
    changed: ["password: true", "7.sign in"],
    misspelt: "bye: handle",
    offered: ["by", 7, "sign in"],
    random: /sign in: \{ by: handle/u,
    openapi: /"handle"/u,
  },
  {
    name: "registration at once",
    text: "sign up: { verify email: false, asks: handle }",
    changed: ["sign up: { verify email: false, asks: handle, roles: clerk }", "7.sign in"],
    misspelt: "sign up: { verify mail: false }",
    offered: ["verify email", 7, "sign in", "sign up"],
    random: /verify email: false/u,
    openapi: /"\/v1\/users"/u,
  },
  {
    name: "more fields of people who register",
    text: "asks: handle }",
    changed: ["asks: name }", "sign up"],
    misspelt: "ask: handle }",
    offered: ["asks", 7, "sign in", "sign up"],
    random: /verify email: false, asks: handle/u,
    openapi: /"required":\["handle","email","password"\]/u,
  },
  {
    name: "registration as a call",
    text: "sign up: true, takes: { user: { username: name, handle, email, password } }",
    changed: ["sign up: true, takes: { user: { login: name, handle, email, password } }", "7.POST /users"],
    misspelt: "signup: true, takes: { user: { username: name, handle, email, password } }",
    offered: ["sign up", 7, "calls", "POST /users"],
    random: /sign up: true/u,
    openapi: /"username"/u,
  },
  {
    name: "signing in as a call",
    text: "sign in: true, takes: { handle, password }",
    changed: ["sign in: true, takes: { email, password }", "7.POST /login"],
    misspelt: "signin: true, takes: { handle, password }",
    offered: ["sign in", 7, "calls", "POST /login"],
    random: /sign in: true/u,
    openapi: /"\/v1\/login"/u,
  },
  {
    name: "a session in place of another",
    text: "sign in: true, takes: { refresh: token }",
    changed: ["sign in: true, takes: { again: token }", "7.POST /refresh"],
    misspelt: "signin: true, takes: { refresh: token }",
    offered: ["sign in", 7, "calls", "POST /refresh"],
    random: /sign in: true, takes: \{ key: token \}/u,
    openapi: /"Replace a session by another, with a new token"/u,
  },
  {
    name: "a call that is open under a condition",
    text: 'when: "amount > 5"',
    changed: ['when: "amount > 6"', "7.GET /own/{number}"],
    misspelt: 'whenn: "amount > 5"',
    offered: ["when", 7, "calls", "GET /own/{number}"],
    random: /when: owner == user/u,
    openapi: /own/u,
  },
  {
    name: "an order with names of its own",
    text: "sortable: { fields: { name: title }, by: sortBy, order: way }",
    changed: ["sortable: { fields: { title }, by: sortBy, order: way }", "7.GET /numbered"],
    misspelt: "sortables: { fields: { name: title }, by: sortBy, order: way }",
    offered: ["sortable", 7, "calls", "GET /numbered"],
    random: /by: sortBy/u,
    openapi: /"sortBy"/u,
  },
  {
    name: "pages with parameters of their own names",
    text: "paging: { page: p, limit: per_page, size: 2 }",
    changed: ["paging: { page: p, limit: per_page, size: 3 }", "7.GET /numbered"],
    misspelt: "pageing: { page: p, limit: per_page, size: 2 }",
    offered: ["paging", 7, "calls", "GET /numbered"],
    random: /paging: \{ page: p/u,
    openapi: /"per_page"/u,
  },
  {
    name: "a forgotten password as a call",
    text: "forgot password: true, link: APP_RESET_PAGE",
    changed: ["forgot password: true", "7.POST /forgot"],
    misspelt: "forgotten password: true, link: APP_RESET_PAGE",
    offered: ["forgot password", 7, "calls", "POST /forgot"],
    random: /forgot password: true/u,
    openapi: /"\/v1\/forgot"/u,
  },
  {
    name: "a new password by a mailed token",
    text: "reset password: true, takes: { key: token, password }",
    changed: ["reset password: true, takes: { token, password }", "7.POST /reset"],
    misspelt: "resets password: true, takes: { key: token, password }",
    offered: ["reset password", 7, "calls", "POST /reset"],
    random: /reset password: true/u,
    openapi: /"\/v1\/reset"/u,
  },
  {
    name: "signing out with a response",
    text: "sign out: true, gives: { bye: name }",
    changed: ["sign out: true, gives: { bye: email }", "7.POST /logout"],
    misspelt: "signout: true, gives: { bye: name }",
    offered: ["sign out", 7, "calls", "POST /logout"],
    random: /sign out: true, gives/u,
    openapi: /"bye"/u,
  },
  {
    name: "one's own account with its token",
    text: 'GET /user:     { read: User, where: "this == user", gives: { name, token } }',
    changed: ['GET /user:     { read: User, where: "this == user", gives: { name } }', "7.GET /user"],
    misspelt: "GET /user:     { read: User, were: this == user, gives: { name, token } }",
    offered: ["gives", 7, "calls", "GET /user"],
    random: /gives: \{ name, token \}/u,
    openapi: /"token"/u,
  },
  {
    name: "a new password as a call",
    text: "takes: { name, password, current_password }",
    changed: ["takes: { name, password }", "7.PUT /user"],
    misspelt: "take: { name, password, current_password }",
    offered: ["takes", 7, "calls", "PUT /user"],
    random: /takes: \{ name, password, current_password \}/u,
    openapi: /"current_password"/u,
  },
  {
    name: "closing one's own account",
    text: 'delete: User, where: "this == user"',
    changed: ['delete: User, where: "this == user", gives: { name }', "7.DELETE /user"],
    misspelt: 'deletes: User, where: "this == user"',
    offered: ["delete", 7, "calls", "DELETE /user"],
    random: /delete: User/u,
    openapi: /"Close one’s own account"/u,
  },
  {
    name: "the length of passwords",
    text: "password_length: 12",
    changed: ["password_length: 14", "9.password_length"],
    misspelt: "password_length: { valeu: 12 }",
    offered: ["password_length", 9],
    random: /password_length: \d/u,
    openapi: hidden,
  },
  {
    name: "constants and lists in the shape of errors",
    text: "error shape: { status: \"'fail'\", version: 2, message, errors",
    changed: ["error shape: { status: \"'error'\", version: 2, message, errors", "errors"],
    misspelt: "error shapes: { status: \"'fail'\", version: 2, message, errors",
    offered: ["error shape", 7],
    random: /error shape: \{ status: "status == 404/u,
    openapi: /"fail"/u,
  },
  {
    name: "the place of an error as a path",
    text: "{ at, path, message }",
    changed: ["{ at, message }", "errors"],
    misspelt: "{ at, paht, message }",
    offered: { expression: "path" },
    random: /all: \[\{ at, path/u,
    openapi: /"path"/u,
  },
  {
    name: "errors by the name of their field",
    text: 'fields: { "{field}": [message] }',
    changed: ['fields: { "{field}": message }', "errors"],
    misspelt: 'fields: { "{field}": [mesage] }',
    offered: { expression: "message" },
    random: /"\{field\}": \{ message/u,
    openapi: /"fields":/u,
  },
  {
    name: "registering under a condition, without a password",
    text: 'when: "user.name == null", takes: { name, handle, email }, gives: { token }',
    changed: ["takes: { name, handle, email, password }, gives: { token }", "7.POST /guests"],
    misspelt: 'whenn: "user.name == null", takes: { name, handle, email }, gives: { token }',
    offered: ["when", 7, "calls", "POST /guests"],
    random: /sign up: true, when: ".*", takes: \{ handle, email \}/u,
    openapi: /"\/v1\/guests"/u,
  },
  {
    name: "closing one's own account under a condition",
    text: "when: \"user.name != 'Warden'\"",
    changed: ["when: \"user.name != 'Keeper'\"", "7.DELETE /user"],
    misspelt: "whn: \"user.name != 'Warden'\"",
    offered: ["when", 7, "calls", "DELETE /user"],
    random: /where: this == user, when: "/u,
    openapi: /"\/v1\/user"/u,
  },
  {
    name: "a list under a condition on the caller, in pages",
    text: 'when: "user.handle != null", paging: pages',
    changed: ['when: "user.name != null", paging: pages', "7.GET /open"],
    misspelt: 'when: "user.handle != null", pagin: pages',
    offered: ["paging", 7, "calls", "GET /open"],
    random: /list: Task, when: ".*paging: pages/u,
    openapi: /"\/v1\/open"/u,
  },
  {
    name: "several steps, of which one makes sure that a record exists",
    text: "do: [{ ensure: Mark }",
    changed: ["do: [{ create: Mark }", "7.PUT /orders/{order.number}/mark"],
    misspelt: "do: [{ insure: Mark }",
    offered: ["do", 7, "calls", "PUT /orders/{order.number}/mark"],
    random: /do: \[\{ ensure: Mark \}/u,
    openapi: /"\/v1\/orders\/\{order\.number\}\/mark"/u,
  },
  {
    name: "the first of several records, and an amount with its places",
    text: "orders.first(o, o.begins).title + text(price, 2)",
    changed: ["orders.first(o, o.begins).title + text(price, 1)", "3.Product.oldest"],
    misspelt: "orders.frist(o, o.begins).title + text(price, 2)",
    offered: { expression: "first" },
    random: /\.first\(t, t\.cost\).*text\(/u,
    openapi: hidden,
  },
  {
    name: "an error of its own for a call",
    text: "errors: { NOT_FOUND: GONE }",
    changed: ["status: 202", "7.GET /orders/{number}"],
    misspelt: "error: { NOT_FOUND: GONE }",
    offered: ["errors", 7, "calls", "GET /orders/{number}"],
    random: /errors: \{ NOT_FOUND: GONE \}/u,
    openapi: /"410"/u,
  },
  {
    name: "the name of a built-in error in the shape",
    text: "NOT_SIGNED_IN: { message: is missing, at: token }",
    changed: ["NOT_SIGNED_IN: { message: is missing, at: header }", "8.NOT_SIGNED_IN"],
    misspelt: "NOT_SIGNED_IN: { mesage: is missing, at: token }",
    offered: ["at", 8, "NOT_SIGNED_IN"],
    random: /NOT_SIGNED_IN: \{ message: [^}]*at: /u,
    openapi: never("The names in the lists of an error shape depend on the errors of a response."),
  },
  {
    name: "whole numbers that are assigned",
    text: "number:  integer sequence",
    changed: ["number:  integer?", "3.Order.number"],
    misspelt: "number:  { tpye: integer sequence }",
    offered: ["type", 3, "Order", "fields", "number"],
    random: /serial: {3}integer sequence/u,
    openapi: /"\/v1\/orders\/\{number\}"/u,
  },
  {
    name: "PUT that replaces",
    text: "replace: Order, takes: { title, cost }",
    changed: ["update: Order, takes: { title, cost }", "7.PUT /orders/{number}"],
    misspelt: "replaces: Order, takes: { title, cost }",
    offered: ["replace", 7, "calls", "PUT /orders/{number}"],
    random: /replace: Task/u,
    openapi: /"put":/u,
  },
  {
    name: "PUT that creates or replaces",
    text: "put: Product, takes: { price }",
    changed: ["replace: Product, takes: { price }", "7.PUT /products/{name}"],
    misspelt: "puts: Product, takes: { price }",
    offered: ["put", 7, "calls", "PUT /products/{name}"],
    random: /put: Task/u,
    openapi: /"put":\{"operationId":"PUT \/products\/\{name\}"(?:(?!"operationId").)*"201"/u,
  },
  {
    name: "a parameter that is compared with a field",
    text: "query: { of: product.name }",
    changed: ["query: { of: title }", "7.GET /held"],
    misspelt: "query: [of, product.name]",
    offered: ["query", 7, "calls", "GET /held"],
    random: /who: owner\.name/u,
    openapi: /"name":"of","in":"query"/u,
  },
  {
    name: "what a deletion of many deleted",
    text: "gives: { deleted: size(found) }",
    changed: ["status: 204", "7.DELETE /held"],
    misspelt: "give: { deleted: size(found) }",
    offered: ["gives", 7, "calls", "DELETE /held"],
    random: /delete all: Step/u,
    openapi: /"deleted":\{"type":"integer"/u,
  },
  {
    name: "a token after a text",
    text: "gives: { authorization: \"'Bearer ' + token\" }",
    changed: ["gives: { authorization: token }", "7.POST /sessions"],
    misspelt: "give: { authorization: \"'Bearer ' + token\" }",
    offered: ["gives", 7, "calls", "POST /sessions"],
    random: /gives: \{ name, token \}/u,
    openapi: /"authorization":\{"type":"string"/u,
  },
  {
    name: "members required in a call",
    text: "asks: amount, gives: Order.short(this)",
    changed: ["gives: Order.short(this)", "7.POST /orders"],
    misspelt: "ask: amount, gives: Order.short(this)",
    offered: ["asks", 7, "calls", "POST /orders"],
    random: /asks: title/u,
    openapi: /"required":\[[^\]]*"amount"/u,
  },
  {
    name: "unknown members ignored",
    text: "unknown: ignored",
    changed: ["unknown: refused", "7.PUT /orders/{number}"],
    misspelt: "unkown: ignored",
    offered: ["unknown", 7, "calls", "PUT /orders/{number}"],
    random: /unknown: ignored/u,
    openapi: /"put":\{(?:(?!"additionalProperties":false).)*"204"/u,
  },
  {
    name: "forms of bodies besides JSON",
    text: "accepts: forms",
    changed: ["accepts: json", "7.PUT /orders/{number}"],
    misspelt: "acepts: forms",
    offered: ["accepts", 7, "calls", "PUT /orders/{number}"],
    random: /accepts: \[texts, forms\]/u,
    openapi: /"application\/x-www-form-urlencoded"/u,
  },
  {
    name: "decimals as numbers",
    text: "decimals: numbers",
    changed: ["decimals: texts", "7.GET /names"],
    misspelt: "decimal: numbers",
    offered: ["decimals", 7],
    random: /decimals: numbers/u,
    openapi: /"hours":\{"anyOf":\[\{"type":"array","items":\{"type":"number"/u,
  },
  {
    name: "a list in ascending order",
    text: "o.title).sorted()",
    changed: ["o.title)", "7.GET /names"],
    misspelt: "o.title).sortted()",
    offered: { expression: ".sorted()" },
    random: /\.sorted\(\)/u,
    openapi: never("The form of a list does not depend on its order."),
  },
  {
    name: "the token of a session in a body",
    text: "sign out: true, takes: { key: token }",
    changed: ["sign out: true, takes: { word: token }", "7.POST /leave"],
    misspelt: "sign out: true, take: { key: token }",
    offered: ["takes", 7, "calls", "POST /leave"],
    random: /sign out: true, takes: \{ key: token \}/u,
    openapi: /"key":\{"type":"string"/u,
  },
  {
    name: "a token in a cookie",
    text: "cookie: pass",
    changed: ["cookie: card", "token"],
    misspelt: "cokie: pass",
    offered: ["cookie", 7, "token"],
    random: /cookie: pass/u,
    openapi: /"in":"cookie","name":"pass"/u,
  },
  {
    name: "a password with each request",
    text: "basic: true",
    changed: ["basic: false", "7.sign in"],
    misspelt: "basik: true",
    offered: ["basic", 7, "sign in"],
    random: /basic: true/u,
    openapi: /"scheme":"basic"/u,
  },
  {
    name: "a parameter in a header, with a rule",
    text: 'header: X-From, type: text, rule: "size(input.from) < 9"',
    changed: ['header: X-From, type: text, rule: "size(input.from) < 8"', "7.GET /late"],
    misspelt: 'heder: X-From, type: text, rule: "size(input.from) < 9"',
    offered: ["header", 7, "calls", "GET /late", "query", "from"],
    random: /header: X-From, type: text/u,
    openapi: /"name":"X-From","in":"header"/u,
  },
  {
    name: "the value of a parameter that is not sent",
    text: "default: small } }, gives",
    changed: ["default: XL } }, gives", "7.GET /sized"],
    misspelt: "defualt: small } }, gives",
    offered: ["default", 7, "calls", "GET /sized", "query", "size"],
    random: /default: 5, where: weight/u,
    openapi: /"default":"small"/u,
  },
  {
    name: "members of parts with names of their own",
    text: "rows: Piece.sent(pieces) }, gives",
    changed: ["rows: pieces }, gives", "7.POST /pieced"],
    misspelt: "rows: Piece.snet(pieces) }, gives",
    offered: { expression: "pieces" },
    random: /list: Step\.sent\(steps\)/u,
    openapi: /"rows":\{[^}]*"type":"array"/u,
  },
  {
    name: "members that a caller chooses",
    text: "selectable: [number, title]",
    changed: ["selectable: title", "7.GET /orders"],
    misspelt: "selectabel: [number, title]",
    offered: ["selectable", 7, "calls", "GET /orders"],
    random: /selectable: \[/u,
    openapi: /"name":"fields"/u,
  },
  {
    name: "members that are left out",
    text: "missing: omitted",
    changed: ['missing: "null"', "7.GET /orders/{number}"],
    misspelt: "mising: omitted",
    offered: ["missing", 7, "calls", "GET /orders/{number}"],
    random: /missing: omitted/u,
    openapi: /"get":\{"operationId":"GET \/orders\/\{number\}"(?:(?!"required":\["number").)*"order":/u,
  },
  {
    name: "the header of tokens",
    text: "token: { header: X-Auth-Token, cookie: pass }",
    changed: ["token: { header: X-Token }", "token"],
    misspelt: "token: { heder: X-Auth-Token, cookie: pass }",
    offered: ["header", 7, "token"],
    random: /token: \{ header: X-Auth-Token/u,
    openapi: never("The description has a scheme of tokens only where people can create them."),
  },
  {
    name: "an address of another form, and an error as plain text",
    text: "BAD_PATH: { message: An order has a number., shape: message }",
    changed: ["BAD_PATH: { status: 404, message: An order has a number., shape: message }", "8.BAD_PATH"],
    misspelt: "BAD_PATH: { mesage: An order has a number., shape: message }",
    offered: ["shape", 8, "BAD_PATH"],
    random: /BAD_PATH: \{ /u,
    openapi: /"text\/plain"/u,
  },
  {
    name: "an answer without a body",
    text: "gives: none",
    changed: ["gives: { title }", "7.PUT /orders/{number}"],
    misspelt: "give: none",
    offered: ["gives", 7, "calls", "PUT /orders/{number}"],
    random: /gives: none/u,
    openapi: /"204"/u,
  },
  {
    name: "a link to a call, and `Location`",
    text: 'self: "GET /orders/{number}"',
    changed: ['self: "GET /products/{product.name}/orders"', "7.GET /orders"],
    misspelt: 'self: "GTE /orders/{number}"',
    offered: { expression: "GET /orders/{number}" },
    random: /self: "GET \//u,
    openapi: /"Location"/u,
  },
  {
    name: "origins with patterns",
    text: "cors: https://*.example.com",
    changed: ["cors: https://desk.example.com", "cors"],
    misspelt: "cros: https://*.example.com",
    offered: ["cors", 7],
    random: /cors: https:\/\/\*/u,
    openapi: never("OpenAPI has no place for origins."),
  },
  {
    name: "search without regard to case",
    text: "lower(title).contains(lower(input.q))",
    changed: ["title.contains(input.q)", "7.GET /orders"],
    misspelt: "lowr(title).contains(lower(input.q))",
    offered: { expression: "lower" },
    random: /lower\(title\)\.contains/u,
    openapi: /"name":"q"/u,
  },
  {
    name: "an order that callers choose",
    text: "sortable: [title, begins]",
    changed: ["sortable: [title]", "7.GET /orders"],
    misspelt: "sortabel: [title, begins]",
    offered: ["sortable", 7, "calls", "GET /orders"],
    random: /sortable: \[title/u,
    openapi: /"name":"sort"/u,
  },
  {
    name: "distinct values",
    text: "distinct: title",
    changed: ["distinct: amount", "7.GET /titles"],
    misspelt: "distinkt: title",
    offered: ["distinct", 7, "calls", "GET /titles"],
    random: /distinct: /u,
    openapi: /"\/v1\/titles"/u,
  },
  {
    name: "references by a unique field in a payload",
    text: "product: product.name, title",
    changed: ["product, title", "7.POST /orders"],
    misspelt: "product: prodcut.name, title",
    offered: { expression: "product" },
    random: /project: project\.name/u,
    openapi: /"\/v1\/orders"/u,
  },
  {
    name: "a letter about a record",
    text: 'text: [{ heading: "Order {number}" }, "{title}, {cost}"]',
    changed: ['text: [{ heading: "Order {number}" }, "{title}"]', "2./orders/{id}/letter"],
    misspelt: 'text: [{ header: "Order {number}" }, "{title}, {cost}"]',
    offered: ["letter", 2, "/orders/{id}/letter"],
    random: /letter: Task, .*text: \[/u,
    openapi: screens,
  },
  {
    name: "a letter that only some records have",
    text: 'where: "state in [paid, sent]", text',
    changed: ["text", "2./orders/{id}/letter"],
    misspelt: 'wehre: "state in [paid, sent]", text',
    offered: ["where", 2, "/orders/{id}/letter"],
    random: /letter: Task, where: /u,
    openapi: screens,
  },
  {
    name: "a letter attached to a mail",
    text: 'text: "{title} is back.", attach: letter',
    changed: ['text: "{title} is back."', "4.Order.after.back.1"],
    misspelt: 'text: "{title} is back.", attaches: letter',
    offered: ["attach", 4, "Order", "after", "back"],
    random: /notify: owner, .*, attach: letter/u,
    openapi: hidden,
  },
  {
    name: "a channel of a chat with its readers",
    text: "slack: APP_ROOM, readers: member",
    changed: ["slack: APP_ROOM, readers: clerk", "7.outgoing.room"],
    misspelt: "slack: APP_ROOM, reader: member",
    offered: ["readers", 7, "outgoing", "room"],
    random: /slack: APP_ROOM/u,
    openapi: hidden,
  },
  {
    name: "values in capitals and with hyphens",
    text: "values: [small, XL, extra-large]",
    changed: ["values: [small, XL, XXL, extra-large]", "3.Order.size"],
    misspelt: "values: [small, XL, extra large]",
    offered: ["values", 3, "Order", "fields", "size"],
    random: /values: \[a, B, c-d\]/u,
    openapi: /"enum":\["small","XL","extra-large"\]/u,
  },
  {
    name: "numbers that must not overlap",
    text: "no overlap: [pages_from, pages_to], within: product",
    changed: ["no overlap: [pages_from, pages_to]", "5.Order.BUSY"],
    misspelt: "no overlaps: [pages_from, pages_to], within: product",
    offered: ["no overlap", 5, "Order", "0"],
    random: /no overlap: \[cost, spent\]/u,
    openapi: /BUSY/u,
  },
  {
    name: "one effect after several transitions",
    text: "send, resume: { notify: helper",
    changed: ["send: { notify: helper", "4.Order.after.resume.1"],
    misspelt: "send, resume: { notfy: helper",
    offered: ["notify", 4, "Order", "after", "send, resume"],
    random: /start, reopen: \{ notify/u,
    openapi: hidden,
  },
  {
    name: "a reminder",
    text: 'ending: { on: "ends - 1 day"',
    changed: ['ending: { on: "ends - 2 days"', "4.Order.remind.ending"],
    misspelt: 'ending: { onn: "ends - 1 day"',
    offered: ["on", 4, "Order", "remind", "ending"],
    random: /soon: \{ on: "day - 1 day"/u,
    openapi: hidden,
  },
  {
    name: "a transition that stays in its state",
    text: "to: same",
    changed: ["to: held", "4.Order.remark"],
    misspelt: "too: same",
    offered: ["to", 4, "Order", "transitions", "remark"],
    random: /to: same/u,
    openapi: hidden,
  },
  {
    name: "the last of several records",
    text: "orders.last(o, o.begins).title",
    changed: ["orders.first(o, o.begins).title", "3.Product.newest"],
    misspelt: "orders.lasst(o, o.begins).title",
    offered: { expression: "orders" },
    random: /steps\.last\(s, s\.weight\)/u,
    openapi: hidden,
  },
  {
    name: "a table of some records in a letter",
    text: 'where: "state == sent", sort: [-begins]',
    changed: ['where: "state == paid", sort: [-begins]', "2./products/{id}/letter"],
    misspelt: 'wheer: "state == sent", sort: [-begins]',
    offered: ["where", 2, "/products/{id}/letter", "text", "0"],
    random: /where: "[^"]+", sort: \[owner, -cost\]/u,
    openapi: screens,
  },
  {
    name: "every field but some, for several roles",
    text: "{ role: [clerk, boss], except: day }",
    changed: ["{ role: boss, except: day }", "6.Holiday.update"],
    misspelt: "{ role: [clerk, boss], excpet: day }",
    offered: ["except", 6, "permissions", "Holiday", "update"],
    random: /except: \[/u,
    openapi: hidden,
  },
  {
    name: "a message to a chat",
    text: '{ call: room, text: "{title} waits." }',
    changed: ['{ call: room, text: "{title} is held." }', "4.Order.after.hold.1"],
    misspelt: '{ cal: room, text: "{title} waits." }',
    offered: ["text", 4, "Order", "after", "hold"],
    random: /\{ call: room, text: /u,
    openapi: hidden,
  },
  {
    name: "a list below a parent, which must exist",
    text: "GET /products/{product.name}/orders: { list: Order",
    changed: [
      'GET /products/{product.name}/orders: { where: "amount > 1", list: Order',
      "7.GET /products/{product.name}/orders",
    ],
    misspelt: "GET /products/{product.name}/orders: { lists: Order",
    offered: ["list", 7, "calls", "GET /products/{product.name}/orders"],
    random: /GET \/shown\/projects\/\{project\.name\}\/tasks/u,
    openapi: /"\/v1\/products\/\{product\.name\}\/orders"/u,
  },
];

const file = "constructs.md";
const text = readFileSync(new URL(file, import.meta.url), "utf8");

const compiledModel = (source: string): Model => {
  const { model, findings } = compile({ file, text: source });
  if (model === undefined) throw new Error(JSON.stringify(findings.filter(({ severity }) => severity === "error")));
  return model;
};

const replaced = (source: string, from: string, to: string): string => {
  expect(source.split(from), `${from} is in the document once`).toHaveLength(2);
  return source.replace(from, () => to);
};

/** The constructs in groups, each with no clause and no text twice. */
const groups = (): readonly (readonly Construct[])[] => {
  const all: Construct[][] = [];
  for (const construct of constructs) {
    const fitting = all.find((group) =>
      group.every((other) => other.changed[1] !== construct.changed[1] && other.text !== construct.text),
    );
    if (fitting === undefined) all.push([construct]);
    else fitting.push(construct);
  }
  return all;
};

const model = compiledModel(text);

test("the behaviour diff has a line for each", () => {
  const without: string[] = [];
  for (const group of groups()) {
    const changed = group.reduce((source, construct) => replaced(source, construct.text, construct.changed[0]), text);
    const lines = compareBehaviour(model, compiledModel(changed));
    for (const { name, changed } of group)
      if (!lines.some(({ before, after, subject }) => [before, after, subject].includes(changed[1])))
        without.push(`${name}: ${changed[1]}`);
  }
  expect(without).toEqual([]);
});

/** The blocks of a document by point, as typed YAML tools read them. */
const blocksOf = (source: string): ReadonlyMap<PointNumber, readonly Json[]> =>
  new Map(
    [...readDocument([{ file, text: source }]).value.points.values()].map(({ number, blocks }) => [
      number,
      blocks.map((block) => jsonOf(block, false)),
    ]),
  );

const schemas = new Map(pointNumbers.map((number) => [number, toJsonSchema(`Point ${number}`, [pointShapes[number]])]));
const fits = (source: string): boolean =>
  [...blocksOf(source)].every(([number, blocks]) => blocks.every((block) => takes(schemas.get(number) ?? {}, block)));

/** The keys that an editor offers at a place. */
const offeredAt = (point: PointNumber, path: readonly string[]): ReadonlySet<string> => {
  const root = schemas.get(point) ?? {};
  const alternatives = (schema: Schema): readonly Schema[] => {
    const target = schema.$ref === undefined ? [] : [root.$defs?.[schema.$ref.replace("#/$defs/", "")] ?? {}];
    return [schema, ...[...target, ...(schema.anyOf ?? [])].flatMap(alternatives)];
  };
  let places = alternatives(root);
  for (const key of path)
    places = places
      .flatMap((place) => {
        const own = place.properties?.[key];
        if (own !== undefined) return [own];
        if (place.items !== undefined && /^\d+$/u.test(key)) return [place.items];
        const fitting = Object.entries(place.patternProperties ?? {}).flatMap(([pattern, of]) =>
          new RegExp(pattern, "u").test(key) ? [of] : [],
        );
        if (fitting.length > 0) return fitting;
        return place.additionalProperties ? [place.additionalProperties] : [];
      })
      .flatMap(alternatives);
  return new Set(places.flatMap(({ properties }) => Object.keys(properties ?? {})));
};

test("`format` leaves each as it is", () => {
  const { sources, findings } = format([{ file, text }]);
  expect(findings).toEqual([]);
  expect(sources[0]?.text).toBe(text);
});

test("the exported schema accepts each, refuses it misspelt, and offers its key", () => {
  expect(fits(text)).toBe(true);
  const wrong: string[] = [];
  const inExpressions: Construct[] = [];
  for (const construct of constructs) {
    if ("expression" in construct.offered) inExpressions.push(construct);
    else {
      const [key, point, ...path] = construct.offered;
      if (fits(replaced(text, construct.text, construct.misspelt)))
        wrong.push(`${construct.name}: accepted with a mistake`);
      if (!offeredAt(point, path).has(key)) wrong.push(`${construct.name}: ${key} is not offered`);
    }
  }
  expect(wrong).toEqual([]);
  // For the schema, expressions are text, so the checker reports their mistakes.
  for (const { name, text: own, misspelt } of inExpressions) {
    const { model: compiled } = compile({ file, text: replaced(text, own, misspelt) });
    if (compiled !== undefined) wrong.push(`${name}: compiles with a mistake`);
  }
  expect(wrong).toEqual([]);
});

test("random documents contain each", () => {
  const left = new Set(constructs);
  for (let seed = 1; left.size > 0 && seed < 60; seed++) {
    const isFull = seed % 4 === 0;
    if (![...left].some(({ random }) => random.test(writeDocument(seed, isFull)))) continue;
    const { text: document } = generated(seed, isFull);
    for (const construct of left) if (construct.random.test(document)) left.delete(construct);
  }
  expect([...left].map(({ name }) => name)).toEqual([]);
});

test("OpenAPI describes each, and every response is as described", { timeout: 150_000 }, async () => {
  const described = JSON.stringify(buildOpenapi(model, allRoles(model), { version: 1, cookie: "session" }));
  const missing = constructs.filter(({ openapi }) => !isNever(openapi) && !openapi.test(described));
  expect(missing.map(({ name }) => name)).toEqual([]);
  const driven = await drive(text, 1, await serveText(text, { demonstration: true }));
  await driven.some(150);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});

// A document says once how people sign in, so this construct has a document of its own, which the two worlds have too.
test("an application in which nobody signs in is in each proof", { timeout: 150_000 }, async () => {
  const open = compiledModel(openDocument);
  const withPassword = compiledModel(replaced(openDocument, "sign in: none", "sign in: { password: true }"));
  expect(compareBehaviour(open, withPassword).map(({ after }) => after)).toContain("7.sign in");
  expect(format([{ file, text: openDocument }]).sources[0]?.text).toContain("\nsign in: none\n");
  expect(fits(openDocument)).toBe(true);
  expect(fits(replaced(openDocument, "sign in: none", "sign in: nobody"))).toBe(false);
  expect(fits(replaced(openDocument, "sign in: none", "sing in: none"))).toBe(false);
  expect(offeredAt(7, []).has("sign in")).toBe(true);
  const described = JSON.stringify(buildOpenapi(open, allRoles(open), { version: 1, cookie: "session" }));
  expect(described.includes('"/api/open/notices"')).toBe(true);
  expect(described.includes("NOT_SIGNED_IN")).toBe(false);
  const driven = await drive(openDocument, 1, await serveText(openDocument, { demonstration: true }));
  await driven.some(60);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});
