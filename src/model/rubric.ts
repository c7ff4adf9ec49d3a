import { z } from 'zod';
import { Name } from './name.ts';

/** An evaluator, a detector or a rubric and its version, as a run pins them: `schema@1`. */
const VERSIONED_PATTERN = /^[a-z][a-z0-9_]{0,99}@[A-Za-z0-9][A-Za-z0-9.-]{0,63}$/;

export const Versioned: z.ZodType<string> = z
  .string()
  .regex(VERSIONED_PATTERN, 'must be name@version, such as schema@1');

const Fraction: z.ZodType<number> = z.number().min(0).max(1);

/** How the answers of several judges become one score. */
export interface JudgePanel {
  /** Each as `name@version`. */
  readonly members: readonly string[];
  /** The share of those asked that has to give an answer one can read; whoever does not counts as absent. */
  readonly quorum: number;
  /** How far apart the highest and the lowest may lie before nobody can rely on either. */
  readonly spread: number;
}
const JudgePanel: z.ZodType<JudgePanel> = z.strictObject({
  members: z.array(Versioned).min(1).max(20),
  quorum: Fraction,
  spread: Fraction,
});

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
  /** Present where models judge as well. */
  readonly judges?: JudgePanel;
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
    judges: JudgePanel.exactOptional(),
  })
  .refine((rubric) => rubric.confidence <= rubric.accept, {
    path: ['confidence'],
    message: 'must not be above the accept threshold, or a doubtful score would be accepted',
  });

/** Everything that judges by this rubric, each as `name@version`: what a run pins. */
export const judgedBy = ({ evaluators, judges }: Rubric): readonly string[] =>
  judges === undefined ? evaluators : [...evaluators, ...judges.members];
