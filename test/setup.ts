import { afterAll, afterEach } from "vitest";
import { endsOfFile, endsOfTest } from "./ends.ts";

afterEach(async () => {
  for (const end of endsOfTest) await end();
});
afterAll(async () => {
  for (const end of endsOfFile) await end();
});
