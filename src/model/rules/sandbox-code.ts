import { z } from 'zod';
import { Pointer } from '../pointer.ts';

/** What has to be on record of code that was run, and whether it may change files. */
export interface SandboxCodeRules {
  /** Arguments: the code, what it is given, and the limits it runs under. */
  readonly code: string;
  readonly inputs: string;
  readonly limits: string;
  /** In the answer: what it put out, and what it complained about, which may be nothing. */
  readonly outputs: string;
  readonly errors: string;
  /** The argument with the files that the sandbox lets the code change. None of them, where it is absent or empty. */
  readonly files?: string;
  /** In the answer: the files that it did change. */
  readonly changed?: string;
  /** Under `strict`, code that may change files is for a person to see. */
  readonly mutation?: 'strict' | 'free';
}
export const SandboxCodeRules: z.ZodType<SandboxCodeRules> = z
  .strictObject({
    code: Pointer,
    inputs: Pointer,
    limits: Pointer,
    outputs: Pointer,
    errors: Pointer,
    files: Pointer.exactOptional(),
    changed: Pointer.exactOptional(),
    mutation: z.enum(['strict', 'free']).exactOptional(),
  })
  .refine(({ files, changed }) => (files === undefined) === (changed === undefined), {
    message: 'files and changed belong together: what may be changed is held against what was',
  });
