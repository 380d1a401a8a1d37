import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { type Body, newKey } from "../../api/requests.ts";

/**
 * One write at a time, however often its button is pressed, with one idempotency key per body: repeating a write whose
 * response was lost does not carry it out twice.
 */
export const useIdempotentSubmit = () => {
  const sending = useRef(false);
  const last = useRef<{ readonly body: string; readonly key: string } | null>(null);
  const { isPending, mutateAsync } = useMutation({
    mutationFn: ({ write, key }: { write: (key: string) => Promise<void>; key: string }) => write(key),
  });
  /** Does nothing while another write is in progress; rethrows its error. */
  const send = async (body: Body, write: (key: string) => Promise<void>): Promise<void> => {
    if (sending.current) return;
    sending.current = true;
    const text = JSON.stringify(body);
    if (last.current?.body !== text) last.current = { body: text, key: newKey() };
    try {
      await mutateAsync({ write, key: last.current.key });
      last.current = null;
    } finally {
      sending.current = false;
    }
  };
  return { busy: isPending, send };
};
