/*
 * Test files of one kind share a process, and with it the modules they import. A helper that starts something (a program,
 * a page) leaves its end here once; `test/setup.ts`, which runs anew for each file, carries it out.
 */
type End = () => Promise<unknown>;

export const endsOfTest: End[] = [];
export const endsOfFile: End[] = [];

/** Runs `end` after each test of every file in this process. */
export const afterEveryTest = (end: End): void => void endsOfTest.push(end);

/** Runs `end` at the end of every test file in this process. */
export const afterEveryFile = (end: End): void => void endsOfFile.push(end);
