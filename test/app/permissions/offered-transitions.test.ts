import { expect, test } from "vitest";
import { type ApiClient, serveText } from "../program.ts";

/*
 * A record says which transitions a person can make now (`may`). No such transition is then refused by a condition of its own:
 * of its roles, of their turn, its `when`, or a rule before it, whether the person can read what the condition reads or not.
 * The same is true of a rule during it that reads nothing that the transition changes, if the person can know its outcome.
 */

const text = `# Orders

## 3. Entities and their fields
\`\`\`yaml
Order:
  label: "{title}"
  fields:
    title:  { type: text, max: 40 }
    maker:  { type: User, set: user }
    cost:   integer?
    secret: integer?
    lines:  { list: Line.order }
Line: { fields: { order: { type: Order, part of: true }, done: boolean } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Order:
  states: [open, paid, sent, held]
  transitions:
    pay:    { from: open, to: paid, by: [{ role: clerk, when: "secret == null || secret < 5" }, boss], when: "maker != user", discloses: true }
    check:  { from: [open, paid], to: same, by: [clerk, boss], when: "secret == null || secret != 3", discloses: true }
    finish: { from: [open, paid], to: same, by: [clerk, boss], when: "lines.all(l, l.done)", discloses: true }
    send:   { from: paid, to: sent, needs: [clerk, { role: boss, when: "secret > 4" }], recorded in: sent_by, until: none, discloses: true }
    free:   { from: paid, to: sent, by: [clerk, boss], needs: "secret == 7 ? 1 : 2", recorded in: freed_by, until: none, discloses: true }
    hold:   { from: [open, paid, sent], to: held, by: clerk }
    resume: { from: held, to: previous, by: clerk, recorded in: held_from }
    priced: { from: [open, paid, sent], to: same, by: [clerk, boss] }
    trust:  { from: [open, paid, sent], to: same, by: [clerk, boss] }
    raise:  { from: [open, paid, sent], to: same, by: [clerk, boss], set: { cost: 1 } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Order:
  - { rule: "cost != null && secret != 2", before: priced, discloses: true, else: NO_PRICE }
  - { rule: "cost < 9", when: "cost != null", during: [trust, raise], else: TOO_DEAR }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: signed in, clerk: granted, boss: granted }
deputies: { for: [clerk, boss], up to: 20 days }
permissions:
  User:  { read: member }
  Order:
    read:   [{ role: clerk, except: [secret, lines] }, { role: boss, except: secret }, { role: member, when: "maker == user" }]
    create: member
  Line:  { read: boss, create: member }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
NO_PRICE: { status: 409, message: "{title} has no price." }
TOO_DEAR: { status: 409, message: "{cost} is too much." }
\`\`\`
`;

const transitions = ["pay", "check", "finish", "send", "free", "hold", "resume", "priced", "trust", "raise"];

interface Attempt {
  readonly who: string;
  readonly title: unknown;
  readonly transition: string;
  readonly said: string;
  readonly got: string;
}

/** Makes a transition, with what the record says about it before. */
const attempt = async (name: string, who: ApiClient, id: string, transition: string): Promise<Attempt | undefined> => {
  const seen = await who.get(`/api/orders/${id}`);
  if (seen.status !== 200) return undefined;
  const { may, title } = seen.record();
  const said = may?.transitions.includes(transition) ? "done" : (may?.refused?.[transition]?.code ?? "FORBIDDEN");
  const { status, body } = await who.send("POST", `/api/orders/${id}/${transition}`, {});
  const got = status === 200 ? "done" : String((body as { readonly code?: unknown }).code);
  return { who: name, title, transition, said, got };
};

test("a transition that a record offers is not refused by its own conditions", { timeout: 300_000 }, async () => {
  const desk = await serveText(text);
  const people: Record<string, ApiClient & { readonly id: string }> = {};
  for (const [name, roles] of [
    ["Ada", ["clerk"]],
    ["Ben", ["clerk", "boss"]],
    ["Cy", ["boss"]],
    ["Dot", []],
  ] as const)
    people[name] = await desk.person(name, [...roles]);
  const { Ada: ada, Ben: ben, Cy: cy, Dot: dot } = people;
  if (ada === undefined || ben === undefined || cy === undefined || dot === undefined) throw new Error("no people");
  const today = new Date().toISOString().slice(0, 10);
  // Dot stands in for a boss who has made some of the orders.
  const deputy = await cy.post("/api/deputies", { deputy: dot.id, first_day: today, last_day: today });
  expect(deputy.status).toBe(201);
  const ids: string[] = [];
  const makers = [ada, ben, cy, dot];
  for (let nth = 0; nth < 16; nth++) {
    const created = await makers[nth % 4]?.post("/api/orders", {
      title: `Order ${nth}`,
      ...(nth % 3 === 0 ? {} : { cost: nth }),
      ...(nth % 5 === 0 ? {} : { secret: nth % 8 }),
      ...(nth % 2 === 0 ? {} : { lines: [{ done: nth % 4 === 1 }] }),
    });
    ids.push(String(created?.record().id));
  }
  const attempts: Attempt[] = [];
  const dear = await cy.post("/api/orders", { title: "Dear", cost: 1, secret: 6 });
  for (const [name, who, transition] of [
    ["Ben", ben, "pay"],
    ["Ada", ada, "send"],
    ["Ada", ada, "send"],
    ["Ben", ben, "hold"],
    ["Ada", ada, "resume"],
    ["Dot", dot, "send"],
  ] as const) {
    const one = await attempt(name, who, String(dear.record().id), transition);
    if (one !== undefined) attempts.push(one);
  }
  for (let round = 0; round < 2; round++)
    for (const [at, id] of ids.entries())
      for (const [nth, [name, who]] of Object.entries(people).entries())
        for (const transition of transitions.filter((_, i) => (i + at + nth + round) % 2 === 0)) {
          const one = await attempt(name, who, id, transition);
          if (one !== undefined) attempts.push(one);
        }
  // A wrong state is said first, and the call refuses a missing permission first.
  const differ = attempts.filter(({ said, got }) => said !== got && !(said === "WRONG_STATE" && got === "FORBIDDEN"));
  expect(differ).toEqual([]);
  // Each condition has permitted and refused.
  const seen = new Set(attempts.map(({ transition, got }) => `${transition} ${got}`));
  for (const name of [
    "pay done",
    "pay GUARD",
    "pay FORBIDDEN",
    "check GUARD",
    "finish GUARD",
    "send done",
    "free done",
  ])
    expect([...seen]).toContain(name);
  for (const name of ["send NEEDS_ANOTHER_PERSON", "resume done", "priced NO_PRICE", "priced done", "pay WRONG_STATE"])
    expect([...seen]).toContain(name);
  for (const name of ["trust TOO_DEAR", "trust done", "raise done"]) expect([...seen]).toContain(name);
});
