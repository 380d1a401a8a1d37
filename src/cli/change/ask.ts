import { createInterface } from "node:readline/promises";

/** Asks a question on the terminal. Returns nothing if it is left with Ctrl+C or Ctrl+D. */
export const ask = async (question: string): Promise<string> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const left = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  const typed = await Promise.race([lines.question(question), left]);
  lines.close();
  return typed.trim();
};
