/** Stops everything that was started, in reverse order, once. */
export class StopList {
  readonly #stops: (() => unknown)[] = [];
  /** Adds the way to stop something that was just started. */
  add(stop: () => unknown): void {
    this.#stops.push(stop);
  }
  async run(): Promise<void> {
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) await stop();
  }
}

/** Everything that a program stops when it receives a signal. */
export class Shutdown extends StopList {
  readonly #signal: Promise<void>;
  constructor() {
    super();
    this.#signal = new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const)
        process.on(signal, () => {
          resolve();
        });
    });
  }
  /** Resolves with the first signal, also if it came before. */
  waitForSignal(): Promise<void> {
    return this.#signal;
  }
}
