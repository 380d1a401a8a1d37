import type { ApiClient, TestServer } from "../program.ts";
import { dayFrom, listOf, type Makes, named, readOf, sentFile } from "./ways.ts";

const DAY = 86_400_000;
export const leaveDesk: Makes = async (served: TestServer) => {
  const payroll = await served.person("Paula Payroll", ["payroll"]);
  const other = await served.person("Otto Payroll", ["payroll"]);
  const manager = await served.person("Mara Manager");
  const colleague = await served.person("Cara Colleague");
  /** Counts persons; each has separate days, so their requests do not collide. */
  let count = 0;
  const employee = async () => {
    const person = await served.person(named("Emil", count++));
    await payroll.patch(`/api/users/${person.id}`, { manager: manager.id });
    return person;
  };
  await payroll.patch(`/api/users/${colleague.id}`, { manager: manager.id });

  /** Monday to Wednesday of a new week next year. */
  const year = new Date().getUTCFullYear() + 1;
  let week = 0;
  const leave = (more: object = {}) => {
    const first = new Date(Date.UTC(year, 0, 8 + 7 * (week++ % 40)));
    first.setUTCDate(first.getUTCDate() - ((first.getUTCDay() + 6) % 7));
    const last = new Date(first.getTime() + 2 * DAY);
    return {
      kind: "holiday",
      first_day: first.toISOString().slice(0, 10),
      last_day: last.toISOString().slice(0, 10),
      note: "We are moving house.",
      ...more,
    };
  };
  const idOf = async (by: ApiClient, body: object) => (await by.post("/api/requests", body)).record().id;
  const draft = async (by: ApiClient, more: object = {}) => idOf(by, leave(more));
  const moved = async (by: ApiClient, id: string, ...moves: readonly (readonly [ApiClient, string])[]) => {
    for (const [who, move] of moves) {
      const { status, text } = await who.post(`/api/requests/${id}/${move}`);
      if (status !== 200) throw new Error(`${move}: ${text}`);
    }
    return { id, by };
  };
  const submitted = async (by: ApiClient, more: object = {}) => moved(by, await draft(by, more), [by, "submit"]);
  const granted = async (by: ApiClient, more: object = {}) =>
    moved(by, await draft(by, more), [by, "submit"], [manager, "grant"]);
  const reported = async (by: ApiClient, more: object = {}) =>
    moved(by, await draft(by, { kind: "sick", ...more }), [by, "report"]);
  const overlapping = { first_day: `${year}-12-07`, last_day: `${year}-12-09` };
  /** A holiday request of a person whose remaining days are spent before its decision. */
  const spent = async () => {
    const by = await employee();
    const id = await draft(by);
    return { by, id, take: () => payroll.patch(`/api/users/${by.id}`, { allowance: 0 }) };
  };

  const emil = await employee();
  const comment = async () => {
    const request = await draft(emil);
    return (await emil.post("/api/comments", { request, text: "Would the week after do as well?" })).record().id;
  };
  const holiday = (() => {
    let day = 0;
    return () => ({ day: dayFrom(4_000 + day), name: `Day ${++day}` });
  })();
  const readStored = async () => (await payroll.post("/api/public-holidays", holiday())).record();
  const [one, another] = [await readStored(), await readStored()];
  /** Days from tomorrow on, on which the colleague represents a new employee. */
  const deputyship = async (more: object = {}) => {
    const by = await employee();
    return { by, body: { deputy: colleague.id, first_day: dayFrom(1), last_day: dayFrom(5), ...more } };
  };
  const often = await employee();
  const handed = async () => {
    const { by, body } = await deputyship();
    return { by, id: (await by.post("/api/deputies", body)).record().id };
  };
  const away = await handed();
  const numbered = await employee();
  await payroll.patch(`/api/users/${numbered.id}`, { personnel_number: "4711" });

  return {
    people: [emil, manager, payroll, other, colleague],
    done: {
      ...listOf("User", emil),
      ...readOf("User", emil, () => emil.id),
      "User.update": () => ({ by: payroll, id: emil.id, body: { allowance: 28, carried_over: 2 } }),
      ...listOf("Request", emil),
      ...readOf("Request", emil, () => draft(emil)),
      "Request.create": async () => ({ by: emil, body: leave({ proof: [await sentFile(emil)] }) }),
      "Request.update": async () => ({ by: emil, id: await draft(emil), body: { note: "Or a week later." } }),
      "Request.delete": async () => ({ by: emil, id: await draft(emil) }),
      "Request.submit": async () => ({ by: emil, id: await draft(emil, { kind: "parental" }) }),
      "Request.report": async () => ({ by: emil, id: await draft(emil, { kind: "sick" }) }),
      "Request.grant": async () => ({ ...(await submitted(await employee())), by: manager }),
      "Request.refuse": async () => ({
        ...(await submitted(await employee())),
        by: manager,
        body: { reason: "The audit takes place on these days." },
      }),
      "Request.withdraw": async () => submitted(await employee()),
      "Request.call_off": async () => granted(await employee()),
      "Request.book": async () => ({ ...(await granted(await employee())), by: payroll }),
      ...listOf("Comment", emil),
      ...readOf("Comment", emil, comment),
      "Comment.create": async () => ({
        by: emil,
        body: { request: await draft(emil), text: "I have changed the days." },
      }),
      "Comment.delete": async () => ({ by: emil, id: await comment() }),
      ...listOf("Deputy", emil),
      ...readOf("Deputy", away.by, () => away.id),
      "Deputy.create": () => {
        const first = 10 * ++count;
        return { by: often, body: { deputy: colleague.id, first_day: dayFrom(first), last_day: dayFrom(first + 5) } };
      },
      "Deputy.update": async () => ({ ...(await handed()), body: { last_day: dayFrom(4) } }),
      "Deputy.delete": async () => handed(),
      ...listOf("PublicHoliday", emil),
      ...readOf("PublicHoliday", emil, () => one.id),
      "PublicHoliday.create": () => ({ by: payroll, body: holiday() }),
      "PublicHoliday.update": async () => ({
        by: payroll,
        id: (await readStored()).id,
        body: { name: `A day ${++week}` },
      }),
      "PublicHoliday.delete": async () => ({ by: payroll, id: (await readStored()).id }),
      "GET /leave": () => ({ by: payroll }),
      "POST /leave/{id}/book": async () => ({ ...(await granted(await employee())), by: payroll }),
    },
    refused: {
      "User.update TAKEN": () => ({ by: payroll, id: emil.id, body: { personnel_number: "4711" } }),
      "User.update NO_SUCH_PICTURE": () => ({ by: emil, id: emil.id, body: { avatar: crypto.randomUUID() } }),
      "User.update OWN_MANAGER": () => ({ by: payroll, id: emil.id, body: { manager: emil.id } }),
      "Request.create DATES_REVERSED": () => ({
        by: emil,
        body: leave({ first_day: `${year}-03-09`, last_day: `${year}-03-08` }),
      }),
      "Request.create NO_WORKING_DAY": () => ({
        by: emil,
        body: leave({ first_day: "2028-03-04", last_day: "2028-03-05" }),
      }),
      "Request.create TWO_YEARS": () => ({
        by: emil,
        body: leave({ first_day: `${year}-12-30`, last_day: `${year + 1}-01-05` }),
      }),
      "Request.update DATES_REVERSED": async () => ({
        by: emil,
        id: await draft(emil),
        body: { first_day: `${year}-03-09`, last_day: `${year}-03-08` },
      }),
      "Request.update NO_WORKING_DAY": async () => ({
        by: emil,
        id: await draft(emil),
        body: { first_day: "2028-03-04", last_day: "2028-03-05" },
      }),
      "Request.update TWO_YEARS": async () => ({
        by: emil,
        id: await draft(emil),
        body: { first_day: `${year}-12-30`, last_day: `${year + 1}-01-05` },
      }),
      "Request.update FORBIDDEN": async () => {
        const by = await employee();
        return { ...(await submitted(by)), body: { note: "Or later." } };
      },
      // Payroll moves the days to those of another request.
      "Request.update OVERLAP": async () => {
        const by = await employee();
        await granted(by, overlapping);
        return { ...(await granted(by)), by: payroll, body: overlapping };
      },
      "Request.delete FORBIDDEN": async () => submitted(await employee()),
      "Request.submit FORBIDDEN": async () => ({ ...(await submitted(await employee())), by: manager }),
      "Request.submit GUARD": async () => ({ by: emil, id: await draft(emil, { kind: "sick" }) }),
      "Request.submit OVERLAP": async () => {
        const by = await employee();
        await granted(by, overlapping);
        return { by, id: await draft(by, overlapping) };
      },
      "Request.submit ALLOWANCE_SPENT": async () => {
        const { take, ...request } = await spent();
        await take();
        return request;
      },
      "Request.submit TOO_LATE": async () => ({
        by: emil,
        // These three days include a working day and do not cross a year.
        id: await draft(emil, { kind: "parental", first_day: "2024-03-04", last_day: "2024-03-06" }),
      }),
      "Request.submit NOTE_MISSING": async () => ({ by: emil, id: await draft(emil, { kind: "special", note: null }) }),
      "Request.report FORBIDDEN": async () => ({ ...(await submitted(await employee())), by: manager }),
      "Request.report GUARD": async () => ({ by: emil, id: await draft(emil) }),
      "Request.grant ALLOWANCE_SPENT": async () => {
        const { take, by, id } = await spent();
        await moved(by, id, [by, "submit"]);
        await take();
        return { by: manager, id };
      },
      // Nobody decides on their own request, not even the person who decides on those without a manager.
      "Request.grant GUARD": () => submitted(payroll),
      "Request.refuse FORBIDDEN": async () => ({ ...(await submitted(await employee())), body: { reason: "No." } }),
      "Request.refuse GUARD": async () => ({ ...(await submitted(payroll)), body: { reason: "No." } }),
      "Request.call_off GUARD": async () =>
        reported(await employee(), { first_day: dayFrom(-3), last_day: dayFrom(3) }),
      "Request.book PROOF_MISSING": async () => ({
        ...(await reported(emil, { first_day: `${year}-11-02`, last_day: `${year}-11-13` })),
        by: payroll,
      }),
      "POST /leave/{id}/book PROOF_MISSING": async () => ({
        ...(await reported(emil, { first_day: `${year}-11-02`, last_day: `${year}-11-13` })),
        by: payroll,
      }),
      // Readers of four fields of a request cannot comment on it.
      "Comment.create FORBIDDEN": async () => ({
        by: colleague,
        body: { request: (await granted(await employee())).id, text: "Where are you going?" },
      }),
      "Comment.delete FORBIDDEN": async () => {
        const { by, id: request } = await submitted(await employee());
        return { by: manager, id: (await by.post("/api/comments", { request, text: "Please." })).record().id };
      },
      "Deputy.create DEPUTY_ONESELF": async () => {
        const { by, body } = await deputyship();
        return { by, body: { ...body, deputy: by.id } };
      },
      "Deputy.create DEPUTY_DATES": () => deputyship({ last_day: dayFrom(0) }),
      "Deputy.create DEPUTY_TOO_LONG": () => deputyship({ last_day: dayFrom(61) }),
      "Deputy.create DEPUTY_TWICE": async () => ({ by: away.by, body: (await deputyship()).body }),
      "Deputy.update DEPUTY_TWICE": async () => {
        const { by, id } = await handed();
        const { body } = await deputyship({ first_day: dayFrom(10), last_day: dayFrom(12) });
        await by.post("/api/deputies", body);
        return { by, id, body: { last_day: dayFrom(11) } };
      },
      "Deputy.update DEPUTY_DATES": () => ({ by: away.by, id: away.id, body: { last_day: dayFrom(0) } }),
      "Deputy.update DEPUTY_TOO_LONG": () => ({ by: away.by, id: away.id, body: { last_day: dayFrom(61) } }),
      "PublicHoliday.create TAKEN": [
        () => ({ by: payroll, body: { ...holiday(), day: one.day } }),
        () => ({ by: payroll, body: { ...holiday(), name: one.name } }),
      ],
      "PublicHoliday.update TAKEN": [
        () => ({ by: payroll, id: one.id, body: { day: another.day } }),
        () => ({ by: payroll, id: one.id, body: { name: another.name } }),
      ],
    },
  };
};
