import type { TestServer } from "../program.ts";
import { listOf, type Makes, readOf } from "./ways.ts";

export const lending: Makes = async (served: TestServer) => {
  const keeper = await served.person("Karla Keeper", ["keeper"]);
  const member = await served.person("Mia Member");
  const other = await served.person("Mo Member");
  let count = 0;
  const thing = async () => (await keeper.post("/api/things", { name: `Ladder ${++count}`, kind: "tool" })).record().id;
  const loan = async () =>
    (await member.post("/api/loans", { thing: await thing(), due_day: "2090-01-02", from_day: "2090-01-01" })).record()
      .id;
  const lent = async () => {
    const id = await loan();
    await keeper.post(`/api/loans/${id}/hand_over`);
    return id;
  };
  const comment = async () =>
    (await member.post("/api/comments", { loan: await loan(), text: "I come at nine." })).record().id;
  const taken = await thing();
  await member.post("/api/loans", { thing: taken, due_day: "2090-01-02", from_day: "2090-01-01" });
  const name = (await keeper.get(`/api/things/${taken}`)).record().name;

  return {
    people: [member, other, keeper],
    done: {
      ...listOf("User", member),
      ...readOf("User", member, () => other.id),
      ...listOf("Thing", member),
      ...readOf("Thing", member, thing),
      "Thing.create": () => ({
        by: keeper,
        body: { name: `Drill ${++count}`, kind: "tool", place: "Here", note: "x" },
      }),
      "Thing.update": async () => ({ by: keeper, id: await thing(), body: { place: "There" } }),
      "Thing.delete": async () => ({ by: keeper, id: await thing() }),
      ...listOf("Loan", member),
      ...readOf("Loan", member, loan),
      "Loan.create": async () => ({
        by: member,
        body: { thing: await thing(), from_day: "2090-01-01", due_day: "2090-01-02" },
      }),
      "Loan.update": async () => ({ by: member, id: await loan(), body: { remark: "Later." } }),
      "Loan.delete": async () => ({ by: member, id: await loan() }),
      "Loan.hand_over": async () => ({ by: keeper, id: await loan() }),
      "Loan.decline": async () => ({ by: keeper, id: await loan(), body: { reason: "It is promised." } }),
      "Loan.take_back": async () => ({ by: keeper, id: await lent() }),
      ...listOf("Comment", member),
      ...readOf("Comment", member, comment),
      "Comment.create": async () => ({ by: member, body: { loan: await loan(), text: "I come at ten." } }),
    },
    refused: {
      "Thing.create TAKEN": () => ({ by: keeper, body: { name, kind: "tool" } }),
      "Thing.update TAKEN": async () => ({ by: keeper, id: await thing(), body: { name } }),
      "Thing.delete IN_USE": () => ({ by: keeper, id: taken }),
      "Loan.create DUE_BEFORE_START": async () => ({
        by: member,
        body: { thing: await thing(), from_day: "2090-01-02", due_day: "2090-01-01" },
      }),
      "Loan.update DUE_BEFORE_START": async () => ({ by: member, id: await loan(), body: { due_day: "2089-01-01" } }),
      "Loan.hand_over NOT_BACK": async () => {
        const out = await lent();
        const { thing: taken } = (await keeper.get(`/api/loans/${out}`)).record();
        const body = { thing: (taken as { readonly id: string }).id, from_day: "2090-01-02", due_day: "2090-01-03" };
        return { by: keeper, id: (await member.post("/api/loans", body)).record().id };
      },
      "Loan.update FORBIDDEN": async () => ({ by: member, id: await lent(), body: { remark: "Later." } }),
      "Loan.delete FORBIDDEN": async () => ({ by: member, id: await lent() }),
    },
  };
};
