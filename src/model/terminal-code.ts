import { z } from 'zod';

export const TERMINAL_CODES = [
  'SUCCESS',
  'PARTIAL_SUCCESS',
  'IMPOSSIBLE',
  'MISSING_INFO',
  'AMBIGUOUS_INTENT',
  'CONFIRM_REQUIRED',
  'REVIEW_REQUIRED',
  'BUDGET_EXHAUSTED',
  'TIMEOUT',
  'VALIDATION_FAIL',
  'LOW_CONFIDENCE',
  'SOURCE_CONFLICT',
  'REPEATED_FAILURE',
  'PERMISSION_DENIED',
  'UNSAFE_DETECTION',
  'UNAVAILABLE_DEP',
  'USER_CANCEL',
] as const;
export type TerminalCode = (typeof TERMINAL_CODES)[number];
export const TerminalCode: z.ZodType<TerminalCode> = z.enum(TERMINAL_CODES);
