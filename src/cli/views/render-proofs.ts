import type { ProofReport } from '../../records.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatCount, formatInstant } from './format.ts';

/**
 * Whether an unproven decision was recorded although people had keys, or a record was altered. Decisions from before the
 * first key are old.
 */
export const hasForgedDecision = (proofs: ProofReport): boolean =>
  proofs !== 'not checked' &&
  (proofs.altered.length > 0 || proofs.unproven.some(({ cause }) => cause !== 'before_keys'));

/** The unproven decisions and altered runs, one per line, and a line that counts the proven ones. */
export function renderProofs(proofs: ProofReport, paint: Paint): readonly string[] {
  if (proofs === 'not checked') return [paint('quiet', 'proofs: not checked, because no keys are enrolled here')];
  const { checked, unproven, altered } = proofs;
  const lines = unproven.map(
    ({ run_id, event, by, at, message }) =>
      `${paint('bad', '✗')} ${run_id}  ${event} by ${by} at ${formatInstant(at)} is unproven: ${message}`,
  );
  const changed = altered.map(
    ({ run_id, frame, message }) => `${paint('bad', '✗')} ${run_id}  frame ${frame} was altered: ${message}`,
  );
  const proven = `proofs: ${checked - unproven.length} of ${formatCount(checked, 'decision')} proven`;
  return [...lines, ...changed, paint('quiet', proven)];
}
