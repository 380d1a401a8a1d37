import type { ApiClient, TestServer } from "../program.ts";
import { dayFrom, listOf, type Makes, named, readOf } from "./ways.ts";

export const helpDesk: Makes = async (served: TestServer) => {
  const staff = await served.person("Sara Staff");
  const agent = await served.person("Anna Agent", ["agent"]);
  const other = await served.person("Adam Agent", ["agent"]);
  const supervisor = await served.person("Sven Supervisor", ["supervisor"]);
  const follower = await served.person("Fred Follower");

  let count = 0;
  const category = async () =>
    (await supervisor.post("/api/categories", { name: `Category ${++count}`, about: "Everything." })).record();
  const printing = await category();
  const report = (more: object = {}) => ({
    category: printing.id,
    subject: "It prints stripes",
    description: "Since Monday.",
    followers: [follower.id],
    ...more,
  });
  const holiday = () => ({ day: dayFrom(4_000 + ++count), name: "New Year’s Day" });
  const addHoliday = async () => (await supervisor.post("/api/public-holidays", holiday())).record();
  const newYear = await addHoliday();
  const reported = async (more: object = {}) => (await staff.post("/api/tickets", report(more))).record().id;
  const moved = async (id: string, ...moves: readonly (readonly [ApiClient, string, object?])[]) => {
    for (const [who, move, body] of moves) {
      const { status, text } = await who.post(`/api/tickets/${id}/${move}`, body ?? {});
      if (status !== 200) throw new Error(`${move}: ${text}`);
    }
    return id;
  };
  const solution = { solution: "The drum was worn out and has been replaced.", cause: "wear", minutes: 20 };
  const assigned = async (to = agent) => moved(await reported(), [supervisor, "assign", { assignee: to.id }]);
  const waiting = async () => moved(await assigned(), [agent, "ask", { question: "Since when?" }]);
  const solved = async () => moved(await assigned(), [agent, "solve", solution]);
  const duplicate = async () => moved(await reported(), [agent, "mark_duplicate", { duplicate_of: await reported() }]);
  const crowd: string[] = [];
  for (let i = 0; i < 13; i++) crowd.push((await served.person(named("Crowd", i))).id);

  return {
    people: [staff, agent, other, supervisor, follower],
    done: {
      ...listOf("User", staff),
      ...readOf("User", staff, () => agent.id),
      "User.update": () => ({ by: supervisor, id: staff.id, body: { room: "214", phone: "+49 30 123456" } }),
      ...listOf("Category", staff),
      ...readOf("Category", staff, () => printing.id),
      "Category.create": () => ({
        by: supervisor,
        body: { name: `Category ${++count}`, about: "Everything.", responsible: agent.id },
      }),
      "Category.update": async () => ({ by: supervisor, id: (await category()).id, body: { about: "More." } }),
      "Category.delete": async () => ({ by: supervisor, id: (await category()).id }),
      ...listOf("PublicHoliday", staff),
      ...readOf("PublicHoliday", staff, () => newYear.id),
      "PublicHoliday.create": () => ({ by: supervisor, body: holiday() }),
      "PublicHoliday.update": async () => ({ by: supervisor, id: (await addHoliday()).id, body: { name: "A day" } }),
      "PublicHoliday.delete": async () => ({ by: supervisor, id: (await addHoliday()).id }),
      ...listOf("Ticket", staff),
      ...readOf("Ticket", staff, reported),
      "Ticket.create": () => ({
        by: agent,
        body: report({ requester: staff.id, priority: "high", channel: "telephone" }),
      }),
      "Ticket.update": async () => ({ by: agent, id: await reported(), body: { priority: "high", cause: "wear" } }),
      "Ticket.take": async () => ({ by: agent, id: await reported() }),
      "Ticket.assign": async () => ({ by: supervisor, id: await reported(), body: { assignee: agent.id } }),
      "Ticket.hand_back": async () => ({ by: agent, id: await assigned() }),
      "Ticket.ask": async () => ({ by: agent, id: await assigned(), body: { question: "Since when?" } }),
      "Ticket.answer": async () => ({ by: staff, id: await waiting(), body: { reply: "Since Monday." } }),
      "Ticket.resume": async () => ({ by: agent, id: await waiting() }),
      "Ticket.solve": async () => ({ by: agent, id: await assigned(), body: solution }),
      "Ticket.accept": async () => ({ by: staff, id: await solved() }),
      "Ticket.reopen": async () => ({ by: staff, id: await solved(), body: { still_wrong: "It is grey again." } }),
      "Ticket.mark_duplicate": async () => ({
        by: agent,
        id: await reported(),
        body: { duplicate_of: await reported() },
      }),
      "Ticket.withdraw": async () => ({ by: staff, id: await reported() }),
      ...listOf("Comment", staff),
      ...readOf(
        "Comment",
        staff,
        async () =>
          (await staff.post("/api/comments", { ticket: await reported(), text: "It works again." })).record().id,
      ),
      "Comment.create": async () => ({ by: agent, body: { ticket: await reported(), text: "On Thursday." } }),
    },
    refused: {
      "Category.create TAKEN": () => ({ by: supervisor, body: { name: printing.name, about: "Again." } }),
      "Category.create NOT_AMONG": () => ({
        by: supervisor,
        body: { name: `Category ${++count}`, about: "Everything.", responsible: staff.id },
      }),
      "Category.update TAKEN": async () => ({
        by: supervisor,
        id: (await category()).id,
        body: { name: printing.name },
      }),
      "Category.update NOT_AMONG": () => ({ by: supervisor, id: printing.id, body: { responsible: staff.id } }),
      "Category.delete IN_USE": async () => {
        await reported();
        return { by: supervisor, id: printing.id };
      },
      "PublicHoliday.create TAKEN": () => ({ by: supervisor, body: { ...holiday(), day: newYear.day } }),
      "PublicHoliday.update TAKEN": async () => ({
        by: supervisor,
        id: (await addHoliday()).id,
        body: { day: newYear.day },
      }),
      // The reporter cannot be a follower.
      "Ticket.create NOT_AMONG": () => ({ by: staff, body: report({ followers: [staff.id] }) }),
      "Ticket.create TOO_MANY_FOLLOWERS": () => ({ by: staff, body: report({ followers: crowd }) }),
      "Ticket.create NO_SUCH_FILE": () => ({ by: staff, body: report({ files: [crypto.randomUUID()] }) }),
      "Ticket.update NOT_AMONG": async () => ({ by: staff, id: await reported(), body: { followers: [staff.id] } }),
      "Ticket.update NO_SUCH_REFERENCE": async () => ({
        by: staff,
        id: await reported(),
        body: { followers: [crypto.randomUUID()] },
      }),
      "Ticket.update NO_SUCH_FILE": async () => ({
        by: staff,
        id: await reported(),
        body: { files: [crypto.randomUUID()] },
      }),
      "Ticket.update TOO_MANY_FOLLOWERS": async () => ({ by: staff, id: await reported(), body: { followers: crowd } }),
      "Ticket.assign NOT_AMONG": async () => ({ by: supervisor, id: await reported(), body: { assignee: staff.id } }),
      "Ticket.assign WRONG_STATE": async () => ({
        by: supervisor,
        id: await moved(await reported(), [staff, "withdraw"]),
        body: { assignee: agent.id },
      }),
      "Ticket.hand_back WRONG_STATE": async () => ({ by: agent, id: await waiting() }),
      "Ticket.take TOO_MANY_IN_HAND": async () => {
        for (let i = 0; i < 6; i++) await assigned(other);
        return { by: other, id: await reported() };
      },
      "Ticket.solve SOLUTION_TOO_SHORT": async () => ({
        by: agent,
        id: await assigned(),
        body: { ...solution, solution: "Done." },
      }),
      "Ticket.mark_duplicate DUPLICATE_OF_ITSELF": async () => {
        const id = await reported();
        return { by: agent, id, body: { duplicate_of: id } };
      },
      "Ticket.mark_duplicate DUPLICATE_OF_DUPLICATE": async () => ({
        by: agent,
        id: await reported(),
        body: { duplicate_of: await duplicate() },
      }),
    },
  };
};
