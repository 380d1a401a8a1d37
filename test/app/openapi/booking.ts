import type { ApiClient, TestServer } from "../program.ts";
import { type Earlier, listOf, type Makes, named, readOf } from "./ways.ts";

const MINUTE = 60_000;

/** An earlier version of the example with one more room, which existing references keep and new ones cannot use. */
export const beforeBooking: Earlier = {
  said: (text) =>
    text.replace(
      "    workshop: { name: Workshop }",
      "    workshop: { name: Workshop }\n    annexe:   { name: Annexe }",
    ),
  done: async (served) => {
    const steward = await served.person("Early Steward", ["steward"]);
    const rooms = (await steward.get("/api/rooms")).list().items;
    const room = rooms.find(({ name }) => name === "Annexe")?.id;
    await steward.post("/api/instruments", { code: "OLD", name: "Old microscope", room });
  },
};

export const booking: Makes = async (served: TestServer) => {
  const researcher = await served.person("Rosa Researcher");
  const other = await served.person("Omar Researcher");
  const steward = await served.person("Stella Steward", ["steward"]);
  const warden = await served.person("Walt Warden");

  const rooms = (await researcher.get("/api/rooms")).list().items;
  const roomOf = (name: string) => rooms.find((one) => one.name === name)?.id;
  const room = roomOf("Optics");
  let count = 0;
  const instrumentOf = (more: object = {}) => ({
    code: `I-${++count}`,
    name: "Microscope",
    room,
    wardens: [warden.id],
    ...more,
  });
  const instrument = async (more: object = {}) => (await steward.post("/api/instruments", instrumentOf(more))).record();
  const scope = await instrument();
  /** Uses a new day for each booking by default. */
  let day = 0;
  const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString();
  const times = () => {
    const begins = 10 * 24 * 60 + 24 * 60 * ++day;
    return { begins: at(begins), ends: at(begins + 60) };
  };
  const bookingOf = async (more: object = {}) => ({ instrument: (await instrument()).id, ...times(), ...more });
  /** Uses a new person for each booking, because bookings per person are limited. */
  let bookers = 0;
  const somebody = async () => served.person(named("Booker", bookers++));
  const booked = async (more: object = {}, by?: ApiClient) => {
    const who = by ?? (await somebody());
    return { by: who, id: (await who.post("/api/bookings", await bookingOf(more))).record().id };
  };
  const moved = async (one: { by: ApiClient; id: string }, ...moves: readonly (readonly [string, object?])[]) => {
    for (const [move, body] of moves) {
      const { status, text } = await one.by.post(`/api/bookings/${one.id}/${move}`, body ?? {});
      if (status !== 200) throw new Error(`${move}: ${text}`);
    }
    return one;
  };
  const soon = () => ({ begins: at(10), ends: at(60) });
  const running = async () => moved(await booked(soon()), ["start"]);
  const fault = async () =>
    (await researcher.post("/api/faults", { instrument: scope.id, what: "The stage drifts." })).record().id;
  const out = async () => {
    const { id } = await instrument();
    await steward.post(`/api/instruments/${id}/take_out`);
    return id;
  };
  const comment = async () => {
    const { by, id } = await booked({}, researcher);
    const sent = await by.post("/api/comments", { booking: id, text: "I bring my own samples." });
    await by.post(`/api/bookings/${id}/cancel`, {});
    return sent.record().id;
  };
  await running();
  const useDay = async () => (await researcher.get("/api/use-days")).list().items[0]?.id ?? "";
  const taken = soon();

  return {
    people: [researcher, other, steward, warden],
    done: {
      ...listOf("User", researcher),
      ...readOf("User", researcher, () => other.id),
      "User.update": () => ({ by: steward, id: researcher.id, body: { trained_on: [scope.id], group: "Optics" } }),
      ...listOf("Room", researcher),
      ...readOf("Room", researcher, () => room ?? ""),
      ...listOf("Instrument", researcher),
      ...readOf("Instrument", researcher, () => scope.id),
      "Instrument.create": () => ({ by: steward, body: instrumentOf() }),
      "Instrument.update": async () => ({ by: steward, id: (await instrument()).id, body: { name: "Centrifuge" } }),
      "Instrument.take_out": async () => ({ by: steward, id: (await instrument()).id }),
      "Instrument.put_back": async () => ({ by: steward, id: await out() }),
      "Instrument.retire": async () => ({ by: steward, id: (await instrument()).id }),
      ...listOf("Booking", researcher),
      ...readOf("Booking", researcher, async () => (await booked()).id),
      "Booking.create": async () => ({ by: researcher, body: await bookingOf({ project: "Membranes" }) }),
      "Booking.update": async () => ({ ...(await booked()), body: { project: "Thin films" } }),
      "Booking.start": () => booked(soon()),
      "Booking.finish": async () => ({ ...(await running()), body: { condition: "damaged" } }),
      "Booking.cancel": async () => ({ ...(await booked()), body: { reason: "The samples are not ready." } }),
      ...listOf("Comment", researcher),
      ...readOf("Comment", researcher, comment),
      "Comment.create": async () => {
        const { by, id } = await booked();
        return { by, body: { booking: id, text: "Could you start an hour later?" } };
      },
      ...listOf("UseDay", researcher),
      ...readOf("UseDay", researcher, useDay),
      ...listOf("Fault", researcher),
      ...readOf("Fault", researcher, fault),
      "Fault.create": () => ({ by: researcher, body: { instrument: scope.id, what: "It stops with error 17." } }),
      "Fault.mark_repaired": async () => ({ by: steward, id: await fault(), body: { repair: "Belt replaced." } }),
    },
    refused: {
      "User.update NO_SUCH_PICTURE": () => ({
        by: researcher,
        id: researcher.id,
        body: { avatar: crypto.randomUUID() },
      }),
      "User.update WRONG_TYPE": () => ({ by: researcher, id: researcher.id, body: { avatar: 5 } }),
      "Instrument.create TAKEN": () => ({ by: steward, body: instrumentOf({ code: scope.code }) }),
      "Instrument.create NOT_AMONG": () => ({ by: steward, body: instrumentOf({ room: roomOf("Annexe") }) }),
      "Instrument.update TAKEN": async () => ({ by: steward, id: (await instrument()).id, body: { code: scope.code } }),
      "Instrument.update NOT_AMONG": async () => ({
        by: steward,
        id: (await instrument()).id,
        body: { room: roomOf("Annexe") },
      }),
      "Booking.create NOT_TRAINED": async () => ({
        by: other,
        body: await bookingOf({ instrument: (await instrument({ needs_training: true })).id }),
      }),
      "Booking.create NOT_AMONG": async () => ({ by: other, body: await bookingOf({ instrument: await out() }) }),
      "Booking.create TOO_MANY_BOOKINGS": async () => {
        const by = await somebody();
        for (let i = 0; i < 5; i++) await booked({}, by);
        return { by, body: await bookingOf() };
      },
      "Booking.create TAKEN_THEN": async () => {
        await booked({ ...taken, instrument: scope.id });
        return { by: await somebody(), body: { instrument: scope.id, ...taken } };
      },
      "Booking.create ENDS_FIRST": async () => ({ by: other, body: await bookingOf({ ends: at(5) }) }),
      "Booking.create IN_THE_PAST": async () => ({
        by: other,
        body: await bookingOf({ begins: at(-60), ends: at(60) }),
      }),
      "Booking.create TOO_LONG_A_BOOKING": async () => ({
        by: other,
        body: await bookingOf({ begins: at(600), ends: at(600 + 13 * 60) }),
      }),
      "Booking.update TAKEN_THEN": async () => {
        const { id } = await instrument();
        const first = times();
        await booked({ instrument: id, ...first });
        return { ...(await booked({ instrument: id })), body: first };
      },
      "Booking.update ENDS_FIRST": async () => ({ ...(await booked()), body: { ends: at(5) } }),
      "Booking.update TOO_LONG_A_BOOKING": async () => ({
        ...(await booked()),
        body: { begins: at(600), ends: at(600 + 13 * 60) },
      }),
      "Booking.update FORBIDDEN": async () => ({ ...(await running()), body: { project: "Thin films" } }),
      "Booking.start GUARD": () => booked(),
      "Booking.start OUT_OF_ORDER": async () => {
        const { id } = await instrument();
        const one = await booked({ ...soon(), instrument: id });
        await steward.post(`/api/instruments/${id}/take_out`);
        return one;
      },
    },
  };
};
