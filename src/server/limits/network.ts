import { isIPv6 } from "node:net";

/**
 * The network of an address. Providers assign an IPv6 /64, which contains 2^64 addresses, to each household or server.
 * `2001:db8:1:2:3:4:5:6` is in `2001:db8:1:2::/64`. An IPv4 address is its own network.
 */
export const getNetwork = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ""] = address.split("%");
  if (!isIPv6(plain)) return address;
  const [head = "", tail] = plain.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  // An embedded IPv4 address counts as two groups.
  const groups = after.length + (after.at(-1)?.includes(".") === true ? 1 : 0);
  const zeros = tail === undefined ? 0 : Math.max(8 - before.length - groups, 0);
  const allGroups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return `${allGroups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
};
