import { z } from 'zod';

/** RFC 6901. The empty pointer is the whole document. */
const POINTER_PATTERN = /^(\/([^~/]|~[01])*)*$/;

export const Pointer: z.ZodType<string> = z.string().regex(POINTER_PATTERN, 'must be a JSON Pointer');

const ESCAPED = /[~/]/;

/** One reference token: the only two characters with a meaning of their own are escaped. */
export function pointerToken(key: string): string {
  if (!ESCAPED.test(key)) return `/${key}`;
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
