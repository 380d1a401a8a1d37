/** Prints a line for the person at the terminal. */
export const writeLine = (text: string): void => void process.stdout.write(`${text}\n`);
