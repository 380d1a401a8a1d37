import type { Away, Messages } from "../../core/explain/messages.ts";
import type { Problem } from "../../core/wire/problems.ts";
import { StoreAway, StoreBusy, StoreSlow } from "../../postgres/database.ts";
import { TooManyRequests } from "../limits/turns.ts";
import { SignInBusy } from "../util/password-hash.ts";

/**
 * The response for a temporary failure: when to retry, and the reason for the log. Undefined for any other error. No
 * document changes these responses.
 */
export const unavailable = (
  error: unknown,
  reference: string,
  words: Messages["away"] = null,
): { readonly problem: Problem; readonly seconds: number; readonly because: string } | undefined => {
  const isBusy = error instanceof StoreBusy || error instanceof SignInBusy || error instanceof TooManyRequests;
  if (!(error instanceof StoreAway || isBusy)) return undefined;
  const because = error instanceof StoreAway ? error.because : error.message;
  const with503 = (code: Away, title: string, detail: string, seconds: number) => ({
    problem: { type: "about:blank", title, status: 503, code, detail, ...words?.[code], reference },
    seconds,
    because,
  });
  if (isBusy)
    return with503(
      "TOO_BUSY",
      "Too busy",
      "Too many are asking at this moment. Nothing was done; try again in a moment.",
      2,
    );
  if (error instanceof StoreSlow)
    return with503(
      "TOOK_TOO_LONG",
      "Took too long",
      "This took longer than it may and was given up. Nothing was done; try again in a moment.",
      2,
    );
  return with503(
    "STORE_AWAY",
    "Away",
    "The store cannot be reached just now. Nothing was lost; try again in a moment.",
    1,
  );
};
