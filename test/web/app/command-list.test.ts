import { expect, test } from "vitest";
import { createCommandList } from "../../../src/web/app/command-list.ts";

const command = (label: string) => ({ label, run: () => {} });
const labels = ({ get }: ReturnType<typeof createCommandList>) => get().map(({ label }) => label);

test("commands of a page come from its components, each of which replaces its own", () => {
  const commands = createCommandList();
  commands.offer("record", [command("Grant"), command("Decline")]);
  commands.offer("tools", [command("Export")]);
  commands.offer("record", [command("Cancel")]);
  expect(labels(commands)).toEqual(["Cancel", "Export"]);
  commands.withdraw("record");
  expect(labels(commands)).toEqual(["Export"]);
});
