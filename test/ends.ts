/*
 * Test files share a process and its modules. A helper that starts something (a program, a page) registers
 * its clean-up here once; `test/setup.ts`, which runs for each file, executes it.
 */
type End = () => Promise<unknown>;
type EndOfTest = (test: { readonly name: string; readonly hasFailed: boolean }) => Promise<unknown>;

export const endsOfTest: EndOfTest[] = [];
export const endsOfFile: End[] = [];

/** Runs `end` after each test of every file in this process. */
export const afterEveryTest = (end: EndOfTest): void => void endsOfTest.push(end);

/** Runs `end` after every test file in this process. */
export const afterEveryFile = (end: End): void => void endsOfFile.push(end);
