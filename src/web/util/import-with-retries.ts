/** Waits before an import is repeated, in milliseconds: for a lost connection, and for a server that restarts. */
const DELAYS = [300, 1_500];

/**
 * The wait before a failure is forgotten, in milliseconds. A component that suspended is rendered from the start when its
 * promise fails, so another promise at that moment would be awaited endlessly, and nothing would say that it failed.
 */
export const RENEWAL_DELAY = 1_000;

/**
 * Loads a part of the script. Repeats it if it fails, because a browser gives up at once, for example when the network
 * changes while the part is on its way.
 */
export const importWithRetries = async <T>(load: () => Promise<T>): Promise<T> => {
  for (const delay of DELAYS)
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  return load();
};
