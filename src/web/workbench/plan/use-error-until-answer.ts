import { useState } from "react";

/**
 * The error of a query, also while the query is repeated. A repeated query forgets its error at once; a note that went
 * with it would take its button away from under the keyboard focus.
 */
export const useErrorUntilAnswer = (error: Error | null, isFetching: boolean): Error | null => {
  const [last, setLast] = useState(error);
  const shown = error ?? (isFetching ? last : null);
  if (shown !== last) setLast(shown);
  return shown;
};
