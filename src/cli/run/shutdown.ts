/** Stops everything that was started, in reverse order, once. */
export class Shutdown {
  readonly #stops: (() => unknown)[] = [];
  readonly #signal: Promise<void>;
  constructor() {
    this.#signal = new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const)
        process.on(signal, () => {
          resolve();
        });
    });
  }
  /** Adds the way to stop something that was just started. */
  add(stop: () => unknown): void {
    this.#stops.push(stop);
  }
  waitForSignal(): Promise<void> {
    return this.#signal;
  }
  async run(): Promise<void> {
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) await stop();
  }
}
