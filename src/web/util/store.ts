/** A value outside React that can be subscribed to. */
export interface Store<T> {
  get(): T;
  /** Notifies subscribers, unless the value is unchanged. */
  set(next: T): void;
  subscribe(follower: () => void): () => void;
}

export const createStore = <T>(initial: T): Store<T> => {
  let value = initial;
  const followers = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const follower of followers) follower();
    },
    subscribe: (follower) => {
      followers.add(follower);
      return () => {
        followers.delete(follower);
      };
    },
  };
};
