import { z } from 'zod';
import { Fault } from '../fault/fault.ts';

/** A JSON Pointer (RFC 6901). The empty pointer refers to the entire document. */
const POINTER_PATTERN = /^(\/([^~/]|~[01])*)*$/;

export const Pointer: z.ZodType<string> = z.string().regex(POINTER_PATTERN, 'must be a JSON Pointer');

const ESCAPED = /[~/]/;

/** Returns `/` and the key with `~` and `/` escaped. */
export function pointerToken(key: string): string {
  if (!ESCAPED.test(key)) return `/${key}`;
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Returns the unescaped keys of a JSON Pointer. The caller has checked that it is one. */
export function pointerKeys(pointer: string): readonly string[] {
  if (typeof pointer !== 'string') throw new Fault('input_invalid', 'a JSON Pointer is a text');
  if (pointer === '') return [];
  const tokens = pointer.slice(1).split('/');
  return pointer.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens;
}

/** Whether a JSON Pointer is another one or points inside of it. */
export const isAtOrBelow = (pointer: string, other: string): boolean =>
  pointer === other || pointer.startsWith(`${other}/`);
