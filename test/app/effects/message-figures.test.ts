import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { type ApiClient, example, serveText, type TestServer } from "../program.ts";

/* Values in the message of a rule are shown only to readers of all their inputs. */

describe("a notification about a spent allowance", () => {
  let desk: TestServer;
  let payroll: ApiClient;
  let manager: ApiClient & { readonly id: string };
  let employee: ApiClient & { readonly id: string };
  const year = new Date().getFullYear() + 1;

  const request = async (first_day: string, last_day: string): Promise<RecordJson> =>
    (await employee.post("/api/requests", { kind: "holiday", first_day, last_day })).record();

  beforeAll(async () => {
    desk = await serveText(readFileSync(example("leave-desk"), "utf8"));
    payroll = await desk.person("Paula", ["payroll"]);
    manager = await desk.person("Mara");
    employee = await desk.person("Emil");
    const { version } = (await payroll.get(`/api/users/${employee.id}`)).record();
    await payroll.patch(
      `/api/users/${employee.id}`,
      { manager: manager.id, allowance: 6 },
      { "if-match": `"${version}"` },
    );
  });

  test("has its figures for the employee, and for the manager who would approve it", async () => {
    const [one, two] = [
      await request(`${year}-03-01`, `${year}-03-07`),
      await request(`${year}-04-05`, `${year}-04-11`),
    ];
    expect((await employee.post(`/api/requests/${one.id}/submit`, {})).status).toBe(200);
    const refused = (await employee.post(`/api/requests/${two.id}/submit`, {})).problem();
    expect(refused).toMatchObject({ code: "ALLOWANCE_SPENT", status: 409 });
    expect(refused.detail).toBe(`This would make 10 days of holiday in ${year}, but the allowance is 6.`);
    const { version } = (await payroll.get(`/api/users/${employee.id}`)).record();
    await payroll.patch(`/api/users/${employee.id}`, { allowance: 3 }, { "if-match": `"${version}"` });
    const ungranted = (await manager.post(`/api/requests/${one.id}/grant`, {})).problem();
    expect(ungranted.detail).toBe(`This would make 5 days of holiday in ${year}, but the allowance is 3.`);
  });
});
