import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { visitWith } from "../../web/browser.ts";
import { example, serveDemonstration } from "../program.ts";

test("the dialog of an act that cancels something is left by “Go back”, so that no two buttons have one name", async () => {
  const program = await serveDemonstration({
    text: readFileSync(example("booking"), "utf8").replace("most_bookings: 5 ", "most_bookings: 99 "),
  });
  const researcher = await program.signInAs(null);
  const steward = await program.signInAs("steward");
  const [room] = (await steward.get("/api/rooms")).list().items;
  const scales = { code: "SCA-9", name: "Scales", room: room?.id, needs_training: false };
  const instrument = (await steward.post("/api/instruments", scales)).record();
  const [begins, ends] = [2, 3].map((hour) => new Date(Date.now() + 60 * 86_400_000 + hour * 3_600_000).toISOString());
  const booking = (await researcher.post("/api/bookings", { instrument: instrument.id, begins, ends })).record();
  const page = await visitWith(program.url, researcher.cookie(), { path: `/bookings/${booking.id}` });
  await page.getByRole("button", { name: "Cancel…" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel" });
  await dialog.getByRole("button", { name: "Go back" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Cancel…" }).click();
  await dialog.getByRole("button", { name: "Cancel booking" }).click();
  await expect
    .poll(async () => (await researcher.get(`/api/bookings/${booking.id}`)).record().status)
    .toBe("cancelled");
});
