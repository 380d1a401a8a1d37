import { createStore } from "../util/store.ts";

/** An earlier import that its list shows when it opens. `path` is that of the entity's calls. */
export const importToShow = createStore<{ readonly path: string; readonly id: string } | null>(null);
