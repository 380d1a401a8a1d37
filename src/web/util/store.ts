/** A value outside React that can be subscribed to. */
export interface Store<T> {
  get(): T;
  /** Notifies subscribers, unless the value is unchanged. */
  set(next: T): void;
  subscribe(follower: () => void): () => void;
}

/** A store whose subscribers can learn of a value later than those who read it. */
export interface QuietStore<T> extends Store<T> {
  /** Takes over a value, and notifies nobody. */
  setQuietly(next: T): void;
  notify(): void;
}

export const createStore = <T>(initial: T): QuietStore<T> => {
  let value = initial;
  const followers = new Set<() => void>();
  const notify = (): void => {
    for (const follower of followers) follower();
  };
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      notify();
    },
    setQuietly: (next) => {
      value = next;
    },
    notify,
    subscribe: (follower) => {
      followers.add(follower);
      return () => {
        followers.delete(follower);
      };
    },
  };
};
