/** The exact sum of decimals as text: “0.10” and “0.2” are “0.30”. */
export const sumDecimals = (decimals: readonly string[]): string => {
  const places = Math.max(0, ...decimals.map((decimal) => (decimal.split(".")[1] ?? "").length));
  const scaled = decimals.map((decimal) => {
    const [whole = "", fraction = ""] = decimal.split(".");
    return BigInt(whole + fraction.padEnd(places, "0"));
  });
  const sum = scaled.reduce((one, other) => one + other, 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, "0");
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return sum < 0n ? `-${text}` : text;
};
