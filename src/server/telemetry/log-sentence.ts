/** A line of the log for a reader at a terminal: time, sentence, simple values, and the stack of a fault. */
export const toLogSentence = (line: string): string => {
  const { time, msg, level, err, because, reqId, ...rest } = JSON.parse(line) as {
    readonly time?: string;
    readonly msg?: string;
    readonly level: number;
    readonly err?: { readonly message?: string; readonly stack?: string };
    readonly because?: unknown;
    readonly reqId?: string;
  } & Readonly<Record<string, unknown>>;
  const isFault = level >= ERROR;
  const reason = err?.message ?? (typeof because === "string" ? because : undefined);
  const sentence = `${msg ?? ""}${reason === undefined ? "" : `: ${reason}`}`;
  // The person at the terminal needs the number of a request only to find a fault that somebody reports.
  const values = Object.entries(isFault && reqId !== undefined ? { reference: reqId, ...rest } : rest).flatMap(
    ([name, value]) => (["string", "number", "boolean"].includes(typeof value) ? [`${name} ${String(value)}`] : []),
  );
  const shown = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${/[.!?…]$/u.test(sentence) ? "" : "."}`;
  return [
    `${time === undefined ? "" : `${time.slice(11, 19)} `}${shown}${values.length === 0 ? "" : ` (${values.join(", ")})`}`,
    ...(isFault && err?.stack !== undefined ? err.stack.split("\n").slice(1) : []),
    "",
  ].join("\n");
};

/** The level of errors in pino. */
const ERROR = 50;
