import { z } from 'zod';
import { exact } from '../../json/exact.ts';
import { Pointer } from '../../json/pointer.ts';

/** The arguments and outputs that must be recorded for executed code, and whether the code may change files. */
export interface SandboxCodeRules {
  /** Arguments: the code, its inputs, and its resource limits. */
  readonly code: string;
  readonly inputs: string;
  readonly limits: string;
  /** Pointers into the answer: output and errors. Both may be empty. */
  readonly outputs: string;
  readonly errors: string;
  /** The argument with the files that the code may change. If absent or empty, the code may change none. */
  readonly files?: string;
  /** Pointer into the answer: the files that the code changed. */
  readonly changed?: string;
  /** Under `strict`, code that may change files needs approval. */
  readonly mutation?: 'strict' | 'free';
}
export const SandboxCodeRules: z.ZodType<SandboxCodeRules> = exact(
  z
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
    }),
);
