import { beforeEach, vi } from "vitest";
import { CommandFailed } from "../src/cli/exit-codes.ts";

/** The output of a command in the current test: `printed` to the standard output, `told` to the error output. */
interface CapturedOutput {
  printed: string;
  told: string;
}

/** Keeps what each test of this file or `describe` writes instead of showing it. */
export const captureOutput = (): CapturedOutput => {
  const output: CapturedOutput = { printed: "", told: "" };
  beforeEach(() => {
    output.printed = "";
    output.told = "";
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      output.printed += String(text);
      return true;
    });
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      output.told += String(text);
      return true;
    });
    return () => vi.restoreAllMocks();
  });
  return output;
};

/** How a command fails; an error if it does not. */
export const failureOf = async (run: Promise<number>): Promise<CommandFailed> => {
  const failed = await run.catch((error: unknown) => error);
  if (!(failed instanceof CommandFailed)) throw new Error("The command did not fail as it should.", { cause: failed });
  return failed;
};
