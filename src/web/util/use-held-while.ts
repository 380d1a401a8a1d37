import { useState } from "react";

/** The value; while `isHeld`, the one of the last render before. */
export const useHeldWhile = <T>(isHeld: boolean, value: T): T => {
  const [held, hold] = useState(value);
  if (!isHeld && held !== value) hold(value);
  return isHeld ? held : value;
};
