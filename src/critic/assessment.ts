import type { Finding, FindingKind, FindingSeverity } from '../model/finding.ts';
import type { Assessment } from './evaluator.ts';

/** Shared, because most answers are this one. */
export const FULL: Assessment = Object.freeze({ score: 1 });

export function short(score: number, note: string): Assessment {
  return { score, note };
}

/** A shortfall that the kernel has a rule of its own for. */
export function found(score: number, findings: readonly Finding[]): Assessment {
  return { score, findings, note: findings.map(({ detail }) => detail).join('; ') };
}

export function finding(kind: FindingKind, severity: FindingSeverity, detail: string): Finding {
  return { kind, severity, detail: printable(detail) };
}

/** A detail may quote what a tool returned, and people read details in terminals: no control characters, no novels. */
function printable(text: string): string {
  return text
    .slice(0, 1_000)
    .replaceAll(/\p{Cc}/gu, '?')
    .toWellFormed();
}
