/** A question to a thread, and its answer. */
export interface ThreadRequest<Question> {
  readonly id: number;
  readonly question: Question;
}
export interface ThreadAnswer<Answer> {
  readonly id: number;
  readonly answer: Answer;
}

/** The part of a worker that is used here. */
export interface Thread<Question, Answer> {
  postMessage(request: ThreadRequest<Question>): void;
  addEventListener(type: "message", listener: (event: { readonly data: ThreadAnswer<Answer> }) => void): void;
  addEventListener(type: "error", listener: () => void): void;
  terminate(): void;
}

interface Waiting<Question, Answer> extends ThreadRequest<Question> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: Error) => void;
}

/** Asks a thread. With `signal`, an aborted question is not asked if it still waits, and its promise never settles. */
export type AskThread<Question, Answer> = (question: Question, signal?: AbortSignal) => Promise<Answer>;

/**
 * Asks a thread one question after the other, so that typing never waits for an answer. A thread that fails is replaced at the
 * next question.
 */
export const createThreadCalls = <Question, Answer>(
  start: () => Thread<Question, Answer>,
): AskThread<Question, Answer> => {
  let thread: Thread<Question, Answer> | undefined;
  let running: Waiting<Question, Answer> | undefined;
  let last = 0;
  const waiting = new Set<Waiting<Question, Answer>>();

  const begin = (): Thread<Question, Answer> => {
    const started = start();
    started.addEventListener("message", ({ data }) => {
      if (running?.id === data.id) running.resolve(data.answer);
      running = undefined;
      next();
    });
    started.addEventListener("error", () => {
      started.terminate();
      thread = undefined;
      running?.reject(new Error("the thread failed"));
      running = undefined;
      next();
    });
    return started;
  };
  const next = (): void => {
    const [value] = waiting;
    if (running !== undefined || value === undefined) return;
    waiting.delete(value);
    running = value;
    thread ??= begin();
    const { id, question } = value;
    thread.postMessage({ id, question });
  };

  return (question, signal) =>
    new Promise((resolve, reject) => {
      const request: Waiting<Question, Answer> = { id: ++last, question, resolve, reject };
      signal?.addEventListener("abort", () => waiting.delete(request));
      waiting.add(request);
      next();
    });
};
