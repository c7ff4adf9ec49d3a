/**
 * How long a provider asks to be left alone: in milliseconds, in seconds, or until a date, which is counted from the
 * provider's own clock where it says what that shows. 0 where it asks for nothing that can be read.
 */
export function retryAfterMs(headers: unknown, nowMs: number): number {
  const ms = Number(header(headers, 'retry-after-ms') ?? Number.NaN);
  if (ms >= 0) return whole(ms);
  const after = header(headers, 'retry-after');
  if (after === undefined) return 0;
  if (/^\d+(?:\.\d+)?$/u.test(after)) return whole(Number(after) * 1_000);
  const now = Date.parse(header(headers, 'date') ?? '');
  return whole(Date.parse(after) - (Number.isNaN(now) ? nowMs : now));
}

const whole = (ms: number): number => (ms > 0 && Number.isFinite(ms) ? Math.ceil(ms) : 0);

function header(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const value: unknown = Reflect.get(headers, name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
