import type { RunCase, StepCase } from '../../model/critic/judged-case.ts';
import type { Finding, FindingKind, FindingSeverity, StepVerdict } from '../../model/critic/verdict.ts';
import { Fault } from '../../model/fault/fault.ts';

/** An evaluator's answer: a score between 0 and 1, findings, and optionally a verdict. */
export interface Assessment {
  readonly score: number;
  readonly findings?: readonly Finding[];
  /** The mildest verdict that the evaluator accepts. It can make the final verdict stricter, never milder. */
  readonly verdict?: StepVerdict;
  readonly note?: string;
}

/**
 * A pure, versioned rule: the same case always gets the same answer. A changed rule gets a new version, and the old
 * version stays for the runs that it has judged.
 */
export interface Evaluator<C> {
  readonly name: string;
  readonly version: string;
  /** The score that the evaluator contributes to; by default its own name. Contributions are multiplied. */
  readonly feeds?: string;
  assess(c: C): Assessment;
}

/** A full score without findings. Most assessments are this one shared object; `tally` compares by identity. */
export const FULL: Assessment = Object.freeze({ score: 1 });

export function short(score: number, note: string): Assessment {
  return { score, note };
}

/** An assessment with findings, which the kernel has rules for, as opposed to a low score alone. */
export function found(score: number, findings: readonly Finding[]): Assessment {
  return { score, findings, note: findings.map(({ detail }) => detail).join('; ') };
}

export function finding(kind: FindingKind, severity: FindingSeverity, detail: string): Finding {
  return { kind, severity, detail: printable(detail) };
}

/** Makes a detail that may quote tool output safe for terminals: no control characters, at most 1,000 characters. */
function printable(text: string): string {
  return text
    .slice(0, 1_000)
    .replaceAll(/\p{Cc}/gu, '?')
    .toWellFormed();
}

/** The message of a thrown value, which need not be an error or even convertible to text. */
export function assessmentReason(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'string' ? thrown : `it threw a value of type ${typeof thrown}`;
}

/** All evaluators by `name@version`. An evaluator may judge steps, runs or both. */
export interface EvaluatorTable {
  readonly step: ReadonlyMap<string, Evaluator<StepCase>>;
  readonly run: ReadonlyMap<string, Evaluator<RunCase>>;
}

/** Evaluators by the kind of case that they judge. */
export interface Evaluators {
  readonly step: readonly Evaluator<StepCase>[];
  readonly run: readonly Evaluator<RunCase>[];
}

/** The table with more evaluators, which replace those with the same id. */
export function withEvaluators(usual: EvaluatorTable, { step = [], run = [] }: Partial<Evaluators>): EvaluatorTable {
  if (step.length + run.length === 0) return usual;
  const added = evaluatorTable(step, run);
  return { step: new Map([...usual.step, ...added.step]), run: new Map([...usual.run, ...added.run]) };
}

/** Score names become keys of a JSON object, so names such as `__proto__` are not allowed. */
const SCORE_NAME = /^[a-z][a-z0-9_]{0,99}$/;

export function evaluatorTable(
  step: readonly Evaluator<StepCase>[],
  run: readonly Evaluator<RunCase>[],
): EvaluatorTable {
  return { step: byId(step), run: byId(run) };
}

function byId<C>(evaluators: readonly Evaluator<C>[]): ReadonlyMap<string, Evaluator<C>> {
  const table = new Map<string, Evaluator<C>>();
  for (const evaluator of evaluators) {
    const id = `${evaluator.name}@${evaluator.version}`;
    if (!SCORE_NAME.test(evaluator.name) || !SCORE_NAME.test(scoreName(evaluator))) {
      throw new Fault('input_invalid', `evaluator ${id}: a name must be lower-case letters, digits and _`);
    }
    if (table.has(id))
      throw new Fault('input_invalid', `evaluator ${id} is there twice; a new rule needs a new version`);
    table.set(id, evaluator);
  }
  return table;
}

export function scoreName<C>(evaluator: Evaluator<C>): string {
  return evaluator.feeds ?? evaluator.name;
}
