import { z } from 'zod';
import { Name } from './name.ts';

/** An evaluator, a detector or a rubric and its version, as a run pins them: `schema@1`. */
const VERSIONED_PATTERN = /^[a-z][a-z0-9_]{0,99}@[A-Za-z0-9][A-Za-z0-9.-]{0,63}$/;

export const Versioned: z.ZodType<string> = z
  .string()
  .regex(VERSIONED_PATTERN, 'must be name@version, such as schema@1');

const Fraction: z.ZodType<number> = z.number().min(0).max(1);

/** The yardstick a run is measured with. Pinned at the start, so that replay measures with the same one. */
export interface Rubric {
  readonly name: string;
  readonly version: string;
  /** In the order in which they are asked, each as `name@version`. */
  readonly evaluators: readonly string[];
  /** A step or run whose scores all reach this is accepted. */
  readonly accept: number;
  /** Scores that nothing can make up for: below its floor, no other score counts. */
  readonly floors: Readonly<Record<string, number>>;
  /** A score below this is not trusted enough to act on, whatever it says. */
  readonly confidence: number;
}
export const Rubric: z.ZodType<Rubric> = z
  .strictObject({
    name: Name,
    version: Name,
    evaluators: z
      .array(Versioned)
      .min(1)
      .max(100)
      .refine((list) => new Set(list).size === list.length, 'must not name an evaluator twice'),
    accept: Fraction,
    floors: z.record(Name, Fraction),
    confidence: Fraction,
  })
  .refine((rubric) => rubric.confidence <= rubric.accept, {
    path: ['confidence'],
    message: 'must not be above the accept threshold, or a doubtful score would be accepted',
  });
