import type { z } from 'zod';
import { Fault, type FaultCode } from './fault.ts';
import { assertJson, JSON_LIMITS, type JsonLimits } from './json.ts';
import { pointerToken } from './pointer.ts';
import { printable } from './printable.ts';

/**
 * The one way a stranger's value becomes one of our nouns: bounded JSON first, schema second,
 * and a Fault that names the first place that is wrong and how many more there are.
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, code: FaultCode, limits: JsonLimits = JSON_LIMITS): T {
  assertJson(value, limits);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first, ...rest] = result.error.issues;
  const path = first === undefined ? '' : first.path.map((part) => pointerToken(String(part))).join('');
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
  const where = path === '' ? 'the value' : printable(path);
  throw new Fault(code, `${where}: ${printable(first?.message ?? 'does not fit')}${more}`, { path });
}
