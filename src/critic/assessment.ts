import type { Finding, FindingKind, FindingSeverity } from '../model/critic/verdict.ts';
import type { Assessment } from './evaluators/evaluator.ts';

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
