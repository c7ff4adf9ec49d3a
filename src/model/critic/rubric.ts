import { z } from 'zod';
import { exact, exactObject } from '../json/exact.ts';
import { Name } from '../json/name.ts';

/** The pattern of a versioned evaluator, detector or rubric, as a run pins it: `schema@1`. */
const VERSIONED_PATTERN = /^[a-z][a-z0-9_]{0,99}@[A-Za-z0-9][A-Za-z0-9.-]{0,63}$/;

export const Versioned: z.ZodType<string> = z
  .string()
  .regex(VERSIONED_PATTERN, 'must be name@version, such as schema@1');

const Fraction: z.ZodType<number> = z.number().min(0).max(1);

/** The rules that combine the answers of several judges into one score. */
export interface JudgePanel {
  /** Each as `name@version`. */
  readonly members: readonly string[];
  /** The share of the judges that must give a readable answer; an unreadable one counts as absent. */
  readonly quorum: number;
  /** The maximum difference between the highest and the lowest score; above it, no score is reliable. */
  readonly spread: number;
}
const JudgePanel: z.ZodType<JudgePanel> = exactObject({
  members: z.array(Versioned).min(1).max(20),
  quorum: Fraction,
  spread: Fraction,
});

/** The evaluators and thresholds of a run. Pinned at the start, so that replay uses the same ones. */
export interface Rubric {
  readonly name: string;
  readonly version: string;
  /** Each as `name@version`, in the order of evaluation. */
  readonly evaluators: readonly string[];
  /** A step or run is accepted if all its scores reach this value. */
  readonly accept: number;
  /** Minimum scores that no other score can compensate for. */
  readonly floors: Readonly<Record<string, number>>;
  /** A lower score is not reliable enough to act on. */
  readonly confidence: number;
  /** Present if models judge too. */
  readonly judges?: JudgePanel;
}
export const Rubric: z.ZodType<Rubric> = exact(
  z
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
    }),
);

/** Returns every evaluator and judge that a run pins, each as `name@version`. */
export const judgedBy = ({ evaluators, judges }: Rubric): readonly string[] =>
  judges === undefined ? evaluators : [...evaluators, ...judges.members];

/**
 * Explains why this process cannot judge by a recorded rubric: names the missing evaluator and the versions here. Null if
 * all evaluators are available.
 */
export function explainMissingEvaluator({ evaluators }: Rubric, available: readonly string[]): string | null {
  const missing = evaluators.find((id) => !available.includes(id));
  if (missing === undefined) return null;
  const base = missing.slice(0, missing.indexOf('@') + 1);
  const here = available.filter((id) => id.startsWith(base)).join(', ');
  return `the run was made with evaluator ${missing}, but this process has ${here || 'no such evaluator'}`;
}
