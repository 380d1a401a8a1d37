import { afterAll, afterEach } from "vitest";
import { endsOfFile, endsOfTest } from "./ends.ts";

afterEach(async ({ task }) => {
  for (const end of endsOfTest) await end({ name: task.name, hasFailed: task.result?.state === "fail" });
});
afterAll(async () => {
  for (const end of endsOfFile) await end();
});
