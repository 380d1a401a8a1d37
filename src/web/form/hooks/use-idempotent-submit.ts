import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { type Body, newKey } from "../../api/api.ts";

/**
 * One write at a time, however often its button is pressed; and one key for one body, however often that is sent: a write
 * whose answer was lost is not done a second time when it is repeated.
 */
export const useSending = () => {
  const sending = useRef(false);
  const last = useRef<{ readonly body: string; readonly key: string } | null>(null);
  const { isPending, mutateAsync } = useMutation({
    mutationFn: ({ write, key }: { write: (key: string) => Promise<void>; key: string }) => write(key),
  });
  /** Does nothing while another write is on its way; throws what the write throws. */
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
