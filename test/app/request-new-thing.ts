import type { RecordJson } from "../../src/core/wire/records.ts";
import { member } from "../web/browser.ts";
import type { RunningApplication } from "./program.ts";

let things = 0;

/** Requests a thing of the lending desk that nobody else has, for today: one that is out could not be handed over. */
export const requestNewThing = async (
  desk: Pick<RunningApplication, "signInAs">,
  values: { readonly remark: string; readonly from_day?: string; readonly due_day?: string },
): Promise<RecordJson> => {
  const [borrower, keeper] = [await desk.signInAs(member), await desk.signInAs("keeper")];
  const chair = { name: `Folding chair ${++things}`, kind: "furniture" };
  const thing = (await keeper.post("/api/things", chair)).record().id;
  const today = new Date().toISOString().slice(0, 10);
  return (await borrower.post("/api/loans", { thing, from_day: today, due_day: today, ...values })).record();
};
