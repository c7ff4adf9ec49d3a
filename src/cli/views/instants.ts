/** An instant for a person: local time, to the second. */
export const instant = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** How long something takes or lasts, in its two largest units. */
export function duration(ms: number): string {
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

export const ago = (at: number, now: number): string =>
  at > now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`;
