/** Money is counted in millionths of a dollar. */
export function money(microusd: number): string {
  if (microusd === 0) return '$0';
  const dollars = microusd / 1_000_000;
  return `$${dollars < 0.01 ? dollars.toFixed(6).replace(/0+$/, '') : dollars.toFixed(2)}`;
}
