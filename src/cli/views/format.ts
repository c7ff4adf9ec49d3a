/** Formats an instant in UTC, to the second: `2026-11-18 02:05:15Z`. A damaged row may hold one that is no date. */
export const formatInstant = (at: number): string =>
  (Number.isNaN(new Date(at).getTime()) ? 'no date' : new Date(at).toISOString())
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** Formats a duration in its two largest units: `1 min 30 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const first = UNITS.findIndex(([, unit]) => ms >= unit);
  const parts = UNITS.slice(first, first + 2).map(([name, unit], at) => {
    const before = at === 0 ? Number.POSITIVE_INFINITY : (UNITS[first]?.[1] ?? 1);
    return { name, count: Math.floor((ms % before) / unit) };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(' ');
}

/** Formats an instant relative to now: `in 25 s` or `2 h ago`. */
export const formatRelative = (at: number, now: number): string =>
  at > now ? `in ${formatDuration(at - now)}` : `${formatDuration(now - at)} ago`;

/** Formats a count with its noun: `1 plan`, `2 plans`. */
export const formatCount = (count: number, noun: string): string => `${count} ${count === 1 ? noun : `${noun}s`}`;

/** Formats an amount in millionths of a dollar: `$1.25`. */
export function formatMoney(microusd: number): string {
  if (microusd === 0) return '$0';
  const dollars = microusd / 1_000_000;
  return `$${dollars < 0.01 ? dollars.toFixed(6).replace(/(?<!0)0+$/, '') : dollars.toFixed(2)}`;
}
