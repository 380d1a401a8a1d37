import { useEffect, useRef } from "react";

/** The value; while `isHeld`, the one of the last render before. The value can be another object in each render. */
export const useHeldWhile = <T>(isHeld: boolean, value: T): T => {
  const held = useRef(value);
  useEffect(() => {
    if (!isHeld) held.current = value;
  });
  return isHeld ? held.current : value;
};
