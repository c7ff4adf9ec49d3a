import { z } from 'zod';

/**
 * The pattern of ids and names. They come from models and other untrusted input and end up in file names, log lines and
 * prompts: printable, no blanks, no control characters, at most 200 characters, and never a key that reaches into a
 * prototype.
 */
const NAME_PATTERN = /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_][A-Za-z0-9_.:@/-]{0,199}$/;

export const Name: z.ZodType<string> = z
  .string()
  .regex(NAME_PATTERN, 'must be 1 to 200 letters, digits or _ . : @ / -, starting with a letter, digit or _');

/** Checks the same pattern without a schema. */
export const isName = (value: unknown): value is string => typeof value === 'string' && NAME_PATTERN.test(value);

/** Free text for people, without control characters other than tab and line breaks. */
export const Text: z.ZodType<string> = z
  .string()
  .max(100_000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
  .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, 'must not hold control characters');

/** Text that is not blank. */
export const Statement: z.ZodType<string> = Text.refine((text) => text.trim() !== '', 'must say something');

/** Milliseconds since the epoch, as in the journal. */
export type Instant = number;
export const Instant: z.ZodType<number> = z.int().nonnegative();

/** ISO-8601 time in UTC, as in documents for people and other systems. */
export type Timestamp = string;
export const Timestamp: z.ZodType<string> = z.iso.datetime();
